package analysis

import (
	"cmp"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// settled is what a text settles before it runs: the values of locals that are assigned
// nothing after their declaration, and those of settings, as in
//
//	local tuning = { debug = false, level = 2 }
//
// A table holds settings if nobody else gets it, and the text sets no field of it.
type settled struct {
	names *syntax.Names
	// handed are the variables whose value others may get: the text does something with them
	// but to call them, and to read and set their fields.
	handed   map[*syntax.Variable]bool
	set      map[*syntax.Variable]bool // of which the text sets a field
	computed map[*syntax.Variable]bool // of which it sets one by a computed name
	tables   []*syntax.Variable        // those that are declared with one, and assigned no other
	settings map[*syntax.Variable]map[string]syntax.Expr
	nodes    []syntax.Node // the tables and the calls of the text, in its order
	exports  syntax.Expr   // what the text returns in its last line
	modules  []*syntax.Variable
	fields   []moduleField
	unheld   []string // modules that no variable of modules holds, see Facts.Passed
}

func settledIn(tree *syntax.Tree) *settled {
	s := &settled{
		names: tree.Names, handed: map[*syntax.Variable]bool{}, set: map[*syntax.Variable]bool{},
		computed: map[*syntax.Variable]bool{}, settings: map[*syntax.Variable]map[string]syntax.Expr{},
	}
	body := tree.Body
	if n := len(body) - 1; n >= 0 {
		if ret, ok := body[n].(*syntax.Return); ok && len(ret.Exprs) == 1 {
			if s.exports = ret.Exprs[0]; variable(s.names, s.exports) != nil {
				body = body[:n]
			}
		}
	}
	syntax.WalkBlock(body, s.use)
	for _, v := range s.tables {
		if !s.handed[v] && !s.set[v] {
			s.settings[v] = settingsOf(v.Value.(*syntax.Table))
		}
	}
	return s
}

// use notes what becomes of variables, and which fields of modules are named.
func (s *settled) use(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Local:
		for i, value := range n.Exprs {
			var v *syntax.Variable
			if i < len(n.Names) {
				v = s.names.Variable(n.Names[i])
			}
			if s.module(v) != "" {
				s.modules = append(s.modules, v)
				continue
			}
			if _, ok := value.(*syntax.Table); ok && v != nil && len(v.Assigned) == 0 {
				s.tables = append(s.tables, v)
			}
			syntax.Walk(value, s.use)
		}
		return false
	case *syntax.Assign:
		for _, value := range n.Rhs {
			syntax.Walk(value, s.use)
		}
		for _, target := range n.Lhs {
			s.target(target)
		}
		return false
	case *syntax.FunctionStmt:
		if n.Target != nil {
			s.target(n.Target)
		} else {
			s.field(n.Receiver, &syntax.String{Value: n.Method}, n.Receiver, true)
		}
		syntax.Walk(n.Func, s.use)
		return false
	case *syntax.GenericFor:
		for i, e := range n.Exprs {
			if i > 0 || variable(s.names, e) == nil { // the first one is called
				syntax.Walk(e, s.use)
			}
		}
		syntax.WalkBlock(n.Body, s.use)
		return false
	case *syntax.Index:
		s.field(n.Object, n.Key, n, false)
		return false
	case *syntax.Table:
		s.nodes = append(s.nodes, n)
	case *syntax.Call:
		s.nodes = append(s.nodes, n)
		if module, ok := required(s.names, n); ok {
			s.unheld = append(s.unheld, module)
			return false
		}
		if n.Func == nil {
			s.field(n.Receiver, &syntax.String{Value: n.Method}, n, false)
			s.handed[variable(s.names, n.Receiver)] = true
		} else if variable(s.names, n.Func) == nil {
			syntax.Walk(n.Func, s.use)
		}
		for _, arg := range n.Args {
			syntax.Walk(arg, s.use)
		}
		return false
	case *syntax.Name:
		s.handed[s.names.Variable(n)] = true
		if (n.Value == "require" || n.Value == "_G") && s.names.Global(n) {
			s.unheld = append(s.unheld, "")
		}
	}
	return true
}

func (s *settled) target(e syntax.Expr) {
	if index, ok := e.(*syntax.Index); ok {
		s.field(index.Object, index.Key, index, true)
	} else {
		syntax.Walk(e, s.use)
	}
}

// field notes a field that is named or set at a place.
func (s *settled) field(of, key syntax.Expr, at syntax.Node, set bool) {
	v := variable(s.names, of)
	if v == nil {
		syntax.Walk(of, s.use)
	}
	switch name := key.(type) {
	case *syntax.String:
		if module := s.module(v); module != "" {
			s.fields = append(s.fields, moduleField{ModuleField{Module: module, Name: name.Value, Pos: at.Position(), Set: set}, v, at})
		}
	default:
		s.computed[v] = s.computed[v] || set
		syntax.Walk(key, s.use)
	}
	s.set[v] = s.set[v] || set
}

