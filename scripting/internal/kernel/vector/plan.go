package vector

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file chooses among plans: it tries each way to line the stored fields up (arrange,
// with the packer of pack.go), and takes the one that costs least (cost.go). What a plan says
// is all that package wasm, vectors.go, needs to write it.

// Width is how many bytes a vector has.
const Width = 16

// Form is how a vector is made. What has a form of its own, and is no Plain operation, is
// either no operation of a row, as a load, or something for which the machine has fewer
// instructions than for the operations that it stands for.
type Form uint8

// The forms. Those from Plain on have operands; what they compute is said with
// the names of those.
const (
	Memory   Form = iota + 1 // loaded: Places
	Once                     // Scalars, one for each lane or one for all, the same for all rows
	Plain                    // Op
	Least                    // a, b: a if a < b, else b
	Greatest                 // a, b: a if b < a, else b
	Flip                     // a, c: -a if c holds, else a
	Low                      // a: the first half of its lanes, twice as wide
	High                     // a: the second half of its lanes, twice as wide
	Join                     // a, b: the lanes of both, half as wide
	Less                     // a, b, c: a - b if c holds, else a
	Whole                    // a, Middle: the sum, whose lower 32 bits are the whole number a
)

// Middle is a float64 in the middle of those whose last digit is 1: added to a whole
// number, it leaves that number in the lower bits, those below zero in two's
// complement. Vectors have no shorter way from numbers to integers.
const Middle = 3 << 51

// Vector is a vector. Lanes of Bool are masks: all bits or none. So a choice is a few
// operations on bits, and a mask from a comparison needs no conversion.
type Vector struct {
	Form    Form
	Lanes   int // 2 of float64, 4 of float32; as many masks as there are numbers used with them
	Op      ir.Op
	Name    string // of a Call
	Type    ir.Type
	Args    []int // places in Plan.Values
	Places  []FieldOfRow
	Scalars []*ir.Expr
	Pair    int // of a sine or a cosine: the place of the other one of the same angle, which one call makes both; 0: there is none
	Uses    int // by other values, and by the instructions that store it
}

// FieldOfRow is a field of one of a plan's rows. Row counts from the first row that belongs
// together, and Field is a number of ir.Func.Fields.
type FieldOfRow struct{ Row, Field int }

// VectorStore writes the lanes of a value to as many places, in their order. All are of one
// column and one kind, and need not be adjacent.
type VectorStore struct {
	Value  int
	Places []FieldOfRow
}

// Plan is how vectors do the work of some rows. It is right for rows of one view that has
// all columns in Needs, whatever their fields hold, unless Guard holds for one of them:
// then nothing of the plan may be stored for these rows.
//
// Values are in an order in which each comes after its operands; those with no Uses are
// left over from choices that turned out shorter, and are not written.
type Plan struct {
	Rows   int      // that belong together
	Turns  int      // how many times as many rows a turn of the loop does
	Lanes  int      // of a vector, the narrowest if there are two kinds
	Values []Vector // operands first
	Stores []VectorStore
	Needs  []int // optional columns: without one of them, rows go one by one
	Guard  int   // the value with a lane, or more, for each row: if one holds, these rows go one by one; -1: there is none

	line   int    // what the guard keeps away
	fields int    // side by side
	cost   int    // of its rows
	note   string // about float32 that was not asked for
}

// String says what goes together.
func (p *Plan) String() string {
	shape := "f64x2"
	if p.Lanes == 4 {
		shape = "f32x4"
	}
	text := fmt.Sprintf("%s × %s, %s", count(p.fields, "field"), count(p.Rows, "row"), shape)
	switch {
	case p.Guard >= 0 && p.line > 0:
		text += fmt.Sprintf("; rows that come to line %d go one by one", p.line)
	case p.Guard >= 0:
		text += "; rows with what a field cannot hold go one by one"
	}
	return text + p.note
}

// count says how many, in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// New makes the best plan for a kernel. Why is not empty when there is none, or
// when row by row costs less.
//
// So it is with which 0. With one above 0 it is the plan of that number, counted
// around those that can be, whatever it costs; below 0 there is none. That is how
// tests compare plans: all of them must leave the same bytes.
//
// Turns is chosen last: a turn should be so long that going around costs little, but no
// longer than the machine's caches and the registers for what a guard holds back.
func New(f *ir.Func, which int) (plan *Plan, why string) {
	if which < 0 {
		return nil, "no vectors are wanted"
	}
	plans, why := all(f)
	if len(plans) == 0 {
		return nil, why
	}
	// Costs are of all rows of a plan: compared crosswise, they are costs of one row.
	best := plans[max(which-1, 0)%len(plans)]
	if which == 0 {
		best = slices.MinFunc(plans, func(a, b *Plan) int { return cmp.Compare(a.cost*b.Rows, b.cost*a.Rows) })
		if alone := scalarCost(f); best.cost >= alone*best.Rows {
			return nil, fmt.Sprintf("row by row costs less: about %d against %d for each", alone, best.cost/best.Rows)
		}
	}
	best.Turns = min(max(turnCost/best.cost, 1), turnRows/best.Rows)
	if best.Guard >= 0 {
		best.Turns = min(best.Turns, max(kept/len(best.Stores), 1))
	}
	if best.Rows == 1 {
		best.Turns = max(best.Turns, 2) // a row that stands alone may have no column of handles
	}
	return best, ""
}

// all makes every plan for a kernel that there is, or says why the last has
// failed, which asks least of the fields. More rows than lanes would only repeat
// a plan.
func all(f *ir.Func) (plans []*Plan, why string) {
	g, why := flatten(f)
	switch {
	case why != "":
		return nil, why
	case len(g.Final) == 0:
		return nil, "it stores nothing"
	}
	lanes := lanesOf(f)
	plans, why = arrangements(f, g, lanes)
	if lanes == 2 {
		plans = append(plans, inSingle(f, g, plans)...)
	}
	return plans, why
}

// arrangements makes every plan for a graph: for 1, 2 and up to as many rows as there are
// lanes by address, and for as many rows as lanes by field. Where there is no plan, why is
// the reason of the last, which asks least of the fields.
func arrangements(f *ir.Func, g *Graph, lanes int) (plans []*Plan, why string) {
	try := func(rows int, order order) {
		p, reason := arrange(f, g, lanes, rows, order)
		if why = reason; p != nil {
			plans = append(plans, p)
		}
	}
	for rows := 1; rows <= lanes; rows *= 2 {
		try(rows, byAddress)
	}
	try(lanes, byField)
	return plans, why
}

// A turn of the loop should cost so much that what it costs to go around, and to
// check addresses, does not matter; but it should not fill the machine's caches.
const (
	turnCost = 400
	turnRows = 16
	kept     = 8 // vectors that wait until it is known whether they may be stored
)

// lanesOf is how many numbers fit into a vector: kernels with float32 arithmetic
// have four, if they have no other.
func lanesOf(f *ir.Func) int {
	for i := range f.Fields {
		if f.Fields[i].Single {
			return 4
		}
	}
	return 2
}

// order is how the assigned fields of some rows are lined up.
type order uint8

const (
	byAddress order = iota // as they lie in memory
	byField                // the same field of all rows, then the next field
)

// arrange makes the plan for so many rows in one order, or says why there is none.
func arrange(f *ir.Func, g *Graph, lanes, rows int, order order) (*Plan, string) {
	places := targets(f, g, rows, order)
	p := &packer{f: f, g: g, plan: Plan{Rows: rows, Lanes: lanes, Guard: -1, line: g.Line}, known: map[vectorKey]int{}}
	p.plan.fields = p.side(order)
	// Vector by vector of what is stored; each brings along what it is made of.
	for len(places) > 0 {
		if len(places) < lanes || !alike(f, places[:lanes]) {
			return nil, "its fields do not fill vectors"
		}
		p.store(places[:lanes])
		places = places[lanes:]
	}
	p.guard()
	if p.why != "" {
		return nil, p.why
	}
	for i := range f.Columns {
		if g.needs(f, i) {
			p.plan.Needs = append(p.plan.Needs, i)
		}
	}
	p.finish()
	return &p.plan, ""
}

// side is how many fields of a row stand beside each other. It is said in the report, and
// nothing depends on it.
func (p *packer) side(order order) int {
	if order == byField {
		return 1
	}
	most := map[[2]int]int{}
	for field := range p.g.Final {
		at := &p.f.Fields[field]
		most[[2]int{at.Column, int(at.Kind)}]++
	}
	n := 1
	for _, fields := range most {
		n = max(n, fields)
	}
	return n
}

// targets lines up all places that are stored. The sort is stable, and so is what it
// sorts: equal kernels get equal modules, which an engine then compiles once.
func targets(f *ir.Func, g *Graph, rows int, order order) []FieldOfRow {
	var places []FieldOfRow
	for row := range rows {
		for i := range f.Fields {
			if _, stored := g.Final[i]; stored {
				places = append(places, FieldOfRow{row, i})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b FieldOfRow) int {
		x, y := &f.Fields[a.Field], &f.Fields[b.Field]
		if order == byField {
			return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Row, b.Row))
		}
		return cmp.Or(cmp.Compare(x.Column, y.Column), cmp.Compare(x.Kind, y.Kind), cmp.Compare(Address(f, a), Address(f, b)))
	})
	return places
}

