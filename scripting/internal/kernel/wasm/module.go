// Package wasm writes kernels as WebAssembly modules.
//
// A module has one memory, the world's arena; one exported function, run; an import from
// module "lua" for every function of the host that the kernel calls, and one from a
// [Formula] for every function of mathematics. It keeps nothing from one call to the next.
//
//	run(column…, rows, next i32, fuel i64, dt, time, tick f64, more…) (next i32, fuel i64, more…)
//
// Columns are the addresses of the first row's structs, -1 for one that the rows
// lack. run begins with row next and returns the row at which it stopped: rows
// when it came to the end. Otherwise that row is as it was, because a field
// cannot hold what it would get, because the body says so, or because the fuel
// fell below zero. What more there is depends on the kernel; see [StackLayout].
//
// # Where code lives
//
//	the module, its imports, its bytes                module, instr, encode
//	the function run: parameters, loop over rows      row_loop, layout
//	statements and expressions                        code, expr
//	mathematics                                       formula
//	fields: loads, checks, stores                     fields, lazyload
//	rows of other entities                            handles, lookup
//	calls of the host, lists, random numbers          external
//	changes of the world, notes                       changes
//	vectors                                           vectors, lanes, vector_guard
package wasm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// Names of a module's parts.
const (
	Host = "lua" // the module that host functions come from
	Run  = "run" // the exported function
)

// Import is a function of another module, of the host or of a [Formula], with the types of
// its parameters and results. Label is its name in the kernel.
type Import struct {
	Module, Name    string
	Label           string
	Params, Results []byte
}

// Module is a kernel as instructions. It is finished when New returns, holds no memory of the
// engine, and may be encoded for arenas of several sizes. Two kernels that are equal have
// equal bytes: engines know a module by them, and a reload that changes nothing compiles
// nothing.
type Module struct {
	f       *ir.Func
	plan    *vector.Plan // nil: row by row
	layout  localLayout
	imports []Import
	run     []instr
	own     []own // the module's functions after run
}

// New makes the module of a kernel. With a plan, as many rows as possible go by
// it, and the rest one by one.
func New(f *ir.Func, plan *vector.Plan) *Module {
	m := &Module{f: f, plan: plan, layout: arrange(f, plan)}
	calls := m.number()
	run := &code{f: f, plan: plan, calls: calls, localLayout: m.layout, lazyLoads: lazyLoads(f), private: privates(f)}
	run.rowLoop()
	m.run = run.list
	// The functions beside run know nothing of its locals: they have parameters.
	for i := range m.own {
		c := &code{f: f, calls: calls}
		m.own[i].write(c)
		m.own[i].list = c.list
	}
	return m
}

// own is a function that a module has beside run.
type own struct {
	name   string
	params []byte
	result byte
	locals []byte
	write  func(*code)
	list   []instr
}

// number collects the imports, in order of name, and numbers all functions:
// imports first, then run, then the functions beside it.
func (m *Module) number() map[string]int {
	used, seeks := map[string]Import{}, false
	note := func(e *ir.Expr) {
		if im, ok := importOf(e); ok {
			used[im.Label] = im
		}
		seeks = seeks || e.Op == ir.Find
	}
	ir.Exprs(m.f.Once, note)
	ir.Exprs(m.f.Body, note)
	m.eachScalar(func(e *ir.Expr) { e.Walk(note) })
	m.eachVector(func(f Formula) {
		im := f.vectors()
		used[im.Label] = im
	})
	for _, im := range used {
		m.imports = append(m.imports, im)
	}
	// In order of name, and not of a map: equal kernels have equal bytes.
	slices.SortFunc(m.imports, func(a, b Import) int { return strings.Compare(a.Label, b.Label) })
	calls := map[string]int{}
	for i, im := range m.imports {
		calls[im.Label] = i
	}
	if seeks {
		m.own = append(m.own, own{
			name: search, params: []byte{typeI64, typeI32}, result: typeI64,
			locals: []byte{typeI32, typeI32}, write: (*code).searching,
		})
	}
	for i, o := range m.own {
		calls[o.name] = len(m.imports) + 1 + i
	}
	return calls
}

// Unrolled reports whether one turn of the loop works on several rows, one after
// the other.
func (m *Module) Unrolled() bool { return m.plan == nil && unrolls(m.f) }

// importOf returns the function that an expression calls, of the host or of a formula. Fetch
// and Ask take the number of the host call and the entity, Invoke the number and its operands.
func importOf(e *ir.Expr) (Import, bool) {
	if f := formulaOf(e); f != "" {
		return f.rows(), true
	}
	name, takes, gives := e.Op.String(), []byte{typeI32, typeF64}, []byte{typeF64}
	switch e.Op {
	case ir.Call:
		name, takes = e.Name, repeated(typeF64, len(e.Args))
	case ir.Fetch:
		gives = []byte{typeI32}
	case ir.Ask:
	case ir.Invoke:
		takes = append([]byte{typeI32}, repeated(typeF64, ir.MostInvoked)...)
	default:
		return Import{}, false
	}
	return Import{Host, name, name, takes, gives}, true
}

