package wasm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// This file gives every value of the function run its local: pointers, parameters, what the
// IR names, and what the loop over rows, lookups, changes and vectors need besides.
// StackLayout is the part of it that the caller has to know, in package kernel, run.go.

// absent is the pointer of a column that the rows lack.
const absent = -1

// localLayout is made before the first instruction, and never changes. A local that a
// kernel does not need has no index of its own: 0, or -1 where 0 would be mistaken for a
// parameter.
//
// It says where things are among the locals of run: pointers, the fixed
// parameters, those that only some kernels have, the locals of the IR, and those
// that the loop over rows needs.
type localLayout struct {
	// Parameters after the columns and the fixed ones.
	self   int // the handle of a single row; -1: not needed
	random int // the state of the random numbers; -1: not needed
	inputs int // the first of the inputs
	// Locals, those of the IR first.
	first       int         // the first local of the IR
	flags       map[int]int // by column: whether the rows have it
	state       int         // of the random numbers, in the row at hand
	scratch     int         // an i64
	handles                 // what following handles needs
	changes                 // what noting changes needs
	item        int         // an i32: the place of an item in its list
	vectors     int         // the first of the vectors, in the order of the plan; then those of vectorGuard
	vectorGuard             // what vectors with a guard need
	last        int         // of loops over several rows: with which row the last turn can begin
	masks       []fixed     // what the vectors compute with, both halves the same
	consts      []fixed     // the numbers that the body has most often
	// What the module says of them all.
	types   []byte // of all parameters, then of all locals
	args    int    // how many of them are parameters
	results []int  // what run gives beside next and fuel
}

// handles are the places for following handles; see locate and spot.
type handles struct {
	components  int // the first of the parameters with the numbers of components
	num         int // an f64: the number
	hand, other int // i64: the handle, and another that it is compared with
	at, table   int // i32
	goal        int // i32: see spot
	memos       []memo
}

// changes are the places for noting changes; see note.
type changes struct {
	cmd, limit  int  // parameters: where the next one goes, and the end of the room
	noted, full int  // cmd with those of the row at hand; whether the room was too small
	burnt       int  // the fuel with what the row at hand has taken; -1: no row takes any
	markParam   int  // a parameter: the mark of the run, and kinMark
	marks       bool // what the kernel changes is marked
}

// vectorGuard are the places for vectors that are stored only if a guard allows it.
type vectorGuard struct {
	kept    int // the first of the vectors that wait to be stored
	any     int // whether one of the guards holds
	until   int // the row up to which rows go one by one
	stretch int // how many do that, the next time
}

// fixed is a local that never changes after the loop has begun: a constant in a register.
type fixed struct {
	bits  uint64
	local int
}

// arrange makes the layout of a kernel. The order of the groups of locals is of no matter to
// the engine; own and nameOf know it, for the text.
func arrange(f *ir.Func, plan *vector.Plan) localLayout {
	l := localLayout{self: -1, random: -1, flags: map[int]int{}}
	l.parameters(f)
	l.body(f)
	if plan != nil || unrolls(f) {
		l.last = l.add(typeI32)
	}
	if l.vectors = len(l.types); plan != nil {
		l.planned(plan)
	}
	return l
}

// add makes another local and returns its index.
func (l *localLayout) add(t byte) int {
	l.types = append(l.types, t)
	return len(l.types) - 1
}

// parameters are what the caller gives, in this order; see StackLayout. invoker.run and
// take, in package kernel, put and read the values in the very same order.
//
// Results of a kernel are parameters that it assigns, so each is added to results where its
// parameter is made; those of changes come last.
func (l *localLayout) parameters(f *ir.Func) {
	entities := false
	for i := range f.Columns {
		l.add(typeI32)
		entities = entities || f.Columns[i].Term == ir.Entities
	}
	for _, t := range [params]byte{typeI32, typeI32, typeI64, typeF64, typeF64, typeF64} {
		l.add(t)
	}
	if entities {
		l.self = l.add(typeI64)
	}
	if f.Random() {
		l.random = l.add(typeI64)
		l.results = append(l.results, l.random)
	}
	l.inputs = len(l.types)
	for _, in := range f.Inputs {
		at := l.add(valueType(f.Locals[in.Local].Type))
		if in.Store {
			l.results = append(l.results, at)
		}
	}
	l.components = len(l.types)
	for range f.Components {
		l.add(typeI32)
	}
	if f.Changes() {
		l.cmd, l.limit = l.add(typeI32), l.add(typeI32)
	}
	if l.marks = f.ReadsMarks(); takesMark(f) {
		l.markParam = l.add(typeI32)
	}
	l.args = len(l.types)
}

// body are the function's locals, and those of what it does.
//
// The comparison of entities needs hand and other, and the check of a value needs num, so
// kernels that change anything have them, too.
func (l *localLayout) body(f *ir.Func) {
	l.first = len(l.types)
	for _, local := range f.Locals {
		l.add(valueType(local.Type))
	}
	for i := range f.Columns {
		if f.Columns[i].Optional {
			l.flags[i] = l.add(typeI32)
		}
	}
	if l.random >= 0 {
		l.state, l.scratch = l.add(typeI64), l.add(typeI64)
	}
	if follows(f) || f.Changes() {
		l.num, l.hand, l.other, l.at, l.table = l.add(typeF64), l.add(typeI64), l.add(typeI64), l.add(typeI32), l.add(typeI32)
		l.goal, l.memos = l.add(typeI32), memosOf(f)
		for i := range l.memos {
			l.memos[i].seen, l.memos[i].origin = l.add(typeI64), l.add(typeI32)
		}
	}
	if len(f.Lists) > 0 {
		l.item = l.add(typeI32)
	}
	if l.burnt = -1; f.Fuelled() {
		l.burnt = l.add(typeI64)
	}
	if f.Changes() {
		l.noted, l.full = l.add(typeI32), l.add(typeI32)
		l.results = append(l.results, l.cmd, l.full)
	}
	for _, bits := range constsOf(f) {
		l.consts = append(l.consts, fixed{bits, l.add(typeF64)})
	}
}

