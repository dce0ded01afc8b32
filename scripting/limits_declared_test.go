package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// floods are top levels that declare more and more, each in another way, and what
// is said of it.
var floods = []struct{ name, text, want string }{
	{"prefabs in prefabs", `local Q = ecs.prefab("Q", { P }) for i = 1, 60 do Q = ecs.prefab("Q" .. i, { Q, Q }) end`,
		`ecs.prefab: prefab "Q14": with it this file declares too much: `},
	{"children in children", `local Q = ecs.prefab("Q", { P }) for i = 1, 60 do Q = ecs.prefab("Q" .. i, { P, children = { Q, Q } }) end`,
		`ecs.prefab: prefab "Q13" has more than 10,000 entities`},
	{"generations", `local Q = ecs.prefab("Q0", {}) for i = 1, 300 do Q = ecs.prefab("Q" .. i, { children = { Q } }) end`,
		`ecs.prefab: prefab "Q257" has more than 256 generations of children below each other`},
	{"a list of one prefab", `local Q, t = ecs.prefab("Q", { P, P, P, P, P, P, P, P }), {} for i = 1, 200000 do t[i] = Q end ecs.prefab("W", t)`,
		`ecs.prefab: prefab "W", item 1`},
	{"children that are one prefab", `local Q, t = ecs.prefab("Q", { P, P, P, P, P, P, P, P, P, P, P, P }), {} for i = 1, 9000 do t[i] = Q end ecs.prefab("W", { children = t })`,
		`ecs.prefab: prefab "W": too large: `},
	{"wide children", `local B = ecs.component("B", { a = ecs.array(ecs.f64(), 4096) }) ecs.prefab("W", { children = { { B }, { B }, { B }, { children = { { B }, { B }, { B }, { B }, { B }, { B } } } } }) ` +
		`for i = 1, 99 do ecs.prefab("W" .. i, { children = { { B }, { B }, { B }, { B } } }) end`, `ecs.prefab: prefab "W`},
	{"systems", `for i = 1, 1e5 do ecs.system("s" .. i) { run = function() end } end`, " systems, components, events, prefabs, handlers and the like (Limits.Declarations)"},
	{"kernels", `for i = 1, 1e5 do ecs.kernel("k" .. i, { P }, function(e, p) p.x = i end) end`, "ecs.kernel: with it this file declares too much"},
	{"compiled systems", `for i = 1, 1e5 do ecs.system("k" .. i) { query = { P }, each = function(e, p) p.x = i end } end`, "ecs.system: with it this file declares too much"},
	{"events", `for i = 1, 1e5 do ecs.event("e" .. i, { x = 1 }) end`, "(Limits.Declarations)"},
	{"wide events", `for i = 1, 1e5 do ecs.event("e" .. i, { a = ecs.array(ecs.f64(), 4096) }) end`, "ecs.event: with it this file declares too much"},
	{"tags", `for i = 1, 1e5 do ecs.tag("t" .. i) end`, "(Limits.Declarations)"},
	{"the same tag", `for i = 1, 1e5 do ecs.tag("t") end`, "(Limits.Declarations)"},
	{"handlers", `for i = 1, 1e5 do ecs.handler("h" .. i, function() end) end`, "(Limits.Declarations)"},
	{"observers", `for i = 1, 1e5 do ecs.on_set(P, function() end) end`, "(Limits.Declarations)"},
	{"states", `for i = 1, 1e5 do ecs.state("s" .. i, { a = 1 }) end`, "(Limits.Declarations)"},
	{"starts", `for i = 1, 1e5 do ecs.on_start(function() end) end`, "(Limits.Declarations)"},
	{"reactions", `for i = 1, 1e5 do ecs.on_error(function() end) end`, "(Limits.Declarations)"},
	{"orders", `local t = {} for i = 1, 2e5 do t[i] = "another_system" .. i end ecs.system("s") { after = t, run = function() end }`, "ecs.system: with it this file declares too much"},
	{"lists of components", `local t = {} for i = 1, 2e5 do t[i] = P end ecs.system("s") { query = { P, with = t }, each = function() end }`, "more than 512 components are listed"},
	{"fields", `local t = {} for i = 1, 1e5 do t["f" .. i] = 1 end ecs.component("C", t)`, "ecs.component: \"C\" has more than 4,096 fields"},
	{"long names", `ecs.system(("x"):rep(1e6)) { run = function() end }`, "a name has at most 255 bytes, this one has 1,000,000"},
	{"long names of fields", `ecs.component("C", { [("x"):rep(1e6)] = 1 })`, "the name of a field has at most 255 bytes"},
	{"faults", `for i = 1, 1e5 do ecs.native("N" .. i) end`, "this is one of more than 1,000 faults of the file"},
	{"faults of systems", `for i = 1, 400 do ecs.system("s" .. i) { a = 1, b = 1, c = 1, run = function() end } end`, "this is one of more than 1,000 faults of the file"},
}

var floodLimits = scripting.Limits{Declarations: 2000, Declared: 5 << 20}

