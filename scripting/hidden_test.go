package scripting_test

import (
	"strings"
	"testing"
)

// TestWhatAReloadHidesIsSaid: a component that goes from the text, while entities have
// it, and a key of ecs.state whose default changes its type lose nothing, and the
// verdict names both. What comes back is there again.
func TestWhatAReloadHidesIsSaid(t *testing.T) {
	const old = `local H = ecs.component("Health", { hp = ecs.u8(7) }) local st = ecs.state("game", { level = 1, name = "a" })
ecs.on_start(function() ecs.spawn(H) ecs.spawn(H) st.level = 5 end)
ecs.system "s" { run = function() local e = ecs.find(H) ecs.log(e and ecs.get(e, H, "hp"), st.level) end }`
	r := loaded(t, "a.lua", old)
	r.run(1)
	r.wantLog("7 5")
	r.save("a.lua", strings.ReplaceAll(strings.ReplaceAll(old, `"Health"`, `"Life"`), "level = 1", `level = "one"`))
	r.accepted()
	r.wantLog("nil 5")
	verdict := strings.Join(r.reloads[len(r.reloads)-1].Notes, "\n")
	for _, want := range []string{
		`Health: 2 entities have it, and no file declares it any more`,
		`ecs.state "game" in a.lua: key the string "level" holds a number and keeps it, the default is a string now`,
	} {
		if strings.Count(verdict, want) != 1 {
			t.Errorf("verdict %q lacks %q", verdict, want)
		}
	}
	r.save("a.lua", old)
	r.accepted()
	r.wantLog("7 5")
	if got := strings.Join(r.reloads[len(r.reloads)-1].Notes, "\n"); got != "" {
		t.Errorf("verdict %q, want nothing", got)
	}
}

// TestStateTablesThatNobodyNames: one whose name goes from the text keeps what it holds,
// and the verdict names it; one that is empty, or that another file names, is not told of.
func TestStateTablesThatNobodyNames(t *testing.T) {
	r := loaded(t, "a.lua", `local a, b, c = ecs.state("full", { n = 1 }), ecs.state("empty"), ecs.state("shared", { n = 1 })`, "b.lua", `local c = ecs.state("shared")`)
	r.run(1)
	r.save("a.lua", `local a = ecs.state("fuller", { n = 2 })`)
	r.accepted()
	if got, want := strings.Join(r.reloads[0].Notes, "|"), `ecs.state "full": no file uses it any more: what it holds stays, unseen, until one does again`; got != want {
		t.Errorf("verdict %q, want %q", got, want)
	}
	r.save("a.lua", `local a = ecs.state("full") ecs.on_reload(function() ecs.log(a.n) end)`)
	r.accepted()
	r.wantLog("1")
}
