package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// executor is what all runs of functions over rows share: the calls that they are part
// of, the tables that scripts get for one call, and the entities that rest because a
// function has failed for them.
//
// It knows nothing of declarations and loads. A module has one.
type executor struct {
	tx    *tx.Runner
	world *ecs.World // nil in a rehearsal
	main  *lua.LState
	opts  *Options
	types *metatables

	boxer  value.Boxer
	boxed  value.Numbers
	blanks []lua.LTable           // for the next loans
	overs  map[string]*lua.LTable // metatables of loans that are over, by what is said

	batch   *batch                         // that a batch function is working on, nil otherwise
	updates map[*decl.Component][]*updated // rows that no ecs.update uses just now
	marks   marks                          // of entities, for kernels

	scriptError ecs.Component[ScriptError]
	faulty      []*eachFaults // of the running each systems, in the order in which they came
	faults      []*diag.Error // of entities, since the host asked last
	settling    []ecs.Entity  // whose ScriptError may have to come, change or go
}
