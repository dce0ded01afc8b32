package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"pgregory.net/rapid"
)

// attempts are what a call may have done before it fails: every way to change
// something.
func attempts() []string {
	return []string{
		`ecs.spawn(M { i8 = 1 }, X, A)`,
		`ecs.spawn_many(5, G, function(i) return M { u8 = i } end)`,
		`ecs.despawn(e)`,
		`ecs.despawn_all { M, without = { A } }`,
		`ecs.add(e, X { a = 9 }, A)`,
		`ecs.remove(e, X, B)`,
		`ecs.set(e, M { f32 = 77 })`,
		`ecs.set(e, L { name = "changed", n = 4 })`,
		`ecs.set_parent(e, ecs.spawn(M))`,
		`ecs.emit(E { n = 5 })`,
		`ecs.after(0, "timer", 1)`,
		`ecs.every(0.5, "timer", 1)`,
		`ecs.cancel(1)`,
		`rules.points = rules.points + 5`,
		`rules.title = "changed"`,
		`ecs.enable("bystander", false)`,
		`for ev in ecs.events(E) do end`,
		`ecs.random()`,
	}
}

// TestFailedCallLeavesNoTrace lets a system, of any kind, fail after it has done
// some of all that at a random row.
func TestFailedCallLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := drawWorld(t)
		var doing strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "attempts") {
			fmt.Fprintln(&doing, rapid.SampledFrom(attempts()).Draw(t, "attempt"))
		}
		row := rapid.IntRange(1, len(world.rows)).Draw(t, "row")
		fail := rapid.SampledFrom([]string{
			`error("planned")`, `local planned = nil; planned.x = 1`, `while true do local planned = 1 end`,
			`m.u8 = -1 -- planned`, `pcall(error, "caught") error({ message = "planned" })`,
		}).Draw(t, "fail")
		kind := rapid.SampledFrom([]string{"each", "rows", "batch", "run", "event", "observer", "timer", "start"}).Draw(t, "kind")
		text := failing(kind, doing.String(), row, fail)
		w, h, folder, faults := world.openFolder(t, text)
		defer w.Close()
		defer h.Close()
		// The first tick prepares, the second fails; a start fails in the first.
		if kind != "start" {
			_ = h.Step(1)
		}
		for _, e := range *faults {
			t.Fatalf("%s\n%s", e.Detail(), text)
		}
		before, entities, points := w.Checksum(), w.Len(), *rules(w)
		_ = h.Step(1)
		if len(*faults) != 1 {
			t.Fatalf("%d faults, want 1: %v\n%s", len(*faults), *faults, text)
		}
		if (kind == "each" || kind == "rows") && !strings.Contains(fail, "while") {
			before = world.withoutRow(t, kind, row)
		}
		unmark(w)
		if w.Checksum() != before || w.Len() != entities || *rules(w) != points {
			t.Fatalf("a failed %s left something behind: %d entities, were %d; %+v, was %+v\n%s", kind, w.Len(), entities, *rules(w), points, text)
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		// Neither an event nor a timer of the failed call arrives later.
		*faults = nil
		folder["a.lua"].Data = []byte(prelude + aftermath)
		h.Stage([]string{"a.lua"}, nil)
		for range 3 {
			_ = h.Step(1)
		}
		for _, e := range *faults {
			t.Fatalf("after the fix: %s\n%s", e.Detail(), text)
		}
	})
}

// withoutRow returns the checksum of a world in which the system has worked for
// all rows but one, and nothing has failed: in each functions only the row that
// fails is undone.
func (rw randomWorld) withoutRow(t *rapid.T, kind string, row int) uint64 {
	text := failing(kind, "", row, "")
	text = strings.Replace(text, "m.f64 = m.f64 + 1 v.x = 5 count = count + 1",
		fmt.Sprintf("count = count + 1 if count ~= %d then m.f64 = m.f64 + 1 v.x = 5 end", row), 1)
	w, h, faults := rw.open(t, text)
	defer w.Close()
	defer h.Close()
	_ = h.Step(1)
	_ = h.Step(1)
	if len(*faults) != 0 {
		t.Fatalf("%v\n%s", *faults, text)
	}
	return w.Checksum()
}

