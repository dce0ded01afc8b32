package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestTwoDefaultsAreTold: files that share a state table and give a key other defaults
// are told of once, with both places, at the load and at a save; the same defaults are
// none, and neither are keys of one file.
func TestTwoDefaultsAreTold(t *testing.T) {
	const first = `state table "st": two defaults for "n": 1 in a.lua:2, and 100 in b.lua:3; a new table gets that of the file that is loaded first`
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", `local s = ecs.state("st", { n = 1, a = 1, list = { 1, { x = 2 } }, same = "x" })`,
		"b.lua", "\n"+`local s = ecs.state("st", { n = 100, b = 1, list = { 1, { x = 2 } }, same = "x" })`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.wantLog(first)
	r.save("b.lua", "\n"+`local s = ecs.state("st", { n = 100, b = 2, list = { 1, { x = 2 } }, same = "x" })`)
	r.accepted()
	r.save("a.lua", `local s = ecs.state("st", { n = 1, list = { 1, { x = 3 } }, same = "x" })`)
	r.accepted()
	r.save("c.lua", `local s = ecs.state("st", { same = false })`)
	r.accepted()
	r.remove("c.lua")
	r.save("b.lua", `local s = ecs.state("other", { n = 100 })`)
	r.accepted()
	for i, want := range []string{"", `two defaults for "list": {…} in b.lua:3, and {…} in a.lua:2`, `two defaults for "same": "x" in b.lua:3, and false in c.lua:2`, ""} {
		got := strings.Join(r.reloads[i].Notes, "|")
		if (want == "") != !strings.Contains(got, "two defaults") || !strings.Contains(got, want) {
			t.Errorf("reload %d: %q, want %q", i, got, want)
		}
	}
	r.wantLog("")
}
