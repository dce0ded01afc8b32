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
	here := th.traced(e)
	at := th.Seen()
	if at.Line == 0 {
		at = e.At()
	}
	return &Raised{th.vm.text(Prefix(at) + here.Message), here}
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
	if here.Trace == nil && !th.protected() {
		here.Trace = th.Trace()
	}
	if here.Line == 0 {
		here.Put(th.Here())
	}
	return &here
}

// caught tells the host of what a script has caught.
func (vm *VM) caught(r *Raised) {
	vm.taken += int64(errorSteps + frameSteps*(len(r.Err.Trace)+1))
	if vm.Caught != nil {
		vm.Caught(r)
	}
}
