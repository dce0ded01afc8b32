package wasm

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/internal/formula"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// This file writes mathematics. A function that package formula describes is a module of its
// own, which kernels import from and the engine compiles once for all of them. It has the
// function for a row and the one for two rows in a vector; both are for all arguments. Where
// the formula does not hold, they call the host.
//
// Why not write the formula into each kernel? A call is one to two nanoseconds, and to
// compile a formula takes a tenth of a millisecond, each time.

// Names of the functions of a formula's module.
const (
	oneRow  = "one"
	twoRows = "two"
)

// Formula is a formula as a module, by the name that Lua has for its function: "sin". The
// operator % is [ir.Modulo].
type Formula string

// Name is the module's name, under which kernels import from it.
func (f Formula) Name() string { return "math." + string(f) }

// rows and vectors are what kernels import from it.
func (f Formula) rows() Import    { return f.function(oneRow, string(f), typeF64) }
func (f Formula) vectors() Import { return f.function(twoRows, string(f)+".two", typeV128) }

func (f Formula) function(name, label string, of byte) Import {
	described, _ := ir.FormulaNamed(string(f))
	return Import{f.Name(), name, label, repeated(of, described.Params), repeated(of, described.Results)}
}

// hosted is the function of the host that has the value where the formula does not hold.
func (f Formula) hosted() string {
	if f == ir.OrdinaryPower {
		return "pow"
	}
	return string(f)
}

// formulaOf names the formula of an operation; empty if it has none.
func formulaOf(e *ir.Expr) Formula {
	f := Formula(e.Op.Formula(e.Name))
	if f == "pow" && ordinary(e.Args[1]) {
		return ir.OrdinaryPower
	}
	return f
}

// ordinary reports whether an exponent is known, and none of those that have a way of their own.
func ordinary(exponent *ir.Expr) bool {
	return exponent.Op == ir.Const && formula.OrdinaryPower(exponent.Value)
}

// vectorFormula names the formula that makes a vector of a plan; empty if none does.
func vectorFormula(plan *vector.Plan, v *vector.Vector) Formula {
	f := Formula(v.Op.Formula(v.Name))
	switch {
	case v.Pair > 0:
		return Formula(ir.Sincos.Formula(""))
	case f == "pow":
		if y := &plan.Values[v.Args[1]]; y.Form == vector.Once && len(y.Scalars) == 1 && ordinary(y.Scalars[0]) {
			return ir.OrdinaryPower
		}
	}
	return f
}

// eachScalar calls visit for what a plan's vectors are filled with that are the same for all
// rows: a sine there may be part of a Sincos in the body.
func (m *Module) eachScalar(visit func(*ir.Expr)) {
	if m.plan == nil {
		return
	}
	for i := range m.plan.Values {
		if v := &m.plan.Values[i]; v.Form == vector.Once && v.Uses > 0 {
			for _, e := range v.Scalars {
				visit(e)
			}
		}
	}
}

// Formulas lists those that a module imports from, each once.
func (m *Module) Formulas() []Formula {
	var list []Formula
	for _, im := range m.imports {
		if name, _, _ := strings.Cut(im.Label, "."); im.Module != Host && !slices.Contains(list, Formula(name)) {
			list = append(list, Formula(name))
		}
	}
	return list
}

// eachVector calls visit for each formula that a plan's vectors are made by.
func (m *Module) eachVector(visit func(Formula)) {
	if m.plan == nil {
		return
	}
	for i := range m.plan.Values {
		if v := &m.plan.Values[i]; v.Form == vector.Plain && v.Uses > 0 {
			if f := vectorFormula(m.plan, v); f != "" {
				visit(f)
			}
		}
	}
}

// repeated is a type so many times.
func repeated(t byte, n int) []byte { return bytes.Repeat([]byte{t}, n) }

