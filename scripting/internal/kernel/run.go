package kernel

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
)

// Run implements [rows.Kernel]. A column outside of the arena stops it at once. Fuel is what
// is left after the row before the one at which it stopped: what that one has taken in vain
// does not count, for it is begun again. The kernel must have been Ready since Lua ran last;
// captured variables are those of then, and what rows before have made of them.
func (k *Kernel) Run(c *rows.KernelCall) error {
	if k.own.Kernel == nil {
		k.own = k.newInvoker()
	}
	return k.own.run(c)
}

// RunParallel implements [rows.Kernel]. Captured variables are those of when the kernel was
// Ready last.
func (k *Kernel) RunParallel(c *rows.KernelCall) error {
	t := k.lend()
	defer k.giveBack(t)
	return t.run(c)
}

// lend returns an invoker that no other goroutine uses, an old one if there is one.
func (k *Kernel) lend() *invoker {
	k.mu.Lock()
	defer k.mu.Unlock()
	if end := len(k.spare) - 1; end >= 0 {
		t := k.spare[end]
		k.spare = k.spare[:end]
		return t
	}
	t := k.newInvoker()
	return &t
}

// giveBack returns an invoker for the next goroutine.
func (k *Kernel) giveBack(t *invoker) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spare = append(k.spare, t)
}

// Done implements [rows.Kernel]: it writes back what rows have made of captured variables
// since the kernel was Ready. Until then Lua finds the old values.
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

// listCopy is one of the script's that the kernel has a copy of.
type listCopy struct {
	name  string
	read  func(items []float64) bool
	items []float64
}

// copyLists copies them as they are now; false: one is something else. Kernels share
// the memory for lists, but a kernel is Ready again before its first run in a tick.
func (k *Kernel) copyLists() bool {
	for _, l := range k.lists {
		if !l.read(l.items) {
			k.unready = fmt.Sprintf("%q has another length, or items of another kind", l.name)
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
			k.unready = fmt.Sprintf("%q has become a value of another kind", k.names[i])
			return false
		}
		if k.values[i] = bits(v); k.kinds[i] == ir.Bool {
			k.values[i] = uint64(v)
		}
	}
	copy(k.sensed, k.values)
	return true
}

// invoker is what calls of a kernel need, one after the other.
type invoker struct {
	*Kernel
	module engine.Invoker
	stack  []uint64
}

func (k *Kernel) newInvoker() invoker {
	return invoker{k, k.module.Invoker(), make([]uint64, k.frame.Values)}
}

// run puts a call on the stack as [wasm.StackLayout] says, calls the module, and reads what it
// left there.
func (t *invoker) run(c *rows.KernelCall) error {
	if !t.point(c) {
		return nil
	}
	stack, at := t.stack[len(t.columns):], 6
	stack[0], stack[1], stack[2] = uint64(uint32(c.End)), uint64(uint32(c.Next)), uint64(c.Fuel)
	stack[3], stack[4], stack[5] = bits(c.DT+0), bits(c.Time), bits(c.Tick)
	if t.frame.Self {
		stack[at] = uint64(c.View.Entities[0])
		at++
	}
	if t.frame.Random {
		stack[at] = c.Random
		at++
	}
	at += copy(stack[at:], t.values)
	for i, number := range t.components {
		stack[at+i] = uint64(number)
	}
	at += len(t.components)
	if t.hostCalls {
		t.engine.world = t.world
	}
	if t.frame.Changes {
		notes := t.engine.notes
		stack[at], stack[at+1] = uint64(notes), uint64(notes+min(t.world.Begin(), t.engine.room-t.kept))
		at += 2
	}
	if t.frame.Marks {
		stack[at] = wasm.MarkParam(c.Mark, c.Kin)
	}
	if err := t.module.Call(t.stack); err != nil {
		return err
	}
	t.take(c)
	return nil
}

// point puts the addresses of the columns on the stack.
func (t *invoker) point(call *rows.KernelCall) bool {
	memory := t.engine.memory
	base := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	for i := range t.columns {
		c := &t.columns[i]
		var p unsafe.Pointer
		if c.Term == ir.Entities {
			p = unsafe.Pointer(unsafe.SliceData(call.View.Entities))
		} else {
			p = call.View.Columns[c.Term].Base
		}
		at := uintptr(p) - base
		switch {
		case at < uintptr(len(memory)):
			t.stack[i] = uint64(at)
		case c.Optional && p == nil, c.Term == ir.Entities && call.End == 1:
			t.stack[i] = math.MaxUint32 // absent
		default:
			return false
		}
	}
	return true
}

// take reads the results.
func (t *invoker) take(c *rows.KernelCall) {
	c.Outside += t.module.Outside()
	c.Next, c.Fuel, c.Full = int(uint32(t.stack[0])), int64(t.stack[1]), false
	if c.Dry = c.Fuel < 0; c.Dry {
		c.Fuel = ^c.Fuel
	}
	at := 2
	if t.frame.Random {
		c.Random = t.stack[at]
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
		c.Full = uint32(t.stack[at+1]) != 0
		t.world.End(words(t.engine.memory[t.engine.notes:uint32(t.stack[at])]))
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