// unmark removes what tells of failures.
func unmark(w *ecs.World) {
	marks := ecs.Register[bindings.ScriptError](w, ecs.Named("ScriptError"))
	var marked []ecs.Entity
	for c := range w.Query(ecs.Read(marks)).Chunks() {
		marked = append(marked, c.Entities()...)
	}
	for _, e := range marked {
		_ = marks.Remove(e)
	}
}

// common is what failing and its aftermath declare alike.
const common = `
local E, L = ecs.event("E", { n = 0 }), ecs.native("Label")
local G = ecs.prefab("G", { M, A, children = { { X } } })
local rules = ecs.resource("Rules")
`

// aftermath declares the same, and complains about anything that was sent.
const aftermath = common + `
ecs.system "listener" { on = E, each = function(ev) assert(ev.n == 1, "an event of a failed call") end }
ecs.handler("timer", function(d) assert(d == nil, "a timer of a failed call") end)
ecs.handler("planned", function() end)
ecs.system "bystander" { run = function() end }
`

// failing makes a script with a system of a kind that works at a row, then fails.
func failing(kind, doing string, row int, fail string) string {
	work := fmt.Sprintf("count = count + 1 if count == %d then\n%s\n%s\nend", row, doing, fail)
	text := common + `
local count = 0
ecs.system "listener" { on = E, each = function(ev) assert(ev.n == 1, "an event of a failed call") end }
ecs.handler("timer", function(d) assert(d == nil, "a timer of a failed call") end)
ecs.system "bystander" { run = function() end }
ecs.on_start(function() ecs.every(1e6, "timer") ecs.emit(E { n = 1 }) end)
`
	when := "when = function(ctx) count = 0 return ctx.tick == 2 end, "
	switch kind {
	case "each":
		text += "ecs.system 's' { " + when + "query = { M, V }, each = function(e, m, v) m.f64 = m.f64 + 1 v.x = 5 " + work + " end }"
	case "rows":
		text += "local function whole() end ecs.system 's' { " + when + "query = { M, V }, each = function(e, m, v) whole(m, v) m.f64 = m.f64 + 1 v.x = 5 " + work + " end }"
	case "batch":
		text += "ecs.system 's' { " + when + `query = { M, V }, batch = function(b)
  b:col(M, "f64"):add(1) b:col(M, "i8"):fill(3)
  local m, x = { u8 = 0 }, b:write(V, "x")
  local u = b:write(M, "u8")
  for i = 1, b.n do
    local e = b.entities[i]
    x[i] = 5
` + strings.ReplaceAll(work, "m.u8", "u[i]") + `
  end
end }`
	case "run":
		text += "ecs.system 's' { " + when + "run = function() for e in ecs.entities { M } do " + alone(work) + " end end }"
	case "event":
		text += `local S = ecs.event("S", {}) ecs.system "send" { run = function(ctx) if ctx.tick == 1 then ecs.emit(S) end end }
ecs.system "a.s" { on = S, each = function() for e in ecs.entities { M } do ` + alone(work) + " end end }"
	case "observer":
		text += `local C, c = ecs.component("C", { n = 1 })
ecs.on_set(C, function(e) for e in ecs.entities { M } do ` + alone(work) + ` end end)
ecs.system "a.trigger" { run = function(ctx) if ctx.tick == 1 then c = ecs.spawn(C) else ecs.set(c, C { n = 1 }) end end }`
	case "timer":
		text += `ecs.handler("planned", function() for e in ecs.entities { M } do ` + alone(work) + ` end end)
ecs.on_start(function() ecs.after(2, "planned") end)`
	case "start":
		text += `ecs.on_start(function() for e in ecs.entities { M } do ` + alone(work) + ` end end)`
	}
	return text
}

// alone replaces what only rows can do.
func alone(work string) string { return strings.ReplaceAll(work, "m.u8 = -1", "M { u8 = -1 }") }
