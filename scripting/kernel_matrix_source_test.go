package scripting_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// sownNever are rules that no program of the matrix can have.
var sownNever = map[string]string{
	"*syntax.FunctionStmt": "a function that is assigned has no kernel",
}

// kindNames are the rules about fields of the kinds that have no rule of their name.
var kindNames = map[string]string{"enum": "a name in a field", "ref": "an entity in a field", "bool": "a bool"}

// sourced returns the rules that the sources of the compiler list: the forms of
// statements and expressions that it translates, their operators, the functions that it
// knows, and the kinds of fields.
func sourced(t *testing.T) []string {
	var rules []string
	text := func(e ast.Expr) string {
		if s, ok := e.(*ast.BasicLit); ok {
			v, _ := strconv.Unquote(s.Value)
			return v
		}
		return ""
	}
	tables := map[string]string{"apis": "ecs.", "computed": "math.", "hosted": "math.", "parted": "math."}
	switches := []string{"value", "operator", "stmt", "loop"}
	files, _ := filepath.Glob("internal/kernel/lower/*.go")
	files = append(files, "internal/kernel/wasm/fields.go")
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, value := range n.Values {
					list, ok := value.(*ast.CompositeLit)
					for _, e := range elements(list, ok) {
						name := n.Names[0].Name
						if prefix := tables[name]; prefix != "" {
							rules = append(rules, prefix+text(e.Key))
						} else if key, isKind := e.Key.(*ast.SelectorExpr); isKind && name == "accesses" {
							rules = append(rules, "kind "+strings.ToLower(key.Sel.Name))
						}
					}
				}
			case *ast.FuncDecl:
				ast.Inspect(n, func(in ast.Node) bool {
					switch in := in.(type) {
					case *ast.CaseClause:
						for _, e := range in.List {
							if star, ok := e.(*ast.StarExpr); ok && slices.Contains(switches, n.Name.Name) {
								rules = append(rules, "*syntax."+star.X.(*ast.SelectorExpr).Sel.Name)
							} else if n.Name.Name == "comparison" {
								rules = append(rules, "operator "+text(e))
							}
						}
					case *ast.CompositeLit:
						for _, e := range elements(in, n.Name.Name == "arithmetic") {
							rules = append(rules, "operator "+text(e.Key))
						}
					}
					return true
				})
			}
			return true
		})
	}
	return append(rules, "kind bool", "operator ==", "operator ~=", "operator ^", "operator and", "operator or", "math.max", "math.min", "math.random", "call assert", "call ipairs")
}

// elements returns the pairs of a map that is written out.
func elements(list *ast.CompositeLit, ok bool) (out []*ast.KeyValueExpr) {
	if !ok || list == nil {
		return nil
	}
	for _, e := range list.Elts {
		if pair, is := e.(*ast.KeyValueExpr); is {
			out = append(out, pair)
		}
	}
	return out
}

// spoken notes the rules that a program has.
func spoken(node syntax.Node, seen map[string]bool) {
	v := reflect.ValueOf(node)
	seen["*"+v.Type().Elem().String()] = true
	if op := v.Elem().FieldByName("Operator"); op.IsValid() {
		seen["operator "+op.String()] = true
	}
	if call, ok := node.(*syntax.Call); ok {
		switch f := call.Func.(type) {
		case *syntax.Name:
			seen["call "+f.Value] = true
		case *syntax.Index:
			object, isName := f.Object.(*syntax.Name)
			if key, isKey := f.Key.(*syntax.String); isName && isKey {
				seen[object.Value+"."+key.Value] = true
			}
		}
	}
	syntax.Children(node, func(child syntax.Node) { spoken(child, seen) })
}

// TestMatrixKnowsTheRules holds that the programs of the matrix have all that the
// sources of the compiler list. A new rule there fails here until the matrix has it.
func TestMatrixKnowsTheRules(t *testing.T) {
	sideBySide(t)
	p := &sower{matrix: newMatrix(), r: rand.New(rand.NewPCG(1, 21))}
	seen := map[string]bool{}
	for range 4000 {
		text := "local x = " + p.program()
		tree, err := syntax.Parse("x", []byte(text), syntax.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, stmt := range tree.Body {
			spoken(stmt, seen)
		}
	}
	rules := sourced(t)
	if len(rules) < 80 {
		t.Fatalf("only %d rules are listed: %q", len(rules), rules)
	}
	for _, rule := range rules {
		name, isKind := strings.CutPrefix(rule, "kind ")
		if kindNames[name] != "" {
			name = kindNames[name]
		}
		known := isKind && slices.ContainsFunc(sownRules, func(s sown) bool { return s.name == name })
		if !known && !seen[rule] && sownNever[rule] == "" {
			t.Errorf("no program of the matrix has %q, which the compiler lists", rule)
		}
	}
}
