package bounded

import (
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/ast"

	"github.com/perigee-ecs/perigee/scripting/internal/front"
)

// parse reads the text of one function. Line numbers begin with it.
func parse(t testing.TB, text string) *ast.FunctionExpr {
	t.Helper()
	chunk, err := front.Parse("f.lua", []byte("return "+text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return chunk.Stmts[0].(*ast.ReturnStmt).Exprs[0].(*ast.FunctionExpr)
}

func proveBatch(t testing.TB, body string) (*prover, error) {
	t.Helper()
	fn := parse(t, "function(b, ctx) "+body+" end")
	p := newBatchProver(fn)
	return p, p.prove(fn)
}

func proveScalar(t testing.TB, body string) (*prover, error) {
	t.Helper()
	p := &prover{}
	return p, p.prove(parse(t, "function(e, x, y) "+body+" end"))
}

func TestBatchAccepted(t *testing.T) {
	for _, body := range []string{
		`local x, v = b:write(P, "x"), b:read(V, "x") for i = 1, b.n do x[i] = x[i] + v[i] * ctx.dt end`,
		`local x = b:write(P) for i = 1, b.n do if x[i] > size then x[i] = -x[i] elseif not x[i] then break end end`,
		`b:col(P, "x"):madd(b:col(V, "x"), ctx.dt):clamp(0, size)`,
		`local c = b:col(P, "x") total = total + c:sum()`,
		`local hp = b:has(H) and b:write(H, "hp") if hp then for i = 1, b.n do hp[i] = hp[i] - 1 end end`,
		`local ids = b.entities for i = 1, b.n do for k = 1, 8 do last = ids[i] / k end end`,
		`local x = b:read(P) for i = 1, b.n do local s = x and x[i] or 0 state.sum = state.sum + math.floor(s) end`,
		`do local n = b.n if n > 3 and (ctx.time > 1 or ctx.tick == 0) then return end end`,
	} {
		if _, err := proveBatch(t, body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestScalarAccepted(t *testing.T) {
	for _, body := range []string{
		`x = x + y * 2 return x`,
		`if x < low or x > config.high then y = -y end return y`,
		`local angle = math.atan2(y, x) + math.pi return math.cos(angle) ^ 2, math.max(x, y, 1e3)`,
		`count = count + 1`,
		`for k = 1, 30 do for m = 0, 30 do x = x / k end end return x`,
	} {
		if _, err := proveScalar(t, body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestRefused demands the reason for each.
func TestRefused(t *testing.T) {
	for _, c := range [...]struct{ body, why string }{
		{`while true do end`, "While"},
		{`x = x % y`, "a remainder"}, {`x = x ^ y`, "a power"}, {`x = x ^ 1.0`, "a power"},
		{`repeat until x`, "Repeat"},
		{`for k, v in pairs(t) do end`, "GenericFor"},
		{`::again:: goto again`, "a Label"},
		{`local function f() end`, "a Function"},
		{`f = function() end`, "a Function"},
		{`x = {}`, "a Table"},
		{`x = x .. y`, "a StringConcatOp"},
		{`x = #t`, "a UnaryLenOp"},
		{`f(x)`, "a call of something other"},
		{`t.f(x)`, "a call of something other"},
		{`x:go()`, `the method "go"`},
		{`local math = t`, "another math"},
		{`local m = math`, `"math" used without a field`},
		{`math = t`, `"math" used without a field`},
		{`math.floor = f`, `this use of "math"`},
		{`x = math[k]`, `this use of "math"`},
		{`x = t.a.b`, "an index of a AttrGet"},
		{`t.a.b = x`, "an index of a AttrGet"},
		{`x = ("a").rep`, "an index of a String"},
		{`x = "` + strings.Repeat("9", 65) + `"`, "a string of more than"},
		{`for i = 1, 65 do end`, "neither b.n nor a literal"},
		{`for i = 1, x do end`, "neither b.n nor a literal"},
		{`for i = -9, 9 do end`, "start is no literal"},
		{`for i = x, 9 do end`, "start is no literal"},
		{`for i = 1, 9, 0 do end`, "a step"},
		{`for i = 1, 64 do for j = 1, 64 do end end`, "repeat more than 1000"},
		{`for i = 1, 30 do for j = 1, 30 do ` + strings.Repeat("x = x + x + x ", 120) + ` end end`, "instructions"},
	} {
		if _, err := proveScalar(t, c.body); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: refused with %v, want %q", c.body, err, c.why)
		}
		if _, err := proveBatch(t, c.body); err == nil {
			t.Errorf("%s: accepted in a batch function", c.body)
		}
	}
}

func TestBatchRefused(t *testing.T) {
	for _, c := range [...]struct{ body, why string }{
		{`b.n = 1e18`, `this use of "b"`},
		{`local n = 9 for i = 1, n do end`, "neither b.n"},
		{`b = t for i = 1, b.n do end`, `"b" used without`},
		{`local b = t for i = 1, b.n do end`, "another b"},
		{`for b = 1, 3 do end`, "another b"},
		{`local ctx = t`, "another ctx"},
		{`keep = b`, `"b" used without`},
		{`keep = ctx`, `"ctx" used without`},
		{`ctx.dt = t`, `this use of "ctx"`},
		{`x = ctx.evil`, `this use of "ctx"`},
		{`x = b[k]`, `this use of "b"`},
		{`for i = 1, b.n do for k = 1, b.n do end end`, "inside of another"},
		{`for i = 1, b.n do local x = b:read(P, "x") end`, "a batch's method inside of a loop"},
		{`for i = 1, b.n do local x = b.entities end`, "entities inside of a loop"},
		{`local c = b:col(P) for i = 1, 3 do c:add(1) end`, "a column's method inside of a loop"},
		{`local x = b:read(P) keep = x`, `array "x" used without`},
		{`local x = b:read(P) local y = x`, `array "x" used without`},
		{`local x = b:read(P) x[1] = x`, `array "x" used without`},
		{`local x = b:read(P) t.x = x`, `array "x" used without`},
		{`local x = b:read(P) x = t`, "assigned anew"},
		{`local x = b:read(P) local y = x or 3`, `array "x" used without`},
		{`keep = b:read(P)`, "a call of b:read here"},
		{`b:read(P)`, "a call of b:read here"},
		{`t.x = b.entities`, `this use of "b"`},
		{`local x = b:raw(P)`, "a call of b:raw here"},
		{`local x = b:has(b)`, `"b" used without`},
	} {
		if _, err := proveBatch(t, c.body); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: refused with %v, want %q", c.body, err, c.why)
		}
	}
}

func TestParametersRefused(t *testing.T) {
	for text, why := range map[string]string{
		`function(b, ...) end`:  "variable number",
		`function(b, b) end`:    "two parameters",
		`function(math, c) end`: "named math",
		`function(b, c, b) end`: "two parameters",
	} {
		fn := parse(t, text)
		if err := newBatchProver(fn).prove(fn); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: refused with %v, want %q", text, err, why)
		}
	}
}

// TestConditions checks what is left for package bindings to look at.
func TestConditions(t *testing.T) {
	p, err := proveBatch(t, `local x = b:write(P, "x") for i = 1, b.n do x[i] = limits.low + math.abs(x[i]) total = size * math.pi end`)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(p.bound.Values, ",") + ";" + strings.Join(p.bound.Tables, ",") + ";" + strings.Join(p.bound.Math, ",")
	if want := "P,size,total;limits;abs,pi"; got != want {
		t.Errorf("conditions %q, want %q", got, want)
	}
}
