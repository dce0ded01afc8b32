package lua

import "github.com/perigee-ecs/perigee/bindings/machine"

// Frame is a call on a thread: its function Fn, and how many calls it has replaced,
// TailCall. Who reads one does so at once, and keeps none.
type Frame struct {
	Fn       *LFunction
	TailCall int
	in       machine.Frame
	of       *machine.Thread
	level    int
}

// Running returns the innermost call of a thread, nil when there is none.
func Running(L *LState) *Frame { return frameAt(thread(L), 0) }

// Where returns the innermost function of Lua that runs on the threads of a state, and the instruction at which it
// is; nil when none runs.
func Where(L *LState) (fn *FunctionProto, pc int) { return VM(L).Running().Where() }

// frameAt returns a call by its distance from the innermost one. O(distance).
func frameAt(th *machine.Thread, level int) *Frame {
	at := level
	for f := range th.Frames {
		if at == 0 {
			return &Frame{Fn: (*LFunction)(f.Function()), TailCall: f.Tails(), in: f, of: th, level: level}
		}
		at--
	}
	return nil
}

// Outside returns the call that many calls outside of a frame, where 0 is the frame itself;
// nil past the end.
func (f *Frame) Outside(calls int) *Frame {
	if f == nil || calls == 0 {
		return f
	}
	return frameAt(f.of, f.level+calls)
}

// At returns the instruction at which a call of a function of Lua is, -1 before the first.
func (f *Frame) At() int { return f.in.PC() }

// Local returns the value of a register of a call of a function of Lua; nil where there is
// none.
func (f *Frame) Local(_ *LState, n int) LValue { return FromValue(f.in.Register(n)) }
