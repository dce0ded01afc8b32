package analysis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Parts are the parts of calls, of operators and of loops, so that an error about one of
// them points at it and names it. They are found by the place that their instructions
// have, and numbered from 1 on.
type Parts struct {
	tree   *syntax.Tree
	calls  map[syntax.Pos]*syntax.Call
	others map[syntax.Pos][]syntax.Expr // the operands of operators and the values of loops
	fields map[syntax.Pos]*syntax.Index
}

// PartsOf finds the parts in a tree.
func PartsOf(tree *syntax.Tree) *Parts {
	p := &Parts{tree, map[syntax.Pos]*syntax.Call{}, map[syntax.Pos][]syntax.Expr{}, map[syntax.Pos]*syntax.Index{}}
	var methods []syntax.Pos // where a field is read and a method is set in it
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FunctionStmt:
			if n.Receiver != nil {
				methods = append(methods, n.Receiver.Position())
			}
		case *syntax.Call:
			p.calls[n.Pos] = n
		case *syntax.Index:
			p.fields[n.Pos] = n
		case *syntax.Concat:
			p.others[n.Pos] = operands(n)
		case *syntax.Arithmetic:
			p.others[n.Pos] = []syntax.Expr{n.Lhs, n.Rhs}
		case *syntax.Comparison:
			p.others[n.Pos] = []syntax.Expr{n.Lhs, n.Rhs}
			if n.Operator == ">" || n.Operator == ">=" { // their instructions are those of < and <=, turned round
				p.others[n.Pos] = []syntax.Expr{n.Rhs, n.Lhs}
			}
		case *syntax.Minus:
			p.others[n.Pos] = []syntax.Expr{n.Expr}
		case *syntax.Length:
			p.others[n.Pos] = []syntax.Expr{n.Expr}
		case *syntax.NumberFor:
			p.others[n.Pos] = []syntax.Expr{n.Init, n.Limit, n.Step}
		case *syntax.GenericFor:
			p.others[n.Pos] = n.Exprs
		}
		return true
	})
	for _, at := range methods {
		delete(p.fields, at)
	}
	return p
}

// operands returns the operands of a run of .. from the left to the right.
func operands(n *syntax.Concat) []syntax.Expr {
	list := []syntax.Expr{n.Lhs}
	for {
		next, ok := n.Rhs.(*syntax.Concat)
		if !ok {
			return append(list, n.Rhs)
		}
		list, n = append(list, next.Lhs), next
	}
}

// Place returns where a part of what stands at a place begins. The receiver of a method is
// its first argument. It is no place where the text does not say it.
func (p *Parts) Place(of syntax.Pos, part int) syntax.Pos {
	if found := p.part(of, part); found != nil {
		return Start(found)
	}
	return syntax.Pos{}
}

// Name returns the words for a part of what stands at a place, for part 0 for what is
// called there, and for part -1 for that whose field is named there: a name with its
// fields, such as "tuning.speed". It is empty for others, and for names that are too long
// to be read.
func (p *Parts) Name(of syntax.Pos, part int) string {
	const most = 80
	words := ""
	call, field := p.calls[of], p.fields[of]
	if part > 0 {
		words = nameOf(p.part(of, part))
	} else if part < 0 && field != nil {
		words = nameOf(field.Object)
	} else if part < 0 && call != nil {
		words = nameOf(call.Receiver)
	} else if call != nil && call.Func != nil {
		words = nameOf(call.Func)
	} else if call != nil && nameOf(call.Receiver) != "" {
		words = nameOf(call.Receiver) + ":" + call.Method
	}
	if len(words) > most {
		return ""
	}
	return words
}

func nameOf(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Value
	case *syntax.Index:
		object := nameOf(e.Object)
		key, ok := e.Key.(*syntax.String)
		switch {
		case object == "":
			return ""
		case ok && e.Key.Position() == e.Position():
			return object + "." + key.Value
		}
		return object + "[" + keyOf(e.Key, 1) + "]"
	case *syntax.Call:
		if e.Func == nil {
			break
		}
		if called := nameOf(e.Func); called != "" { // asked once: calls of calls would take twice as long each
			return called + "(…)"
		}
	}
	return ""
}

// keyOf returns the words for the key between brackets: a name, a number or a length, or two of these with
// an operator between them. It is … for others, and for what is too long.
func keyOf(e syntax.Expr, operators int) string {
	const most, others = 20, "…"
	words := ""
	switch e := e.(type) {
	case *syntax.Name, *syntax.Index:
		words = nameOf(e)
	case *syntax.Number, *syntax.Minus:
		if n, ok := syntax.Literal(e); ok {
			words = strconv.FormatFloat(n, 'g', -1, 64)
		}
	case *syntax.Length:
		words = "#" + keyOf(e.Expr, 0)
	case *syntax.Arithmetic:
		if operators > 0 {
			words = keyOf(e.Lhs, operators-1) + " " + e.Operator + " " + keyOf(e.Rhs, operators-1)
		}
	}
	if words == "" || len(words) > most || strings.Contains(words, others) {
		return others
	}
	return words
}

// Field returns the places of a key and its value in the table that is a part of what
// stands at a place; false if the text does not say where that is.
func (p *Parts) Field(of syntax.Pos, part int, key string) (OptionPlace, bool) {
	table := p.table(p.part(of, part))
	if table == nil || key == "" { // most errors are about no key: a script may raise many
		return OptionPlace{}, false
	}
	found, ok := placesOf(table)[key]
	return found, ok
}

// Options returns the places of the keys in the table that is the last argument of a call,
// nil if the text does not say which table that is.
func (p *Parts) Options(call syntax.Pos) OptionPlaces {
	if c := p.calls[call]; c != nil {
		if table := p.table(at(c.Args, len(c.Args)-1)); table != nil {
			return placesOf(table)
		}
	}
	return nil
}

// Parameter returns which parameter of the function around it, counted from 1, a part of
// what stands at a place is; 0 for other parts, for parameters that are assigned anew, and
// for captured ones: the function around it need not be the one that has got them.
func (p *Parts) Parameter(of syntax.Pos, part int) int {
	name, ok := p.part(of, part).(*syntax.Name)
	if !ok {
		return 0
	}
	v := p.tree.Names.Variable(name)
	if v == nil || len(v.Assigned) > 0 || v.Captured {
		return 0
	}
	return slices.Index(p.tree.Names.Parameters(v.Function), v) + 1
}

// part returns a part of what stands at a place, nil when there is none.
func (p *Parts) part(of syntax.Pos, part int) syntax.Expr {
	call := p.calls[of]
	switch {
	case call == nil:
		return at(p.others[of], part-1)
	case call.Func != nil:
		return at(call.Args, part-1)
	case part == 1:
		return call.Receiver
	}
	return at(call.Args, part-2)
}

// table returns the table that an expression makes, or that is the only value of the local
// which it names; nil for others.
func (p *Parts) table(e syntax.Expr) *syntax.Table {
	table, _ := p.tree.Names.ValueOf(e).(*syntax.Table)
	return table
}

// at returns an expression of a list, nil when there is none.
func at(list []syntax.Expr, i int) syntax.Expr {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// Start returns the place where the text of an expression begins, but for parentheses.
func Start(e syntax.Expr) syntax.Pos {
	switch e := e.(type) {
	case *syntax.Index:
		return Start(e.Object)
	case *syntax.Call:
		if e.Func != nil {
			return Start(e.Func)
		}
		return Start(e.Receiver)
	}
	if list := syntax.Operands(e); len(list) > 1 {
		return Start(list[0])
	}
	return e.Position()
}