// Encode returns the module's bytes, for a memory of so many pages. The types
// are those of run, of the functions beside it and of the imports, one each.
//
// Sections stand in the order of their numbers, as the specification demands: types,
// imports, functions, memory, exports, bodies.
func (m *Module) Encode(pages uint32) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = section(b, 1, m.types())
	if len(m.imports) > 0 {
		b = section(b, 2, m.importList())
	}
	functions := []byte{byte(1 + len(m.own)), 0} // function i has type i; there are at most three
	for i := range m.own {
		functions = append(functions, byte(1+i))
	}
	b = section(b, 3, functions)
	// As many pages at least as at most: the memory never grows, and its address stays.
	b = section(b, 5, unsigned(unsigned([]byte{1, 1}, uint64(pages)), uint64(pages)))
	b = section(b, 7, unsigned(append(name([]byte{1}, Run), 0), uint64(len(m.imports))))
	return section(b, 10, m.bodies())
}

// section appends a section of a module: its number, its length, and what is in it.
func section(b []byte, id byte, content []byte) []byte {
	return append(unsigned(append(b, id), uint64(len(content))), content...)
}

// name appends a text with its length.
func name(b []byte, s string) []byte {
	return append(unsigned(b, uint64(len(s))), s...)
}

// types lists the types of functions: run first, then the functions beside it, then imports.
// Encode and importList count on this order.
func (m *Module) types() []byte {
	l := &m.layout
	results := []byte{typeI32, typeI64}
	for _, at := range l.results {
		results = append(results, l.types[at])
	}
	b := unsigned(nil, uint64(1+len(m.own)+len(m.imports)))
	b = functionType(b, l.types[:l.args], results)
	for _, o := range m.own {
		b = functionType(b, o.params, []byte{o.result})
	}
	for _, im := range m.imports {
		b = functionType(b, im.Params, im.Results)
	}
	return b
}

// functionType appends the type of a function.
func functionType(b, params, results []byte) []byte {
	const function = 0x60
	b = append(unsigned(append(b, function), uint64(len(params))), params...)
	return append(unsigned(b, uint64(len(results))), results...)
}

// importList lists the imports, all of them functions.
func (m *Module) importList() []byte {
	b := unsigned(nil, uint64(len(m.imports)))
	for i, im := range m.imports {
		b = append(name(name(b, im.Module), im.Name), 0)
		b = unsigned(b, uint64(1+len(m.own)+i))
	}
	return b
}

// bodies lists the functions with their locals. Each local is a group of its own: modules are
// not stored anywhere, so nothing is won by making them short.
func (m *Module) bodies() []byte {
	rest := m.layout.types[m.layout.args:]
	locals := unsigned(nil, uint64(len(rest)))
	for _, t := range rest {
		locals = append(locals, 1, t)
	}
	b := body([]byte{byte(1 + len(m.own))}, locals, m.run)
	for _, o := range m.own {
		locals := unsigned(nil, uint64(len(o.locals)))
		for _, t := range o.locals {
			locals = append(locals, 1, t)
		}
		b = body(b, locals, o.list)
	}
	return b
}

// body appends a function: its locals, its instructions, and before both their length.
func body(b, locals []byte, list []instr) []byte {
	for i := range list {
		locals = list[i].encode(locals)
	}
	return append(unsigned(b, uint64(len(locals))), locals...)
}

// Text returns the function run in the text format, a line per instruction,
// with the kernel's names for its locals.
//
// The functions beside run are left out: they do not depend on the body, but for whether it
// spawns.
func (m *Module) Text() string {
	var b strings.Builder
	indent := 1
	for i := range m.run {
		in := &m.run[i]
		if in.op == opEnd || in.op == opElse {
			indent--
		}
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", max(indent, 0)), in.text(m.nameOf))
		if in.op == opBlock || in.op == opLoop || in.op == opIf || in.op == opElse {
			indent++
		}
	}
	return b.String()
}

// nameOf names the local or the function that an instruction is about. It takes apart the
// layout that arrange has made, in the same order.
func (m *Module) nameOf(in *instr) string {
	i := int(in.imm)
	switch in.op {
	case opBr, opBrIf:
		return fmt.Sprint(i)
	case opCall:
		if i < len(m.imports) {
			return "$" + m.imports[i].Label
		}
		return "$" + m.own[i-len(m.imports)-1].name
	}
	columns, l := len(m.f.Columns), &m.layout
	switch {
	case i < columns:
		return "$" + m.f.Columns[i].Name
	case i < columns+params:
		return "$" + [params]string{"rows", "next", "fuel", "dt", "time", "tick"}[i-columns]
	case i == l.self:
		return "$self"
	case i == l.random:
		return "$random"
	case i < l.components:
		return "$" + m.f.Locals[m.f.Inputs[i-l.inputs].Local].Name + "~given"
	case i < l.components+len(m.f.Components):
		return "$number of " + m.f.Components[i-l.components].Name
	case i >= l.first && i < l.first+len(m.f.Locals):
		return "$" + m.f.Locals[i-l.first].Name
	}
	if own := l.own(i); own != "" {
		return own
	}
	switch {
	case l.kept > 0 && i >= l.kept:
		return fmt.Sprintf("$kept%d", i-l.kept)
	case i >= l.vectors:
		return fmt.Sprintf("$v%d", i-l.vectors)
	}
	for column, at := range l.flags {
		if at == i {
			return "$has " + m.f.Columns[column].Name
		}
	}
	return fmt.Sprint(i)
}
