//go:build machine

package lua

import "github.com/perigee-ecs/perigee/bindings/machine"

// Frame is a call on a thread: its function Fn, and how many calls it has replaced,
// TailCall. Who reads one does so at once, and keeps none.
type Frame struct {
	Fn       *LFunction
	TailCall int
	in       *machine.Thread
	level    int
	pc       int
}

// Running returns the innermost call of a thread, nil when there is none.
func Running(L *LState) *Frame { return frameAt(thread(L), 0) }

func frameAt(th *machine.Thread, level int) *Frame { return nil }

// Outside returns the call that many calls outside of a frame, where 0 is the frame itself;
// nil past the end.
func (f *Frame) Outside(calls int) *Frame {
	if f == nil || calls == 0 {
		return f
	}
	return frameAt(f.in, f.level+calls)
}

// At returns the instruction at which a call of a function of Lua is, -1 before the first.
func (f *Frame) At() int { return f.pc }

// Local returns the value of a register of a call of a function of Lua; nil where there is
// none, and where it has none.
func (f *Frame) Local(L *LState, n int) LValue { return nil }