// module returns the name of the module that a variable holds for good, empty for others.
func (s *settled) module(v *syntax.Variable) string {
	if v == nil || len(v.Assigned) > 0 {
		return ""
	}
	name, _ := required(s.names, v.Value)
	return name
}

// own returns the table that an expression names if it is written out and the text gives it
// to nobody; nil for other expressions. A table that has two names belongs to neither: what is
// done to it by one is not known by the other.
func (s *settled) own(e syntax.Expr) *syntax.Table {
	table, _ := s.names.ValueOf(e).(*syntax.Table)
	if v := variable(s.names, e); v != nil && (s.handed[v] || variable(s.names, v.Value) != nil) {
		return nil
	}
	return table
}

// value returns what an expression is for good, as Names.ValueOf does, and that of a
// setting.
func (s *settled) value(e syntax.Expr) syntax.Expr {
	e = s.names.ValueOf(e)
	index, ok := e.(*syntax.Index)
	if !ok {
		return e
	}
	key, named := index.Key.(*syntax.String)
	settings := s.settings[variable(s.names, index.Object)]
	if !named || settings == nil {
		return e
	}
	if found, ok := settings[key.Value]; ok {
		return s.names.ValueOf(found)
	}
	return &syntax.Nil{Pos: index.Pos}
}

// settingsOf returns the fields of a table that is written out, nil if the text does not say
// their names.
func settingsOf(table *syntax.Table) map[string]syntax.Expr {
	settings := map[string]syntax.Expr{}
	for _, field := range table.Fields {
		switch name := field.Key.(type) {
		case *syntax.String:
			settings[name.Value] = field.Value
		case nil, *syntax.Number:
		default:
			return nil
		}
	}
	return settings
}

// truth tells whether a condition holds, where the text says so.
func (s *settled) truth(condition syntax.Expr) (isTrue, known bool) {
	switch e := s.value(condition).(type) {
	case *syntax.Not:
		isTrue, known = s.truth(e.Expr)
		return !isTrue, known
	case *syntax.Logical:
		decides := e.Operator == "or" // whichever of the two is so
		if isTrue, known = s.truth(e.Lhs); known && isTrue == decides {
			return isTrue, true
		}
		if right, sure := s.truth(e.Rhs); sure && (known || right == decides) {
			return right, true
		}
		return false, false
	case *syntax.Comparison:
		a, known := s.literal(e.Lhs)
		b, both := s.literal(e.Rhs)
		if !known || !both {
			return false, false
		}
		return compare(e.Operator, a, b)
	default:
		return syntax.Truth(e)
	}
}

// literal returns the text, the number, the truth value or the nil that an expression is
// for good.
func (s *settled) literal(e syntax.Expr) (v any, known bool) {
	switch e := s.value(e).(type) {
	case *syntax.String:
		return e.Value, true
	case *syntax.True:
		return true, true
	case *syntax.False:
		return false, true
	case *syntax.Nil:
		return nil, true
	default:
		return s.number(e)
	}
}

func (s *settled) number(e syntax.Expr) (n float64, known bool) {
	if e = s.value(e); e == nil {
		return 0, false
	}
	return syntax.Literal(e)
}

// compare compares two literals; only numbers have an order here.
func compare(operator string, a, b any) (isTrue, known bool) {
	if operator == "==" || operator == "~=" {
		return (a == b) == (operator == "=="), true
	}
	x, isNumber := a.(float64)
	y, areNumbers := b.(float64)
	if !isNumber || !areNumbers || x != x || y != y {
		return false, false
	}
	order := cmp.Compare(x, y)
	switch operator {
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case ">":
		return order > 0, true
	}
	return order >= 0, true
}

// empty reports whether a loop over numbers has no turn.
func (s *settled) empty(n *syntax.NumberFor) bool {
	first, known := s.number(n.Init)
	last, both := s.number(n.Limit)
	step, all := 1.0, true
	if n.Step != nil {
		step, all = s.number(n.Step)
	}
	return known && both && all && (step > 0 && first > last || step < 0 && first < last)
}

// leaves reports whether a body may leave the loop around it by a jump.
func leaves(body []syntax.Stmt) (found bool) {
	inner := 0
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		switch node.(type) {
		case *syntax.Function:
			return
		case *syntax.Goto:
			found = true
		case *syntax.Break:
			found = found || inner == 0
		case *syntax.While, *syntax.Repeat, *syntax.NumberFor, *syntax.GenericFor:
			inner++
			defer func() { inner-- }()
		}
		syntax.Children(node, visit)
	}
	for _, stmt := range body {
		visit(stmt)
	}
	return found
}
