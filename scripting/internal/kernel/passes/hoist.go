package passes

import (
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file moves what is the same for all rows in front of the first one, into Func.Once. It
// also has keyOf, by which hoist, share and facts know equal trees.

// hoist computes once per call what is the same for all rows: the largest
// trees over ctx and constants. A loop over rows is the only place where that
// pays, so locals of the body are not looked through.
func hoist(f *ir.Func) {
	h := &hoister{f: f, known: map[string]int{}, fixed: map[int]bool{}}
	for i := range f.Inputs {
		h.fixed[f.Inputs[i].Local] = !f.Inputs[i].Store
	}
	ir.Walk(f.Body, func(s *ir.Stmt) {
		if h.whole = s.Value; s.Value != nil {
			h.visit(s.Value)
		}
	})
}

// hoister moves trees, each once: two that are equal become reads of one local.
type hoister struct {
	f     *ir.Func
	known map[string]int // local that holds a tree, by its text
	fixed map[int]bool   // locals that are the same for all rows
	whole *ir.Expr       // what the trees at hand are part of
}

// visit hoists e or, if it depends on the row, what it can of its operands.
func (h *hoister) visit(e *ir.Expr) {
	if len(e.Args) == 0 {
		return
	}
	if !h.uniform(e) {
		for _, a := range e.Args {
			h.visit(a)
		}
		return
	}
	// Locals have one value here, those that stay: the key needs no time.
	key := keyOf(e, byNumber)
	local, ok := h.known[key]
	if !ok {
		local = h.f.NewLocal("once", e.Type)
		h.known[key] = local
		moved := *e
		h.f.Once = append(h.f.Once, &ir.Stmt{Kind: ir.Set, Local: local, Value: &moved})
	}
	*e = ir.Expr{Op: ir.Get, Type: e.Type, Local: local}
}

// uniform reports whether a tree reads no local but inputs that stay and those
// that it sets itself, nothing from outside, and computes something. What it sets
// nobody else may read: of two equal trees, one goes.
func (h *hoister) uniform(e *ir.Expr) bool {
	own, ok := map[int]bool{}, true // the locals that it sets, and may read
	e.Walk(func(e *ir.Expr) {
		if e.Op == ir.Tee {
			own[e.Local] = true
		}
	})
	e.Walk(func(e *ir.Expr) {
		ok = ok && !e.External() && (e.Op != ir.Get || own[e.Local] || h.fixed[e.Local])
	})
	return ok && e.Op != ir.Tee && readsOf(e, own) == readsOf(h.whole, own)
}

// readsOf counts how often a tree reads some locals.
func readsOf(e *ir.Expr, locals map[int]bool) int {
	n := 0
	if len(locals) > 0 {
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.Get && locals[e.Local] {
				n++
			}
		})
	}
	return n
}

// keyOf writes a tree as text; two trees with one text have one type and one value, if
// name tells apart what a local holds at different times. The text is not for people: it
// only has to be different for different trees, and made in O(size).
func keyOf(e *ir.Expr, name func(key []byte, local int) []byte) string {
	return string(appendKey(nil, e, name))
}

// appendKey appends the text of a tree to a key. Whatever tells two operations of one name
// apart is in it: a field of Expr that is new has to be added here, or trees would be shared
// that differ.
func appendKey(key []byte, e *ir.Expr, name func(key []byte, local int) []byte) []byte {
	switch e.Op {
	case ir.Const:
		key = append(key, e.Type.String()...)
		return strconv.AppendFloat(key, e.Value, 'x', -1, 64)
	case ir.Get:
		return name(key, e.Local)
	}
	key = append(key, '(')
	key = append(key, e.Op.String()...)
	key = append(key, e.Name...)
	for _, n := range [...]int{int(e.Type), e.HostCall, e.Component, e.List, int(e.Kind), int(e.Offset), e.Column} {
		key = strconv.AppendInt(append(key, ' '), int64(n), 10)
	}
	for _, a := range e.Args {
		key = appendKey(append(key, ' '), a, name)
	}
	return append(key, ')')
}

// byNumber names a local for keyOf where each local has one value.
func byNumber(key []byte, local int) []byte { return strconv.AppendInt(key, int64(local), 10) }
