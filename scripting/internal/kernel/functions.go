package kernel

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
)

// World answers what running kernels ask, and notes the changes that they make.
// Sites are numbers in the kernel's list.
type World interface {
	// Fetch returns the address of the component of an entity that a site wants;
	// nil when it has none. With ok false the row is Lua's.
	Fetch(site int, entity float64) (address unsafe.Pointer, ok bool)
	// Ask returns what a site wants to know, not-a-number when the row is Lua's.
	Ask(site int, entity float64) float64
	// Do notes a change with the values for it; false means that the row is Lua's.
	Do(site, row int, values []uint64) bool
	// Begin is called before the kernel runs, and End when it has stopped at a row
	// or has come to the end: what was done for that row is to be taken back.
	Begin()
	End(row int)
}

// Engine runs the kernels of one world.
type Engine struct {
	*engine.Engine
	memory []byte
	world  World // of the kernel that is running
}

// parts are the results of functions with two, each by itself.
var parts = map[string]func(float64) float64{
	"modf.whole": func(x float64) float64 {
		whole, _ := lualib.Modf(x)
		return whole
	},
	"modf.fraction": func(x float64) float64 {
		_, fraction := lualib.Modf(x)
		return fraction
	},
	"frexp.fraction": func(x float64) float64 {
		fraction, _ := math.Frexp(x)
		return fraction
	},
	"frexp.exponent": func(x float64) float64 {
		_, exponent := math.Frexp(x)
		return float64(exponent)
	},
}

// NewEngine makes the engine of an arena, with the functions of Lua's math that
// kernels call: the very ones that scripts call.
func NewEngine(memory []byte) (*Engine, error) {
	e := &Engine{memory: memory}
	functions := []engine.Func{{Name: "mod", Binary: math.Mod}}
	unary, binary := lualib.Functions()
	for name, f := range unary {
		functions = append(functions, engine.Func{Name: name, Unary: f})
	}
	for name, f := range binary {
		functions = append(functions, engine.Func{Name: name, Binary: f})
	}
	for name, f := range parts {
		functions = append(functions, engine.Func{Name: name, Unary: f})
	}
	functions = append(functions,
		engine.Func{Name: ir.Fetch.String(), Takes: "if", Gives: "f", Raw: e.fetch},
		engine.Func{Name: ir.Ask.String(), Takes: "if", Gives: "f", Raw: e.ask})
	for n := range lower.MaxValues + 1 {
		functions = append(functions, engine.Func{
			Name: fmt.Sprintf("%s%d", ir.Do, n), Takes: "ii" + strings.Repeat("f", n), Gives: "i", Raw: e.do,
		})
	}
	var err error
	e.Engine, err = engine.New(memory, wasm.Host, functions)
	return e, err
}

// fetch gives the address in the arena, -1 when there is nothing, and
// not-a-number when the row is Lua's.
func (e *Engine) fetch(stack []uint64) {
	p, ok := e.world.Fetch(int(int32(stack[0])), math.Float64frombits(stack[1]))
	at := uintptr(p) - uintptr(unsafe.Pointer(unsafe.SliceData(e.memory)))
	result := float64(at)
	switch {
	case ok && p == nil:
		result = -1
	case !ok || at >= uintptr(len(e.memory)):
		result = math.NaN()
	}
	stack[0] = bits(result)
}

func (e *Engine) ask(stack []uint64) {
	stack[0] = bits(e.world.Ask(int(int32(stack[0])), math.Float64frombits(stack[1])))
}

func (e *Engine) do(stack []uint64) {
	ok := e.world.Do(int(int32(stack[0])), int(int32(stack[1])), stack[2:])
	stack[0] = 0
	if ok {
		stack[0] = 1
	}
}

func bits(v float64) uint64 { return math.Float64bits(v) }
