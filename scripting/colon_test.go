package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// colonHead declares what the calls below name; the call itself stands in line 5.
const colonHead = `local ecs = require "ecs"
local host = require "host"
local H = ecs.component("H", { hp = 1 })
ecs.system "s" { run = function(ctx)
`

// TestColonForDot: whoever calls a function of ecs or of the host with a colon reads that it takes a
// dot, in the check and when it runs.
func TestColonForDot(t *testing.T) {
	for call, title := range map[string]string{
		`ecs:spawn(H)`: "ecs.spawn", `ecs:despawn(1)`: "ecs.despawn", `local _ = ecs:count(H)`: "ecs.count",
		`host:add(1, 2)`: "host.add",
	} {
		want := title + ": call it with a dot, " + title + "(…): the colon makes what stands before it the first argument"
		r := newGame(t, scripting.Limits{})
		if err := r.host.Expose("add", func(a, b float64) float64 { return a + b }); err != nil {
			t.Fatal(err)
		}
		r.folder["a.lua"] = newFile(colonHead + call + "\nend }")
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		if found := checkOf(t, r.host); len(found) != 1 || found[0].Message != want || found[0].Line != 5 {
			t.Errorf("%s: check reports %v, want %s", call, found, want)
		}
		r.step(1)
		if all := messagesOf(r); !strings.Contains(all, want) {
			t.Errorf("%s raises %s, want %s", call, all, want)
		}
	}
}

// messagesOf lists what has failed, one line each.
func messagesOf(r *game) string {
	var lines []string
	for _, e := range r.errors {
		lines = append(lines, e.Message)
	}
	r.errors, r.reported = nil, nil
	return strings.Join(lines, "\n")
}

// TestColonThatDoesNotFail: a function that takes anything takes the table ecs, too; the check says
// it all the same.
func TestColonThatDoesNotFail(t *testing.T) {
	text := colonHead + "ecs:log(\"hello\")\nend }"
	if got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(text)}}), "\n"); !strings.Contains(got, "ecs.log: call it with a dot") {
		t.Errorf("check reports %q", got)
	}
}

// TestMethodsOfTables: a method that is called with a dot, and a function of the library that is
// called as a method of a list.
func TestMethodsOfTables(t *testing.T) {
	for body, want := range map[string]string{
		"local t = { n = 1 } function t:inc(k) self.n = self.n + k end t.inc(5)": `attempt to index "self", a number value, with key "n": a function that is declared with a colon is called with one, such as t:name(…)`,
		"local t = { n = 1 } function t:inc(k) self.n = self.n + k end t.inc()":  `attempt to index "self", a nil value, with key "n": a function that is declared with a colon is called with one, such as t:name(…)`,
		"local list = {} list:insert(5)":                                         `attempt to call "list:insert", a nil value: a table has no methods of its own, write table.insert(list, …)`,
		"local list = {} list:jump(5)":                                           `attempt to call "list:jump", a nil value`,
	} {
		r := newGame(t, scripting.Limits{})
		r.folder["a.lua"] = newFile(colonHead + body + "\nend }")
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if all := messagesOf(r); !strings.HasSuffix(all, want) {
			t.Errorf("%s raises %s, want %s", body, all, want)
		}
	}
}
