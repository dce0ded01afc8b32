package wasm

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// lookup is a run of statements that find a component of another entity:
//
//	record = (record entity)
//	if (not (ne record unclear))
//	  stop
//	place = (find thing record)
//	there = (ne place nowhere)
//	if there …
//
// They are written as one search, so that its ways lead where the branch would: a
// component that is not found is never asked about again.
type lookup struct {
	length int      // how many statements
	entity *ir.Expr // nil: the record is known
	find   *ir.Expr
	line   int
	place  int // the local
	uses   int // how often they read the record
	there  int // the local that says whether it was found; -1: none
	found  []*ir.Stmt
	missed []*ir.Stmt
}

// lookup recognises one at the begin of a list, nil if there is none.
func (c *code) lookup(stmts []*ir.Stmt) *lookup {
	l := &lookup{there: -1}
	next := func() *ir.Stmt {
		if l.length < len(stmts) && c.lazyLoads[stmts[l.length]] == nil || l.length == 0 {
			return stmts[l.length]
		}
		return &ir.Stmt{}
	}
	record := -1
	if s := next(); sets(s, ir.Record) {
		l.entity, record = s.Value.Args[0], s.Local
		l.length++
		uses := 1 // the search itself
		if isUnclear(next(), record) {
			l.length++
			uses++
		} else if !c.isRow(l.entity) {
			return nil
		}
		if l.uses = uses; c.private != nil && !c.private[record] {
			return nil
		}
	}
	s := next()
	if !sets(s, ir.Find) || l.entity != nil && !gets(s.Value.Args[0], record) {
		return nil
	}
	l.find, l.place, l.line = s.Value, s.Local, s.Line
	l.length++
	if s := next(); s.Kind == ir.Set && isFound(s.Value, l.place, -1) {
		l.there = s.Local
		l.length++
	}
	if s := next(); s.Kind == ir.If && c.lazyLoads[s] == nil && l.splits(s) {
		l.length++
	}
	return l
}

// sets reports whether a statement assigns the outcome of an operation.
func sets(s *ir.Stmt, op ir.Op) bool { return s.Kind == ir.Set && s.Value.Op == op }

func gets(e *ir.Expr, local int) bool { return e.Op == ir.Get && e.Local == local }

// isUnclear reports whether a statement stops where a place is unclear.
func isUnclear(s *ir.Stmt, place int) bool {
	if s.Kind != ir.If || len(s.Else) > 0 || len(s.Body) != 1 || s.Body[0].Kind != ir.Stop || s.Value.Op != ir.Not {
		return false
	}
	e := s.Value.Args[0]
	return e.Op == ir.Ne && gets(e.Args[0], place) && e.Args[1].Op == ir.Const && e.Args[1].Value == ir.Unclear
}

// isFound reports whether a condition is that something was found at a place. there,
// if not -1, says so, too.
func isFound(e *ir.Expr, place, there int) bool {
	if there >= 0 && gets(e, there) {
		return true
	}
	return e.Op == ir.Ne && gets(e.Args[0], place) && e.Args[1].Op == ir.Const && e.Args[1].Value == ir.Nowhere
}

// splits takes a branch apart into what is done where the component was found and
// where it was not, if the condition asks for that first: alone, or before an operand
// that then decides on one of the sides, which one depends on the operator.
func (l *lookup) splits(s *ir.Stmt) bool {
	e := s.Value
	switch {
	case isFound(e, l.place, l.there):
		l.found, l.missed = s.Body, s.Else
		return true
	case e.Op == ir.Not && isFound(e.Args[0], l.place, l.there):
		l.found, l.missed = s.Else, s.Body
		return true
	case len(s.Else) > 0 || !jumps(e):
		return false
	}
	first, inner := e.Args[0], *s
	inner.Value = e.Args[1]
	then, absent := []*ir.Stmt{&inner}, first.Op == ir.Not && isFound(first.Args[0], l.place, l.there)
	switch found := isFound(first, l.place, l.there); {
	case e.Op == ir.And && found:
		l.found = then
	case e.Op == ir.And && absent:
		l.missed = then
	case e.Op == ir.Or && found && isJump(s.Body): // what is written twice must be short
		l.found, l.missed = s.Body, then
	case e.Op == ir.Or && absent && isJump(s.Body):
		l.found, l.missed = then, s.Body
	default:
		return false
	}
	return true
}

// isJump reports whether statements do nothing but go elsewhere.
func isJump(stmts []*ir.Stmt) bool {
	return len(stmts) == 1 && (stmts[0].Kind == ir.Leave || stmts[0].Kind == ir.Stop)
}

// isRow reports whether an entity is that of the row.
func (c *code) isRow(e *ir.Expr) bool { return e.Op == ir.Get && c.isSmall(e) }

// privates returns the locals of records that nothing but lookups reads. Several of
// them may have one: turns of a loop that was written out.
func privates(f *ir.Func) map[int]bool {
	c := &code{f: f}
	left := map[int]int{} // reads, less those of lookups
	ir.Exprs(f.Body, func(e *ir.Expr) {
		if e.Op == ir.Get {
			left[e.Local]++
		}
	})
	private := map[int]bool{}
	var look func([]*ir.Stmt)
	look = func(stmts []*ir.Stmt) {
		for i, s := range stmts {
			if sets(s, ir.Record) {
				private[s.Local] = true
				if l := c.lookup(stmts[i:]); l != nil {
					left[s.Local] -= l.uses
				}
			}
			look(s.Body)
			look(s.Else)
		}
	}
	look(f.Body)
	for local := range private {
		private[local] = left[local] == 0
	}
	return private
}

// search writes a lookup.
func (c *code) search(l *lookup) {
	c.i32(ir.Nowhere) // unless found
	c.set(c.local(l.place))
	if l.there >= 0 {
		c.i32(0)
		c.set(c.local(l.there))
	}
	miss := missLabel
	switch {
	case isJump(l.missed) && l.missed[0].Kind == ir.Leave:
		miss = l.missed[0].Label
	case isJump(l.missed):
		miss = stopLabel
	case len(l.missed) == 0:
		miss = foundLabel
	}
	c.open(opBlock, foundLabel, typeNone)
	if miss == missLabel {
		c.open(opBlock, missLabel, typeNone)
	}
	if l.entity != nil {
		c.lookupByHandle(l.entity, l.find.Component, l.line, miss, func() { c.hit(l) })
	} else {
		c.lookupByRecord(l.find, l.line, miss, func() { c.hit(l) })
	}
	if miss == missLabel {
		c.end()
		c.stmts(l.missed)
	}
	c.end()
}

// hit writes what is done where the component is found.
func (c *code) hit(l *lookup) {
	c.get(c.goal)
	c.set(c.local(l.place))
	if l.there >= 0 {
		c.i32(1)
		c.set(c.local(l.there))
	}
	c.vouch(l.place)
	c.stmts(l.found)
	c.jump(opBr, foundLabel)
}