// planned are a plan's vectors, and what its guard needs. A vector has a local of its own
// even if it is used once and never stored there: the engine gives it no register then.
func (l *localLayout) planned(plan *vector.Plan) {
	for range plan.Values {
		l.add(typeV128)
	}
	for _, bits := range masksOf(plan) {
		l.masks = append(l.masks, fixed{bits, l.add(typeV128)})
	}
	if plan.Guard < 0 {
		return
	}
	l.until, l.stretch, l.any = l.add(typeI32), l.add(typeI32), l.add(typeV128)
	l.kept = len(l.types)
	for range plan.Turns * len(plan.Stores) {
		l.add(typeV128)
	}
}

// A kernel that asks what its run has done gets the mark of the run, from 1 to 127, and
// whether anybody stands in a relation. Then entities that are the target of others have
// that mark and Kin.
const anyMark, runMark, kinMark = 0xFF, 0x7F, 0x100

// Kin is what the mark of an entity has besides that is the target of others and to
// which nothing has been done.
const Kin = 0x80

// MarkParam is that parameter: the mark in the lower 8 bits, and a bit above them.
//
// The mark has to be from 1 to 127, as Kin is the bit above.
func MarkParam(mark uint8, kin bool) uint64 {
	if kin {
		return uint64(mark) | kinMark
	}
	return uint64(mark)
}

// takesMark reports whether a kernel has it.
func takesMark(f *ir.Func) bool { return f.ReadsMarks() || f.Despawns() }

// StackLayout says what the caller of run passes and gets: the columns' pointers, the
// fixed parameters, then these. Results are next and fuel, then these.
type StackLayout struct {
	Self, Random bool // whether there are parameters for the handle of a row that stands alone, and for the state of random numbers, which is a result, too
	Inputs       int  // captured variables; those that are stored are results
	Components   int  // the numbers of components
	Marks        bool // after those: see MarkParam
	Changes      bool // the begin and the end of the room for them; results: the end of the notes, and whether there was too little room
	Values       int  // the larger of the numbers of parameters and results
}

// StackLayout returns what run takes and gives.
func (m *Module) StackLayout() StackLayout {
	l := &m.layout
	return StackLayout{
		Self: l.self >= 0, Random: l.random >= 0, Inputs: len(m.f.Inputs), Components: len(m.f.Components), Changes: m.f.Changes(), Marks: takesMark(m.f),
		Values: max(l.args, len(l.results)+2),
	}
}

// own names a local that is the row loop's own, empty for others. Only texts need it.
//
// A local that a kernel does not need is 0 or -1 there, and 0 is a parameter, so only what
// is above 0 has a name.
func (l *localLayout) own(local int) string {
	for _, o := range []struct {
		at   int
		name string
	}{
		{l.state, "$state"}, {l.scratch, "$scratch"}, {l.num, "$number"}, {l.hand, "$handle"}, {l.other, "$other"}, {l.at, "$at"}, {l.item, "$item"}, {l.table, "$table"}, {l.goal, "$goal"},
		{l.cmd, "$cmd"}, {l.markParam, "$mark"}, {l.limit, "$limit"}, {l.noted, "$noted"}, {l.full, "$full"}, {l.burnt, "$burnt"},
		{l.any, "$any"}, {l.until, "$until"}, {l.stretch, "$stretch"}, {l.last, "$last"},
	} {
		if o.at == local && local > 0 {
			return o.name
		}
	}
	for _, k := range l.consts {
		if k.local == local {
			return fmt.Sprintf("$%v", math.Float64frombits(k.bits))
		}
	}
	for _, m := range l.masks {
		if m.local == local {
			return fmt.Sprintf("$bits%x", m.bits)
		}
	}
	for i, m := range l.memos {
		switch local {
		case m.seen:
			return fmt.Sprintf("$seen%d", i)
		case m.origin:
			return fmt.Sprintf("$origin%d", i)
		}
	}
	return ""
}

// most is how many numbers have a local: each takes one of the 16 registers for floats that
// the smallest of the engine's machines has.
const most = 6

// constsOf lists the numbers that a body computes with, those that it has most
// often. One with loops needs its registers there.
func constsOf(f *ir.Func) []uint64 {
	if loops(f) {
		return nil
	}
	uses := map[uint64]int{}
	ir.Exprs(f.Body, func(e *ir.Expr) {
		if !fromLocals(e) {
			return
		}
		if e.Op == ir.Zero {
			uses[0]++
		}
		for _, a := range e.Args {
			if a.Op == ir.Const {
				uses[math.Float64bits(a.Value)]++
			}
		}
	})
	// Equal counts by the bits, so that equal kernels get equal modules.
	all := slices.SortedFunc(maps.Keys(uses), func(a, b uint64) int {
		return cmp.Or(-cmp.Compare(uses[a], uses[b]), cmp.Compare(a, b))
	})
	return all[:min(len(all), most)]
}
