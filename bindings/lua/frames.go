//go:build !machine

package lua

import "github.com/perigee-ecs/perigee/bindings/vmstate"

// Frame is a call on a thread: its function Fn, and how many calls it has replaced,
// TailCall. Who reads one does so at once, and keeps none.
type Frame = vmstate.Frame

// Running returns the innermost call of a thread, nil when there is none.
func Running(L *LState) *Frame { return vmstate.Running(L) }
