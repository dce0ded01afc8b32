package passes

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file decides which locals hold entities as 64 bits (ir.Handle) and which hold the
// number that Lua has for them. Of the passes, only handles makes Handles; narrow and all
// after it meet them and leave them alone.

// handles keeps the entities that a kernel knows as what they are in memory, 64
// bits, and makes numbers of them only where a number is asked for. In Lua a handle
// is a number like all others, and so lower makes it one; what is done with it is
// nearly always something else: it is looked up, compared with another, stored.
//
// A local becomes a Handle if each assignment to it is of an entity: what was read
// from an entity field, another such local, a constant. All else stays a number. A
// field of kind entity that gets such a number does, too, because the row may read
// it again before the field's kind has a word about it.
//
// Why does it pay? A conversion from float64 to 64 bits and back, with the test that the
// number is whole, takes longer than the search for the entity's record, which is a shift, a
// load and a comparison.
func handles(f *ir.Func) {
	h := &handleFinder{f: f, whole: map[int]bool{}, values: map[int][]*ir.Expr{}}
	h.collect()
	for h.settle() {
	}
	// Fields, then locals, then trees: each needs the ones before.
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.AsHandle = h.whole[field.Local]; field.AsHandle {
			field.Proven = h.proven(field.Local)
		}
	}
	for local := range h.whole {
		f.Locals[local].Type = ir.Handle
	}
	ir.Walk(f.Body, func(s *ir.Stmt) {
		switch {
		case s.Kind == ir.Set && h.whole[s.Local]:
			h.entity(s.Value)
		case s.Value != nil:
			h.number(s.Value)
		}
	})
}

// handleFinder finds the greatest set of locals that can be handles: it begins with all
// that could, and settle takes out those that an assignment forbids, until there is nothing
// left to take out.
type handleFinder struct {
	f      *ir.Func
	whole  map[int]bool       // locals that become handles
	values map[int][]*ir.Expr // by local: what is assigned to it
}

// collect finds all assignments, and the locals that could become handles.
func (h *handleFinder) collect() {
	ir.Assignments(h.f.Body, func(local int, e *ir.Expr) { h.values[local] = append(h.values[local], e) })
	for local := range h.values {
		field := h.f.FieldOf(local)
		if h.f.Locals[local].Type == ir.Num && h.f.InputOf(local) == nil && (field == nil || field.Kind == schema.Ref) {
			h.whole[local] = true
		}
	}
	for i := range h.f.Fields {
		if field := &h.f.Fields[i]; field.Kind == schema.Ref {
			h.whole[field.Local] = true
		}
	}
}

// settle drops locals that hold other numbers, too, and those that hold constants
// alone; true when it has dropped one.
func (h *handleFinder) settle() (dropped bool) {
	known := map[int]bool{}
	for h.spread(known) {
	}
	for local := range h.whole {
		keep := known[local]
		for _, e := range h.values[local] {
			keep = keep && h.possible(e)
		}
		if !keep {
			delete(h.whole, local)
			dropped = true
		}
	}
	return dropped
}

// spread notes the locals that get an entity from memory, or from one noted before.
func (h *handleFinder) spread(known map[int]bool) (more bool) {
	for local := range h.whole {
		field := h.f.FieldOf(local)
		is := field != nil
		for _, e := range h.values[local] {
			is = is || h.surely(e, known)
		}
		if is && !known[local] {
			known[local], more = true, true
		}
	}
	return more
}

// possible reports whether an expression can be a handle.
func (h *handleFinder) possible(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Type == ir.Num && ir.IsHandle(e.Value)
	case ir.Get:
		return h.whole[e.Local]
	case ir.Tee:
		return h.whole[e.Local] && h.possible(e.Args[0])
	case ir.Load:
		return e.Kind == schema.Ref
	case ir.Number:
		return true
	case ir.Pick:
		return h.possible(e.Args[0]) && h.possible(e.Args[1])
	}
	return false
}

// surely reports whether an expression that can be a handle is more than a
// constant. known are the locals that hold one.
func (h *handleFinder) surely(e *ir.Expr, known map[int]bool) bool {
	switch e.Op {
	case ir.Get, ir.Tee:
		return known[e.Local]
	case ir.Load:
		return e.Kind == schema.Ref
	case ir.Number:
		return true
	case ir.Pick:
		return h.surely(e.Args[0], known) || h.surely(e.Args[1], known)
	}
	return false
}

// number rewrites an expression that is asked for a number, or for something else
// that is no handle.
func (h *handleFinder) number(e *ir.Expr) {
	if e.Op != ir.Number && h.count(e) > 0 {
		inner := *e
		h.entity(&inner)
		*e = ir.Expr{Op: ir.Number, Type: ir.Num, Args: []*ir.Expr{&inner}}
		return
	}
	whole := h.takes(e)
	for i, a := range e.Args {
		if i < whole {
			h.entity(a)
		} else {
			h.number(a)
		}
	}
}

// takes returns how many operands, from the first one, are to be handles. The search
// for an entity takes both; a comparison takes two of one type.
func (h *handleFinder) takes(e *ir.Expr) int {
	switch e.Op {
	case ir.Touched, ir.Alive, ir.Record:
		return h.count(e.Args[0])
	case ir.Do:
		if h.f.HostCalls[e.HostCall].AboutEntity() {
			return h.count(e.Args[0])
		}
	case ir.Eq, ir.Ne:
		if a, b := e.Args[0], e.Args[1]; h.possible(a) && h.possible(b) {
			return 2 * max(h.count(a), h.count(b))
		}
	}
	return 0
}

// count is 1 for an expression that is better a handle than a number.
func (h *handleFinder) count(e *ir.Expr) int {
	if e.Type == ir.Num && h.possible(e) && h.surely(e, h.whole) {
		return 1
	}
	return 0
}

// entity rewrites an expression that can be a handle to one.
func (h *handleFinder) entity(e *ir.Expr) {
	switch e.Op {
	case ir.Number:
		*e = *e.Args[0]
		return
	case ir.Pick:
		h.entity(e.Args[0])
		h.entity(e.Args[1])
		h.number(e.Args[2])
	case ir.Tee:
		h.entity(e.Args[0])
	}
	e.Type = ir.Handle
}

// proven reports whether a field only gets what it can hold: nobody, the row itself,
// what it held before.
func (h *handleFinder) proven(local int) bool {
	for _, e := range h.values[local] {
		if !h.own(e, local) {
			return false
		}
	}
	return len(h.values[local]) > 0
}

// own reports whether an expression is surely a handle that a field of kind entity can hold:
// those of living entities and 0 are, and a number that the script has computed may not be.
func (h *handleFinder) own(e *ir.Expr, local int) bool {
	switch e.Op {
	case ir.Const:
		_, most := schema.Ref.Range()
		return e.Value <= most
	case ir.Get:
		f := h.f.FieldOf(e.Local)
		return e.Local == local || f != nil && h.f.Columns[f.Column].Term == ir.Entities
	case ir.Pick:
		return h.own(e.Args[0], local) && h.own(e.Args[1], local)
	}
	return false
}
