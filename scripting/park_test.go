package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// herd spawns positions with x = 1, 2, …
func herd(r *game, n int) []ecs.Entity {
	p := ecs.Register[Position](r.world)
	list := make([]ecs.Entity, n)
	for i := range list {
		list[i] = r.world.Spawn(p.With(Position{X: float64(i + 1)}))
	}
	return list
}

// marks returns the ScriptErrors by entity.
func marks(r *game) map[ecs.Entity]bindings.ScriptError {
	found := map[ecs.Entity]bindings.ScriptError{}
	c := ecs.Register[bindings.ScriptError](r.world, ecs.Named("ScriptError"))
	for k := range r.world.Query(ecs.Read(c)).Chunks() {
		for i, e := range k.Entities() {
			found[e] = c.Of(k)[i]
		}
	}
	return found
}

// The function fails for the third entity; on the VM, in a kernel, with
// whole tables and over rows gathered from short chunks it comes to the same.
func TestOnlyTheEntityThatFailsIsParked(t *testing.T) {
	// What remains of the rows that record something, in each of two ticks.
	remains := map[string]string{"effect": "39 39 39 78 78 78", "some": "19 0 nil 38 0 nil"}
	for kind, body := range map[string]string{
		"rows":   `if p.x == 3 then error("three") end p.y = p.y + 1`,
		"table":  `local q = p q.y = q.y + 1 if p.x == 3 then error("three") end`,
		"kernel": `p.y = p.y + 1 while p.x == 3 and p.y > 0 do p.y = p.y + 0 end`,
		"store":  `u.n = p.x == 3 and 300 or p.x p.y = p.y + 1`,
		"effect": `ecs.spawn(T) ecs.after(5, "h") s[#s + 1] = p.x ecs.emit(E) p.y = p.y + 1 if p.x == 3 then error("three") end`,
		// A row that only computes stands between one that records and the one that fails.
		"some": `if p.x % 2 == 1 then ecs.spawn(T) end p.y = p.y + 1 if p.x == 3 then error("three") end`,
	} {
		r := newGame(t, scripting.Limits{Instructions: 30_000, LogLines: -1})
		list := herd(r, 40)
		r.write("a.lua", `local T, E, s = ecs.tag("T"), ecs.event("E", {}), ecs.state("s", {})
local U = ecs.component("U", { n = ecs.u8(0) })
ecs.handler("h", function() end)
ecs.on_start(function() for e in ecs.entities { P } do ecs.add(e, U) end end)
ecs.system "f" { query = { P, U }, each = function(e, p, u) `+body+` end }
ecs.system "seen" { phase = "debug", on = E, each = function() s.events = (s.events or 0) + 1 end }
ecs.system "show" { phase = "debug", priority = 5, run = function() ecs.log(ecs.count(T), #s, s.events) end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(2)
		mark, ok := marks(r)[list[2]]
		if len(r.errors) != 1 || r.errors[0].Entity != list[2] || !ok || len(marks(r)) != 1 {
			t.Fatalf("%s: errors %v, marks %v", kind, r.errors, marks(r))
		}
		if mark.System != "f" || mark.Script != "a.lua" || mark.Line != 6 || mark.Times != 1 || mark.RetryAt < 1 || mark.Message == "" {
			t.Errorf("%s: %+v", kind, mark)
		}
		// A loop without end uses up what the whole tick may use, so that this tick
		// is undone; in the next one the entity is passed over.
		want := 2.0
		if kind == "kernel" {
			want = 1
		}
		position := ecs.Register[Position](r.world)
		for i, e := range list {
			y := want
			if i == 2 {
				y = 0
			}
			if p, _ := position.Get(e); p.Y != y || p.X != float64(i+1) {
				t.Fatalf("%s: entity %d has %v, want y = %v", kind, i, p, y)
			}
		}
		if got, want := r.logged(), remains[kind]; want != "" && got != want {
			t.Errorf("%s: what remains of 39 calls in each tick: %s, want %s", kind, got, want)
		}
	}
}

func TestParkedEntitiesAreTriedAgain(t *testing.T) {
	text := `local wrong = ecs.state("w", { of = 3 })
ecs.system "f" { query = { P }, each = function(e, p) if p.x == wrong.of then error("no " .. p.x) end p.y = p.y + 1 end }
ecs.system "mend" { when = function(ctx) return ctx.tick == 300 end, run = function() wrong.of = 0 end }`
	r := newGame(t, scripting.Limits{})
	list := herd(r, 5)
	r.write("a.lua", text)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(299)
	// At 0, 1 and 3 seconds; 64 ticks are one second.
	if m := marks(r)[list[2]]; len(r.errors) != 3 || m.Times != 3 || m.RetryAt < 7 || m.RetryAt > 7.2 {
		t.Fatalf("%d errors, %+v", len(r.errors), m)
	}
	r.step(400)
	if len(r.errors) != 3 || len(marks(r)) != 0 {
		t.Errorf("%d errors, marks %v: the entity should be free", len(r.errors), marks(r))
	}
}

func TestWhatFreesParkedEntities(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	list := herd(r, 5)
	bad := `local E = ecs.native("ScriptError")
ecs.system "f" { query = { P }, each = function(e, p) if p.x >= 3 then error("no") end end }
ecs.system "show" { phase = "debug", query = { E }, each = function(e, err) ecs.log(e, err.system, err.line, err.message) end }`
	r.write("a.lua", bad, "b.lua", each("g", `if p.x == 5 then error("no either") end`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 4 || len(marks(r)) != 3 || marks(r)[list[4]].System != "g" {
		t.Fatalf("errors %v, marks %v", r.errors, marks(r))
	}
	if got := r.logged(); got != "" {
		t.Errorf("logged %s before the end of the tick", got)
	}
	r.step(1)
	if got := r.logged(); !strings.Contains(got, fmt.Sprintf("%d f 3 no", uint64(list[2]))) || strings.Count(got, " f ") != 2 {
		t.Errorf("scripts see %s", got)
	}
	// The component taken away: tried at once, and failing again.
	if err := r.world.Remove(list[2], ecs.Register[bindings.ScriptError](r.world, ecs.Named("ScriptError")).ID()); err != nil {
		t.Fatal(err)
	}
	r.errors = nil
	r.step(1)
	if len(r.errors) != 1 || r.errors[0].Entity != list[2] {
		t.Errorf("errors %v", r.errors)
	}
	// A dead entity is forgotten; a reload frees those of its systems.
	if err := r.world.Despawn(list[3]); err != nil {
		t.Fatal(err)
	}
	r.errors = nil
	r.save("a.lua", strings.ReplaceAll(bad, "p.x >= 3", "false"))
	r.accepted()
	if m := marks(r); len(m) != 1 || m[list[4]].System != "g" {
		t.Errorf("after the reload: %v", m)
	}
	r.remove("b.lua")
	r.accepted()
	if m := marks(r); len(m) != 0 {
		t.Errorf("after the other script has gone: %v", m)
	}
}

// TestEntitiesThatHaveRestedComeInOrder: those whose turn comes though the query does not
// find them, as nothing was written to them, come in the order of their numbers.
func TestEntitiesThatHaveRestedComeInOrder(t *testing.T) {
	r := loaded(t, "a.lua", `local A, tried = ecs.component("A", { x = 1 }), {}
ecs.on_start(function() ecs.spawn_many(9, A) end)
ecs.system "s" { query = { A, changed = { A } }, each = function(e)
  if not tried[e] then tried[e] = true error("first") end
  ecs.log(e % 2^24)
end }`)
	r.step(80)
	r.wantLog("1 2 3 4 5 6 7 8 9")
}

// When it fails for very many, it is not the entities.
func TestSystemThatFailsForManyFailsItself(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	list := herd(r, 100)
	r.write("a.lua", each("f", `p.y = 1 if p.x > 10 then error("no") end`), "b.lua", each("g", "p.y = p.y + 2"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(3)
	if len(r.errors) != 3 || len(marks(r)) != 0 || !strings.Contains(r.errors[0].Message, "32 entities") || !r.errors[2].Parked {
		t.Fatalf("errors %v, %d marks", r.errors, len(marks(r)))
	}
	position := ecs.Register[Position](r.world)
	if p, _ := position.Get(list[0]); p.Y != 6 {
		t.Errorf("y is %v: the tick of the system that failed is not undone", p.Y)
	}
}

// A fault is told once, then in sums.
func TestFaultsAreToldOnceAndCounted(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	herd(r, 12)
	r.write("a.lua", each("f", `error("no " .. ctx.tick)`), "b.lua", once("g", `error("never")`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(64 * 9)
	// f: 12 entities at 0, 1, 3 and 7 s. g: at once, parked, and each retry.
	count := func(list []*scripting.Error, system string) (n int) {
		for _, e := range list {
			if e.System == system {
				n++
			}
		}
		return n
	}
	if count(r.reported, "f") != 1 || count(r.errors, "f") != 48 || count(r.reported, "g") != 5 || count(r.errors, "g") != 6 {
		t.Fatalf("told f %d of %d, g %d of %d", count(r.reported, "f"), count(r.errors, "f"), count(r.reported, "g"), count(r.errors, "g"))
	}
	r.reported = nil
	r.step(64 * 2)
	if len(r.reported) != 1 || !strings.Contains(r.reported[0].Error(), "(48 times, 12 entities)") {
		t.Errorf("the sum: %v", r.reported)
	}
	// What was not told yet is told when the script goes.
	r.step(64 * 6)
	r.reported = nil
	r.save("a.lua", "")
	r.accepted()
	if len(r.reported) != 1 || !strings.Contains(r.reported[0].Error(), "(60 times, 12 entities)") {
		t.Errorf("at the reload: %v", r.reported)
	}
}

func TestOnErrorLetsScriptsReact(t *testing.T) {
	r := loaded(t, "a.lua", once("f", `error("boom")`), "b.lua", `
local seen = ecs.state("seen", { n = 0 })
ecs.on_error(function(err, ctx)
  seen.n = seen.n + 1
  ecs.spawn(P)
  ecs.log(err.script, err.line, err.system, err.message, err.times, err.parked, err.entity)
end)
ecs.on_error(function(err) error("in on_error") end)`)
	r.step(5)
	r.wantLog("a.lua 2 f boom 1 false nil a.lua 2 f boom 3 true nil")
	if r.world.Len() != 2 {
		t.Errorf("%d entities", r.world.Len())
	}
	var own int
	for _, e := range r.errors {
		if strings.Contains(e.Message, "in on_error") {
			own++
		}
	}
	if own != 1 {
		t.Errorf("a function that fails was called %d times", own)
	}
	// A new version of the file is called again.
	r.save("b.lua", `ecs.on_error(function(err) ecs.log("again", err.message) end)`)
	r.save("a.lua", once("f", `error("bang")`))
	r.errors = nil
	r.step(1)
	r.wantLog("again bang")
}

// Circles of parents that one call would close are errors of their line, so that
// nothing of the call is applied.
func TestCirclesOfParentsAreFoundBeforeTheyAreApplied(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	list := herd(r, 3)
	r.write("a.lua", `ecs.system "f" { run = function()
  local e = {}
  for x in ecs.entities(P) do e[#e + 1] = x end
  ecs.spawn(V)
  ecs.set_parent(e[1], e[2]) ecs.set_parent(e[2], e[3])
  pcall(function() ecs.set_parent(e[1], nil) end)
  ecs.set_parent(e[3], e[1]) ecs.set_parent(e[1], e[2])
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantError("a.lua:8", "cannot be a child")
	if r.world.Len() != 3 || r.world.Parent(list[0]) != 0 || r.world.Parent(list[1]) != 0 || r.world.Parent(list[2]) != 0 {
		t.Errorf("%d entities; parents %v %v %v", r.world.Len(), r.world.Parent(list[0]), r.world.Parent(list[1]), r.world.Parent(list[2]))
	}
}

// TestParkedEntitiesAreBounded: no more than 65,536 entities rest for systems that have
// failed for them, and each of them keeps a short text.
func TestParkedEntitiesAreBounded(t *testing.T) {
	sideBySide(t)
	const systems, each = 200, 30
	r := newGame(t, scripting.Limits{Instructions: -1, TickInstructions: -1})
	text := ""
	for k := range systems {
		text += fmt.Sprintf("ecs.system('s%d', { query = { P }, kernel = 'off', each = function(e, p, ctx) if p.x > (ctx.tick - 1) * %d and p.x <= ctx.tick * %d then error(('x'):rep(5000)) end end })\n", k, each, each)
	}
	r.write("a.lua", text)
	herd(r, 400)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	full := 1<<16/(systems*each) + 1
	r.step(full - 1)
	for _, e := range r.errors {
		if strings.Contains(e.Message, "rest already") {
			t.Fatal(e)
		}
	}
	for e, mark := range marks(r) {
		if len(mark.Message) > 600 || len(mark.Message) < 500 {
			t.Fatalf("entity %v keeps %d bytes", e, len(mark.Message))
		}
	}
	before := len(marks(r))
	r.errors = nil
	r.step(1)
	refused := 0
	for _, e := range r.errors {
		if strings.Contains(e.Message, "65,536 entities rest already") {
			refused++
		}
	}
	if want := systems - (1<<16-(full-1)*systems*each)/each; refused != want || before != (full-1)*each {
		t.Errorf("%d systems had no room, want %d; %d entities rested before", refused, want, before)
	}
}

// TestRestingEntitiesOfASystemAreBounded: no more than 1,024 entities rest for one system; when one more fails, its tick is undone, and its other
// entities, for which it works, are none of them.
func TestRestingEntitiesOfASystemAreBounded(t *testing.T) {
	r := newGame(t, scripting.ReleaseLimits(60))
	r.write("a.lua", `ecs.system("s", { query = { P }, each = function(e, p, ctx) if p.x > 0 and p.x <= ctx.tick * 30 then error("no") end end })`)
	herd(r, 3000)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(34)
	if n := len(marks(r)); n != 1020 {
		t.Fatalf("%d entities rest", n)
	}
	r.errors = nil
	r.step(1)
	if n := len(marks(r)); n > 1024 || len(r.errors) == 0 || !strings.Contains(r.errors[len(r.errors)-1].Message, "1,024 entities rest already since it has failed for them") {
		t.Errorf("%d entities rest: %v", n, r.errors)
	}
}

// TestWhatWaitedIsTakenOnce: what an on_reload had failed to take goes to the next version
// that takes it, and not to the one after it.
func TestWhatWaitedIsTakenOnce(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_unload(function() return 1 end)`)
	r.save("a.lua", `ecs.on_reload(function() error("no") end)`)
	r.step(1)
	for i := range 2 {
		r.save("a.lua", fmt.Sprintf(`ecs.on_unload(function() return %d end) ecs.on_reload(function(old) ecs.log(old) end)`, i+3))
		r.step(1)
	}
	r.wantLog("1 3")
}

// TestRunsWithoutWorkAreNoSuccess: what a system fails for comes now and then, and between there
// is nothing to do. It is parked after three failures, whatever it works on.
func TestRunsWithoutWorkAreNoSuccess(t *testing.T) {
	for kind, text := range map[string]string{
		"event": `ecs.system "f" { on = E, each = function() while true do end end }`,
		"error": `ecs.system "f" { on = E, each = function() error("x") end }`,
		"each":  `ecs.system "f" { query = { U }, each = function(e, u) while true do end end }`,
		"vm":    `ecs.system "f" { query = { U }, kernel = "off", each = function(e, u) while true do end end }`,
		"batch": `ecs.system "f" { query = { U }, batch = function(b) for e in ecs.entities { U } do ecs.despawn(e) end error("x") end }`,
		"when":  `ecs.system "f" { when = function(ctx) return ctx.tick % 5 == 1 end, run = function() error("x") end }`,
		"when with a kernel": `local k = ecs.kernel({ U }, function(e, u) u.n = u.n + 1 end)
ecs.system "f" { when = function(ctx) k() return ctx.tick % 5 == 1 end, run = function() error("x") end }`,
		"when with a function that the VM runs": `local k = ecs.kernel({ U }, function(e, u) u.n = u.n + 1 end, { kernel = "off" })
ecs.system "f" { on = E, when = function(ctx) k() return ctx.tick % 5 == 1 end, each = function() error("x") end }`,
		"each, when with a kernel": `local k = ecs.kernel({ U }, function(e, u) u.n = u.n + 1 end)
ecs.system "f" { query = { U }, when = function() k() return true end, each = function(e, u) while true do end end }`,
	} {
		r := newGame(t, scripting.Limits{Instructions: 30_000, LogLines: -1})
		r.write("a.lua", `local E, U = ecs.event("E", {}), ecs.component("U", { n = 1 })
`+text+`
ecs.system "feed" { phase = "render", run = function(ctx)
  if ctx.tick % 5 == 0 then ecs.emit(E) ecs.spawn(U) end
  if ctx.tick % 5 == 2 then for e in ecs.entities { U } do ecs.despawn(e) end end
end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(18)
		if h, _ := r.world.Schedule().Health("f"); h != ecs.Parked {
			t.Errorf("%s: after %d errors it is %v", kind, len(r.errors), h)
		}
	}
}
