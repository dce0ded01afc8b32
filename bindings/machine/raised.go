package machine

import "github.com/perigee-ecs/perigee/bindings/diag"

// Raised is an error on its way: what a script that catches it sees, beside what the host
// gets of it. Natives panic with a *Raised.
type Raised struct {
	Value Value
	Err   *diag.Error
}

// Error implements error.
func (r *Raised) Error() string { return r.Err.Error() }

// Unwrap returns the error of the host.
func (r *Raised) Unwrap() error { return r.Err }

// Raise raises a value of a script's own: the script that catches it gets the very value.
func (th *Thread) Raise(v Value) { th.Throw(&diag.Error{}, v) }

// Throw raises an error that a script sees as a value. Without a place it gets that of the
// innermost function of Lua, and without a trace the calls that are running.
func (th *Thread) Throw(e *diag.Error, v Value) { panic(&Raised{clean(v), th.traced(e)}) }

// Fail raises an error. Without a place it gets that of the innermost function of Lua. A
// script that catches it sees the line at which that function is, and the message.
func (th *Thread) Fail(e *diag.Error) { panic(th.raised(e)) }

// Failf is Fail with a message of package diag's Format.
func (th *Thread) Failf(format string, v ...any) { th.Fail(diag.New(format, v...)) }

// Pass raises an error again that was caught, as another value: its place stays.
func (th *Thread) Pass(e *diag.Error, v Value) {
	here := *e
	here.Trace = nil
	th.Throw(&here, v)
}

// raised is what Fail raises.
func (th *Thread) raised(e *diag.Error) *Raised {
	here := *e
	return th.raising(&here)
}

// raising is raised for an error that was made for it.
func (th *Thread) raising(e *diag.Error) *Raised {
	given := e.At()
	th.trace(e)
	at := th.Seen()
	if at.Line == 0 {
		at = given
	}
	return &Raised{th.vm.text(Prefix(at) + e.Message), e}
}

// Seen returns the place that a script sees of an error: that of the innermost function of
// Lua, and nowhere for a native that a protected call has called itself, as in PUC Lua.
func (th *Thread) Seen() diag.Place {
	for f := range th.Frames {
		switch {
		case !f.Native():
			return th.vm.placeOf(f)
		case f.frame != nil && f.frame.kind() == ofProtected:
			return diag.Place{}
		}
	}
	return diag.Place{}
}

// traced returns a copy of an error with the calls that are running, and their place if it
// has none. An error that the script itself catches needs no calls: if it raises it again,
// those are taken that run then.
func (th *Thread) traced(e *diag.Error) *diag.Error {
	here := *e
	th.trace(&here)
	return &here
}

func (th *Thread) trace(e *diag.Error) {
	if e.Trace == nil && !th.protected() {
		e.Trace = th.Trace()
	}
	if e.Line == 0 {
		e.Put(th.Here())
	}
}

// ending is what a native ends with that raises an error without a panic. There is one for
// each machine, so that an error that is caught at once needs no memory: see kept.
func (th *Thread) ending(e *diag.Error, v Value) *Raised {
	vm := th.vm
	if vm.fault = *e; v.n == tagStr || !th.protected() { // else nobody sees more of it than the value
		th.trace(&vm.fault)
	}
	vm.ended = Raised{clean(v), &vm.fault}
	return &vm.ended
}

// kept returns what was raised as Go may keep it: the next ending does not change it.
func (vm *VM) kept(r *Raised) *Raised {
	if r != &vm.ended {
		return r
	}
	fault := vm.fault
	return &Raised{r.Value, &fault}
}

// caught tells the host of what a script has caught.
func (vm *VM) caught(r *Raised) {
	vm.taken += int64(errorSteps + frameSteps*(len(r.Err.Trace)+1))
	if vm.Caught != nil {
		vm.Caught(r)
	}
}
