package ir

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// This file holds the invariants of the form, as one function that walks a kernel once.
// Whatever it accepts, packages vector and wasm can write as a module that the engine takes,
// and the module does nothing outside of its memory. It is the last guard against a mistake
// of a pass: the function gets no kernel then, and runs on the VM.

// Check reports what is wrong with a kernel, or nil. What it holds: every local
// exists and is assigned before it is read on every path, a brief one in the
// statement that reads it; operands have the
// types that the operations take; every Leave is inside the block that it names;
// what runs once depends on no row; names are unique; a loop takes fuel or has an end.
//
// It takes time in proportion to the body, and copies a bit for each local at its branches.
func Check(f *Func) error {
	c := &checker{f: f}
	c.header()
	if c.err != nil {
		return c.err
	}
	once := &assigned{}
	for i := range f.Inputs {
		if !f.Inputs[i].Store {
			once.Add(f.Inputs[i].Local)
		}
	}
	c.body(f.Once, once, nil)
	for i := range f.Fields {
		once.Add(f.Fields[i].Local)
	}
	for i := range f.Inputs {
		once.Add(f.Inputs[i].Local)
	}
	c.body(f.Body, once, []int{Row})
	return c.err
}

// assigned are the locals that surely have a value; nil where control never comes.
type assigned struct{ LocalSet }

// checker walks a kernel in the order in which it runs. After the first error it goes on
// without effect, and what it has found by then is of no use.
type checker struct {
	f     *Func
	brief []int             // locals that the statement at hand has set for itself
	exit  map[int]*assigned // by label: what is surely assigned at all Leaves
	err   error
}

func (c *checker) fail(format string, v ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("ir: "+format, v...)
	}
}

// header checks what stands before the body: types of locals, that fields lie in their
// structs and lists in the scratch memory, and what runs once. Fields of a kind that is no
// number, as text, are never part of a kernel.
func (c *checker) header() {
	names := map[string]bool{}
	for i, l := range c.f.Locals {
		if names[l.Name] || l.Type < Num || l.Type > Handle {
			c.fail("local %d, %q, has no type or a name taken", i, l.Name)
		}
		names[l.Name] = true
	}
	for i := range c.f.Fields {
		f := &c.f.Fields[i]
		switch {
		case f.Column < 0 || f.Column >= len(c.f.Columns):
			c.fail("field %d has no column", i)
		case (f.Kind < schema.Bool || f.Kind > schema.F64) && f.Kind != schema.Enum && f.Kind != schema.Ref:
			c.fail("field %d is a %s", i, f.Kind)
		case f.Offset+uint32(f.Kind.Size()) > c.f.Columns[f.Column].Stride:
			c.fail("field %d ends behind its struct", i)
		case f.Single && f.Kind != schema.F32:
			c.fail("field %d is a %s and single", i, f.Kind)
		case f.AsHandle && f.Kind != schema.Ref:
			c.fail("field %d is a %s and whole", i, f.Kind)
		case f.Local < 0 || f.Local >= len(c.f.Locals) || c.f.Locals[f.Local].Type != f.Type():
			c.fail("field %d is a %s, its local something else", i, f.Kind)
		}
	}
	for i := range c.f.Inputs {
		if l := c.f.Inputs[i].Local; l < 0 || l >= len(c.f.Locals) || c.f.FieldOf(l) != nil {
			c.fail("input %d has no local of its own", i)
		}
	}
	for i, l := range c.f.Lists {
		if l.Len < 1 || uint32(c.f.ListBytes()) > c.f.Memory.ScratchEnd-c.f.Memory.Scratch {
			c.fail("list %d has no items, or there is no room for it", i)
		}
	}
	for _, s := range c.f.Once {
		if s.Kind != Set || c.f.FieldOf(s.Local) != nil {
			c.fail("what runs once assigns locals that are no fields, and does nothing else")
		}
	}
	Exprs(c.f.Once, func(e *Expr) {
		if e.External() {
			c.fail("%s in what runs once", e.Op)
		}
	})
}

