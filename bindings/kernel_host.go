package bindings

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
)

// KernelHostCall is a place in a function that asks the world for something, or
// changes it: what Op says, a function of ecs. Parts are the values that it
// lists, after the entity.
type KernelHostCall struct {
	Op    string
	Parts []HostPart
}

// HostPart is a component, an event or a prefab. Fields are those of which the
// host call gives the numbers, in order: 1 for true, the place of its name for an enum.
type HostPart struct {
	Ref    any // of a Resolved
	Fields []ecs.Field
}

// KernelHost answers what a kernel cannot find out by itself, and makes the changes
// that it has noted, as the functions of ecs would at the same place. Where those
// would raise an error, or it is not sure that they would not, the VM
// runs the row.
//
// The changes of a row wait until the kernel has gone on to another one: a row at
// which it stops must leave nothing behind, not even a handle that was issued and
// given back, because the next entity would get another.
type KernelHost struct {
	m       *Module
	list    []hostCall
	refs    []any         // the components that the kernel finds by itself
	schemas []*ecs.Schema // of all that it knows, when it was compiled
	values  []ecs.Value   // scratch
	notes   changeBudget
	spawned changeBudget
	bytes   changeBudget
	sets    changeBudget
	changes []ecs.ComponentID // that come and go; nil until asked for
	ends    bool              // a host call despawns
	never   bool              // a spawn is too large: it is an error of the script
}

// hostCall is a KernelHostCall with what its changes are made of.
type hostCall struct {
	KernelHostCall
	size      int // numbers in a note
	templates []template
	made      ecs.Prefab // of a spawn
}

// NewKernelHost makes the host calls of one kernel. refs are the components of other
// entities that it finds by itself.
func (m *Module) NewKernelHost(list []KernelHostCall, refs []any) *KernelHost {
	s := &KernelHost{m: m, refs: refs}
	for _, at := range list {
		one := hostCall{KernelHostCall: at, size: 1}
		if at.Op == "spawn" || at.Op == "emit" {
			one.size = 0
		}
		for _, p := range at.Parts {
			one.size += len(p.Fields)
		}
		s.list = append(s.list, one)
		s.measure(&one)
		s.ends = s.ends || at.Op == "despawn"
	}
	s.resolve(func(_ bool, schema *ecs.Schema) { s.schemas = append(s.schemas, schema) })
	return s
}

// resolve visits all that the kernel knows: whether it exists, and its schema.
func (s *KernelHost) resolve(visit func(ready bool, schema *ecs.Schema)) {
	for _, t := range s.refs {
		visitRef(t, visit)
	}
	for i := range s.list {
		for _, p := range s.list[i].Parts {
			visitRef(p.Ref, visit)
		}
	}
}

func visitRef(thing any, visit func(ready bool, schema *ecs.Schema)) {
	switch x := thing.(type) {
	case *decl.Component:
		visit(x.Ready, x.Schema)
	case *decl.Event:
		visit(x.Ready, x.Schema)
	case *decl.Prefab:
		for _, v := range x.Values {
			visit(v.Comp.Ready && v.Form == v.Comp.Form, nil)
		}
		for _, child := range x.Children {
			visitRef(child, visit)
		}
	}
}

// Ready reports whether the kernel can run now: all that it knows exists and has
// the fields that it was compiled for. If so, numbers get those of the components.
func (s *KernelHost) Ready(numbers []uint32) bool {
	if len(s.schemas) == 0 {
		return !s.never
	}
	ok, at := !s.never, 0
	s.resolve(func(ready bool, schema *ecs.Schema) {
		ok = ok && ready && s.fits(at, schema)
		at++
	})
	for i, t := range s.refs {
		c := t.(*decl.Component)
		ok = ok && !s.m.world.Raw().Pooled(c.ID)
		numbers[i] = uint32(c.ID)
	}
	return ok
}

