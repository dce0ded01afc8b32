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
	functions := []engine.Func{{Name: "mod", Binary: math.Mod}}
	unary, binary := lualib.Functions()
	for name, f := range unary {
		functions = append(functions, engine.Func{Name: name, Unary: f})
	}
	for name, f := range binary {
		functions = append(functions, engine.Func{Name: name, Binary: f})
	}
	return engine.New(memory, wasm.Host, functions)
}

func bits(v float64) uint64 { return math.Float64bits(v) }
