package ecs_test

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// A server sends after each tick what has changed, as bytes; a client makes the same changes in a
// world of its own.
func ExampleComponent_Since() {
	server, client := newRoom(), newMirror()
	defer server.world.Close()
	defer client.world.Close()
	for tick := 1; tick <= 5; tick++ {
		if err := server.step(tick); err != nil {
			fmt.Println(err)
		}
		message, err := server.delta()
		if err == nil {
			err = client.apply(message)
		}
		fmt.Printf("tick %d: %d entities, %3d bytes, alike: %v, %v\n", tick, server.world.Len(), len(message), client.like(server), err)
	}
	// Output:
	// tick 1: 100 entities, 2432 bytes, alike: true, <nil>
	// tick 2: 101 entities,  68 bytes, alike: true, <nil>
	// tick 3: 101 entities, 100 bytes, alike: true, <nil>
	// tick 4: 101 entities, 100 bytes, alike: true, <nil>
	// tick 5: 101 entities, 100 bytes, alike: true, <nil>
}

// shared are the components that the server sends; both worlds register them in this order.
func shared(w *ecs.World) (ecs.Component[Position], ecs.Component[Health]) {
	return ecs.Register[Position](w, ecs.Tracked), ecs.Register[Health](w, ecs.Tracked, ecs.Sparse)
}

// room is the server's world, and the version up to which the client knows it.
type room struct {
	world    *ecs.World
	position ecs.Component[Position]
	health   ecs.Component[Health]
	es       []ecs.Entity
	version  uint64
}

func newRoom() *room {
	w := ecs.NewWorld()
	r := &room{world: w}
	r.position, r.health = shared(w)
	for i := range 100 {
		r.es = append(r.es, w.Spawn(r.position.With(Position{X: float64(i)})))
	}
	all := w.Query(ecs.Write(r.position))
	err := w.Schedule().Add(ecs.System{Name: "fall", Queries: []*ecs.Query{all}, Run: func(*ecs.Tick) error {
		for c := range all.Chunks() { // all are written, and few have another value then
			for i, p := range r.position.Mut(c) {
				r.position.Mut(c)[i].Y = max(p.Y-1, 0)
			}
		}
		return nil
	}})
	if err != nil {
		panic(err)
	}
	return r
}

// step has some entities fall, come, and die.
func (r *room) step(tick int) error {
	if tick > 1 {
		r.position.Edit(r.es[10+tick]).Y = 1.5
		r.world.Spawn(r.health.With(Health{HP: float32(tick)}))
	}
	if tick > 2 {
		if err := r.world.Despawn(r.es[tick]); err != nil {
			return err
		}
	}
	return r.world.Step(1)
}

// delta returns what the client does not know yet: for each component, whether it is everything,
// the rows, and the entities that have lost it.
func (r *room) delta() (message []byte, err error) {
	since := r.version
	for _, c := range []ecs.ComponentRef{r.position, r.health} {
		d, err := r.world.Raw().Since(c.ID(), since)
		if err != nil {
			return nil, err
		}
		var rows []byte
		n := uint32(0)
		for e, value := range d.Bytes() {
			rows = append(binary.LittleEndian.AppendUint64(rows, uint64(e)), value...)
			n++
		}
		message = binary.LittleEndian.AppendUint32(message, n)
		message = append(message, rows...)
		removed := d.Removed()
		message = binary.LittleEndian.AppendUint32(message, uint32(len(removed)))
		for _, e := range removed {
			message = binary.LittleEndian.AppendUint64(message, uint64(e))
		}
		whole := uint64(0)
		if d.Whole {
			whole = 1
		}
		message = binary.LittleEndian.AppendUint64(message, whole)
		r.version = d.Version
	}
	return message, nil
}

// mirror is the client's world; its entities have handles of their own.
type mirror struct {
	world *ecs.World
	sizes []uintptr
	local map[ecs.Entity]ecs.Entity // by the server's handle
}

func newMirror() *mirror {
	w := ecs.NewWorld()
	position, health := shared(w)
	sizes := []uintptr{w.Raw().Schema(position.ID()).Size, w.Raw().Schema(health.ID()).Size}
	return &mirror{w, sizes, map[ecs.Entity]ecs.Entity{}}
}

// apply changes the world as a message says. A real client checks the lengths first.
func (m *mirror) apply(message []byte) error {
	word := func() uint64 {
		v := binary.LittleEndian.Uint64(message)
		message = message[8:]
		return v
	}
	count := func() int {
		n := binary.LittleEndian.Uint32(message)
		message = message[4:]
		return int(n)
	}
	for i, name := range []string{"Position", "Health"} {
		id, _ := m.world.Raw().ComponentNamed(name)
		for range count() {
			e, value := ecs.Entity(word()), message[:m.sizes[i]]
			message = message[m.sizes[i]:]
			own, known := m.local[e]
			if !known {
				own = m.world.Spawn()
				m.local[e] = own
			}
			if err := m.world.Add(own, m.world.Raw().ValueAt(id, unsafe.Pointer(unsafe.SliceData(value)))); err != nil {
				return err
			}
		}
		for range count() {
			if err := m.remove(ecs.Entity(word()), id); err != nil {
				return err
			}
		}
		word() // everything was sent: this client has nothing that it must drop then
	}
	return nil
}

// remove takes a component away; an entity that has none left is gone.
func (m *mirror) remove(e ecs.Entity, id ecs.ComponentID) error {
	own := m.local[e]
	if err := m.world.Remove(own, id); err != nil {
		return err
	}
	if len(m.world.Raw().Components(own, nil)) > 0 {
		return nil
	}
	delete(m.local, e)
	return m.world.Despawn(own)
}

// like reports whether the client has what the server has, and nothing else.
func (m *mirror) like(r *room) bool {
	position, health := shared(m.world)
	for e := range r.world.Entities() {
		p, hasPosition := r.position.Get(e)
		h, hasHealth := r.health.Get(e)
		q, positionThere := position.Get(m.local[e])
		i, healthThere := health.Get(m.local[e])
		if p != q || h != i || hasPosition != positionThere || hasHealth != healthThere {
			return false
		}
	}
	return m.world.Len() == r.world.Len()
}
