package bounded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/front"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// FuzzBound runs batch functions that were accepted, and demands that they take
// no more instructions than was proved.
func FuzzBound(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, uint8(seed%7))
	}
	f.Fuzz(func(t *testing.T, seed uint64, rows uint8) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		text := "local up, t, P = 3, { 5, k = 1 }, 0\nreturn function(b, ctx)\n" + g.block(3) + "end"
		chunk, err := front.Parse("f.lua", []byte(text), front.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		fn := chunk.Stmts[1].(*ast.ReturnStmt).Exprs[0].(*ast.FunctionExpr)
		bounds := Mark(nil, []*ast.FunctionExpr{fn})
		if len(bounds) == 0 {
			return
		}
		proto, err := chunk.Compile()
		if err != nil {
			return // more registers than there are
		}
		Attach(proto, bounds)
		want := bounds[0].Fixed + bounds[0].PerRow*int64(rows+1)
		if got := run(t, proto, int(rows)); got > want {
			t.Fatalf("seed %d: %d instructions over %d rows, proved were %d\n%s", seed, got, rows, want, text)
		}
	})
}

// counter is a context that counts instructions.
type counter struct {
	context.Context
	n int64
}

func (c *counter) Done() <-chan struct{} { c.n++; return nil }

// run calls the function that a chunk returns with a batch of so many rows, and
// counts. Errors of the script are as good as a return.
func run(t *testing.T, proto *lua.FunctionProto, rows int) int64 {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	main := L.NewFunctionFromProto(proto)
	main.Env = stdlib.New(L, stdlib.Options{}).Env()
	L.Push(main)
	L.Call(0, 1)
	fn := L.Get(-1).(*lua.LFunction)
	if _, ok := fn.Proto.Constants[len(fn.Proto.Constants)-1].(*lua.LUserData).Value.(*bindings.Bound); !ok || fn.Proto.LastLineDefined > 1000 {
		t.Fatal("the bound is not where it belongs")
	}
	c := &counter{Context: context.Background()}
	L.SetContext(c)
	_ = L.CallByParam(lua.P{Fn: fn, Protect: true}, fakeBatch(L, rows), L.NewTable())
	return c.n
}

// fakeBatch has the methods of a batch; its columns are tables without methods.
func fakeBatch(L *lua.LState, rows int) *lua.LTable {
	array := func(L *lua.LState) int {
		t := L.NewTable()
		for i := range rows {
			t.RawSetInt(i+1, lua.LNumber(i%3))
		}
		L.Push(t)
		return 1
	}
	b := L.NewTable()
	array(L)
	b.RawSetString("entities", L.Get(-1))
	b.RawSetString("n", lua.LNumber(rows))
	for _, name := range []string{"read", "write", "col"} {
		b.RawSetString(name, L.NewFunction(array))
	}
	b.RawSetString("has", L.NewFunction(func(L *lua.LState) int { L.Push(lua.LTrue); return 1 }))
	return b
}

// generator writes function bodies, most of which can be proved to end.
type generator struct {
	*rand.Rand
	locals int
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) block(depth int) string {
	var text strings.Builder
	outer := g.locals
	for range 1 + g.IntN(4) {
		text.WriteString(g.stmt(depth) + "\n")
	}
	g.locals = outer
	return text.String()
}

func (g *generator) local() string {
	if g.locals == 0 {
		return "up"
	}
	return fmt.Sprintf("v%d", g.IntN(g.locals))
}

func (g *generator) stmt(depth int) string {
	if depth == 0 {
		return g.assign()
	}
	switch g.IntN(9) {
	case 0:
		e := g.expr(depth)
		g.locals++
		return fmt.Sprintf("local v%d = %s", g.locals-1, e)
	case 1:
		e := g.pick(`b:write(P, "x")`, `b:read(P)`, "b.entities", `b:has(P) and b:read(P)`)
		g.locals++
		return fmt.Sprintf("local v%d = %s", g.locals-1, e)
	case 2:
		return fmt.Sprintf("if %s then\n%selse\n%send", g.expr(depth), g.block(depth-1), g.block(depth-1))
	case 3, 4:
		return fmt.Sprintf("for i = %s, %s do\n%send", g.pick("0", "1", "0.5"), g.pick("b.n", "3", "8"), g.block(depth-1))
	case 5:
		return "do\n" + g.block(depth-1) + g.pick("", "do return end\n") + "end"
	case 6:
		return g.pick("for i = 1, 3 do if up then break end end", "while up == 5 do end", "local _ = {}")
	}
	return g.assign()
}

func (g *generator) assign() string {
	switch g.IntN(4) {
	case 0:
		return g.local() + " = " + g.expr(2)
	case 1:
		return fmt.Sprintf("t[%s] = %s", g.expr(1), g.expr(2))
	case 2:
		return fmt.Sprintf("%s, t.k = %s, %s", g.local(), g.expr(2), g.expr(1))
	}
	return fmt.Sprintf("up = %s", g.expr(2))
}

func (g *generator) expr(depth int) string {
	if depth == 0 {
		return g.pick("1", "up", "nil", "true", "b.n", "t.k", "t[1]", "math.pi", g.local())
	}
	a, b := g.expr(depth-1), g.expr(depth-1)
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("and", "or", "==", "~="), b)
	case 1:
		return fmt.Sprintf("(%s and %s or %s) == 2", a, b, g.expr(0))
	case 2:
		return fmt.Sprintf("not (%s == %s)", a, b)
	case 3:
		return fmt.Sprintf("t[%s == nil and 1 or 1]", a)
	case 4:
		return g.pick("math.max(1, up == 1 and 2 or 3)", "math.floor(2.5)", "(up == 3 and 1 or 0) * 2 % 7", "-b.n ^ 2")
	}
	return g.expr(0)
}
