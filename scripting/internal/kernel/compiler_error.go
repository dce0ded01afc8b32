package kernel

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// CompilerError says that the compiler itself failed: a mistake in it, and not in the
// script. The function has no kernel, and the game goes on.
type CompilerError struct {
	Cause any    // what it panicked with
	Place string // in the compiler, as in "lower/tables.go:70"
}

// Error implements error.
func (f *CompilerError) Error() string {
	return fmt.Sprintf("a fault of the compiler (%s: %v), please report it together with this function", f.Place, f.Cause)
}

// guard makes an error of a panic. Every way into the compiler defers it: a script
// must never end the program that runs it.
func guard(err *error) {
	if cause := recover(); cause != nil {
		*err = &CompilerError{cause, panicked()}
	}
}

// panicked returns where the running panic began, called by what recovers from it.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for began, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		isRuntime := strings.HasPrefix(f.Function, "runtime.")
		if began && !isRuntime {
			return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(f.File)), filepath.Base(f.File), f.Line)
		}
		began = began || f.Function == "runtime.gopanic"
	}
	return "nobody knows where"
}
