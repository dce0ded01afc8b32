package stdlib_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// TestCoroutineHasMethodsOfBudget: what other packages ask the context of a thread for,
// and a Budget has, the context of a coroutine has too: otherwise the same call would
// count nothing in a coroutine, or be stopped by nothing.
func TestCoroutineHasMethodsOfBudget(t *testing.T) {
	m := newMachine(stdlib.Options{})
	L := m.L
	budget := &stdlib.Budget{}
	budget.Reset(1_000_000, 1<<20)
	stdlib.Attach(L, budget)
	var inside reflect.Type
	env := m.lib.Env()
	env.RawSetString("look", L.NewFunction(func(L *lua.LState) int {
		inside = reflect.TypeOf(L.Context())
		return 0
	}))
	fn, err := L.LoadString(`coroutine.wrap(function() look() end)()`)
	if err != nil {
		t.Fatal(err)
	}
	fn.Env = env
	if err := L.CallByParam(lua.P{Fn: fn, Protect: true}); err != nil {
		t.Fatal(err)
	}
	if inside == nil || inside == reflect.TypeOf(budget) {
		t.Fatalf("the context of a coroutine is %v", inside)
	}
	asked := 0
	for name, where := range askedFor(t, "../../../bindings", "../unboxed", ".") {
		if _, ok := reflect.TypeOf(budget).MethodByName(name); !ok {
			continue
		}
		asked++
		if _, ok := inside.MethodByName(name); !ok {
			t.Errorf("%s asks for %s, which a coroutine lacks", where, name)
		}
	}
	if asked < 9 {
		t.Errorf("only %d methods are asked for: the test does not see them", asked)
	}
}

// askedFor lists the methods of the interfaces that the sources in folders assert of the
// context of a thread, whether these are written out there or declared as a type.
func askedFor(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s: %v", folder, err)
		}
		declared, asserted := map[string]*ast.InterfaceType{}, map[ast.Expr]string{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.TypeSpec:
					if in, ok := x.Type.(*ast.InterfaceType); ok {
						declared[x.Name.Name] = in
					}
				case *ast.TypeAssertExpr:
					if call, ok := x.X.(*ast.CallExpr); ok {
						if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Context" {
							asserted[x.Type] = file
						}
					}
				}
				return true
			})
		}
		for kind, file := range asserted {
			in, _ := kind.(*ast.InterfaceType)
			if name, ok := kind.(*ast.Ident); ok {
				in = declared[name.Name]
			}
			if in == nil {
				continue // a type of its own
			}
			for _, method := range in.Methods.List {
				for _, name := range method.Names {
					list[name.Name] = file
				}
			}
		}
	}
	return list
}
