// Package wasm writes kernels as WebAssembly modules.
//
// A module has one memory, the world's arena; one exported function, run; and
// an import from module "lua" for every function of the host that the kernel
// calls. It keeps nothing from one call to the next.
//
//	run(column…, rows, next i32, fuel i64, dt, time, tick f64) (next i32, fuel i64)
//
// Columns are the addresses of the first row's structs. run begins with row
// next and returns the row at which it stopped: rows when it came to the end.
// Otherwise that row is as it was, because a field cannot hold what it would
// get, or because the fuel fell below zero.
package wasm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// Names of a module's parts.
const (
	Host = "lua" // the module that host functions come from
	Run  = "run" // the exported function
)

// Import is a function of the host: Args float64 in, one out.
type Import struct {
	Name string
	Args int
}

// Module is a kernel as instructions.
type Module struct {
	f       *ir.Func
	imports []Import
	run     []instr
	modulus []instr // nil when there is no %
}

// Numbers of the types in a module.
const (
	unaryType = iota
	binaryType
	runType
)

// New makes the module of a kernel.
func New(f *ir.Func) *Module {
	m := &Module{f: f}
	calls := m.number()
	run := &code{f: f, calls: calls}
	run.frame()
	m.run = run.list
	if _, ok := calls[modulo]; ok {
		c := &code{f: f, calls: calls}
		c.modulus()
		m.modulus = c.list
	}
	return m
}

// number collects the imports, in order of name, and numbers all functions:
// imports first, then run, then the function for %.
func (m *Module) number() map[string]int {
	used, mod := map[string]int{}, false
	note := func(e *ir.Expr) {
		switch e.Op {
		case ir.Call:
			used[e.Name] = len(e.Args)
		case ir.Mod:
			mod = true
		}
	}
	ir.Exprs(m.f.Once, note)
	ir.Exprs(m.f.Body, note)
	for name, args := range used {
		m.imports = append(m.imports, Import{name, args})
	}
	slices.SortFunc(m.imports, func(a, b Import) int { return strings.Compare(a.Name, b.Name) })
	calls := map[string]int{}
	for i, im := range m.imports {
		calls[im.Name] = i
	}
	if mod {
		calls["host."+modulo] = len(m.imports)
		m.imports = append(m.imports, Import{modulo, 2})
		calls[modulo] = len(m.imports) + 1
	}
	return calls
}

// Grouped reports whether one turn of the loop works on several rows.
func (m *Module) Grouped() bool { return unrolls(m.f) }

// Params returns how many values run takes.
func (m *Module) Params() int { return len(m.f.Columns) + params }

// Encode returns the module's bytes, for a memory of so many pages.
func (m *Module) Encode(pages uint32) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = section(b, 1, m.types())
	if len(m.imports) > 0 {
		b = section(b, 2, m.importList())
	}
	functions := []byte{1, runType}
	if m.modulus != nil {
		functions = []byte{2, runType, binaryType}
	}
	b = section(b, 3, functions)
	b = section(b, 5, unsigned(unsigned([]byte{1, 1}, uint64(pages)), uint64(pages)))
	b = section(b, 7, unsigned(append(name([]byte{1}, Run), 0), uint64(len(m.imports))))
	return section(b, 10, m.bodies())
}

func section(b []byte, id byte, content []byte) []byte {
	return append(unsigned(append(b, id), uint64(len(content))), content...)
}

func name(b []byte, s string) []byte {
	return append(unsigned(b, uint64(len(s))), s...)
}

func (m *Module) types() []byte {
	const function = 0x60
	b := []byte{3, function, 1, typeF64, 1, typeF64, function, 2, typeF64, typeF64, 1, typeF64, function}
	b = unsigned(b, uint64(m.Params()))
	for range m.f.Columns {
		b = append(b, typeI32)
	}
	return append(b, typeI32, typeI32, typeI64, typeF64, typeF64, typeF64, 2, typeI32, typeI64)
}

func (m *Module) importList() []byte {
	b := unsigned(nil, uint64(len(m.imports)))
	for _, im := range m.imports {
		b = append(name(name(b, Host), im.Name), 0)
		if im.Args == 1 {
			b = append(b, unaryType)
		} else {
			b = append(b, binaryType)
		}
	}
	return b
}

func (m *Module) bodies() []byte {
	var locals []byte
	for _, l := range m.f.Locals {
		locals = append(locals, 1, valueType(l.Type))
	}
	locals = append(unsigned(nil, uint64(len(m.f.Locals))), locals...)
	b := []byte{1}
	if m.modulus != nil {
		b = []byte{2}
	}
	b = body(b, locals, m.run)
	if m.modulus != nil {
		b = body(b, []byte{2, 1, typeF64, 2, typeI64}, m.modulus)
	}
	return b
}

func body(b, locals []byte, list []instr) []byte {
	for i := range list {
		locals = list[i].encode(locals)
	}
	return append(unsigned(b, uint64(len(locals))), locals...)
}

// Text returns the function run in the text format, a line per instruction,
// with the kernel's names for its locals.
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

// nameOf names the local or the function that an instruction is about.
func (m *Module) nameOf(in *instr) string {
	i := int(in.imm)
	switch in.op {
	case opBr, opBrIf:
		return fmt.Sprint(i)
	case opCall:
		if i < len(m.imports) {
			return "$" + m.imports[i].Name
		}
		return "$" + modulo
	}
	columns := len(m.f.Columns)
	switch {
	case i < columns:
		return "$" + m.f.Columns[i].Name
	case i < columns+params:
		return "$" + [params]string{"rows", "next", "fuel", "dt", "time", "tick"}[i-columns]
	}
	return "$" + m.f.Locals[i-columns-params].Name
}
