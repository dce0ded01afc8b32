package exec

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
	Number  uint8        // of the run, from 1 to lastRun
	targets []*ecs.Query // those of each relation
	kin     bool         // they are marked
	epoch   int          // of the preview
	seen    int          // entities of it that are marked
	Careful bool         // rows of the run, or what has called it, have done something by Lua
}

// The marks of a run, and what is added to them.
const lastRun, kin = 0x7F, 0x80

// Relate marks the targets of relations, once in a run. O(entities in relations).
func (k *marks) Relate(w *ecs.World) {
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
				if at := &k.bytes[e.Index()]; *at != k.Number {
					*at = k.Number | kin
				}
			}
		}
		i++
	}
}

// begin begins a run of a kernel.
func (k *marks) begin(m *Executor) {
	if k.bytes == nil {
		at := m.World.Raw().MemoryMap()
		if memory := m.World.Raw().Memory(); memory != nil {
			k.bytes = memory[at.Marks:][:at.Slots]
		}
	}
	k.seen, k.kin = 0, false
	if k.Number++; k.Number > lastRun {
		clear(k.bytes[:min(m.World.Raw().Slots()+1, len(k.bytes))])
		k.Number = 1
	}
}

// Update marks what the running call has done something to.
func (k *marks) Update(p *ecs.Preview) {
	if p.Epoch() != k.epoch {
		k.epoch, k.seen = p.Epoch(), 0
	}
	for ; k.seen < p.Len(); k.seen++ {
		k.bytes[p.At(k.seen).Index()] = k.Number
	}
}
