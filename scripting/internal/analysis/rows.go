package analysis

import (
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// RowValue is a value with fields whose origin the text says: a parameter of the function
// of a system, of an observer or of ecs.update, or a result of a function of ecs.
type RowValue struct {
	Kind facts.Origin
	Of   syntax.Expr   // the component or the event, the call that returns it, or the query; nil for a context
	Each syntax.FuncID // of Given: the function, and which of its parameters this is after
	Term int           // the entity; the one after the last component is the context
	Sure Reach         // up to it, a field that there is not is a mistake

	// Event and First say of the context of an each function of an event which event that is, and
	// which parameter has it.
	Event syntax.Expr
	First string
}

// FieldUse is a use of a field of a row.
type FieldUse struct {
	*RowValue
	Name  string
	Pos   syntax.Pos
	Reach Reach
	Set   bool
	Value syntax.Expr // that it is set to, if that is what is stored in the end
	Alone bool        // until then nobody else has got the row
	// Lost says of a copy that the field is all that is used: what is set is read by nobody,
	// and what is read is set by nobody.
	Lost bool
	// Replaced says that the parameter of this name is assigned itself, and read nowhere after that.
	Replaced bool
}

// Compared is a field of a row that is compared for equality with a text.
type Compared struct {
	*FieldUse
	Text *syntax.String
}

// compare notes a comparison of a field, or of a local that holds it for good, with a text.
func (r *rowFinder) compare(n *syntax.Comparison) {
	if n.Operator != "==" && n.Operator != "~=" {
		return
	}
	for _, pair := range [...][2]syntax.Expr{{n.Lhs, n.Rhs}, {n.Rhs, n.Lhs}} {
		text, ok := pair[1].(*syntax.String)
		if !ok {
			continue
		}
		if index, ok := r.names.ValueOf(pair[0]).(*syntax.Index); ok && r.indexed[index] != nil {
			r.compared = append(r.compared, Compared{r.indexed[index], text})
		}
	}
}

// rowsOf finds the uses of the fields of rows, in the order in which they happen.
func rowsOf(tree *syntax.Tree, known *settled, reach map[syntax.Node]reached) *rowFinder {
	r := &rowFinder{
		settled: known, reach: reach, of: map[*syntax.Variable]*RowValue{}, known: map[*syntax.Variable]*rowUses{},
		byFunctions: noAssignments(), byTop: noAssignments(), counts: map[*syntax.Variable]bool{}, tested: map[syntax.Expr]bool{}, indexed: map[*syntax.Index]*FieldUse{}, assigned: map[*syntax.Variable]*assignedRow{},
	}
	for _, stmt := range tree.Body {
		r.node(stmt)
	}
	for _, uses := range r.known {
		uses.settle()
	}
	r.unread()
	return r
}

type rowFinder struct {
	*settled
	reach              map[syntax.Node]reached
	of                 map[*syntax.Variable]*RowValue // those that have one for good
	known              map[*syntax.Variable]*rowUses
	found              []*FieldUse
	byFunctions, byTop Assignments
	counts             map[*syntax.Variable]bool // those of loops over numbers
	indexed            map[*syntax.Index]*FieldUse
	compared           []Compared
	tested             map[syntax.Expr]bool // where nothing but a condition gets the value
	loops              int                  // around the place, and labels before it
	inside             int                  // functions around it
	assigned           map[*syntax.Variable]*assignedRow
}

// assignedRow is a parameter with the row of an entity that the text assigns: nothing of what it has
// then comes back to the entity.
type assignedRow struct {
	row    *RowValue
	loops  int         // around the function
	unread []*FieldUse // the assignments after which it has not been read
}

// unread notes the assignments that nobody reads.
func (r *rowFinder) unread() {
	for _, v := range r.assigned {
		for _, use := range v.unread {
			use.Replaced = true
		}
	}
}

// rowUses is what happens to the variable that holds a row, in the order of the text.
type rowUses struct {
	list    []*FieldUse
	loops   int  // around its declaration
	escapes bool // to where nobody sees what becomes of it
	repeats bool // what stands further up may happen later
}

// settle decides what is stored, and what is lost: of each field the last assignment.
func (u *rowUses) settle() {
	used, set := map[string]extent{}, map[string]extent{}
	for i, use := range u.list {
		used[use.Name] = used[use.Name].with(i)
		if use.Set {
			set[use.Name] = set[use.Name].with(i)
		}
	}
	for i, use := range u.list {
		use.Alone = use.Alone && !(u.escapes && (u.repeats || use.Kind == facts.ReadList))
		again := used[use.Name].besides(i, u.repeats)
		use.Lost = !u.escapes && (use.Set && !again || set[use.Name] == extent{})
		if use.Kind != facts.Resource && (u.escapes || set[use.Name].besides(i, u.repeats)) {
			use.Value = nil
		}
	}
}

// extent is the first and the last of some uses, counted from 1; both are 0 if there are no
// uses.
type extent struct{ first, last int }

func (s extent) with(i int) extent {
	if s.first == 0 {
		s.first = i + 1
	}
	s.last = i + 1
	return s
}

// besides reports whether one of them happens after the i-th of all uses.
func (s extent) besides(i int, repeats bool) bool {
	return s.last > i+1 || repeats && s.first > 0 && s.first <= i
}

func (r *rowFinder) node(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Assign:
		for _, value := range n.Rhs {
			r.node(value)
		}
		for i, target := range n.Lhs {
			r.assign(target, at(n.Rhs, i), r.reach[n].Reach)
		}
		return
	case *syntax.FunctionStmt:
		if n.Target != nil {
			r.assign(n.Target, n.Func, Always)
		} else {
			r.assignments().Names[n.Method] = true
		}
		r.node(n.Func)
		return
	case *syntax.Function:
		defer r.loop(r.loops)
		defer func() { r.inside-- }()
		r.inside++
	case *syntax.Label: // what follows may happen again
		r.loops++
	case *syntax.If:
		r.tested[n.Condition] = true
	case *syntax.Not:
		r.tested[n.Expr] = true
	case *syntax.Comparison:
		r.tested[n.Lhs], r.tested[n.Rhs] = true, true
		defer r.compare(n)
	case *syntax.Logical:
		r.tested[n.Lhs], r.tested[n.Rhs] = r.tested[n] || n.Operator == "and", r.tested[n]
	case *syntax.While, *syntax.Repeat, *syntax.NumberFor:
		defer r.loop(r.loops)
		r.loops++
		if while, ok := n.(*syntax.While); ok {
			r.tested[while.Condition] = true
		}
		if count, ok := n.(*syntax.NumberFor); ok {
			v := r.names.Variable(count.Name)
			r.counts[v] = v != nil && len(v.Assigned) == 0
		}
	case *syntax.GenericFor:
		defer r.loop(r.loops)
		r.loops++
		if call, ok := at(n.Exprs, 0).(*syntax.Call); ok && ecsFunction(r.names, call.Func) == "events" && len(call.Args) > 0 {
			r.holds(r.names.Variable(n.Names[0]), &RowValue{Kind: facts.Received, Of: call.Args[0]})
		}
	case *syntax.Local:
		defer func() {
			for _, name := range n.Names {
				if v := r.names.Variable(name); v != nil && len(v.Assigned) == 0 {
					r.has(v, r.row(v.Value))
					if r.of[v] != nil && variable(r.names, v.Value) != nil { // of whose uses this one knows nothing
						r.uses(v).escapes = true
					}
				}
			}
		}()
	case *syntax.Call:
		r.call(n)
		if r.method(n) {
			return
		}
	case *syntax.Index:
		if r.use(n, false, nil) {
			return
		}
	case *syntax.Name:
		if a := r.assigned[r.names.Variable(n)]; a != nil {
			a.unread = nil
		}
		if v := r.names.Variable(n); v != nil && r.row(n) != nil && !r.tested[n] {
			r.uses(v).escapes = true
		}
	}
	syntax.Children(node, r.node)
}

