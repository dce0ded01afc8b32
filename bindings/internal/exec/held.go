package exec

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/ecs"
)

// heldRows runs an each function that only computes with the numbers of its rows: they go
// from the columns into registers and back, and there are no tables. It implements
// [machine.Turns].
//
// Such a function changes nothing before it returns. Where it comes upon something else, or
// fails, the row is run again as the function is written: [EachRunner.rest].
type heldRows struct {
	x       *EachRunner
	fn      *machine.Function
	first   int         // register of the first field
	fields  []heldField // in the order of the registers
	context []int       // by register after those: which of ContextFields it is
	plain   []int       // arguments that are no tables
	params  int         // of the function
	charge  int         // what a row costs, beside its instructions
	reads   []numbersAt // of the view: fields that are read at their places
	assigns []numbersAt // those of them that the function assigns
	others  []int       // fields that are read in another way
	noted   []bool      // by term: the columns of the view that are noted as changed
	runs    bool        // the function runs for the row at hand
	steps   int64       // that were counted before it
	from    int         // the row at which it began
	done    int         // rows that were run so far
	stops   int         // how often it has stopped at one
}

// heldField is a field in a register.
type heldField struct {
	fieldCell
	term     int
	assigned bool
}

// numbersAt is where the rows of the view at hand have a field that is an f64.
type numbersAt struct {
	base     unsafe.Pointer // in the first row
	stride   uintptr
	register int // among those of fields
	term     int
}

// newHeldRows returns nil if the function does more than to compute with numbers.
func (x *EachRunner) newHeldRows() *heldRows {
	fn := x.shape.Function
	if lua.IsGo(fn) {
		return nil
	}
	h := &heldRows{x: x, noted: make([]bool, len(x.Terms)), params: int(lua.Proto(fn).NumParameters)}
	var names []machine.HeldField
	context := -1
	for k := range x.shape.Args {
		switch arg := &x.shape.Args[k]; {
		case k+1 >= h.params:
		case arg.Kind == ArgContext:
			context = k
		case arg.Kind == ArgRow:
			if !h.hold(arg.Term, k+1) {
				return nil
			}
			for i := len(names); i < len(h.fields); i++ {
				names = append(names, machine.HeldField{Param: k + 1, Key: h.fields[i].Name})
			}
			h.charge += x.tables[arg.Term].steps
		default:
			h.plain = append(h.plain, k)
		}
	}
	if context >= 0 {
		fields, ok := touched(fn, context+1)
		for name, what := range fields {
			ok = ok && what == reads && slices.Contains(ContextFields, name)
		}
		if !ok {
			return nil
		}
		for i, name := range ContextFields {
			if fields[name] != 0 {
				h.context, names = append(h.context, i), append(names, machine.HeldField{Param: context + 1, Key: name})
			}
		}
	}
	if h.fn = lua.VM(x.m.Main).Hold((*machine.Function)(fn), names); h.fn == nil {
		return nil
	}
	h.first = h.fn.Held()
	return h
}

// hold takes the fields of a row that the function gets as its n-th parameter. It returns false
// if the function needs the row as a table, or may not get it.
func (h *heldRows) hold(term, n int) bool {
	r := h.x.tables[term]
	fields, ok := touched(h.x.shape.Function, n)
	if !ok || slices.Contains(h.x.s.Query.Optional, h.x.Terms[term]) {
		return false
	}
	for i := range r.cells {
		c := &r.cells[i]
		what := fields[c.Name]
		if delete(fields, c.Name); what == 0 {
			continue
		}
		if !c.scalar() || c.Kind == ecs.Bool || c.Kind == ecs.Enum || c.Kind == ecs.String || c.Kind == ecs.Opaque {
			return false
		}
		h.fields = append(h.fields, heldField{fieldCell: *c, term: term, assigned: what&assigns != 0})
	}
	return len(fields) == 0 // no other names
}

