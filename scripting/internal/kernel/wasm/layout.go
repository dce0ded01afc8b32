package wasm

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// absent is the pointer of a column that the rows lack.
const absent = -1

// layout says where things are among the locals of run: pointers, the fixed
// parameters, those that only some kernels have, the locals of the IR, and those
// that the frame needs.
type layout struct {
	self    int         // the handle of a single row; -1: not needed
	random  int         // the state of the random numbers; -1: not needed
	inputs  int         // the first of the inputs
	first   int         // the first local of the IR
	flags   map[int]int // by column: whether the rows have it
	state   int         // of the random numbers, in the row at hand
	scratch int         // an i64
	types   []byte      // of all parameters, then of all locals
	args    int         // how many of them are parameters
	results []int       // parameters that are results, too
}

// arrange makes the layout of a kernel.
func arrange(f *ir.Func) layout {
	l := layout{self: -1, random: -1, flags: map[int]int{}}
	add := func(t byte) int {
		l.types = append(l.types, t)
		return len(l.types) - 1
	}
	entities := false
	for i := range f.Columns {
		add(typeI32)
		entities = entities || f.Columns[i].Term == ir.Entities
	}
	for _, t := range [params]byte{typeI32, typeI32, typeI64, typeF64, typeF64, typeF64} {
		add(t)
	}
	if entities {
		l.self = add(typeF64)
	}
	if f.Random() {
		l.random = add(typeI64)
		l.results = append(l.results, l.random)
	}
	l.inputs = len(l.types)
	for _, in := range f.Inputs {
		at := add(valueType(f.Locals[in.Local].Type))
		if in.Store {
			l.results = append(l.results, at)
		}
	}
	l.args, l.first = len(l.types), len(l.types)
	for _, local := range f.Locals {
		add(valueType(local.Type))
	}
	for i := range f.Columns {
		if f.Columns[i].Optional {
			l.flags[i] = add(typeI32)
		}
	}
	if l.random >= 0 {
		l.state, l.scratch = add(typeI64), add(typeI64)
	}
	return l
}

// Frame says what the caller of run passes and gets: the columns' pointers, the
// fixed parameters, then these. Results are next and fuel, then these.
type Frame struct {
	Self, Random bool
	Inputs       int
	Values       int // the larger of the numbers of parameters and results
}

// Frame returns what run takes and gives.
func (m *Module) Frame() Frame {
	l := &m.layout
	return Frame{
		Self: l.self >= 0, Random: l.random >= 0, Inputs: len(m.f.Inputs),
		Values: max(l.args, len(l.results)+2),
	}
}