// Encode returns the module. Its types are those of one and two; the host's function has that
// of one.
func (f Formula) Encode() []byte {
	described, _ := ir.FormulaNamed(string(f))
	w := &formulaWriter{formula: described, program: described.Program()}
	types := functionType([]byte{2}, repeated(typeF64, described.Params), repeated(typeF64, described.Results))
	b := section([]byte("\x00asm\x01\x00\x00\x00"), 1, functionType(types, repeated(typeV128, described.Params), repeated(typeV128, described.Results)))
	if !w.program.Total() {
		w.one = 1 // the host's function is 0
		b = section(b, 2, append(name(name([]byte{1}, Host), f.hosted()), 0, 0))
	}
	b = section(b, 3, []byte{2, 0, 1})
	exports := append(name([]byte{2}, oneRow), 0, byte(w.one))
	b = section(b, 7, append(name(exports, twoRows), 0, byte(w.one+1)))
	return section(b, 10, w.body(w.body([]byte{2}, w.writeOne), w.writeTwo))
}

// formulaWriter writes the functions of a formula. Locals begin with the parameters.
type formulaWriter struct {
	code
	formula formula.Formula
	program *formula.Program
	one     int // the number of the function for a row; below it is the host's
	locals  []byte
}

// body appends a function that write writes.
func (w *formulaWriter) body(b []byte, write func()) []byte {
	w.list, w.locals = nil, nil
	write()
	w.op(opEnd)
	locals := unsigned(nil, uint64(len(w.locals)))
	for _, t := range w.locals {
		locals = append(locals, 1, t)
	}
	return body(b, locals, w.list)
}

// local makes another local.
func (w *formulaWriter) local(t byte) int {
	w.locals = append(w.locals, t)
	return w.formula.Params + len(w.locals) - 1
}

// vectors writes the formula's operations on vectors, and otherwise where its guard is known,
// for arguments for which it does not hold. It leaves no value on the stack.
func (w *formulaWriter) vectors(args []int, otherwise func(guard int)) *formula.Code {
	c := w.program.Vector(args, w.formula.Params+len(w.locals))
	w.locals = append(w.locals, c.Locals...)
	w.instructions(c.List[:c.Early])
	if c.Guard >= 0 {
		otherwise(c.Guard)
	}
	w.instructions(c.List[c.Early:])
	return c
}

func (w *formulaWriter) instructions(list []formula.Instr) {
	for _, in := range list {
		w.list = append(w.list, instr{op: opcode(in.Op), imm: int64(in.Imm), float: math.Float64frombits(in.Imm)})
	}
}

// writeOne writes the function for a row: the operations of a vector, of whose lanes the first
// counts. In scalar instructions wazero makes jumps of choices and moves of constants.
func (w *formulaWriter) writeOne() {
	var args []int
	for i := range w.formula.Params {
		args = append(args, w.local(typeV128))
		w.with(opVConst, 0) // and no splat, which waits for what the register was before
		w.get(i)
		w.with(opF64Replace, 0)
		w.set(args[i])
	}
	c := w.vectors(args, func(guard int) {
		w.get(guard)
		w.with(opI32Lane, 0)
		w.op(opI32Eqz)
		w.open(opIf, otherLabel, typeNone)
		for i := range w.formula.Params {
			w.get(i)
		}
		w.with(opCall, 0)
		w.op(opReturn)
		w.end()
	})
	for _, r := range c.Results {
		w.get(r)
		w.with(opF64Lane, 0)
	}
}

// writeTwo writes the function for two rows. If the formula does not hold for one of them, each
// is computed by itself.
func (w *formulaWriter) writeTwo() {
	var args []int
	for i := range w.formula.Params {
		args = append(args, i)
	}
	c := w.vectors(args, func(guard int) {
		w.get(guard)
		w.op(opVAll, opI32Eqz)
		w.open(opIf, otherLabel, typeNone)
		w.lanewise()
		w.op(opReturn)
		w.end()
	})
	for _, r := range c.Results {
		w.get(r)
	}
}

// lanewise calls the function for a row with each lane, and leaves the vectors of the results.
func (w *formulaWriter) lanewise() {
	var lanes [2][]int
	for lane := range lanes {
		for range w.formula.Results {
			lanes[lane] = append(lanes[lane], w.local(typeF64))
		}
		for i := range w.formula.Params {
			w.get(i)
			w.with(opF64Lane, int64(lane))
		}
		w.with(opCall, int64(w.one))
		for r := len(lanes[lane]) - 1; r >= 0; r-- {
			w.set(lanes[lane][r])
		}
	}
	for r := range w.formula.Results {
		w.get(lanes[0][r])
		w.op(opF64Splat)
		w.get(lanes[1][r])
		w.with(opF64Replace, 1)
	}
}
