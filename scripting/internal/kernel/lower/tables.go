package lower

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Tables of the script are read field by field: each field or item that the text
// can reach is an input of the kernel, read anew in each run. So an index that is
// computed is a choice among a few of them, and what is in the table beside
// numbers and booleans, or comes into it later, is left to the VM. Where
// there are many items, or they are tables, see member.
//
// Fields may be assigned, too. Two names may lead to one table: they share the
// input as long as both lead where they led when the kernel was made, which is
// looked at before each run.

// stored returns the variable that an assignment to something from outside
// changes: a local of the script around the function, or a field of a table.
//
// What cannot be assigned has a reason of its own: an item of a list is a copy, a field of
// a resource has no Write, and what is no number has no local.
func (l *lowerer) stored(v Resolved, pos syntax.Pos, what string) target {
	if l.err == nil && v.made != nil {
		l.refuse(pos, "an assignment to %q, which is in a list,", v.Path)
	}
	switch isNumber := v.Kind == Number || v.Kind == Truth; {
	case l.err != nil, isNumber && v.Write != nil:
	case isNumber:
		l.refuse(pos, "an assignment to %q, a field of a resource,", v.Name)
	case what == "":
		l.refuse(pos, "an assignment to %s", v.Name)
	default:
		l.refuseNow(pos, "an assignment to %s that holds something else than a number,", what)
	}
	if l.err != nil {
		return target{}
	}
	local := l.input(v)
	l.f.InputOf(local).Store = true
	if field, ok := l.inTable[local]; ok {
		field.assigned = l.outside(pos)
		l.inTable[local] = field
	}
	return target{variable: &binding{kind: isLocal, local: local, present: -1}}
}

// homed has the kernel rely on all tables being where they were, if it assigns a
// field of one, or if two names lead to the same field now.
//
// Lower calls it after the body, when it is known what is assigned. A kernel that only
// reads, by names that never meet, reads right whatever table is there.
func (l *lowerer) homed() {
	moves := l.meet
	for i := range l.f.Inputs {
		in := &l.f.Inputs[i]
		moves = moves || in.Store && l.inTable[in.Local].name != ""
	}
	if moves {
		l.f.Same = append(l.f.Same, l.homes...)
	}
}

// tableOf returns the table from outside that an expression names.
func (l *lowerer) tableOf(e syntax.Expr) (Resolved, bool) {
	v, ok := l.resolve(e)
	ok = ok && v.Kind == Table && v.Item != nil
	l.unsettled = l.unsettled || ok && v.Len() == 0
	return v, ok
}

// item translates list[i] and list[name of an enum].
//
// The constant index has a case of its own, as only that item must be a number then. false
// means that the expression is no item of a table from outside.
func (l *lowerer) item(e *syntax.Index) (val, bool) {
	t, ok := l.tableOf(e.Object)
	if !ok {
		return val{}, false
	}
	if t.item != nil {
		return l.inner(t, e.Key, e.Position()), true
	}
	key := l.value(e.Key)
	if l.err == nil && key.names != nil {
		return l.byName(t, key, e.Position()), true
	}
	index := l.asNumber(key, "an index that is")
	if l.err != nil {
		return nothing(), true
	}
	if at := int(index.Value); index.Op == ir.Const && at >= 1 && at <= min(t.Len(), fewest) && float64(at) == index.Value && l.single(t) {
		return l.given(e.Position(), t.Item(at)), true
	}
	index = l.keep("index", index)
	l.demand(l.upTo(index, l.last(t, e.Position())), "an index may be outside of %s", t.Path)
	return l.itemAt(t, index, e.Position()), true
}

// single reports whether an item with a constant index is an input of its own: the other items
// may be anything then, but it must be there in each run.
func (l *lowerer) single(t Resolved) bool {
	return t.Inside(nil).Kind != Table && !(l.grows(t) && t.Items(nil, 0, make([]float64, t.Len())) != Other)
}

// itemAt returns the item of a list at an index that is in a local, and surely in
// the list: a number, or a table.
//
// A short list is a choice among inputs; a long one, and one of tables, is copied.
func (l *lowerer) itemAt(t Resolved, index *ir.Expr, pos syntax.Pos) val {
	switch {
	case t.Inside(nil).Kind == Table:
		return l.given(pos, l.member(t, index, nil))
	case t.Len() > fewest, l.grows(t):
		return l.copied(&listItem{t, nil, index}, 0, index, pos)
	}
	return val{expr: l.choose(l.items(t, pos), index, 1)}
}

// byName is a table with a field for each name of an enum. A row whose name has
// not one is the VM's.
//
// The fields are looked for now, by each name. One that is no number now makes its rows the
// VM's for as long as the kernel lives; one that stops being a number keeps the kernel from
// running.
func (l *lowerer) byName(t Resolved, key val, pos syntax.Pos) val {
	place := l.keep("name", l.definite(key))
	var list []*ir.Expr
	for i, name := range key.names {
		v := t.Field(name)
		if v.Kind != Number && v.Kind != Truth {
			l.demand(binary(ir.Ne, again(place), ir.Constant(float64(i))), "%s may lack a number for a name", t.Path)
			continue
		}
		e := l.given(pos, v).expr
		for len(list) < i { // any will do where there is none
			list = append(list, again(e))
		}
		list = append(list, e)
	}
	l.demand(binary(ir.Lt, again(place), ir.Constant(float64(len(key.names)))), "%s may be asked for none of the names", t.Path)
	return val{expr: l.choose(l.alike(list, t, pos), place, 0)}
}

