package bindings

import "github.com/perigee-ecs/perigee/ecs"

// marks tell kernels which entities the run has done something to: a byte for each
// slot in the world's memory is the number of the run. Kernels mark what they change;
// what Lua has changed is marked before the next call of a kernel. For kernels that
// despawn, the targets of relations are marked with the number and kin.
//
// A mark may stand without reason: of a row that was undone, or because the number has
// come round. Who finds one has Lua run the row, which makes no difference but for time.
type marks struct {
	bytes   []byte       // of all slots, nil until there is a kernel
	number  uint8        // of the run, from 1 to lastRun
	targets []*ecs.Query // those of each relation
	kin     bool         // they are marked
	epoch   int          // of the preview
	seen    int          // entities of it that are marked
	careful bool         // rows of the run, or what has called it, have done something by Lua
}

// The marks of a run, and what is added to them.
const lastRun, kin = 0x7F, 0x80

// relate marks the targets of relations, once in a run. O(entities in relations).
func (k *marks) relate(w *ecs.World) {
	if k.kin {
		return
	}
	k.kin = true
	i := 0
	for r := range w.Raw().Relations() {
		if i == len(k.targets) {
			k.targets = append(k.targets, w.Query().Targets(r).Prefabs())
		}
		for c := range k.targets[i].Chunks() {
			for _, e := range c.Entities() {
				if at := &k.bytes[e.Index()]; *at != k.number {
					*at = k.number | kin
				}
			}
		}
		i++
	}
}

// begin begins a run of a kernel.
func (k *marks) begin(m *executor) {
	if k.bytes == nil {
		at := m.world.Raw().MemoryMap()
		if memory := m.world.Raw().Memory(); memory != nil {
			k.bytes = memory[at.Marks:][:at.Slots]
		}
	}
	k.seen, k.kin = 0, false
	if k.number++; k.number > lastRun {
		clear(k.bytes[:min(m.world.Raw().Slots()+1, len(k.bytes))])
		k.number = 1
	}
}

// update marks what the running call has done something to.
func (k *marks) update(p *ecs.Preview) {
	if p.Epoch() != k.epoch {
		k.epoch, k.seen = p.Epoch(), 0
	}
	for ; k.seen < p.Len(); k.seen++ {
		k.bytes[p.At(k.seen).Index()] = k.number
	}
}

// Heed returns what a kernel must know before it runs: the mark of the run, and
// whether anybody is in a relation, so that others may die with whom it ends.
func (s *KernelHost) Marks() (mark uint8, kin bool) {
	m := s.m
	if m.exec.marks.careful {
		if p := m.tx.Ahead(); p != nil {
			m.exec.marks.update(p)
		}
	}
	if s.ends && m.exec.related() {
		m.exec.marks.relate(m.world)
		return m.exec.marks.number, true
	}
	return m.exec.marks.number, false
}