// body checks a list and returns what is assigned after it. labels are the
// blocks around it.
func (c *checker) body(stmts []*Stmt, have *assigned, labels []int) *assigned {
	for _, s := range stmts {
		if c.err != nil {
			return have
		}
		if have == nil {
			return nil // control never comes here
		}
		have = c.stmt(s, have, labels)
	}
	return have
}

// stmt checks a statement, and returns what is assigned after it. have is its own to change.
func (c *checker) stmt(s *Stmt, have *assigned, labels []int) *assigned {
	switch s.Kind {
	case Set:
		c.expr(s.Value, have)
		c.assign(s.Local, s.Value.Type, have)
		c.forget(have)
		return have
	case If:
		c.expr(s.Value, have)
		c.forget(have)
		if s.Value.Type != Bool {
			c.fail("a condition that is a %s", s.Value.Type)
		}
		return both(c.body(s.Body, have.clone(), labels), c.body(s.Else, have, labels))
	case Block:
		return c.block(s, have, labels)
	case Loop:
		if s.Cost < 0 || s.Cost == 0 && s.Turns < 1 {
			c.fail("a loop that takes no fuel and has no end")
		}
		c.body(s.Body, have, labels)
		return nil // only a Leave gets out
	case Leave:
		c.leave(s, have, labels)
		return nil
	case Stop:
		return nil
	}
	c.fail("statement of kind %d", s.Kind)
	return have
}

// block joins what is assigned at the end of the body and at all Leaves to it. Labels are
// unique only along one path from the root, so exits of an earlier block with the same label
// are dropped first.
func (c *checker) block(s *Stmt, have *assigned, labels []int) *assigned {
	for _, l := range labels {
		if l == s.Label {
			c.fail("block %d inside block %d", s.Label, l)
		}
	}
	delete(c.exit, s.Label)
	end := c.body(s.Body, have, append(labels[:len(labels):len(labels)], s.Label))
	return both(end, c.exit[s.Label])
}

// leave keeps what is assigned here for the end of the block, with which the sets of other
// Leaves to the same block are met.
func (c *checker) leave(s *Stmt, have *assigned, labels []int) {
	for _, l := range labels {
		if l == s.Label {
			if c.exit == nil {
				c.exit = map[int]*assigned{}
			}
			c.exit[s.Label] = both(c.exit[s.Label], have)
			return
		}
	}
	c.fail("leave %d is outside of that block", s.Label)
}

// assign notes that a local has a value. A field or an input that is assigned must say that it
// is stored, or the value would be lost at the end of the row without a word.
func (c *checker) assign(local int, t Type, have *assigned) {
	if local < 0 || local >= len(c.f.Locals) || c.f.Locals[local].Type != t {
		c.fail("a %s is assigned to local %d", t, local)
		return
	}
	if f := c.f.FieldOf(local); f != nil && !f.Store {
		c.fail("field %s is assigned and not stored", c.f.Locals[local].Name)
	}
	if in := c.f.InputOf(local); in != nil && !in.Store {
		c.fail("input %s is assigned and not stored", c.f.Locals[local].Name)
	}
	if have.Add(local); c.f.Locals[local].Brief {
		c.brief = append(c.brief, local)
	}
}

// forget ends the brief locals of the statement that has been checked.
func (c *checker) forget(have *assigned) {
	for _, local := range c.brief {
		have.Remove(local)
	}
	c.brief = c.brief[:0]
}

// expr checks an expression; have grows by the locals of Tees that surely run.
func (c *checker) expr(e *Expr, have *assigned) {
	if c.err != nil {
		return
	}
	if e == nil || e.Op == 0 || int(e.Op) >= len(opInfo) {
		c.fail("an expression without an operation")
		return
	}
	info := &opInfo[e.Op]
	if info.args >= 0 && len(e.Args) != info.args {
		c.fail("%s has %d operands", e.Op, len(e.Args))
		return
	}
	if e.Lazy && e.Op != And && e.Op != Or && e.Op != Pick {
		c.fail("a lazy %s", e.Op)
		return
	}
	c.operands(e, have)
	gives, takes := info.gives, info.takes
	if e.Op.Arithmetic() && e.Args[0].Type == Num32 {
		takes = Num32
		if gives == Num {
			gives = Num32
		}
	}
	c.types(e, gives, takes)
	for _, a := range e.Args {
		if a.Op == Find {
			c.fail("find as an operand: what it finds is kept in a local")
		}
	}
	c.about(e, have)
}

