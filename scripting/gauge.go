package scripting

import (
	"runtime"
	"runtime/metrics"
)

// heapGauge tells from the runtime's own numbers when it is time to count what scripts
// hold: a look at them costs half a microsecond, a count a tenth of one for each
// value.
//
// Why not count at each allocation? The machine asks nobody when it makes a table, and
// nobody when the last variable lets go of one. So the runtime is asked whether the
// heap has grown: by what was alive after its last collection, whenever there was one;
// and where a tick has made so much that it would be too late to wait for the next,
// by one that is made for it.
//
// The numbers are those of the whole program: what its Go code makes leads to counts
// that find nothing.
type heapGauge struct {
	sample []metrics.Sample
	room   uint64 // what all scripts may hold; 0: there is no limit
	held   uint64 // what they held at the last count
	alive  uint64 // what was alive then
	seen   uint64 // what was alive after the last collection that was looked at
	heap   uint64 // the heap when it was last known what of it is alive
	tick   uint64 // the heap at the first look in this tick
	ticked bool   // there was one
	share  int64  // what a call may add while scripts hold more than all may; 0: they do not
}

func newHeapGauge(limits *Limits) heapGauge {
	g := heapGauge{sample: []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}}
	for _, limit := range []int64{limits.HeldTotal, limits.Held} {
		if limit > 0 && g.room == 0 {
			g.room = uint64(limit)
		}
	}
	if g.room > 0 {
		heap, alive, _ := g.read()
		g.heap, g.alive, g.seen = heap, alive, alive
	}
	return g
}

func (g *heapGauge) read() (heap, alive, goal uint64) {
	metrics.Read(g.sample)
	return g.sample[0].Value.Uint64(), g.sample[1].Value.Uint64(), g.sample[2].Value.Uint64()
}

// step is by how much the heap may grow before scripts are counted again: by what is
// left of the room, within reason.
func (g *heapGauge) step() uint64 {
	left := uint64(0)
	if g.held < g.room {
		left = g.room - g.held
	}
	return max(g.room/8, min(left/2, g.held/2))
}

// due reports whether scripts are to be counted now.
func (g *heapGauge) due() bool {
	if g.room == 0 {
		return false
	}
	heap, alive, goal := g.read()
	first := !g.ticked
	if first {
		g.tick, g.ticked = heap, true
	}
	if g.share > 0 && !first {
		return false // calls have their share, and no more
	}
	if alive != g.seen { // there was a collection
		g.seen, g.heap = alive, heap
		if g.share > 0 && alive+g.room/16 < g.alive {
			return true // somebody has let go of something
		}
		g.alive = min(g.alive, alive)
		return alive >= g.alive+g.step()
	}
	step := g.step()
	if g.share > 0 {
		step = g.room / 4 // and no collection more often than a common one
	}
	if heap < g.heap+step || heap < g.tick+2*step && heap < max(goal, g.alive+g.room) {
		return false
	}
	runtime.GC()
	heap, alive, _ = g.read()
	g.seen, g.heap = alive, heap
	return heap >= g.alive+g.step() || g.share > 0
}

// counted notes what a count has found, of so many scripts.
func (g *heapGauge) counted(held int64, scripts int) {
	if g.share = 0; g.room > 0 && uint64(held) > g.most() {
		g.share = max(int64(g.room)/int64(4*scripts+4), leastShare)
	}
	heap, alive, _ := g.read()
	g.held, g.alive, g.seen, g.heap = uint64(held), alive, alive, heap
}

// most is how much scripts may hold until calls get no more than a share.
func (g *heapGauge) most() uint64 { return g.room + g.room/4 }

// leastShare is what any call may add to the heap.
const leastShare = 64 << 10

// newTick begins a tick.
func (g *heapGauge) newTick() { g.ticked = false }
