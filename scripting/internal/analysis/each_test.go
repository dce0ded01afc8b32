package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
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
// the second is that of the last assignment. A parameter that is used in another way, too,
// begins with '*'.
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

// Which fields of which parameters a function names.
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
		"function(e, p) local function f() p.x = 1 end f() end":                   "x:1=1",
		"function(e, p, v) local function f() p.x = 1 end v.x = p.x + f() end":    "x:1=1;x:1=1",
		"function(e, p, v) local function f() return p.x end p.x = v.x + f() end": "x:1=1;x:1",
		"function(e, p, v) function f() p.x = v.x end f() end":                    "x:1=1;x:1",
		"function(e, p) p.list[1] = 5 end":                                        "list:1",
		"function(e, p, v) use(p) v.x = p.x end":                                  "*x:1;x:1=1",
		"function(e, p, v) p:go() v.x = 1 end":                                    "*;x:1=1",
		"function(e, p, v) p[k] = 1 v.x = 1 end":                                  "*;x:1=1",
		"function(e, p, v) local p = {} p.z = 1 v.x = 1 end":                      ";x:1=1",
		"function(e, p, v) p = v p.z = 1 v.x = 1 end":                             "*;*x:1=1",
		"function(e, p, v) for p = 1, 2 do end v.x = 1 end":                       ";x:1=1",
		"function(e, p, v) for _, p in v.list do p.z = 1 end end":                 ";list:1",
		"function(e, p, v) local f = function(p) return p.z end v.x = f(p) end":   "*;x:1=1",
		"function(e, p, v) function p.f() end v.x = 1 end":                        "f:1=1;x:1=1",
		"function(e, p, v) return { p = v.x } end":                                ";x:1",
		"function(e, p, v) return { p, v.x } end":                                 "*;x:1",
		"function(e, p, v) return p == v end":                                     "*;*",
		"function(e, p) use(p) p.x = 1 end":                                       "*x:1=1",
		"function(e, ...) end":                                                    "",
		"function(e, p, p) p.x = 1 end":                                           "",
		"function() end":                                                          "",
	} {
		if uses := usesOf(eachOf(t, each)); !sameUses(uses, want) {
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
		"a[1].b()":                         "a[1].b",
		"a[-1][i].b()":                     "a[-1][i].b",
		"a[#a + 1].b()":                    "a[#a + 1].b",
		"a[i * 2 - 1].b()":                 "a[…].b",
		"a[f(x)].b()":                      "a[…].b",
		"a[p.x][p[1]]()":                   "a[p.x][p[1]]",
		"a['b c']()":                       "a[…]",
		"a[much_too_long.a_key_for_it]()":  "a[…]",
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
