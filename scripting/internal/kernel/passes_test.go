package kernel_test

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// imports says what each package of the compiler imports of the others. Do not edit it to fix a
// build: packages never look back.
var imports = map[string][]string{
	"ir":     {},
	"lower":  {"ir"},
	"passes": {"ir"},
	"vector": {"ir"},
	"wasm":   {"ir", "vector"},
	"engine": {},
}

func TestPackagesNeverLookBack(t *testing.T) {
	for name, allowed := range imports {
		files, err := filepath.Glob(name + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(name, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				if strings.Contains(imported, "/kernel/") && !slices.Contains(allowed, path.Base(imported)) {
					t.Errorf("%s imports %s", file, imported)
				}
				if strings.Contains(imported, "wazero") && name != "engine" {
					t.Errorf("%s imports %s: only the engine may", file, imported)
				}
			}
		}
	}
}

// lowered returns the kernel of a function before any pass.
func lowered(t *testing.T, function string) *ir.Func {
	t.Helper()
	f, err := lowerOver(function, false, bodySchema, motionSchema)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lowerOver is lowered for a function over any components.
func lowerOver(function string, single bool, components ...ecs.Schema) (*ir.Func, error) {
	tree, err := syntax.Parse("test.lua", []byte(before+function+"}"), syntax.Options{})
	if err != nil {
		return nil, err
	}
	sig := &lower.Signature{System: "test", Captured: value, Library: library, Global: value, Single: single}
	for _, c := range components {
		sig.Terms = append(sig.Terms, term(c))
	}
	fitting(sig, function)
	return lower.Study(tree).Lower(analysis.Of(tree).Each[0].Function.ID, sig)
}

// shared returns an expression that stands in a kernel twice, nil if there is none: nodes
// belong to one place each.
func shared(f *ir.Func) (twice *ir.Expr) {
	seen := map[*ir.Expr]bool{}
	ir.Exprs(f.Body, func(e *ir.Expr) {
		if seen[e] {
			twice = e
		}
		seen[e] = true
	})
	return twice
}

// TestNodesStandInOnePlace holds that each node of a kernel has one place, where an operand
// that decides and its value are both needed.
func TestNodesStandInOnePlace(t *testing.T) {
	for _, body := range []string{
		"if (p.ok and p.x or p.x > 1) and math.random() > 0.5 then p.x = 1 end",
		"p.x = (p.ok and p.x) and math.random() or 2",
	} {
		f, err := lowerOver("function(e, p, v, ctx) "+body+" end", false, bodySchema, motionSchema)
		if err != nil {
			t.Fatal(body, err)
		}
		if e := shared(f); e != nil {
			t.Errorf("%s: %s stands in two places of\n%s", body, e.Op, f)
		}
	}
}

// TestPassesKeepTheRules checks the kernel between all passes.
func TestPassesKeepTheRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := lowered(t, string(text))
		if err := ir.Check(f); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		passes.Run(f, func(p passes.Pass) {
			if err := ir.Check(f); err != nil || shared(f) != nil {
				t.Errorf("%s after %s: %v, or a node in two places\n%s", file, p.Name, err, f)
			}
		})
	}
}

