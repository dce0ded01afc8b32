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
func (th *Thread) Throw(e *diag.Error, v Value) { panic(&Raised{v, e}) }

// Fail raises an error that a script sees as a text: its place and its message.
func (th *Thread) Fail(e *diag.Error) { panic("to be written") }

// Failf is Fail with a message of package diag's Format.
func (th *Thread) Failf(format string, v ...any) { th.Fail(diag.New(format, v...)) }