// about checks what an operation is about beside its operands: the list, column, component,
// host call or local that it names by number.
func (c *checker) about(e *Expr, have *assigned) {
	switch e.Op {
	case Item:
		if e.List < 0 || e.List >= len(c.f.Lists) {
			c.fail("list %d is not there", e.List)
		}
	case Present, Here:
		if e.Column < 0 || e.Column >= len(c.f.Columns) {
			c.fail("column %d is not there", e.Column)
		}
	case Load:
		if TypeOf(e.Kind) != e.Type && !(e.Kind == schema.Ref && e.Type == Handle) {
			c.fail("a %s is loaded as a %s", e.Kind, e.Type)
		}
	case Find:
		if e.Component < 0 || e.Component >= len(c.f.Components) {
			c.fail("thing %d is not there", e.Component)
		}
	case Const:
		if e.Type == Place && e.Value != Nowhere && e.Value != Unclear {
			c.fail("a place that is written out")
		}
		if e.Type == Handle && !IsHandle(e.Value) {
			c.fail("a handle that is %v", e.Value)
		}
	case Fetch, Ask, Invoke, Do:
		if e.HostCall < 0 || e.HostCall >= len(c.f.HostCalls) {
			c.fail("host call %d is not there", e.HostCall)
		}
	case Get:
		if e.Local < 0 || e.Local >= len(c.f.Locals) || c.f.Locals[e.Local].Type != e.Type {
			c.fail("local %d is read as a %s", e.Local, e.Type)
		} else if !have.Has(e.Local) {
			c.fail("%s is read before it is assigned", c.f.Locals[e.Local].Name)
		}
	case Tee:
		c.assign(e.Local, e.Type, have)
	case Sincos:
		if e.Name != Sine && e.Name != Cosine {
			c.fail("sincos gives %q", e.Name)
		}
		c.assign(e.Local, e.Type, have)
		c.assign(e.Cosine, e.Type, have)
	}
}

// operands checks them in the order in which they run.
func (c *checker) operands(e *Expr, have *assigned) {
	if !e.Lazy {
		for _, a := range e.Args {
			c.expr(a, have)
		}
		return
	}
	first := e.First()
	c.expr(e.Args[first], have)
	for i, a := range e.Args {
		if i != first {
			c.expr(a, have.clone())
		}
	}
}

// types checks the type of a value and those of its operands. gives and takes are those of
// opInfo, where 0 means any; then the operands agree with each other or with the value.
func (c *checker) types(e *Expr, gives, takes Type) {
	if e.Type < Num || e.Type > Handle || gives != 0 && e.Type != gives {
		c.fail("%s has type %d", e.Op, e.Type)
	}
	for i, a := range e.Args {
		want := takes
		switch {
		case e.Op == Pick && i == 2:
			want = Bool
		case takesHandle(e, i) && a.Type == Handle:
			want = Handle
		case e.Op == Step:
			want = [...]Type{Place, Num}[i]
		case e.Op == Pick || e.Op == Tee:
			want = e.Type
		case want == 0:
			want = e.Args[0].Type
		}
		if c.err == nil && a.Type != want {
			c.fail("operand %d of %s is a %s", i+1, e.Op, a.Type)
		}
	}
}

// takesHandle reports whether an operand may be a Handle as well as a Num.
func takesHandle(e *Expr, i int) bool {
	return e.Op == Touched || e.Op == Alive || e.Op == Record || e.Op == Do && i == 0
}

// IsHandle reports whether a number may stand for a Handle: a whole one that a
// float64 tells from all others. -0 may not: as a Handle it would have become 0.
func IsHandle(v float64) bool {
	return v >= 0 && v < 1<<53 && v == math.Trunc(v) && !math.Signbit(v)
}

func (a *assigned) clone() *assigned { return &assigned{a.Clone()} }

// both is what holds when control comes from a or from b. It changes a, and may return
// either.
func both(a, b *assigned) *assigned {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	a.Keep(b.LocalSet)
	return a
}