// TestEachPass shows what a pass does, and what it must leave alone.
func TestEachPass(t *testing.T) {
	for _, c := range []struct{ pass, body, want string }{
		{"fold", "p.x = speed * 2 + 1", "body.x = 6"},
		{"fold", "p.x = p.x * (speed - 2.5)", "body.x = (zero (mul body.x 0))"},
		{"fold", "p.x = (speed - 2.5) / 0", "body.x = (zero (div 0 0))"}, // not-a-number is the processor's
		{"fold", "p.ok = on and p.ok", "body.ok = body.ok"},
		{"fold", "p.x = on and p.x or p.y", "body.x = body.x"},
		{"fold", "p.ok = not not p.ok", "body.ok = body.ok"},
		{"dead", "if not on then p.x = 1 else p.x = 2 end", "body.x = 2"},
		{"dead", "local a = p.x local b = a p.y = 1", "body.y = 1"},
		{"dead", "if on then return end p.x = 2", "row\n  leave 0\n"},
		{"zeros", "p.x = p.x + p.y * 2", "body.x = (add body.x (zero (mul body.y 2)))"}, // -0 + 0 is 0
		{"zeros", "p.x = p.x * p.x", "body.x = (mul body.x body.x)"},
		{"zeros", "p.ok = p.x * 2 < p.y - 1", "body.ok = (lt (mul body.x 2) (sub body.y 1))"},
		{"zeros", "p.x = p.x + ctx.dt if p.x > v.x then p.x = p.x - v.x end", "body.x = (add body.x dt)\n  if (lt motion.x body.x)\n    body.x = (sub body.x motion.x)"},
		{"zeros", "p.x = p.x - v.x if p.ok then p.x = p.x - v.x end", "body.x = (zero (sub body.x motion.x))\n  if body.ok\n    body.x = (sub body.x motion.x)"},
		{"zeros", "if p.ok then p.x = 1 end p.x = p.x - v.x", "body.x = (zero (sub body.x motion.x))"}, // it may be -0 if not
		{"zeros", "local a = p.x * v.x - p.y * v.y p.x = p.x + a * 2", "a = (sub (mul body.x motion.x) (mul body.y motion.y))\n  body.x = (add body.x (zero (mul a 2)))"},
		{"zeros", "local a = p.x * v.x p.x = a", "a = (zero (mul body.x motion.x))"},
		{"zeros", "local a = p.x * v.x p.x = 1 / a", "a = (zero (mul body.x motion.x))"},
		{"zeros", "local a = p.x * v.x for i = 1, 90 do a = a * 2 end p.ok = a < 1", "(mul body.x motion.x)"},
		{"zeros", "p.x = 1 - p.x / v.x", "body.x = (sub 1 (div body.x motion.x))"},
		{"zeros", "p.x = p.x - p.y / v.x", "body.x = (zero (sub body.x (div body.y motion.x)))"}, // 0 - -0 is 0, as 0 - 0 is
		{"zeros", "p.x = ctx.dt * 2 p.y = ctx.dt * -2", "body.x = (mul dt 2)\n  body.y = (zero (mul dt -2))"},
		{"zeros", "p.x = 1 / (p.x * 2)", "body.x = (zero (div 1 (zero (mul body.x 2))))"},
		{"zeros", "p.x = (p.ok and 1 or p.y) - v.x", "body.x = (zero (sub (pick 1 body.y body.ok) motion.x))"},
		{"zeros", "p.x = (p.ok and p.y or 1) - v.x", "body.x = (zero (sub (pick body.y 1 body.ok) motion.x))"},
		{"zeros", "p.x = (p.ok and 2 or 1) - v.x", "body.x = (sub (pick 2 1 body.ok) motion.x)"},
		{"zeros", "p.x = p.y - v.x * 2", "body.x = (zero (sub body.y (mul motion.x 2)))"},
		{"zeros", "p.x = math.floor(p.y * 2)", "(zero (mul body.y 2))"}, // its own zero has a sign, too
		{"zeros", "p.x = math.sqrt(p.y * 2)", "(zero (mul body.y 2))"},
		{"zeros", "for i = 1, 20 do p.x = p.x - v.x p.x = v.y end", "body.x = (zero (sub body.x motion.x))"}, // v.y, from the second turn on
		{"guard", "if on then p.x = 1 end", "row\n  body.x = 1\n"},
		{"guard", "local a = p.n % 4 if a < 4 then p.x = 1 end", "\n  body.x = 1\n"},
		{"guard", "local a = p.n % 4 if a < 3 then p.x = 1 end", "if (lt a 3)\n"},
		{"guard", "local a = p.n % 4 a = a + p.n if a < 4 then p.x = 1 end", "if (lt a 4)\n"}, // it has had two values
		{"hoist", "p.x = p.x + ctx.dt * 2", "once = (zero (mul dt 2))\nrow\n  body.x = (zero (add body.x once))"},
		{"hoist", "p.x = ctx.dt", "body.x = dt"},
		{"share", "p.x = (p.y - v.x) * (p.y - v.x)", "body.x = (zero (mul (tee shared (zero (sub body.y motion.x))) shared))"},
		{"share", "p.x = p.y + 1 p.y = 2 v.x = p.y + 1", "motion.x = (zero (add body.y 1))"},
		{"share", "if p.ok then p.x = p.y + 1 end v.x = p.y + 1", "motion.x = (zero (add body.y 1))"},
		{"share", "p.x = math.sin(p.y) + math.cos(p.y)", "body.x = (zero (add (sincos sin shared shared~2 body.y) shared~2))"},
		{"share", "p.x = math.cos(p.y) + math.sin(p.y)", "body.x = (zero (add (sincos cos shared shared~2 body.y) shared))"},
		{"share", "p.x = math.sin(p.y) p.y = math.sin(p.y) v.x = math.cos(p.y)", "motion.x = (call cos body.y)"}, // another angle by then
		{"share", "p.x = math.sin(v.x) p.y = math.sin(v.x) v.y = math.cos(v.x)", "body.x = (tee shared (sincos sin shared~2 shared~3 motion.x))\n  body.y = shared\n  motion.y = shared~3"},
		{"share", "p.x = math.sin(v.x) p.y = math.cos(v.x) v.y = math.sin(v.x) v.x = math.cos(v.x)", "body.x = (sincos sin shared shared~2 motion.x)\n  body.y = shared~2\n  motion.y = shared\n  motion.x = shared~2"},
		{"share", "if p.ok then p.x = math.sin(p.y) end v.x = math.cos(p.y)", "motion.x = (call cos body.y)"},
		{"share", "p.x = math.sin(v.x) if p.ok then p.y = math.cos(v.x) end v.y = math.cos(v.x)", "body.x = (sincos sin shared shared~2 motion.x)\n  if body.ok\n    body.y = shared~2\n  motion.y = shared~2"},
		{"share", "if p.ok then p.x = math.sin(v.x) p.y = math.cos(v.x) end v.y = math.cos(v.x)", "motion.y = (call cos motion.x)"},
		{"share", "p.x = math.sin(p.y) + math.exp(p.y)", "(call exp body.y)"},
		{"share", "p.ok = p.ok and math.sin(p.y) > 0 p.x = math.sin(p.y)", "body.x = (call sin body.y)"}, // not every row has come to the first
		{"share", "p.ok = math.sin(p.y) > 0 and p.ok p.x = math.sin(p.y)", "body.x = shared"},
		{"share", "p.x = p.ok and math.sin(p.y) or 1 p.y = math.sin(p.y)", "body.y = (call sin body.y)"},
		{"share", "v.x = p.y + 1 for i = 1, 90 do v.y = p.y + 1 p.y = v.x end", "motion.y = (zero (add body.y 1))"},
		{"share", "p.x = p.y + v.x p.y = v.x + p.y", "body.y = (zero (add motion.x body.y))"},
	} {
		f := lowered(t, "function(e, p, v, ctx)\n"+c.body+"\nend")
		for _, p := range passes.All() {
			if p.Name == c.pass || p.Name == "fold" && c.pass == "dead" {
				p.Run(f)
			}
		}
		if err := ir.Check(f); err != nil {
			t.Errorf("%s: %v", c.body, err)
		}
		if !strings.Contains(f.String(), c.want) {
			t.Errorf("%s: %s\nwant %s\ngot\n%s", c.pass, c.body, c.want, f)
		}
	}
}
