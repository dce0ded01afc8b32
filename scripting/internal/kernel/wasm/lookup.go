package wasm

import (
	"math/bits"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// A component of another entity is at chunk*Unit + origin + row*size, with chunk,
// row and table from the entity's record, and origin from the table. Those that the
// entities of one system look for mostly live in one table, so each place in the
// text remembers the last table that it saw there, and the component's origin in it.
// Then to find one takes a comparison of lives, one of tables, and two sums; all
// else is off that way.
//
// The words of a record are read highest first, because wazero's compiler
// checks an address once for all that lies below. Both comparisons are one branch,
// and it is the only one that leads to its place: then that compiler makes it of
// the comparison itself, see jumpIf.

// memo is where a place in the text remembers a table.
//
// A line of 0 stands for all lines: that memo is shared by the places beyond mostMemos.
type memo struct {
	thing, line  int
	seen, origin int // i64: the table's number, -1 for none; i32: the component's origin in it
}

// mostMemos bounds how many a kernel has. Those beyond share one for each component.
const mostMemos = 8

// memosOf lists the places in the text that look for components.
func memosOf(f *ir.Func) []memo {
	var list []memo
	ir.Walk(f.Body, func(s *ir.Stmt) {
		if s.Value == nil {
			return
		}
		s.Value.Walk(func(e *ir.Expr) {
			if e.Op != ir.Find || find(list, e.Component, s.Line) != nil {
				return
			}
			line := s.Line
			if len(list) >= mostMemos {
				line = 0
			}
			if find(list, e.Component, line) == nil {
				list = append(list, memo{thing: e.Component, line: line})
			}
		})
	})
	return list
}

// find returns the memo of a place, that of its component if the place has none.
func find(list []memo, thing, line int) *memo {
	for i := range list {
		if m := &list[i]; m.thing == thing && (m.line == line || m.line == 0) {
			return m
		}
	}
	return nil
}

// forget makes all memos empty, at the begin of each call: between calls tables may come,
// and their columns move.
func (c *code) forget() {
	for _, m := range c.memos {
		c.with(opI64Const, -1)
		c.set(m.seen)
	}
}

// lookupByHandle searches for a component of the entity that an expression gives, and does then
// with its place in goal; that ends with a jump. It jumps to a label where there is
// none, and stops at the row if what is asked for could be no entity at all.
//
// The place is computed before anybody knows whether the table is the one that was
// seen: then nothing waits for the answer. Where it is another one, that is
// remembered, and the search begins anew. So in most rows control comes straight from
// the handle to what is done with the value, and what is known of addresses on the
// way is still known there.
func (c *code) lookupByHandle(entity *ir.Expr, thing, line, miss int, then func()) {
	m := find(c.memos, thing, line)
	records := c.f.Memory.Records
	c.locate(entity)
	c.open(opLoop, anewLabel, typeNone)
	c.open(opBlock, coldLabel, typeNone)
	c.spot(m, records)
	// Both differences in one word: 0 if the entity lives and its table is the one that was
	// seen. A dead one whose slot is free, with life 0, has table 0, which is never seen.
	c.bothLives()
	c.op(opI64Xor)
	c.strange(m, records)
	c.op(opI64Or)
	c.with(opI64Const, 0)
	c.op(opI64Ne)
	c.jump(opBrIf, coldLabel)
	then()
	c.end()
	// Here it is another table, or nothing is found: the function search knows.
	c.get(c.hand)
	c.get(c.components + thing)
	c.with(opCall, int64(c.calls[search]))
	c.with(opLocalTee, int64(c.other))
	c.op(opI64Eqz)
	c.jumpIf(miss)
	c.get(c.other)
	c.with(opI64Const, 0)
	c.op(opI64LtS) // -1: never an entity of this world, which is an error in Lua
	c.jumpIf(stopLabel)
	c.get(c.other) // the table in the upper half, the origin in the lower one
	c.with(opI64Const, 32)
	c.op(opI64ShrU)
	c.set(m.seen)
	c.get(c.other)
	c.op(opI32Wrap)
	c.set(m.origin)
	c.jump(opBr, anewLabel)
	c.end()
}

// lookupByRecord is lookupByHandle for an entity whose record is known.
//
// There is no comparison of lives: the record is that of a living entity, or that of slot
// 0, whose table is never the one that was seen.
func (c *code) lookupByRecord(e *ir.Expr, line, miss int, then func()) {
	m := find(c.memos, e.Component, line)
	c.expr(e.Args[0])
	c.set(c.at)
	c.open(opLoop, anewLabel, typeNone)
	c.open(opBlock, coldLabel, typeNone)
	c.spot(m, 0)
	c.strange(m, 0)
	c.with(opI64Const, 0)
	c.op(opI64Ne)
	c.jump(opBrIf, coldLabel)
	then()
	c.end()
	c.origin(0, c.components+e.Component, func() { c.jumpIf(miss) })
	c.get(c.table)
	c.set(m.origin)
	c.get(c.at)
	c.mem(opI64Load32U, 2, tableOf)
	c.set(m.seen)
	c.jump(opBr, anewLabel)
	c.end()
}

// spot makes goal the place of a component from the record at at, records bytes further
// on, and from what is remembered of tables.
func (c *code) spot(m *memo, records uint32) {
	c.get(c.at)
	c.mem(opI32Load, 2, records+rowOf)
	c.times(c.f.Components[m.thing].Size)
	c.get(c.at)
	c.mem(opI32Load, 2, records+chunkOf)
	c.times(c.f.Memory.Unit)
	c.op(opI32Add)
	c.get(m.origin)
	c.op(opI32Add)
	c.set(c.goal)
}

// times multiplies, by a shift where it can. Sizes of components mostly are no power of
// two, the unit of chunks always is.
func (c *code) times(n uint32) {
	if bits.OnesCount32(n) == 1 {
		c.i32(int64(bits.TrailingZeros32(n)))
		c.op(opI32Shl)
		return
	}
	c.i32(int64(n))
	c.op(opI32Mul)
}

// strange leaves 0 if the record's table is the one that was seen.
func (c *code) strange(m *memo, records uint32) {
	c.get(c.at)
	c.mem(opI64Load32U, 2, records+tableOf)
	c.get(m.seen)
	c.op(opI64Xor)
}

// search is the name under which the module calls its own function that looks for a
// component in an entity's table. It takes the handle and the component's number, and
// gives the number of the table and, below it, the component's origin there, in 32
// bits each; 0 where the entity is dead or has no such component, -1 where it never
// was one.
//
// Why a function? It is what nobody comes to in most rows, and would take registers
// from what they do.
const search = "search"

// searching writes that function.
func (c *code) searching() {
	const hand, number, at, table = 0, 1, 2, 3
	c.hand, c.at, c.table = hand, at, table
	nothing := func() {
		c.open(opIf, otherLabel, typeNone)
		c.with(opI64Const, 0)
		c.op(opReturn)
		c.end()
	}
	// A handle that is none of a living entity: 0 if it ever could have been one.
	c.reach()
	c.alike()
	c.op(opI32Eqz)
	c.open(opIf, otherLabel, typeNone)
	c.genuine()
	nothing()
	c.with(opI64Const, -1)
	c.op(opReturn)
	c.end()
	if c.f.Spawns() { // an entity that has a handle and no table yet is Lua's
		c.recordWord(tableOf)
		c.op(opI32Eqz)
		c.open(opIf, otherLabel, typeNone)
		c.with(opI64Const, -1)
		c.op(opReturn)
		c.end()
	}
	c.origin(c.f.Memory.Records, number, nothing)
	c.get(at)
	c.mem(opI64Load32U, 2, c.f.Memory.Records+tableOf)
	c.with(opI64Const, 32)
	c.op(opI64Shl)
	c.get(table)
	c.op(opI64ExtendU, opI64Or)
	c.op(opEnd)
}

// origin makes table the origin of a component in the table of the record at at,
// records bytes further on. nothing is done if what is on the stack is not 0: then
// there is none. The number of the component is in a local.
//
// The length is looked at first: a number beyond it is one of a component that the table
// does not know.
func (c *code) origin(records uint32, number int, nothing func()) {
	// The directory has the address of each table's list of origins, by its number.
	c.get(c.at)
	c.mem(opI32Load, 2, records+tableOf)
	c.i32(2)
	c.op(opI32Shl)
	c.mem(opI32Load, 2, c.f.Memory.Directory)
	c.with(opLocalTee, int64(c.table))
	c.mem(opI32Load, 2, 0) // how many it knows
	c.get(number)
	c.op(opI32LeU)
	nothing()
	c.get(c.table) // after the length: an origin for each component, 0 for one that it lacks
	c.get(number)
	c.i32(2)
	c.op(opI32Shl, opI32Add)
	c.mem(opI32Load, 2, 4)
	c.with(opLocalTee, int64(c.table))
	c.op(opI32Eqz)
	nothing()
}

// vouch checks the highest address of what the kernel reads at a place that is in
// a local, if it reads more than one thing there: then all others need no check.
func (c *code) vouch(place int) {
	var ends []uint32
	ir.Exprs(c.f.Body, func(e *ir.Expr) {
		if e.Op == ir.Load && e.Args[0].Op == ir.Get && e.Args[0].Local == place {
			ends = append(ends, e.Offset+uint32(e.Kind.Size()))
		}
	})
	if len(ends) > 1 { // a single load checks its own address
		c.get(c.local(place))
		c.mem(opI32Load8U, 0, slices.Max(ends)-1)
		c.op(opDrop)
	}
}

// lookup is a sequence of statements that find a component of another entity:
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

// lookup recognises one at the begin of a list, nil if there is none. A statement with a
// lazy load in front of it ends what can be one search, since the load must come there.
//
// Where the record is read by others, too, it has to be made, and there is no search by the
// handle. So the record must be private, or there must be none.
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

// A lookup needs no knowledge of what lower meant: whatever has this form means this, so
// what passes have changed on the way is either still a lookup or written statement by
// statement.

// sets reports whether a statement assigns the outcome of an operation.
func sets(s *ir.Stmt, op ir.Op) bool { return s.Kind == ir.Set && s.Value.Op == op }

// gets reports whether an expression reads a local.
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

// search writes a lookup. The jump to miss leads past what is done where the component was
// found; if there is nothing else to do, it leads straight to where the branch would have.
func (c *code) search(l *lookup) {
	// Both locals have a value on the way past the search, too: the branch may be followed by
	// statements that read them.
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