// fits reports whether something has the fields that it had when the kernel was
// compiled. The world gives it another schema when it comes into being.
func (s *KernelHost) fits(at int, schema *ecs.Schema) bool {
	if s.schemas[at] == schema {
		return true
	}
	if schema == nil || !s.schemas[at].Same(schema) {
		return false
	}
	s.schemas[at] = schema
	for i := range s.list {
		s.list[i].templates = nil // made with the defaults of the other
	}
	return true
}

// entity turns a number into a handle that was issued by this world.
func (s *KernelHost) entity(n float64) (ecs.Entity, bool) {
	e, why := value.ToEntity(n)
	return e, why == "" && s.m.ours(e) && !s.promised(e)
}

// promised reports whether a handle is one that a spawn of this run has been given, or
// may be one that a spawn which a kernel has noted will be: it is higher than any that
// its slot has had, and nobody lives there. Lua knows such entities already.
func (s *KernelHost) promised(e ecs.Entity) bool {
	w := s.m.world
	at, memory := w.Raw().MemoryMap(), w.Raw().Memory()
	if memory == nil || e.Index() == 0 || e.Index() >= at.Slots {
		return false
	}
	record := (*[4]uint32)(unsafe.Pointer(&memory[at.Records+16*e.Index()]))
	stamp := uint32(e >> 24)
	return record[0] == stamp && record[1] == 0 || record[0] == 0 && record[3] < stamp
}

// Fetch is ecs.get and ecs.has for components that lie in pools: the address of
// an entity's component, nil when it has none. Of one with Go pointers, which can
// be asked for only, it is some address in the world's memory.
func (s *KernelHost) Fetch(site int, entity float64) (unsafe.Pointer, bool) {
	c := s.list[site].Parts[0].Ref.(*decl.Component)
	e, ok := s.entity(entity)
	if !ok {
		return nil, false
	}
	p := s.m.world.Raw().Pointer(e, c.ID)
	if p != nil && c.Heap {
		p = unsafe.Pointer(unsafe.SliceData(s.m.world.Raw().Memory()))
	}
	return p, true
}

// Ask is ecs.parent, 0 for none. The answer is not-a-number where that would raise
// an error.
func (s *KernelHost) Ask(_ int, entity float64) float64 {
	e, ok := s.entity(entity)
	if !ok {
		return math.NaN()
	}
	return float64(s.m.world.Parent(e))
}

// roomForSets returns how many changes of a kernel surely keep within the limits.
func (s *KernelHost) roomForSets(c *tx.Call) int {
	room := s.m.tx.RoomForSets(c)
	if s.changes == nil {
		for i := range s.list {
			for _, p := range s.list[i].Parts {
				s.changes = appendComponents(s.changes, p.Ref)
			}
		}
	}
	if c.Tick.Commands.FewSets(max(room, 0), s.changes) {
		return math.MaxInt
	}
	return room - c.Tick.Commands.NewSets(max(room, 0))
}

// appendComponents lists those of a component or a prefab.
func appendComponents(list []ecs.ComponentID, thing any) []ecs.ComponentID {
	switch x := thing.(type) {
	case *decl.Component:
		list = append(list, x.ID)
	case *decl.Prefab:
		for _, v := range x.Values {
			list = append(list, v.Comp.ID)
		}
		for _, child := range x.Children {
			list = appendComponents(list, child)
		}
	}
	return list
}

// Heed returns what a kernel must know before it runs: the mark of the run, and
// whether anybody is in a relation, so that others may die with whom it ends.
func (s *KernelHost) Marks() (mark uint8, kin bool) {
	m := s.m
	if m.exec.Marks.Careful {
		if p := m.tx.Ahead(); p != nil {
			m.exec.Marks.Update(p)
		}
	}
	if s.ends && m.exec.Related() {
		m.exec.Marks.Relate(m.world)
		return m.exec.Marks.Number, true
	}
	return m.exec.Marks.Number, false
}
