package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Reach says which calls of a function come to a place in it. Whoever reports a mistake
// before it happens asks for it: a place that no call comes to is no mistake, and where a
// setting decides, the text may be right for another setting.
type Reach int

// The kinds of reach, from the widest on.
const (
	Always    Reach = iota // every call that gets as far as its last statement
	Sometimes              // those whose data decide so: rows, arguments, what the world says
	Perhaps                // those under a setting, which no data of a call decide
	Never                  // none; or those whose caller expects errors
)

// reacher goes through a text as calls do, and finds the reach of its calls, its assignments
// and the fields that it names.
type reacher struct {
	*settled
	expected map[syntax.FuncID]bool // functions whose errors somebody waits for
	over     map[syntax.FuncID]bool // functions over rows
	inGame   map[syntax.FuncID]bool // functions that only run in the game
	found    map[syntax.Node]reached
	calls    []Call                    // that functions make when they run, those in the arguments of a call before it
	values   map[*syntax.Variable]bool // the locals that have data, see data
	fn       *syntax.Function          // around the place; nil: the top level
	gameOnly bool                      // the place is in one of inGame
	base     Reach                     // of the function over rows around the place
	at       Reach                     // of the place in it, or in the text
	left     Reach                     // the furthest of the places so far at which calls leave
	returns  int                       // of the text
	slips    []Slip
	dotted   []*syntax.Call         // with what has no fields as the first argument, see dots
	alone    map[syntax.FuncID]bool // functions that no coroutine calls
	unsure   bool                   // a call of coroutine.yield may be none, or may never be reached; see yieldsUnsurely
}

// reached is the reach of a place. Those that every call comes to are not noted.
type reached struct {
	Reach
	own Reach // for the calls of the function over rows around the place, wherever that stands
}

func (r *reacher) block(body []syntax.Stmt) {
	entered := r.at
	for _, stmt := range body {
		if _, ok := stmt.(*syntax.Label); ok {
			r.at = max(entered, r.left)
		}
		r.node(stmt)
	}
}

func (r *reacher) node(node syntax.Node) {
	r.slip(node)
	switch n := node.(type) {
	case *syntax.Return:
		syntax.Children(n, r.node)
		r.leave()
		if r.fn == nil {
			r.returns++
		}
	case *syntax.Break, *syntax.Goto:
		r.leave()
	case *syntax.Do:
		r.block(n.Body)
	case *syntax.If:
		r.branches(n)
	case *syntax.While:
		r.node(n.Condition)
		r.loop(r.under(n.Condition, true), n.Body)
		r.endless(n.Condition, true, n.Body)
	case *syntax.Repeat:
		r.loop(r.at, n.Body)
		r.node(n.Condition)
		r.endless(n.Condition, false, n.Body)
	case *syntax.NumberFor:
		r.header(n.Init, n.Limit, n.Step)
		turns := max(r.at, Sometimes)
		if r.empty(n) {
			turns = Never
		}
		r.loop(turns, n.Body)
	case *syntax.GenericFor:
		r.header(n.Exprs...)
		r.loop(max(r.at, Sometimes), n.Body)
	case *syntax.Function:
		r.function(n)
	case *syntax.Logical:
		r.node(n.Lhs)
		r.aside(r.under(n.Lhs, n.Operator == "and"), func() { r.node(n.Rhs) })
	case *syntax.Call:
		if name := called(r.names, n.Func); name == "pcall" || name == "xpcall" {
			r.aside(Never, func() { syntax.Children(n, r.node) })
		} else {
			syntax.Children(n, r.node)
		}
		if at := r.note(n); r.fn != nil && at < Never {
			r.calls = append(r.calls, Call{n, at, r.gameOnly})
		}
	case *syntax.Index, *syntax.Assign:
		syntax.Children(n, r.node)
		r.note(n)
	default:
		syntax.Children(n, r.node)
	}
}

func (r *reacher) note(n syntax.Node) Reach {
	all := max(r.base, r.at)
	if all > Always {
		r.found[n] = reached{all, r.at}
	}
	return all
}

// leave is the end of a block before its last statement.
func (r *reacher) leave() {
	if r.at < Never {
		r.left = max(r.left, r.at)
	}
	r.at = Never
}

// aside does something with another reach.
func (r *reacher) aside(at Reach, do func()) {
	before := r.at
	r.at = at
	do()
	r.at = before
}

func (r *reacher) header(list ...syntax.Expr) {
	for _, e := range list {
		if e != nil {
			r.node(e)
		}
	}
}

func (r *reacher) branches(n *syntax.If) {
	r.node(n.Condition)
	before, other := r.at, r.under(n.Condition, false)
	r.at = r.under(n.Condition, true)
	r.block(n.Then)
	ended := r.at == Never
	r.at = other
	r.block(n.Else)
	if ended = ended && r.at == Never; !ended {
		r.at = max(before, r.left)
	}
}

func (r *reacher) loop(at Reach, body []syntax.Stmt) {
	r.aside(at, func() { r.block(body) })
	r.at = max(r.at, r.left)
}