// begin prepares the run over the view at hand.
func (h *heldRows) begin() {
	v := h.x.hand
	h.runs, h.from = false, h.x.next
	clear(h.noted)
	h.reads, h.assigns, h.others = h.reads[:0], h.assigns[:0], h.others[:0]
	for k := range h.fields {
		f := &h.fields[k]
		c := &v.Columns[f.term]
		if f.Kind != ecs.F64 || c.Base == nil || v.Chunk == nil {
			h.others = append(h.others, k)
			continue
		}
		at := numbersAt{unsafe.Add(c.Base, f.Offset), c.Stride, k, f.term}
		if h.reads = append(h.reads, at); f.assigned {
			h.assigns = append(h.assigns, at)
		}
	}
}

// at returns the number of a row.
func (p *numbersAt) at(i int) *float64 { return (*float64)(unsafe.Add(p.base, uintptr(i)*p.stride)) }

// at returns the address of the field of a row.
func (h *heldRows) at(f *heldField, i int) unsafe.Pointer {
	return unsafe.Add(h.x.hand.Columns[f.term].At(i), f.Offset)
}

// Turn implements [machine.Turns].
func (h *heldRows) Turn(results, registers []machine.Value) bool {
	x := h.x
	held := registers[h.first:]
	if h.runs {
		h.runs = false
		h.end(results, held)
		x.next++
	} else {
		h.fix(registers)
	}
	i := x.next
	if i >= len(x.hand.Entities) {
		h.count()
		return false
	}
	if h.charge > 0 {
		value.Charge(x.thread, h.charge)
	}
	for k := range h.reads {
		p := &h.reads[k]
		held[p.register].SetNumber(*p.at(i))
	}
	for _, k := range h.others {
		held[k] = h.fields[k].load(h.at(&h.fields[k], i))
	}
	e := x.hand.Entities[i]
	x.now.Entity = e
	registers[0].SetNumber(float64(e))
	for _, k := range h.plain {
		registers[k+1] = x.argument(x.hand, i, k)
	}
	for k := len(x.shape.Args) + 1; k < h.params; k++ {
		registers[k] = machine.Nil
	}
	h.runs, h.steps = true, x.machine.Steps()
	return true
}

// fix sets the registers that are the same for all rows, which the function leaves alone.
func (h *heldRows) fix(registers []machine.Value) {
	x := h.x
	for k := range x.shape.Args {
		switch arg := &x.shape.Args[k]; {
		case k+1 >= h.params:
		case arg.Kind == ArgRow:
			registers[k+1] = machine.OfTable((*machine.Table)(x.tables[arg.Term].Table))
		case arg.Kind == ArgContext:
			registers[k+1] = x.fixed[k]
		}
	}
	times := [...]float64{x.tick.DT, x.tick.Time, float64(x.tick.N)}
	for k, i := range h.context {
		registers[h.first+len(h.fields)+k] = machine.Number(times[i])
	}
}

// end stores what the function has returned for the row at hand, and assigned to fields.
func (h *heldRows) end(results, held []machine.Value) {
	x := h.x
	v, i := x.hand, x.next
	for k := range h.assigns {
		p := &h.assigns[k]
		if now, to := held[p.register], p.at(i); !now.Same(machine.Number(*to)) {
			if !h.noted[p.term] {
				x.change(x.thread, v, p.term)
				h.noted[p.term] = true
			}
			*to = now.Float()
		}
	}
	for _, k := range h.others {
		if f := &h.fields[k]; f.assigned && !held[k].Same(f.load(h.at(f, i))) {
			x.store(x.thread, v, f.term, f.Field, i, held[k])
		}
	}
	switch {
	case len(x.changes) == 0:
	case v.Chunk == nil || i+1 == len(v.Entities):
		x.passed(v, i, false)
	default:
		x.settled = len(x.changes)
	}
}

// stopped reports whether the function has stopped at the row at hand, which is to be run
// again as it is written. The row is as it was, and so is the count.
func (h *heldRows) stopped(L *lua.LState, err error) bool {
	if !h.runs || h.x.m.Tx.Ends(L, err) {
		return false
	}
	h.runs = false
	x := h.x
	x.machine.Recount(h.steps)
	h.count()
	if h.stops++; h.stops > 4 && h.done < rowsPerStop*h.stops {
		x.held = nil // it stops too often
	}
	return true
}

// rowsPerStop is how many rows have to be run before it pays that the function stops at one.
const rowsPerStop = 128

// count counts the rows that were run since it began.
func (h *heldRows) count() { h.done, h.from = h.done+h.x.next-h.from, h.x.next }
