package kernel

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
)

// NewEngine makes the engine of an arena, with the functions of Lua's math that
// kernels call: the very ones that scripts call.
func NewEngine(memory []byte) (*engine.Engine, error) {
	functions := []engine.Func{{Name: "mod", Args: 2, Call: func(x []float64) float64 { return math.Mod(x[0], x[1]) }}}
	unary, binary := lualib.Functions()
	for name, f := range unary {
		functions = append(functions, engine.Func{Name: name, Args: 1, Call: func(x []float64) float64 { return f(x[0]) }})
	}
	for name, f := range binary {
		functions = append(functions, engine.Func{Name: name, Args: 2, Call: func(x []float64) float64 { return f(x[0], x[1]) }})
	}
	return engine.New(memory, wasm.Host, functions)
}

func bits(v float64) uint64 { return math.Float64bits(v) }
