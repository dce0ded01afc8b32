package bindings

import (
	"errors"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// origin is where a script has declared something.
type origin struct {
	script string
	line   int
}

// origin returns the place of the call of a builtin.
func (a *args) origin() (at origin) {
	at.script, at.line = fault.Here(a.L)
	return at
}

// between runs a function of a script between two ticks, in a transaction of its own:
// run is the call. undone reports that the call has failed, so that nothing of it
// remains and it may be made again. The error tells more than that: a command that
// cannot be applied, or an observer that fails, comes after the call, whose other
// commands are done.
func (m *Module) between(name string, at origin, run func(*ecs.Tick) error) (undone bool, err error) {
	undone = true
	err = m.world.Run(name, func(t *ecs.Tick) error {
		err := run(t)
		undone = err != nil
		return err
	})
	return undone, at.locate(err, name)
}

// locate puts the place to those of joined errors that are the run's own and come from
// the world. A script's own know theirs.
func (at origin) locate(err error, run string) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, one := range many.Unwrap() {
			list = append(list, at.locate(one, run))
		}
		return errors.Join(list...)
	}
	sys, ok := err.(*ecs.SystemError)
	if _, known := errors.AsType[*diag.Error](err); known || !ok || sys.System != run {
		return err
	}
	return &diag.Error{
		Script: at.script, Line: at.line, System: run, Tick: sys.Tick,
		Message: sys.Err.Error(), GoStack: string(sys.Stack), Err: err,
	}
}

// start is an ecs.on_start function.
type start struct {
	at origin
	fn *lua.LFunction
}

// Place returns where a system or an observer of the script is declared: the world
// knows its name alone.
func (s *Script) Place(name string) (script string, line int, ok bool) {
	for _, sys := range s.Systems {
		if sys.Name == name {
			return sys.Script, sys.Line, true
		}
	}
	for _, o := range s.observers {
		if o.name == name {
			return o.script, o.line, true
		}
	}
	return "", 0, false
}
