package scripting

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// ErrClosed is what errors.Is finds in the errors of a host after [Host.Close].
var ErrClosed = errors.New("the host is closed")

// ErrUnfinished is what a Step returns after a [Host.Stage] that has come to no end.
var ErrUnfinished = errors.New("a Stage has come to no end")

// busyError says that a host is asked for something while it does something else. To
// errors.Is it is ecs.ErrIterating, whose words are about queries.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// Is implements the test of errors.Is.
func (e *busyError) Is(target error) bool { return target == ecs.ErrIterating }

// Error is a fault of a script, with its place. It is printed in one line;
// Detail adds the source line, a caret and the traceback. Its fields are documented in
// bindings/diag: go doc bindings/diag.Error.
type Error = diag.Error

// LoadError is why a folder was not loaded, or a reload refused: every fault
// that was found, by file and line.
type LoadError struct{ Problems []*Error }

// Error returns a line for each problem.
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (e *LoadError) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p
	}
	return errs
}

// sortProblems sorts problems by file and line, and drops a problem that says the same as
// another one.
func sortProblems(ps []*Error) []*Error {
	slices.SortStableFunc(ps, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Script, b.Script), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(ps, func(a, b *Error) bool {
		alike := a.Script == b.Script && a.Line == b.Line && a.Column == b.Column && a.Message == b.Message
		return alike && a.Same(b) // which writes all of both
	})
}

// fromSyntax returns the faults of a text that the parser has found, each with its line.
func fromSyntax(name string, text *diag.Text, err error) []*Error {
	f, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return []*Error{{Script: name, Message: err.Error(), Err: err}}
	}
	list := []*Error{{Kind: diag.Syntax, Script: f.Script, Line: f.Line, Column: f.Column, Message: f.Message, Source: text.Line(f.Line)}}
	for _, more := range f.More {
		list = append(list, fromSyntax(name, text, more)...)
	}
	return list
}

// apart takes joined errors apart.
func apart(err error) []error {
	if err == nil {
		return nil
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range many.Unwrap() {
		all = append(all, apart(e)...)
	}
	return all
}

// collect takes joined errors apart, and gives each as an *Error.
func collect(err error) (all []*Error) {
	for _, e := range apart(err) {
		all = append(all, asError(e))
	}
	return all
}

// goCode stands in an Error for a script that is not known, timerCode for that of a timer
// whose handler is gone.
const (
	goCode    = "go"
	timerCode = "timer"
)

// asError gives what a system answered as an *Error: a script's own, or a Go
// system's fault in the same form.
func asError(err error) *Error {
	var sys *ecs.SystemError
	var known *Error
	switch {
	case errors.As(err, &known):
		if errors.As(err, &sys) {
			known.Parked = sys.Parked
		}
		return known
	case errors.As(err, &sys):
		return &Error{Script: goCode, System: sys.System, Tick: sys.Tick, Message: sys.Err.Error(), GoStack: string(sys.Stack), Parked: sys.Parked, Err: err}
	}
	return &Error{Script: goCode, Message: err.Error(), Err: err}
}