// endless is the end of a loop that goes on when its condition is so: nothing after it is
// reached if it always is.
func (r *reacher) endless(condition syntax.Expr, goesOn bool, body []syntax.Stmt) {
	if isTrue, known := r.truth(condition); known && isTrue == goesOn && !leaves(body) {
		r.at = Never
	}
}

// function looks through a function, which keeps the reach of the place where it is made.
func (r *reacher) function(fn *syntax.Function) {
	around, base, at, left, gameOnly := r.fn, r.base, r.at, r.left, r.gameOnly
	r.fn, r.left, r.gameOnly = fn, Always, gameOnly || r.inGame[fn.ID]
	if around != nil {
		r.at = max(r.at, Sometimes) // nobody knows whether the one around calls it
	}
	if r.expected[fn.ID] {
		r.at = Never
	} else if r.over[fn.ID] {
		r.base, r.at = max(r.base, r.at), Always
	}
	r.block(fn.Body)
	r.fn, r.base, r.at, r.left, r.gameOnly = around, base, at, left, gameOnly
}

// under is the reach of what runs when a condition holds, or when it does not.
func (r *reacher) under(condition syntax.Expr, when bool) Reach {
	switch isTrue, known := r.truth(condition); {
	case !known:
		return max(r.at, r.decision(condition))
	case isTrue != when:
		return Never
	}
	return r.at
}

// decision says what decides about a condition: a part of it that no data decide makes it
// a setting.
func (r *reacher) decision(condition syntax.Expr) Reach {
	switch e := condition.(type) {
	case *syntax.Logical:
		return max(r.decision(e.Lhs), r.decision(e.Rhs))
	case *syntax.Not:
		return r.decision(e.Expr)
	}
	if r.data(condition) {
		return Sometimes
	}
	return Perhaps
}

// data reports whether a value comes from the data of a call: from parameters and loops,
// from variables that change, from functions of ecs, and from chance.
func (r *reacher) data(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Vararg:
		return r.fn != nil
	case *syntax.Index:
		return r.data(e.Object) || r.data(e.Key)
	case *syntax.Call:
		return ecsFunction(r.names, e.Func) != "" || called(r.names, e.Func) == "random" ||
			r.data(e.Receiver) || slices.ContainsFunc(e.Args, r.data)
	case *syntax.Name:
		v := r.names.Variable(e)
		switch {
		case v == nil:
			return false
		case len(v.Assigned) > 0:
			return true
		case r.fn != nil && v.Function == r.fn.ID:
			if _, known := r.values[v]; !known {
				r.values[v] = v.Value == nil || r.data(v.Value)
			}
			return r.values[v]
		}
		call, ok := v.Value.(*syntax.Call)
		return ok && slices.Contains(changing, ecsFunction(r.names, call.Func))
	}
	return slices.ContainsFunc(syntax.Operands(e), r.data)
}

// changing are the functions of ecs whose results change while a game runs.
var changing = []string{"state", "resource"}

// ecsFunction returns the name of the function of ecs that an expression is for good, ""
// for others.
func ecsFunction(names *syntax.Names, e syntax.Expr) string {
	index, ok := names.ValueOf(e).(*syntax.Index)
	if !ok {
		return ""
	}
	key, named := index.Key.(*syntax.String)
	if module, ok := required(names, names.ValueOf(index.Object)); !ok || !named || module != "ecs" {
		return ""
	}
	return key.Value
}

// sureOf says up to which reach a name that a component, an event or a list of them does
// not know is a mistake. Where the text says which component it is, and with which fields,
// no setting changes that. Of one that another file exports it says that there is but one.
// Where a function is made for one component after the other, a branch may be meant for
// another one.
func (s *settled) sureOf(e syntax.Expr) Reach {
	switch e := s.value(e).(type) {
	case *syntax.Table:
		sure := Perhaps
		for _, field := range e.Fields {
			key, named := field.Key.(*syntax.String)
			if named && key.Value != "optional" {
				continue // functions do not get these
			}
			if name, ok := field.Value.(*syntax.Name); ok { // of a list by another name nothing is known
				if _, list := s.names.ValueOf(name).(*syntax.Table); list {
					return Always
				}
			}
			sure = min(sure, s.sureOf(field.Value))
		}
		return sure
	case *syntax.Call:
		switch ecsFunction(s.names, e.Func) {
		case "component", "event":
			if len(e.Args) > 1 && fixedKeys(e.Args[1]) {
				return Perhaps
			}
			return Sometimes
		case "tag":
			return Perhaps
		case "native", "native_event", "resource":
			return Sometimes
		}
	case *syntax.Index:
		if _, ok := required(s.names, s.names.ValueOf(e.Object)); ok {
			return Sometimes
		}
	}
	return Always
}

// fixedKeys reports whether the text alone says which keys a table has.
func fixedKeys(e syntax.Expr) bool {
	table, ok := e.(*syntax.Table)
	return ok && !slices.ContainsFunc(table.Fields, func(f *syntax.Field) bool {
		_, named := f.Key.(*syntax.String)
		switch f.Value.(type) {
		case *syntax.Number, *syntax.True, *syntax.False, *syntax.String, *syntax.Call:
			return !named
		}
		return true
	})
}
