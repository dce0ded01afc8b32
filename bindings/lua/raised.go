//go:build !machine

package lua

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/yuin/gopher-lua"
)

// raised is what is raised: an error for the host, beside the value that a script sees.
type raised struct {
	err   *diag.Error
	value LValue
}

// Carry returns what is raised for an error, which a script sees as a value.
func Carry(e *diag.Error, value LValue) LValue { return NewUserData(&raised{e, value}, nil) }

// Carried returns the error and the value behind what was raised; false for a value that
// was raised itself.
func Carried(v LValue) (e *diag.Error, value LValue, ok bool) {
	if u, is := v.(*LUserData); is {
		if c, is := u.Value.(*raised); is {
			return c.err, c.value, true
		}
	}
	return nil, nil, false
}

// IsRaised reports whether a panic is an error of a script on its way.
func IsRaised(cause any) bool {
	_, ok := cause.(*lua.ApiError)
	return ok
}

// noText stands for the traceback in an ApiError, which would be written otherwise.
const noText = "-"

// Raise panics with what Carry has returned, from where the machine has called OnRaise.
func Raise(carried LValue) {
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: carried, StackTrace: noText})
}

// Panic is Raise for a panic of Go code.
func Panic(carried LValue) {
	panic(&lua.ApiError{Type: lua.ApiErrorPanic, Object: carried, StackTrace: noText})
}