// TestDeclarationsAreBounded: whatever a top level declares without end is refused
// with its line, when a folder is loaded and when a file is saved in a game that
// runs, and the game goes on.
func TestDeclarationsAreBounded(t *testing.T) {
	for _, flood := range floods {
		t.Run(flood.name, func(t *testing.T) {
			r := newGame(t, floodLimits)
			r.write("a.lua", flood.text)
			var refused *scripting.LoadError
			if err := r.host.Load(r.folder); !errors.As(err, &refused) {
				t.Fatalf("loaded: %v", err)
			}
			if !floodIn(refused, flood.want) {
				t.Errorf("%v, want %q", refused, flood.want)
			}
			live := newGame(t, floodLimits)
			live.write("b.lua", once("b", `ecs.log("b")`))
			if err := live.host.Load(live.folder); err != nil {
				t.Fatal(err)
			}
			live.save("a.lua", flood.text)
			live.refused(flood.want)
			live.wantLog("b")
		})
	}
}

func floodIn(refused *scripting.LoadError, want string) bool {
	for _, p := range refused.Problems {
		if strings.HasPrefix(byLine(p.Error()), "a.lua:2: ") && strings.Contains(p.Error(), want) {
			return true
		}
	}
	return false
}

// TestFilesTogetherDeclareTooMuch: none of the files does, all of them do; and what
// is live counts when another one comes.
func TestFilesTogetherDeclareTooMuch(t *testing.T) {
	limits := scripting.Limits{DeclaredTotal: 4 << 20}
	text := func(i int) string { return fmt.Sprintf(`for i = 1, 200 do ecs.prefab(%d .. "P" .. i, { P }) end`, i) }
	r := newGame(t, limits)
	r.write("a.lua", text(1))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		r.save(fmt.Sprintf("f%d.lua", i), text(i+2))
		r.accepted()
	}
	for i := range 3 {
		r.save(fmt.Sprintf("g%d.lua", i), text(i+10))
		r.step(1)
	}
	last := r.reloads[len(r.reloads)-1].Err
	if last == nil || !strings.Contains(last.Error(), "the files together declare too much: 4,") || !errors.Is(last, scripting.ErrLimit) {
		t.Errorf("the last of them: %v", last)
	}
	all := newGame(t, limits)
	for i := range 40 {
		all.write(fmt.Sprintf("f%d.lua", i), text(i))
	}
	if err := all.host.Load(all.folder); err == nil || !strings.Contains(err.Error(), "with it the files together declare too much: used 4,") {
		t.Errorf("all at once: %v", err)
	}
}

// TestSystemsAreBounded: systems and observers of all files together, at a load and when a file is saved; what a file
// has given up makes room.
func TestSystemsAreBounded(t *testing.T) {
	systems := func(name string, n int) string {
		return fmt.Sprintf(`for i = 1, %d do ecs.system("%s" .. i) { run = function() end } end for i = 1, %d do ecs.on_set(P, function() end) end`, n, name, n)
	}
	const want = "the files together have too many systems and observers: "
	for name, text := range map[string]string{"one file": systems("a", 1001), "plenty": systems("a", 4000)} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", text)
		if err := r.host.Load(r.folder); !errors.Is(err, scripting.ErrLimit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", systems("a", 600))
	r.write("b.lua", systems("b", 400))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.save("c.lua", systems("c", 1))
	r.refused(want + "2,002 of 2,000, most of the new ones in this file (Limits.Systems)")
	r.save("b.lua", systems("b", 399))
	r.accepted()
	r.save("c.lua", systems("c", 1))
	r.accepted()
}

// TestChangesOfATickAreBounded: few commands may be many bytes.
func TestChangesOfATickAreBounded(t *testing.T) {
	for _, body := range []string{`ecs.spawn(W)`, `ecs.spawn_many(9, W)`, `ecs.emit(E)`, `ecs.add(e, B)`} {
		r := newGameOf(t, ecs.Options{MaxBytes: 32 << 20}, scripting.Limits{CommandBytes: 4 << 20})
		r.write("a.lua", `local B = ecs.component("B", { a = ecs.array(ecs.f64(), 4096) })
			local E = ecs.event("E", { a = ecs.array(ecs.f64(), 4096) })
			local W = ecs.prefab("W", { B, children = { { B }, { B }, { B } } })
			ecs.on_start(function() ecs.spawn(P) end)
			ecs.system "s" { query = { P }, each = function(e) for i = 1, 1000 do `+body+` end end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		r.wantError("a.lua:6", "bytes of changes in one tick of a system, with what must be kept to take them back (Limits.CommandBytes)")
	}
}

// TestQueriesAreForgotten: a script asks for another set of components each time;
// the host does not keep them all, and the answers stay right.
func TestQueriesAreForgotten(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `local T = {}
		for i = 1, 12 do T[i] = ecs.tag("T" .. i) end
		ecs.on_start(function() ecs.spawn(P, T[1], T[2]) end)
		ecs.system "s" { run = function()
			for n = 0, 4095 do
				local with, k = { P }, n
				for i = 1, 12 do if k % 2 == 1 then with[#with + 1] = T[i] end k = math.floor(k / 2) end
				assert(ecs.count { with = with } == (n < 4 and 1 or 0), n)
			end
		end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(3)
}

// TestDeepestPrefabIsSpawned: as many generations as may be declared can be spawned.
func TestDeepestPrefabIsSpawned(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `local Q = ecs.prefab("Q0", {}) for i = 1, 256 do Q = ecs.prefab("Q" .. i, { children = { Q } }) end
ecs.on_start(function() ecs.spawn(Q) ecs.spawn(Q, P) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	if n := r.world.Len(); n != 2*257 {
		t.Errorf("%d entities, want %d", n, 2*257)
	}
}