// Address is where a place lies after the pointer to the first row.
func Address(f *ir.Func, at FieldOfRow) uint32 {
	field := &f.Fields[at.Field]
	return uint32(at.Row)*f.Columns[field.Column].Stride + field.Offset
}

// alike reports whether places are of one column and kind.
func alike(f *ir.Func, places []FieldOfRow) bool {
	first := &f.Fields[places[0].Field]
	for _, at := range places[1:] {
		if field := &f.Fields[at.Field]; field.Column != first.Column || field.Kind != first.Kind {
			return false
		}
	}
	return true
}

// Adjacent cuts places into runs that lie side by side in memory, as long as they
// can be, and returns the length of each. What lies side by side is loaded and stored by
// one instruction.
func Adjacent(f *ir.Func, places []FieldOfRow) []int {
	runs := []int{1}
	for i := 1; i < len(places); i++ {
		a, b := &f.Fields[places[i-1].Field], &f.Fields[places[i].Field]
		if a.Column == b.Column && a.Kind == b.Kind && Address(f, places[i]) == Address(f, places[i-1])+uint32(a.Kind.Size()) {
			runs[len(runs)-1]++
		} else {
			runs = append(runs, 1)
		}
	}
	return runs
}

// parts is how many instructions store to some places, at least.
func parts(f *ir.Func, places []FieldOfRow) int {
	if kind := f.Fields[places[0].Field].Kind; kind != schema.F64 && kind != schema.F32 {
		return len(places)
	}
	return len(Adjacent(f, places))
}
