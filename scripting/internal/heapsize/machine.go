package heapsize

import (
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// follower follows the values of package machine, which knows what they take.
type follower struct {
	in   machine.Walk
	busy bool // there may be values to be looked at
}

// begin forgets all, and has the environments of owners belong to these.
func (w *follower) begin(owners []Owner) {
	if w.busy = false; len(owners) == 0 {
		return
	}
	w.in.Held = held
	w.in.Begin((*machine.Table)(owners[0].Env).Heap())
	for _, o := range owners {
		w.in.Claim((*machine.Table)(o.Env))
	}
}

// held says what a Go value of a userdata takes.
func held(v any) int64 {
	if h, ok := v.(Holder); ok {
		return h.Held()
	}
	return 0
}

// end lets go of what the walk has met.
func (w *follower) end() { w.in.End() }

// ahead reports whether there may be values to be looked at.
func (w *follower) ahead() bool { return w.busy }

// found returns how many bytes were counted since begin.
func (w *follower) found() int64 { return w.in.Bytes() }

// environment counts the globals of an owner.
func (w *follower) environment(env *lua.LTable) {
	w.in.Enter((*machine.Table)(env))
	w.busy = true
}

// push counts a value.
func (w *follower) push(v lua.LValue) {
	w.in.Push(lua.ToValue(v))
	w.busy = true
}

// look looks at up to n values and returns how many these were, 1 at least.
func (w *follower) look(n int) int {
	left := w.in.Step(n)
	w.busy = left == 0
	return max(n-left, 1)
}
