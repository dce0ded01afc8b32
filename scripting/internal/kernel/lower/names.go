package lower

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file finds out what a name stands for. There are three places to look: the bindings
// of the kernel, for locals and parameters; the variables around the function, which the
// signature knows as captured; and globals. The first leads to locals of the kernel, the
// other two to a [Resolved] from outside, which given makes a val of.

// name translates a name that stands alone.
//
// The entity is a number here, and a row is no value but something with fields. The context
// has no value of its own: only its fields do, see uniform.
func (l *lowerer) name(e *syntax.Name) val {
	b := l.lookup(e)
	if b == nil {
		return l.given(e.Position(), l.outer(e))
	}
	switch b.kind {
	case isLocal:
		v := val{expr: l.get(b.local), names: b.names}
		if b.present >= 0 {
			v.present = l.get(b.present)
		}
		return v
	case isFixed:
		return val{expr: l.entity()}
	case isRow:
		return l.whole(b.row, e.Position())
	case isValue:
		return l.given(e.Position(), b.value)
	}
	l.refuseTable(e.Position(), e.Value)
	return nothing()
}

// outer returns what a name outside of the function stands for.
//
// A local of the script that the text assigns nowhere, but where it is declared, keeps what
// it holds. So the functions that would read it or check it before each run are taken away,
// and its number becomes a constant that passes can compute with.
func (l *lowerer) outer(e *syntax.Name) Resolved {
	v := l.script.names.Variable(e)
	if v == nil {
		known := l.global(e.Value)
		if known.Kind == Other {
			known.Name = "the global \"" + e.Value + "\""
		}
		return known
	}
	known := l.captured(e.Value)
	if len(v.Assigned) == 0 { // what it is now it stays
		known.Read, known.Write, known.Same, known.Still, known.final = nil, nil, nil, nil, true
	}
	return known
}

// given makes a value of something from outside. What can change is an input of
// the kernel, or something that must still be there when it runs.
//
// Each kind has its own check: a number is read anew in each run, a text must be the same,
// and all else goes by stand.
func (l *lowerer) given(pos syntax.Pos, v Resolved) val {
	if v.made != nil {
		return v.made(pos)
	}
	switch v.Kind {
	case Number, Truth:
		if v.Read != nil {
			return val{expr: l.get(l.input(v))}
		}
		if v.Kind == Truth {
			return val{expr: ir.Truth(v.Number != 0)}
		}
		return val{expr: ir.Constant(v.Number)}
	case Other:
		before := l.err
		l.unsettled = l.unsettled || !v.final
		l.refuse(pos, "%s", v.Name)
		if before == nil && v.Nil {
			l.err.operand, l.err.among = "nil", v.Siblings
		}
		return nothing()
	case Text:
		l.rely(v)
		return val{text: &v.Name, loose: v.loose || v.Same != nil}
	}
	l.stand(v, pos)
	return val{thing: &v}
}

// stand has the kernel rely on there being a thing where there is one now: the text
// may ask whether it is nil. Of a table, the content may change.
func (l *lowerer) stand(v Resolved, pos syntax.Pos) {
	switch {
	case v.item != nil:
		l.standing(v.item, pos)
	case v.Still != nil:
		l.check("stands", v.Place, ir.Condition{Holds: v.Still, Else: quoted(v.Path) + " is no table", From: l.from(&v, stillPart)})
	case v.Kind != Table:
		l.rely(v)
	}
}

// rely notes that a thing must stay what it is. The checks run before each run of the
// kernel, on the goroutine of the Lua state. One that fails means that the kernel does not
// run that time.
func (l *lowerer) rely(v Resolved) {
	if v.Same != nil {
		l.check("same", v.Place, ir.Condition{Holds: v.Same, Else: quoted(v.Path) + " has become something else", From: l.from(&v, samePart)})
	}
}

// checkKey tells apart what is checked of places before each run.
type checkKey struct {
	what  string
	place any
}

// check has the kernel look at a place before each run: once, however often the text names
// it.
func (l *lowerer) check(what string, place any, c ir.Condition) {
	key := checkKey{what, place}
	if _, known := l.checks[key]; !known || place == nil {
		l.checks[key] = len(l.f.Same)
		l.f.Same = append(l.f.Same, c)
	}
}

// quoted is a path of the text in a message.
func quoted(path string) string { return fmt.Sprintf("%q", path) }

