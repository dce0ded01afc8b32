package rows

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/front"
)

// planFor parses a system with an each function and returns its plan, and
// whether it has a second form.
func planFor(t *testing.T, each string) (plan string, second bool) {
	t.Helper()
	stmts := parse(t, each)
	Add(stmts, parse(t, each))
	for _, f := range sites(stmts)[0].options().Fields {
		switch key := f.Key.(*ast.StringExpr).Value; key {
		case bindings.RowsPlan:
			plan = f.Value.(*ast.StringExpr).Value
		case bindings.RowsFunction:
			second = true
		}
	}
	return plan, second
}

func parse(t *testing.T, each string) []ast.Stmt {
	t.Helper()
	chunk, err := front.Parse("a.lua", []byte("return { query = {}, each = "+each+" }"), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return chunk.Stmts
}

func TestPlans(t *testing.T) {
	for each, want := range map[string]string{
		"function(e, p) p.x = 1 end":                                              "x:1=1",
		"function(e, p, v) p.x = p.y + v.x end":                                   "y:1,x:1=1;x:1",
		"function(e, p)\n p.x = 1\n p.x = 2\n end":                                "x:2=3",
		"function(e, p) p.x, p.y = p.y, p.x end":                                  "y:1,x:1=1,y:1=1",
		"function(e) end":                                                         "",
		"function(e, p) end":                                                      "",
		"function(e, p, v) return v.x end":                                        ";x:1",
		`function(e, p) p["x"] = 1 end`:                                           "x:1=1",
		"function(e, p) local function f() p.x = 1 end f() end":                   "-*x:1=1",
		"function(e, p, v) local function f() p.x = 1 end v.x = p.x + f() end":    "*x:1=1;x:1=1",
		"function(e, p, v) local function f() return p.x end p.x = v.x + f() end": "x:1=1;x:1",
		"function(e, p, v) function f() p.x = v.x end f() end":                    "*x:1=1;x:1",
		"function(e, p) p.list[1] = 5 end":                                        "list:1",
		"function(e, p, v) use(p) v.x = p.x end":                                  "*x:1;x:1=1",
		"function(e, p, v) p:go() v.x = 1 end":                                    "*;x:1=1",
		"function(e, p, v) p[k] = 1 v.x = 1 end":                                  "*;x:1=1",
		"function(e, p, v) local p = {} p.z = 1 v.x = 1 end":                      "*;x:1=1",
		"function(e, p, v) p = v p.z = 1 v.x = 1 end":                             "-*;*x:1=1",
		"function(e, p, v) for p = 1, 2 do end v.x = 1 end":                       "*;x:1=1",
		"function(e, p, v) for _, p in v.list do p.z = 1 end end":                 "*;list:1",
		"function(e, p, v) local f = function(p) return p.z end v.x = f(p) end":   "*;x:1=1",
		"function(e, p, v) function p.f() end v.x = 1 end":                        "f:1=1;x:1=1",
		"function(e, p, v) return { p = v.x } end":                                ";x:1",
		"function(e, p, v) return { p, v.x } end":                                 "*;x:1",
		"function(e, p, v) return p == v end":                                     "-*;*",
		"function(e, p) use(p) p.x = 1 end":                                       "-*x:1=1",
		"function(e, ...) end":                                                    "-",
		"function(e, p, p) p.x = 1 end":                                           "-",
		"function() end":                                                          "-",
	} {
		plan, second := planFor(t, each)
		want, none := strings.CutPrefix(want, "-")
		if second == none {
			t.Errorf("%s: a second form: %v", each, second)
		}
		if !samePlan(plan, want) {
			t.Errorf("%s: plan %q, want %q", each, plan, want)
		}
	}
}

// samePlan compares plans; a field that is read and written is named once.
func samePlan(a, b string) bool {
	merge := func(plan string) string {
		parts := strings.Split(plan, ";")
		for i, part := range parts {
			seen := map[string]bool{}
			var kept []string
			for _, use := range strings.Split(part, ",") {
				name, _, _ := strings.Cut(use, ":")
				if !seen[name] {
					seen[name] = true
					kept = append(kept, name)
				}
			}
			parts[i] = strings.Join(kept, ",")
		}
		return strings.Join(parts, ";")
	}
	return merge(a) == merge(b)
}

// TestLinesOfAssignments: the line of an error is that of the last assignment.
func TestLinesOfAssignments(t *testing.T) {
	plan, _ := planFor(t, "function(e, p)\n if p.x > 1 then\n p.x = 1\n else\n p.x = 2\n end\n end")
	if plan != "x:2=5" {
		t.Error(plan)
	}
	plan, _ = planFor(t, "function(e, p)\n use(p)\n p.y = 1\n end")
	if plan != "*y:3=3" {
		t.Error(plan)
	}
}

// TestTooManyFields: a function has room for so many locals.
func TestTooManyFields(t *testing.T) {
	var body strings.Builder
	for i := range maxFields + 1 {
		body.WriteString(" p.f" + strings.Repeat("x", i) + " = 1")
	}
	plan, second := planFor(t, "function(e, p)"+body.String()+" end")
	if second || strings.Count(plan, ",") != maxFields {
		t.Error("a second form with more fields than there is room for")
	}
}

// TestCallAtTheEndKeepsItsValues: what is put into a table must not come after a
// call that ends it.
func TestCallAtTheEndKeepsItsValues(t *testing.T) {
	text := "local function f() return 1, 2, 3 end return { query = {}, each = function(e, p) p.x = 1 end, run = 1, f() }"
	compile := func() []ast.Stmt {
		chunk, err := front.Parse("a.lua", []byte(text), front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return chunk.Stmts
	}
	chunk, err := front.Parse("a.lua", []byte(text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	Mark(chunk.Stmts)
	Add(chunk.Stmts, compile())
	proto, err := chunk.Compile()
	if err != nil {
		t.Fatal(err)
	}
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	L.Push(L.NewFunctionFromProto(proto))
	L.Call(0, 1)
	table := L.Get(-1).(*lua.LTable)
	if n := table.Len(); n != 3 {
		t.Errorf("the table has %d items, want 3", n)
	}
	if lines := table.RawGetString(bindings.OptionLines).String(); !strings.Contains(lines, "each:1") {
		t.Error(lines)
	}
}
