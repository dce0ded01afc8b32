package kernel

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/perigee-ecs/perigee/scripting/internal/library/maths"
)

// World answers what running kernels ask, and makes the changes that they note.
// Host calls are numbers in the kernel's list.
type World interface {
	// Ready reports whether all that the kernel names is there and as it was when it was
	// compiled. If so, numbers get those that the kernel's Components have in the world.
	Ready(numbers []uint32) bool
	// Fetch returns the address of the component of an entity that a host call asks for;
	// nil when it has none. With ok false the row is Lua's.
	Fetch(call int, entity float64) (address unsafe.Pointer, ok bool)
	// Ask returns what a host call asks for, not-a-number when the row is Lua's.
	Ask(call int, entity float64) float64
	// Invoke returns what a function of the host's own returns for these numbers,
	// not-a-number when the row is Lua's.
	Invoke(call int, args *[ir.MostInvoked]float64) float64
	// Begin is called before the kernel runs; it returns how many bytes of notes
	// surely lead to no more changes than may be made.
	Begin() int
	// End makes the changes of the rows that are finished, in the order in which
	// they were noted: the number of a host call, then the values for it, for each.
	End(notes []uint64)
}

// Engine runs the kernels of one world.
type Engine struct {
	*engine.Engine
	memory []byte
	notes  int   // where in memory kernels note changes
	room   int   // how many bytes there are for them
	world  World // of the kernel that is running

	args [ir.MostInvoked]float64 // scratch of one call of the host
}

// parts are the results of functions with two, each by itself.
var parts = map[string]func(float64) float64{
	"modf.whole": func(x float64) float64 {
		whole, _ := maths.Modf(x)
		return whole
	},
	"modf.fraction": func(x float64) float64 {
		_, fraction := maths.Modf(x)
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

// Runtime has the machine code of kernels, for one engine or many.
type Runtime = engine.Runtime

// NewEngine makes the engine of a world's memory, with a runtime of its own.
func NewEngine(memory []byte, m ecs.MemoryMap) (*Engine, error) {
	e := newEngine(memory, m)
	var err error
	e.Engine, err = engine.New(memory, wasm.Host, functions(), e)
	return e, err
}

// NewEngineIn makes the engine of a world's memory in a runtime that others share.
func NewEngineIn(r *Runtime, memory []byte, m ecs.MemoryMap) (*Engine, error) {
	e := newEngine(memory, m)
	var err error
	e.Engine, err = engine.NewIn(r, memory, e)
	return e, err
}

// NewRuntime makes a runtime for engines of any worlds.
func NewRuntime() (*Runtime, error) { return engine.NewRuntime(wasm.Host, functions()) }

// NewInterpreter makes the one that NewRuntime makes where there is no compiler.
func NewInterpreter() (*Runtime, error) { return engine.NewInterpreter(wasm.Host, functions()) }

func newEngine(memory []byte, m ecs.MemoryMap) *Engine {
	return &Engine{memory: memory, notes: int(m.Scratch), room: int(m.ScratchEnd - m.Scratch)}
}

// functions are those of Lua's math that kernels call, the very ones that scripts call, and
// what kernels ask the world.
func functions() []engine.Func {
	list := []engine.Func{{Name: ir.Modulo, Binary: detmath.Modulo, Counted: true}}
	unary, binary := maths.Functions()
	for name, f := range unary {
		list = append(list, engine.Func{Name: name, Unary: f, Counted: isFormula(name)})
	}
	for name, f := range binary {
		list = append(list, engine.Func{Name: name, Binary: f, Counted: isFormula(name)})
	}
	for name, f := range parts {
		list = append(list, engine.Func{Name: name, Unary: f})
	}
	return append(list,
		engine.Func{Name: ir.Sincos.String(), Takes: "f", Gives: "ff", Counted: true, Raw: func(_ any, stack []uint64) { sincos(stack) }},
		engine.Func{Name: ir.Fetch.String(), Takes: "if", Gives: "i", Raw: func(e any, stack []uint64) { e.(*Engine).fetch(stack) }},
		engine.Func{Name: ir.Ask.String(), Takes: "if", Gives: "f", Raw: func(e any, stack []uint64) { e.(*Engine).ask(stack) }},
		engine.Func{Name: ir.Invoke.String(), Takes: "ifffff", Gives: "f", Raw: func(e any, stack []uint64) { e.(*Engine).invoke(stack) }})
}

// isFormula reports whether kernels call a function only for values for which its formula does not
// hold: the reckoning of a row has the formula alone.
func isFormula(name string) bool {
	_, ok := ir.FormulaNamed(name)
	return ok
}

// fetch gives the place in the arena, or one of those where nothing is.
func (e *Engine) fetch(stack []uint64) {
	p, ok := e.world.Fetch(int(int32(stack[0])), math.Float64frombits(stack[1]))
	at := uintptr(p) - uintptr(unsafe.Pointer(unsafe.SliceData(e.memory)))
	place := int32(at)
	switch {
	case ok && p == nil:
		place = ir.Nowhere
	case !ok || at >= uintptr(len(e.memory)):
		place = ir.Unclear
	}
	stack[0] = uint64(uint32(place))
}

func (e *Engine) ask(stack []uint64) {
	stack[0] = bits(e.world.Ask(int(int32(stack[0])), math.Float64frombits(stack[1])))
}

func (e *Engine) invoke(stack []uint64) {
	for i := range e.args {
		e.args[i] = math.Float64frombits(stack[1+i])
	}
	stack[0] = bits(e.world.Invoke(int(int32(stack[0])), &e.args))
}

// sincos is for the angles that are too large for the formula.
func sincos(stack []uint64) {
	s, c := detmath.Sincos(math.Float64frombits(stack[0]))
	stack[0], stack[1] = bits(s), bits(c)
}

func bits(v float64) uint64 { return math.Float64bits(v) }