// items returns the items of a list, each read anew in every run.
func (l *lowerer) items(t Resolved, pos syntax.Pos) []*ir.Expr {
	var list []*ir.Expr
	for i := range t.Len() {
		list = append(list, l.given(pos, t.Item(i+1)).expr)
	}
	return l.alike(list, t, pos)
}

// alike refuses a list of nothing, and one of other things than numbers alone or
// booleans alone.
//
// It returns one number after a refusal, so that choose has something to choose.
func (l *lowerer) alike(list []*ir.Expr, t Resolved, pos syntax.Pos) []*ir.Expr {
	for _, e := range list {
		if l.err == nil && e == nil {
			l.refuseNow(pos, "%q, a table of other things than numbers,", t.Path)
		}
		if l.err == nil && e.Type != list[0].Type {
			l.refuseNow(pos, "%q, a table of values of several kinds,", t.Path)
		}
	}
	if len(list) == 0 {
		l.refuseNow(pos, "%q, a table without numbers,", t.Path)
	}
	if l.err != nil {
		return []*ir.Expr{ir.Constant(0)}
	}
	return list
}

// choose returns the item at an index that is in a local, with first for the
// place of the first one; any item when there is none.
//
// The last item is the outermost Pick. Passes find no difference, and each item is used
// once.
func (l *lowerer) choose(list []*ir.Expr, index *ir.Expr, first int) *ir.Expr {
	e := list[0]
	for i := 1; i < len(list); i++ {
		e = pick(binary(ir.Eq, again(index), ir.Constant(float64(first+i))), list[i], e)
	}
	return e
}

// ipairs translates for i, v in ipairs(list) over a list of the script. A list
// that has got longer or shorter by then, or has a hole, is the VM's.
//
// There is a bound for the length, so the loop has bounded trips and needs no fuel up to
// maxTrips. The index is incremented first, so that a continue in the body cannot leave it
// where it was.
func (l *lowerer) ipairs(s *syntax.GenericFor) {
	t, ok := l.iterated(s)
	if !ok {
		l.refuse(s.Position(), "for … in")
	}
	if l.err != nil {
		return
	}
	n, pos := l.room(t), s.Exprs[0].(*syntax.Call).Args[0].Position()
	l.steadyLen(t, len(s.Names) > 1, pos)
	if n == 0 || l.err != nil {
		return
	}
	last := l.steady("length", l.last(t, pos))
	index := l.f.NewLocal(s.Names[0].Value+"~index", ir.Num)
	l.set(index, ir.Constant(0))
	l.cycle(n, l.turn(s.Body, nil)+1, func(exit int) {
		l.set(index, binary(ir.Add, l.get(index), ir.Constant(1)))
		l.leaveUnless(binary(ir.Le, l.get(index), last()), exit)
		l.steps(s.Names[0], l.get(index), 1, float64(n))
		if len(s.Names) == 2 {
			item := l.stepped(t, l.get(index), pos)
			item.pos = pos
			l.declare(l.script.names.Variable(s.Names[1]), item)
		}
		l.block(s.Body)
	})
}

// steadyLen has the kernel rely on a list being as long as it is, or not longer than there is
// room for, and on there being no hole where the loop would end. A hole is also seen where all items are read.
//
// Where items are read, each is an input or a copy, and a hole makes those fail. Where only
// the index is used, nothing reads them, and Full looks instead.
func (l *lowerer) steadyLen(t Resolved, read bool, pos syntax.Pos) {
	if t.item != nil {
		l.howMany(t.item, t.Len(), pos)
		return
	}
	n, grows := l.room(t), l.grows(t)
	l.check("length", t.Place, ir.Condition{
		Holds: func() bool { now := t.Length(); return now == n || grows && now >= 0 && now < n },
		Else:  quoted(t.Path) + " has another length",
	})
	if read || t.Len() == 0 {
		return
	}
	if t.Len() > mostItems || !t.Full(t.Len()) {
		l.refuseNow(pos, "ipairs of %q, which has holes or more than %d items,", t.Path, mostItems)
		return
	}
	count := l.count(t)
	l.check("full", t.Place, ir.Condition{Holds: func() bool { return t.Full(count()) }, Else: quoted(t.Path) + " has a hole"})
}

// stepped is the item that a loop over a list has come to. Inner lists have one length, so
// item k of list i is at (i - 1) × length + k of the copy.
func (l *lowerer) stepped(t Resolved, index *ir.Expr, pos syntax.Pos) val {
	if t.item == nil {
		return l.itemAt(t, l.keep("index", index), pos)
	}
	first := binary(ir.Mul, binary(ir.Sub, again(t.item.index), ir.Constant(1)), ir.Constant(float64(t.Len())))
	return l.copied(t.item, t.Len(), l.keep("place", binary(ir.Add, first, index)), pos)
}

// iterated returns the table that a loop goes through by the library's ipairs.
//
// The loop is recognised in the text, since a kernel has no functions as values: ipairs
// must be the global, and what it leads to, which a script may have set, must be the
// library's ipairs as long as the kernel lives.
func (l *lowerer) iterated(s *syntax.GenericFor) (Resolved, bool) {
	if len(s.Exprs) != 1 || len(s.Names) > 2 {
		return Resolved{}, false
	}
	call, ok := s.Exprs[0].(*syntax.Call)
	if !ok || len(call.Args) != 1 {
		return Resolved{}, false
	}
	id, ok := call.Func.(*syntax.Name)
	if !ok || id.Value != "ipairs" || !l.script.names.Global(id) {
		return Resolved{}, false
	}
	v := l.global("ipairs")
	l.rely(v)
	t, ok := l.tableOf(call.Args[0])
	if !ok {
		l.refuse(call.Args[0].Position(), "ipairs of something else than a list of the script")
	}
	return t, v.Kind == Builtin && v.Name == "ipairs"
}
