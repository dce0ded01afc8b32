package tx

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// alone is a call of a script that is part of no tick: it has limits as all calls, and nothing of
// the world. So there is nothing to undo but what it writes into state tables.
type alone struct{ script, name string }

// RunAlone runs body as a call of a script in no tick. The error is an *diag.Error, or wraps
// [ecs.ErrIterating] inside of another call.
func (r *Runner) RunAlone(script, name string, body func(L *lua.LState)) error {
	if r.Call != nil || r.alone.name != "" {
		return fmt.Errorf("%w: %s inside a script call", ecs.ErrIterating, name)
	}
	r.alone = alone{script, name}
	defer func() { r.alone = alone{} }() // also when a function of the host ends the goroutine
	err := r.Protect(r.Function(body))
	if err == nil {
		return nil
	}
	e := value.Caught(err)
	if e.System = name; e.Script == "" {
		e.Script = script
	}
	return e
}

// Alone returns the name of the call that runs in no tick, "" where none does.
func (r *Runner) Alone() string { return r.alone.name }