// input returns the local that stands for a number or truth that can change.
//
// There is one local for each Cell, so two names for one field share what either assigns.
// If they lead there by different places, meet is set, and homed has the kernel check that
// both still do. The homes are noted for the first look as well, since it is not known yet
// whether a second will meet it.
func (l *lowerer) input(v Resolved) int {
	if v.Home != nil {
		l.homes = append(l.homes, ir.Condition{Holds: v.Home, Else: quoted(v.Path) + " is in another table", From: l.from(&v, homePart)})
	}
	if i, ok := l.cells[v.Cell]; ok {
		local := l.f.Inputs[i].Local
		l.meet = l.meet || v.Home != nil && l.inTable[local].place != v.Place
		return local
	}
	t := ir.Num
	if v.Kind == Truth {
		t = ir.Bool
	}
	local := l.f.NewLocal(v.Name, t)
	if l.cells[v.Cell] = len(l.f.Inputs); v.Home != nil {
		l.inTable[local] = tableField{name: v.Name, place: v.Place}
	}
	l.f.Inputs = append(l.f.Inputs, ir.InputLocal{Local: local, Read: v.Read, Write: v.Write, From: l.from(&v, readPart)})
	return local
}

// resolve returns the thing from outside that an expression names, with its fields
// if need be; false when it is something else.
//
// It emits nothing for a name or a path of names. For list[i] it translates the index, so a
// caller must not resolve the same expression twice.
func (l *lowerer) resolve(e syntax.Expr) (v Resolved, ok bool) {
	switch e := e.(type) {
	case *syntax.Name:
		if b := l.lookup(e); b != nil {
			return b.value, b.kind == isValue
		}
		if l.isMath(e) {
			return Resolved{}, false
		}
		return l.outer(e), true
	case *syntax.Index:
		key, isKey := e.Key.(*syntax.String)
		if !isKey {
			return l.resolveItem(e)
		}
		if id, isName := e.Object.(*syntax.Name); isName && l.isMath(id) {
			return l.math(e, key.Value), true
		}
		if v, ok = l.resolve(e.Object); ok && v.Kind == Table {
			return v.Field(key.Value), true
		}
	}
	return Resolved{}, false
}

// resolveItem returns the table that list[i] is, false when it is something else. A list of
// lists is left to item, which is what the first case says: t.item is set for a table that
// was found by an index.
func (l *lowerer) resolveItem(e *syntax.Index) (Resolved, bool) {
	t, ok := l.tableOf(e.Object)
	if !ok || t.item != nil || t.Inside(nil).Kind != Table {
		return Resolved{}, false
	}
	index := l.place(t, e.Key)
	return l.member(t, index, nil), l.err == nil
}

// attribute translates p.x, p.list[i], ctx.dt, math.pi and tuning.speed.
//
// The cases are tried in an order in which nothing is translated twice: a place in a row,
// then the context, then a name from outside, then an item. A refusal of one of them ends
// the search.
func (l *lowerer) attribute(e *syntax.Index) val {
	if s := l.spot(e); s != nil || l.err != nil {
		if l.err != nil {
			return nothing()
		}
		if s.field.Kind == schema.Struct {
			l.refuse(e.Position(), "the struct %q as a whole", s.path)
			return nothing()
		}
		return l.read(s)
	}
	id, isName := e.Object.(*syntax.Name)
	key, isKey := e.Key.(*syntax.String)
	if isName && isKey {
		if b := l.lookup(id); b != nil && b.kind == isContext {
			return val{expr: l.uniform(key.Value, e.Position())}
		}
	}
	if isKey {
		if v, ok := l.resolve(e); ok {
			return l.given(e.Position(), v)
		}
	} else if v, ok := l.item(e); ok { // an index is translated once
		return v
	}
	if isName && isKey {
		l.refuse(e.Position(), "%q of %q", key.Value, id.Value)
	}
	l.refuse(e.Position(), "a field of what is no table and no component here")
	return nothing()
}

// isMath reports whether a name means the global table math. Whether the text leaves that
// table alone is what the method math asks.
func (l *lowerer) isMath(id *syntax.Name) bool {
	return id.Value == "math" && l.script.names.Global(id)
}

// math returns a field of math, if the script leaves it alone.
func (l *lowerer) math(e syntax.Expr, name string) Resolved {
	if at := l.script.overwritesLibrary; at > 0 {
		l.refuse(e.Position(), "math, which line %d may change,", at)
		return Resolved{}
	}
	v := l.library(name)
	if v.Kind == Other && v.Name == "" {
		v.Name = "math." + name
	}
	return v
}

// uniform is a field of the context. It is the same for all rows, and a parameter of each
// call.
func (l *lowerer) uniform(name string, pos syntax.Pos) *ir.Expr {
	op := map[string]ir.Op{"dt": ir.DT, "time": ir.Time, "tick": ir.Tick}[name]
	if op == 0 {
		l.refuse(pos, "%q of ctx", name)
		return ir.Constant(0)
	}
	return &ir.Expr{Op: op, Type: ir.Num}
}
