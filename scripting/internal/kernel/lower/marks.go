package lower

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// What a run has done to entities, its later rows see, and those that look at the
// entities. The changes wait in the kernel's notes, so that what lies in memory is as
// it was before the run. A kernel that changes entities and looks at what it changes
// therefore marks them, and asks for the mark before it looks: a row that looks at an
// entity with the mark is the VM's, which knows what has been done to it.
//
// Three things are asked. Before a look at another entity, whether it is marked, if
// the function changes the component that it looks for, or may end the entity. At the
// begin of a row, whether its own entity is, if the function changes other entities in
// what its query asks for. And before a change of a component of which the function
// stores fields of the row, whether it is about the row: the fields are stored when
// the row is done, behind what the row itself has set.
//
// What a row does that is the VM's nobody knows here. If that is more than a
// line in the log, all looks are asked for.
//
// Nothing is asked where the function changes only what it does not look at.

// change is a change of an entity that the function makes.
type change struct {
	op    string
	call  int
	names []string // of the components
	wide  bool     // more may change than these
}

// changed notes a change of an entity.
func (l *lowerer) changed(op string, call int, made []Resolved) {
	c := change{op: op, call: call, wide: op == "despawn"}
	for _, v := range made {
		c.names, c.wide = append(c.names, v.Name), c.wide || v.Ruled
	}
	l.changes = append(l.changes, c)
}

// changeOf returns the change of a host call, nil for others.
func (l *lowerer) changeOf(e *ir.Expr) *change {
	if e.Op != ir.Do {
		return nil
	}
	for i := range l.changes {
		if l.changes[i].call == e.HostCall {
			return &l.changes[i]
		}
	}
	return nil
}

// checkMarks adds the questions to a body.
func (l *lowerer) checkMarks() {
	h := markChecker{l: l, names: map[string]bool{}}
	for _, r := range l.fallbacks {
		h.any = h.any || !r.rare || len(l.changes) > 0
	}
	ir.Exprs(l.f.Body, func(e *ir.Expr) {
		c := l.changeOf(e)
		if c == nil {
			return
		}
		h.any = h.any || c.wide
		for _, name := range c.names {
			h.names[name] = true
		}
		if !l.f.IsOwn(e.Args[0]) && (c.wide || slices.ContainsFunc(c.names, l.asked)) {
			h.others = true
		}
	})
	if !h.any {
		l.alwaysAlive()
	}
	if !h.any && len(h.names) == 0 {
		return
	}
	l.f.Body = h.list(l.f.Body)
	if h.others {
		l.f.Body = append(l.list(func() { h.ask(l.entity(), 0) }), l.f.Body...)
	}
}

// alwaysAlive answers whether the row's own entity is alive, where no row ends one.
func (l *lowerer) alwaysAlive() {
	ir.Exprs(l.f.Body, func(e *ir.Expr) {
		if e.Op == ir.Alive && l.f.IsOwn(e.Args[0]) {
			*e = *ir.Truth(true)
		}
	})
}

// asked reports whether the query asks for a component.
func (l *lowerer) asked(name string) bool {
	return slices.Contains(l.sig.Filters, name) || slices.ContainsFunc(l.sig.Terms, func(t Term) bool { return t.Name == name })
}

// markChecker adds the questions of one function.
type markChecker struct {
	l      *lowerer
	names  map[string]bool // of the components that it changes
	any    bool            // it may change all of them
	others bool            // it changes other rows
}

// list adds them to a list of statements.
func (h *markChecker) list(stmts []*ir.Stmt) (out []*ir.Stmt) {
	for _, s := range stmts {
		s.Body, s.Else = h.list(s.Body), h.list(s.Else)
		if s.Value != nil {
			s.Value.Walk(func(e *ir.Expr) { out = append(out, h.before(e, s)...) })
		}
		out = append(out, s)
	}
	return out
}

// before is what is asked before an expression is evaluated.
func (h *markChecker) before(e *ir.Expr, s *ir.Stmt) []*ir.Stmt {
	l := h.l
	switch e.Op {
	case ir.Alive, ir.Ask:
		if h.any {
			return l.list(func() { h.ask(e.Args[0], s.Line) })
		}
	case ir.Record:
		if h.looked(l.recordFor[s.Local]) {
			return l.list(func() { h.ask(e.Args[0], s.Line) })
		}
	case ir.Fetch:
		if h.looked([]string{l.fetchFor[e.HostCall]}) {
			return l.list(func() { h.ask(e.Args[0], s.Line) })
		}
	case ir.Do:
		if c := l.changeOf(e); c != nil && (c.op == "add" || c.op == "set") && (c.wide || slices.ContainsFunc(c.names, l.keepsRow)) {
			return l.list(func() { h.apart(e.Args[0], s.Line) })
		}
	}
	return nil
}

// looked reports whether a look at one of the components may find another value, or
// none. A look at no component is one for the entity.
func (h *markChecker) looked(names []string) bool {
	return h.any || slices.ContainsFunc(names, func(name string) bool { return h.names[name] })
}

// ask leaves the row to Lua if the run has done something to an entity.
func (h *markChecker) ask(entity *ir.Expr, line int) {
	h.l.line = line
	touched := unary(ir.Touched, again(entity))
	h.l.emit(&ir.Stmt{Kind: ir.If, Value: touched, Body: []*ir.Stmt{{Kind: ir.Stop, Why: "the run may have changed what the row looks at"}}})
}

// apart leaves the row to Lua if an entity is its own.
func (h *markChecker) apart(entity *ir.Expr, line int) {
	h.l.line = line
	why := "a component of the row may be set while its fields are assigned"
	stop := &ir.Stmt{Kind: ir.Stop, Why: why}
	if h.l.f.IsOwn(entity) {
		h.l.emit(stop)
		return
	}
	h.l.emit(&ir.Stmt{Kind: ir.If, Value: binary(ir.Eq, again(entity), h.l.entity()), Body: []*ir.Stmt{stop}})
}

// keepsRow reports whether the function assigns a field of the row's own component of
// that name.
func (l *lowerer) keepsRow(name string) bool {
	return slices.ContainsFunc(l.f.Fields, func(f ir.Field) bool {
		return f.Store && l.f.Columns[f.Column].Term != ir.Entities && l.f.Columns[f.Column].Name == name
	})
}
