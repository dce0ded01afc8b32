package kernel

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
)

// Rows says what one call runs over.
type Rows struct {
	Columns        []unsafe.Pointer // by term: the struct of row 0, nil where the rows lack it
	Entities       []ecs.Entity
	Len            int
	Next           int     // the row to begin with
	Fuel           int64   // for loops, not negative
	Random         uint64  // the state of the random numbers
	DT, Time, Tick float64 // DT and Tick are not negative; of -0 the kernel sees 0
	World          World   // may be nil if the kernel has no host calls
	Mark           uint8   // what marks entities to which the run has done something; not 0
	Kin            bool    // somebody stands in a relation
	Full           bool    // it has stopped because there was no room for a change
	Dry            bool    // it has stopped because there was too little fuel
}

// Run runs the rows from Next on and moves Next to the row at which it stopped,
// and Fuel to what is left after the row before: what that one has taken in vain does not
// count, for it is begun again. Next is Len when
// no row is left. Changes that rows before it have noted are made; if Full, there
// may be room for those of the row now, unless it was the first. Random becomes
// what the rows that are done have left of it. A column outside of the arena stops
// it at once. It must have been Ready since Lua ran last; captured variables are
// those of then, and what rows before have made of them.
func (k *Kernel) Run(r *Rows) error { return k.own.run(r) }

// Done writes back what rows have made of captured variables since the kernel was
// Ready. Until then Lua finds the old values.
func (k *Kernel) Done() {
	for i := range k.inputs {
		if k.values[i] == k.sensed[i] {
			continue
		}
		k.sensed[i] = k.values[i]
		v := math.Float64frombits(k.values[i])
		if k.kinds[i] == ir.Bool {
			v = float64(k.values[i])
		}
		k.inputs[i].Write(v)
	}
}

// list is one of the script's that the kernel has a copy of.
type list struct {
	read  func(items []float64) bool
	items []float64
}

// copyLists copies them as they are now; false: one is something else. Kernels share
// the memory for lists, but a kernel is Ready again before its first run in a tick.
func (k *Kernel) copyLists() bool {
	for _, l := range k.lists {
		if !l.read(l.items) {
			return false
		}
	}
	return true
}

// sense looks at the inputs; false: one holds something else.
func (k *Kernel) sense() bool {
	for i := range k.inputs {
		v, ok := k.inputs[i].Read()
		if !ok {
			return false
		}
		if k.values[i] = bits(v); k.kinds[i] == ir.Bool {
			k.values[i] = uint64(v)
		}
	}
	copy(k.sensed, k.values)
	return true
}

// Fork is a kernel for one more goroutine. Forks of one kernel run at the same
// time, each on rows of its own. It lives as long as the kernel.
type Fork struct{ thread }

// Fork returns another fork. Only kernels whose rows are Independent may have some.
func (k *Kernel) Fork() *Fork { return &Fork{k.newThread()} }

// Independent reports that rows have nothing to do with each other: they may run in any
// order, and at the same time.
func (k *Kernel) Independent() bool { return k.independent }

// Run is that of the kernel, with the captured variables as they were when it was
// Ready last.
func (f *Fork) Run(r *Rows) error { return f.run(r) }

// thread is what calls of a kernel need, one after the other.
type thread struct {
	*Kernel
	module engine.Thread
	stack  []uint64
}

func (k *Kernel) newThread() thread {
	return thread{k, k.module.Thread(), make([]uint64, k.frame.Values)}
}

func (t *thread) run(r *Rows) error {
	if !t.point(r) {
		return nil
	}
	stack, at := t.stack[len(t.columns):], 6
	stack[0], stack[1], stack[2] = uint64(uint32(r.Len)), uint64(uint32(r.Next)), uint64(r.Fuel)
	stack[3], stack[4], stack[5] = bits(r.DT+0), bits(r.Time), bits(r.Tick)
	if t.frame.Self {
		stack[at] = uint64(r.Entities[0])
		at++
	}
	if t.frame.Random {
		stack[at] = r.Random
		at++
	}
	at += copy(stack[at:], t.values)
	for i, number := range t.components {
		stack[at+i] = uint64(number)
	}
	if t.hostCalls {
		t.engine.world = r.World
	}
	if t.frame.Changes {
		at += len(t.components)
		notes := t.engine.notes
		stack[at], stack[at+1] = uint64(notes), uint64(notes+min(r.World.Begin(), t.engine.room-t.kept))
		at += 2
	} else {
		at += len(t.components)
	}
	if t.frame.Marks {
		stack[at] = wasm.MarkParam(r.Mark, r.Kin)
	}
	if err := t.module.Call(t.stack); err != nil {
		return err
	}
	t.take(r)
	return nil
}

// point puts the addresses of the columns on the stack.
func (t *thread) point(r *Rows) bool {
	memory := t.engine.memory
	base := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	for i := range t.columns {
		c := &t.columns[i]
		var p unsafe.Pointer
		if c.Term == ir.Entities {
			p = unsafe.Pointer(unsafe.SliceData(r.Entities))
		} else {
			p = r.Columns[c.Term]
		}
		at := uintptr(p) - base
		switch {
		case at < uintptr(len(memory)):
			t.stack[i] = uint64(at)
		case c.Optional && p == nil, c.Term == ir.Entities && r.Len == 1:
			t.stack[i] = math.MaxUint32 // absent
		default:
			return false
		}
	}
	return true
}

// take reads the results.
func (t *thread) take(r *Rows) {
	r.Next, r.Fuel, r.Full = int(uint32(t.stack[0])), int64(t.stack[1]), false
	if r.Dry = r.Fuel < 0; r.Dry {
		r.Fuel = ^r.Fuel
	}
	at := 2
	if t.frame.Random {
		r.Random = t.stack[at]
		at++
	}
	for i := range t.inputs {
		if !t.inputs[i].Store {
			continue
		}
		if t.values[i] = t.stack[at]; t.kinds[i] == ir.Bool {
			t.values[i] = uint64(uint32(t.stack[at]))
		}
		at++
	}
	if t.frame.Changes {
		// A result of 32 bits leaves the others of its word as they were.
		r.Full = uint32(t.stack[at+1]) != 0
		r.World.End(words(t.engine.memory[t.engine.notes:uint32(t.stack[at])]))
	}
}

// floats views bytes as numbers; they begin at a multiple of 8.
func floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// words views bytes as words; they begin at a multiple of 8.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