// method notes a call of a method of a batch, and what it names. It returns false for all
// other calls.
func (r *rowFinder) method(n *syntax.Call) bool {
	v := variable(r.names, n.Receiver)
	if v == nil || r.of[v] == nil || r.of[v].Kind != facts.Batch {
		return false
	}
	uses := r.uses(v)
	uses.escapes = uses.escapes || n.Method == "write" // nobody knows which list is which
	r.found = append(r.found, &FieldUse{RowValue: r.of[v], Name: n.Method, Pos: n.Pos, Reach: r.reach[n].Reach})
	if name, ok := at(n.Args, 1).(*syntax.String); ok && n.Method != "has" {
		column := &RowValue{Kind: facts.Column, Of: n.Args[0], Sure: r.sureOf(n.Args[0])}
		r.found = append(r.found, &FieldUse{RowValue: column, Name: name.Value, Pos: name.Pos, Reach: r.reach[n].Reach})
	}
	for _, arg := range n.Args {
		r.node(arg)
	}
	return true
}

// assign is the target of an assignment.
func (r *rowFinder) assign(target, value syntax.Expr, reach Reach) {
	r.changes(target)
	r.list(target, reach)
	if r.use(target, true, value) {
		return
	}
	name, ok := target.(*syntax.Name)
	if !ok {
		r.node(target)
		return
	}
	v := r.names.Variable(name)
	if v == nil || r.inside == 0 {
		return
	}
	if a := r.assigned[v]; a != nil && a.loops == r.loops {
		if _, over := value.(*syntax.Nil); over {
			return
		}
		use := &FieldUse{RowValue: a.row, Name: name.Value, Pos: name.Pos, Reach: reach, Value: value}
		a.unread, r.found = append(a.unread, use), append(r.found, use)
		return
	}
	call, declared := v.Value.(*syntax.Call)
	if _, anew := value.(*syntax.Table); anew && declared && ecsFunction(r.names, call.Func) == "state" {
		row := &RowValue{Kind: facts.State, Of: at(call.Args, 0), Sure: Perhaps}
		r.found = append(r.found, &FieldUse{RowValue: row, Name: name.Value, Pos: name.Pos, Reach: reach, Set: true})
	}
}

