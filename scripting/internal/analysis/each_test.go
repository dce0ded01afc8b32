package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

func parse(t *testing.T, text string) *syntax.Tree {
	t.Helper()
	tree, err := syntax.Parse("a.lua", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// eachOf parses a system with an each function, and returns what is known of that.
func eachOf(t *testing.T, each string) *Each {
	t.Helper()
	return Of(parse(t, "return { query = {}, each = "+each+" }")).Each[0]
}

// uses writes down what an each function does with its parameters: for each of them,
// separated by ';', its fields, separated by ',', as name:line, or name:line=line where
// the second is that of the last assignment. A parameter that keeps its table begins
// with '*'.
func usesOf(each *Each) string {
	parts := make([]string, len(each.Params))
	for i, p := range each.Params {
		var list []string
		for _, u := range p.Uses {
			text := fmt.Sprintf("%s:%d", u.Field, u.First.Line())
			if u.Assigned.Line() > 0 {
				text += fmt.Sprintf("=%d", u.Assigned.Line())
			}
			list = append(list, text)
		}
		parts[i] = strings.Join(list, ",")
		if p.Table {
			parts[i] = "*" + parts[i]
		}
	}
	return strings.Join(parts, ";")
}

// Which fields of which parameters a function names; a minus says that there is no second
// form.
func TestUses(t *testing.T) {
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
		"function(e, p, v) local p = {} p.z = 1 v.x = 1 end":                      ";x:1=1",
		"function(e, p, v) p = v p.z = 1 v.x = 1 end":                             "-*;*x:1=1",
		"function(e, p, v) for p = 1, 2 do end v.x = 1 end":                       ";x:1=1",
		"function(e, p, v) for _, p in v.list do p.z = 1 end end":                 ";list:1",
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
		found := eachOf(t, each)
		uses, second := usesOf(found), found.Form != nil
		want, none := strings.CutPrefix(want, "-")
		if second == none {
			t.Errorf("%s: a second form: %v", each, second)
		}
		if !sameUses(uses, want) {
			t.Errorf("%s: %q, want %q", each, uses, want)
		}
	}
}

// sameUses compares uses; a field that is read and written is named once.
func sameUses(a, b string) bool {
	merge := func(uses string) string {
		parts := strings.Split(uses, ";")
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
	uses := usesOf(eachOf(t, "function(e, p)\n if p.x > 1 then\n p.x = 1\n else\n p.x = 2\n end\n end"))
	if uses != "x:2=5" {
		t.Error(uses)
	}
	uses = usesOf(eachOf(t, "function(e, p)\n use(p)\n p.y = 1\n end"))
	if uses != "*y:3=3" {
		t.Error(uses)
	}
}

// TestTooManyFields: a function has room for so many locals.
func TestTooManyFields(t *testing.T) {
	var body strings.Builder
	for i := range maxFields + 1 {
		body.WriteString(" p.f" + strings.Repeat("x", i) + " = 1")
	}
	if each := eachOf(t, "function(e, p)"+body.String()+" end"); each.Form != nil || len(each.Params[0].Uses) != maxFields+1 {
		t.Error("a second form with more fields than there is room for")
	}
}

// Second forms are compiled beside the text: the prototype of each takes the fields, and
// names the locals around it that the first form names. What is inside of a second form
// is as it was written.
func TestForms(t *testing.T) {
	const text = `
local speed, scale = f(), 2
local function helper(x) local y = x return function() return y + speed end end
return {
  { query = {}, each = function(e, p, v, ctx) p.x = p.x + v.x * speed * ctx.dt * scale end },
  { query = {}, each = function(e, p) if p.x > 1 then return end p.y = helper(p.x)
      local inner = { query = {}, each = function(e, q) q.z = speed end } end },
  { query = {}, each = function(e, p) use(p) end },
}`
	facts := Of(parse(t, text))
	program, err := facts.Tree.Compile(syntax.Additions{})
	if err != nil {
		t.Fatal(err)
	}
	forms := facts.Tree.CompileTwin(facts.Scalars()).Twins()
	var got []string
	for _, each := range facts.Each {
		proto := forms[each.Function.ID]
		if proto == nil {
			got = append(got, "none")
			continue
		}
		got = append(got, fmt.Sprint(proto.NumParameters, proto.DbgUpvalues))
		if first := firstOf(program.Proto, proto.LineDefined); strings.Join(proto.DbgUpvalues, " ") > strings.Join(first.DbgUpvalues, " ") {
			t.Errorf("line %d: the second form captures %q, the first %q", proto.LineDefined, proto.DbgUpvalues, first.DbgUpvalues)
		}
	}
	if want := "4 [speed], 3 [helper speed], none"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

// A function whose second form has no room within the compiler's limits is the only one
// that loses it.
func TestFormsWithoutRoom(t *testing.T) {
	var large strings.Builder
	for i := range 50 {
		fmt.Fprintf(&large, " p.f%d = 1", i)
	}
	for i := range 160 {
		fmt.Fprintf(&large, " local v%d = 1", i)
	}
	var text strings.Builder
	without := map[int]bool{2: true, 3: true, 7: true}
	for i := range 9 {
		body := " p.x = 1"
		if without[i] {
			body = large.String()
		}
		fmt.Fprintf(&text, "f { query = {}, each = function(e, p)%s end }\n", body)
	}
	program, err := Compile("a.lua", []byte(text.String()), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, each := range program.Each {
		if each.Form == nil {
			t.Errorf("function %d has no second form to be compiled", i)
		}
		if has := program.Scalar(each.Function.ID) != nil; has == without[i] {
			t.Errorf("function %d: a second form: %v", i, has)
		}
	}
}

// firstOf returns the function that begins in a line.
func firstOf(proto *lua.FunctionProto, line int) *lua.FunctionProto {
	for _, p := range proto.FunctionPrototypes {
		if p.LineDefined == line {
			return p
		}
		if found := firstOf(p, line); found != nil {
			return found
		}
	}
	return nil
}

// TestOptions holds by what the places of options are found: the call, the local that
// has the table, and a function in it.
func TestOptions(t *testing.T) {
	facts := Of(parse(t, `
ecs.system "a" {
  phase = "logic",
  run = tick,
}
local options = { run = tick,
  after = {} }
ecs.system("b", options)
make { "c", batch = function() end,
  before = {} }`))
	parts := PartsOf(facts.Tree)
	var found []string
	syntax.WalkBlock(facts.Tree.Body, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.Call); ok {
			for _, key := range []string{"phase", "after", "before"} {
				if at, ok := parts.Options(call.Pos)[key]; ok {
					found = append(found, fmt.Sprintf("%s at %d:%d", key, at.Key.Line(), at.Key.Column()))
				}
			}
		}
		return true
	})
	found = append(found, fmt.Sprintf("%d", facts.OptionsOfFunction(1)["before"].Key.Line()))
	if got, want := strings.Join(found, ", "), "phase at 3:3, after at 7:3, before at 10:3, 10"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNamesOfCalls holds what stands for a callee in messages, also where it is a call of a
// call of a call: each is asked for its name once, or this would have no end.
func TestNamesOfCalls(t *testing.T) {
	for text, want := range map[string]string{
		"a.b(c)(d)":                        "a.b(…)",
		"a[1].b()":                         "a[…].b",
		"(function() end)()()":             "",
		"f" + strings.Repeat("()", 3):      "f(…)(…)",
		"f" + strings.Repeat("()", 200):    "", // too long to be read
		"x = f" + strings.Repeat("(1)", 5): "f(…)(…)(…)(…)",
	} {
		tree := parse(t, text)
		parts, got := PartsOf(tree), ""
		syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
			call, ok := node.(*syntax.Call)
			if ok {
				got = parts.Name(call.Pos, 0)
			}
			return !ok // the outermost
		})
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
