//go:build !machine

package stdlib_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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

// askedFor lists the methods of the interfaces that the sources below folders assert of
// the context of a thread, whether these are written out there or declared as a type.
func askedFor(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	declared, asserted := map[string]*ast.InterfaceType{}, map[string]string{}
	list := map[string]string{}
	add := func(in *ast.InterfaceType, file string) {
		for _, method := range in.Methods.List {
			for _, name := range method.Names {
				list[name.Name] = file
			}
		}
	}
	read := func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if x, ok := n.(*ast.TypeSpec); ok {
				if in, ok := x.Type.(*ast.InterfaceType); ok {
					declared[tree.Name.Name+"."+x.Name.Name] = in
				}
			}
			switch kind := assertedOfContext(n).(type) {
			case *ast.InterfaceType:
				add(kind, file)
			case *ast.Ident:
				asserted[tree.Name.Name+"."+kind.Name] = file
			case *ast.SelectorExpr:
				asserted[kind.X.(*ast.Ident).Name+"."+kind.Sel.Name] = file
			}
			return true
		})
		return nil
	}
	for _, folder := range folders {
		if err := filepath.WalkDir(folder, read); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range asserted {
		if in := declared[name]; in != nil { // otherwise a type of its own
			add(in, file)
		}
	}
	return list
}

// assertedOfContext returns the type that a node asserts of a context, if it does.
func assertedOfContext(n ast.Node) ast.Expr {
	if x, ok := n.(*ast.TypeAssertExpr); ok {
		if call, ok := x.X.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Context" {
				return x.Type
			}
		}
	}
	return nil
}