func noAssignments() Assignments { return Assignments{map[string]bool{}, map[syntax.Pos]bool{}} }

// assignments returns those of the part of the text that is being read.
func (r *rowFinder) assignments() *Assignments {
	if r.inside == 0 {
		return &r.byTop
	}
	return &r.byFunctions
}

// changes notes the field that is assigned.
func (r *rowFinder) changes(target syntax.Expr) {
	index, ok := target.(*syntax.Index)
	if !ok {
		return
	}
	to := r.assignments()
	switch key := index.Key.(type) {
	case *syntax.String:
		to.Names[key.Value] = true
	case *syntax.Number, *syntax.Arithmetic, *syntax.Length: // no name
	default:
		if v := variable(r.names, key); v == nil || !r.counts[v] {
			table, _ := r.names.ValueOf(index.Object).(*syntax.Table)
			to.Computed[placeOf(table)], to.Computed[placeOf(r.own(index.Object))] = true, true
		}
	}
}

// use notes a field of a row; false for other expressions.
func (r *rowFinder) use(e syntax.Expr, set bool, value syntax.Expr) bool {
	index, ok := e.(*syntax.Index)
	if !ok {
		return false
	}
	key, named := index.Key.(*syntax.String)
	row := r.row(index.Object)
	if row == nil || !named {
		return false
	}
	use := &FieldUse{RowValue: row, Name: key.Value, Pos: index.Pos, Reach: r.reach[index].Reach, Set: set, Value: value}
	r.found, r.indexed[index] = append(r.found, use), use
	if v := variable(r.names, index.Object); v != nil {
		uses := r.uses(v)
		uses.list = append(uses.list, use)
		uses.escapes = uses.escapes || v.Captured
		use.Alone = !uses.escapes
		uses.repeats = uses.repeats || r.loops > uses.loops
	} else {
		use.Alone, use.Lost = true, true
		r.node(index.Object)
	}
	return true
}

// list notes an assignment to an element of a list that b:read has given, or to part of one.
func (r *rowFinder) list(target syntax.Expr, reach Reach) {
	at, depth := target.Position(), 0
	for ; ; depth++ {
		index, ok := r.names.ValueOf(target).(*syntax.Index)
		if !ok {
			break
		}
		target = index.Object
	}
	read, _ := r.names.ValueOf(target).(*syntax.Call)
	if depth == 0 || read == nil || read.Method != "read" || len(read.Args) == 0 {
		return
	}
	if b := variable(r.names, read.Receiver); b != nil && r.of[b] != nil && r.of[b].Kind == facts.Batch {
		use := &FieldUse{RowValue: &RowValue{Kind: facts.ReadList, Of: read.Args[0], Sure: Perhaps}, Pos: at, Reach: reach, Set: true, Alone: true}
		if len(read.Args) > 1 {
			field, _ := read.Args[1].(*syntax.String)
			if field == nil {
				return
			}
			use.Name = field.Value
		}
		r.found = append(r.found, use)
		r.uses(b).list = append(r.uses(b).list, use)
	}
}

func (r *rowFinder) uses(v *syntax.Variable) *rowUses {
	if r.known[v] == nil {
		r.known[v] = &rowUses{loops: r.loops}
	}
	return r.known[v]
}

// loop ends a loop, with the labels in it.
func (r *rowFinder) loop(around int) { r.loops = around }

