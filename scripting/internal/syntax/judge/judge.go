// Package judge holds that package syntax compiles every text to the prototypes of
// package front, bit for bit. It goes with that package.
package judge

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/front"
	"github.com/perigee-ecs/perigee/scripting/internal/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

var function = [3]*lua.LFunction{{IsG: true}, {IsG: true}, {IsG: true}}

// Same compiles a text both ways, with and without functions for operators, and says
// what differs. Compiled reports whether there are prototypes to compare.
func Same(text []byte) (compiled bool, err error) {
	for _, f := range [][3]*lua.LFunction{{}, function} {
		ours, oursErr := after(text, syntax.Options{Concat: f[0], Pop: f[1], Absent: f[2]})
		theirs, theirsErr := before(text, front.Options{Concat: f[0], Pop: f[1], Absent: f[2]})
		if err := sameFault(oursErr, theirsErr); err != nil {
			return false, err
		}
		if oursErr != nil {
			return false, nil
		}
		if err := same(ours.Proto, theirs, ours); err != nil {
			return true, err
		}
	}
	return true, nil
}

func before(text []byte, opts front.Options) (*lua.FunctionProto, error) {
	chunk, err := front.Parse("p", text, opts)
	if err != nil {
		return nil, err
	}
	chunk.Absent = rows.Absent(chunk.Stmts)
	return chunk.Compile()
}

func after(text []byte, opts syntax.Options) (*syntax.Program, error) {
	tree, err := syntax.Parse("p", text, opts)
	if err != nil {
		return nil, err
	}
	absent := map[*syntax.Table]string{}
	if opts.Absent != nil {
		if absent, err = match(tree, text); err != nil {
			return nil, err
		}
	}
	return tree.Compile(syntax.Additions{Absent: absent})
}

// match finds the tables that the old front would note in the new tree: the tables of
// both come in the same order.
func match(tree *syntax.Tree, text []byte) (map[*syntax.Table]string, error) {
	chunk, err := front.Parse("p", text, front.Options{Concat: function[0]})
	if err != nil {
		return nil, err
	}
	names := rows.Absent(chunk.Stmts)
	var old []*ast.TableExpr
	rows.Tables(chunk.Stmts, func(t *ast.TableExpr) { old = append(old, t) })
	found, n := map[*syntax.Table]string{}, 0
	var visit func(node syntax.Node) bool
	visit = func(node syntax.Node) bool {
		if a, ok := node.(*syntax.Assign); ok { // the old walker looked at the values first
			for _, e := range append(slices.Clone(a.Rhs), a.Lhs...) {
				syntax.Walk(e, visit)
			}
			return false
		}
		if t, ok := node.(*syntax.Table); ok {
			if len(t.Fields) != len(old[n].Fields) || t.Line() != old[n].Line() {
				err = fmt.Errorf("table %d is another one", n)
			}
			if names[old[n]] != "" {
				found[t] = names[old[n]]
			}
			n++
		}
		return err == nil
	}
	syntax.WalkBlock(tree.Body, visit)
	return found, err
}

// sameFault compares all but columns, which the old front often did not know, and
// what it said of a goto into the scope of a local.
func sameFault(ours, theirs error) error {
	if ours == nil && theirs == nil {
		return nil
	}
	a, ok := ours.(*syntax.Error)
	b, too := theirs.(*front.Error)
	if ok && too && strings.Contains(b.Message, " jumps into the scope ") && strings.Contains(a.Message, " jumps into the scope ") {
		return nil // the old one named a line that is none
	}
	if !ok || !too || a.Message != b.Message || a.Line != b.Line || b.Column != 0 && a.Column != b.Column {
		return fmt.Errorf("error %v, it was %v", ours, theirs)
	}
	return nil
}

func same(a, b *lua.FunctionProto, program *syntax.Program) error {
	code := program.Code(a)
	if code == nil || len(code.Places) != len(a.Code) {
		return fmt.Errorf("line %d: places are missing", a.LineDefined)
	}
	inner, old := a.FunctionPrototypes, b.FunctionPrototypes
	x, y := *a, *b
	x.FunctionPrototypes, y.FunctionPrototypes = nil, nil
	x.Constants, y.Constants = bits(a.Constants), bits(b.Constants)
	y.LastLineDefined &^= 1 << 24 // left there by the old front after a goto at the end
	if len(inner) != len(old) || !reflect.DeepEqual(x, y) {
		return fmt.Errorf("line %d: %s", b.LineDefined, difference(x, y))
	}
	for i := range inner {
		if err := same(inner[i], old[i], program); err != nil {
			return err
		}
	}
	return nil
}

// bits has numbers compare by their bits.
func bits(constants []lua.LValue) []lua.LValue {
	out := slices.Clone(constants)
	for i, c := range out {
		if n, ok := c.(lua.LNumber); ok {
			out[i] = lua.LString(fmt.Sprintf("number %x", math.Float64bits(float64(n))))
		}
	}
	return out
}

func difference(a, b lua.FunctionProto) string {
	var found string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if f := x.Type().Field(i); f.IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			p, q := fmt.Sprint(x.Field(i).Interface()), fmt.Sprint(y.Field(i).Interface())
			at := 0
			for at < min(len(p), len(q)) && p[at] == q[at] {
				at++
			}
			at = max(at-20, 0)
			found += fmt.Sprintf("%s is %.100s, was %.100s; ", f.Name, p[at:], q[at:])
		}
	}
	return found
}