// row returns the row that an expression is for good, nil for any other.
func (r *rowFinder) row(e syntax.Expr) *RowValue {
	if v := variable(r.names, e); v != nil {
		return r.of[v]
	}
	return r.made(e)
}

// made returns the row that a call makes, nil for other expressions.
func (r *rowFinder) made(e syntax.Expr) *RowValue {
	call, ok := e.(*syntax.Call)
	if !ok {
		return nil
	}
	switch name := ecsFunction(r.names, call.Func); {
	case name == "get" && len(call.Args) == 2:
		return &RowValue{Kind: facts.Copied, Of: call.Args[1], Sure: r.sureOf(call.Args[1])}
	case name == "resource":
		return &RowValue{Kind: facts.Resource, Of: call, Sure: Sometimes}
	}
	return nil
}

// holds notes that a variable holds a row, if nothing else is assigned to it.
func (r *rowFinder) holds(v *syntax.Variable, row *RowValue) {
	if v == nil || len(v.Assigned) > 0 {
		return
	}
	if row.Sure = Perhaps; row.Of != nil {
		row.Sure = r.sureOf(row.Of)
	}
	r.has(v, row)
}

// has notes the row of a variable, if there is one.
func (r *rowFinder) has(v *syntax.Variable, row *RowValue) {
	if row != nil {
		r.of[v] = row
		r.uses(v)
	}
}

// parameter is holds for a parameter of a function that is written out, counted from 0.
func (r *rowFinder) parameter(of syntax.Expr, n int, row *RowValue) {
	if fn, ok := of.(*syntax.Function); ok && n < len(fn.Params) && !fn.Self {
		r.holds(r.names.Parameters(fn.ID)[n], row)
	}
}

// contexts says which parameter is the context, by the function of ecs that is called.
var contexts = map[string]int{
	"on_add": 2, "on_set": 2, "on_remove": 2, "on_spawn": 1, "on_despawn": 1, "on_start": 0, "on_unload": 0, "on_reload": 1, "on_save": 0, "on_load": 1, "on_error": 1, "handler": 1,
}

// call notes what the functions get that are given to a function of ecs.
func (r *rowFinder) call(call *syntax.Call) {
	name, last := ecsFunction(r.names, call.Func), at(call.Args, len(call.Args)-1)
	if outer, ok := call.Func.(*syntax.Call); ok && ecsFunction(r.names, outer.Func) == "system" {
		name = "system"
	}
	n, of := contexts[name]
	if of {
		r.parameter(last, n, &RowValue{Kind: facts.Context})
	}
	if fn, query := kernelOf(r.names, call); fn != nil {
		r.given(fn, query)
	}
	switch table, _ := last.(*syntax.Table); {
	case of && n == 2:
		r.parameter(last, 1, &RowValue{Kind: facts.Observed, Of: at(call.Args, len(call.Args)-2)})
	case name == "update" && len(call.Args) == 3:
		r.parameter(last, 0, &RowValue{Kind: facts.Updated, Of: call.Args[1]})
	case name == "system" && table != nil:
		r.parameter(valueOf(table, "batch"), 0, &RowValue{Kind: facts.Batch})
		for option, n := range map[string]int{"run": 0, "when": 0, "batch": 1} {
			r.parameter(valueOf(table, option), n, &RowValue{Kind: facts.Context})
		}
		each := valueOf(table, "each")
		if event := valueOf(table, "on"); event != nil {
			r.parameter(each, 0, &RowValue{Kind: facts.Event, Of: event})
			context := &RowValue{Kind: facts.Context, Event: event}
			if fn, ok := each.(*syntax.Function); ok && len(fn.Params) > 1 {
				context.First = r.names.Parameters(fn.ID)[0].Name
			}
			r.parameter(each, 1, context)
		} else if fn, ok := each.(*syntax.Function); ok {
			r.given(fn, valueOf(table, "query"))
		}
	}
}

// given notes what an each function gets over a query.
func (r *rowFinder) given(fn *syntax.Function, query syntax.Expr) {
	for i := range fn.Params {
		row := &RowValue{Kind: facts.Given, Of: query, Each: fn.ID, Term: i}
		r.parameter(fn, i+1, row)
		if i+1 < len(fn.Params) && !fn.Self {
			if v := r.names.Parameters(fn.ID)[i+1]; len(v.Assigned) > 0 && !v.Captured {
				row.Sure = Perhaps
				r.assigned[v] = &assignedRow{row: row, loops: r.loops}
			}
		}
	}
}
