package scripting_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestGoexitInAFunctionOfTheHost ends the goroutine that steps, and nothing else: the next
// step of another goroutine goes on as if the call had failed.
func TestGoexitInAFunctionOfTheHost(t *testing.T) {
	const before = "p.x = p.x + 1 kept.n = (kept.n or 0) + 1 ecs.spawn(V) "
	for place, text := range map[string]string{
		"run":       `ecs.system "s" { run = function() kept.n = (kept.n or 0) + 1 ecs.spawn(V) gone() end }`,
		"each":      `ecs.system "s" { query = { P }, each = function(e, p) ` + before + `gone() end }`,
		"batch":     `ecs.system "s" { query = { P }, batch = function(b) local x = b:write(P, "x") x[1] = x[1] + 1 ecs.spawn(V) gone() end }`,
		"event":     `local E = ecs.event("E", { n = ecs.u8() }) ecs.on_start(function() ecs.emit(E {}) end) ecs.system "s" { on = E, each = function() ecs.spawn(V) gone() end }`,
		"coroutine": `ecs.system "s" { run = function() local co = coroutine.wrap(function() ecs.spawn(V) gone() end) co() end }`,
		"pcall":     `ecs.system "s" { run = function() pcall(function() ecs.spawn(V) gone() end) end }`,
		"sort":      `ecs.system "s" { run = function() table.sort({ 2, 1 }, function(a, b) ecs.spawn(V) gone() return a < b end) end }`,
		"timer":     `ecs.handler("h", function() ecs.spawn(V) gone() end) ecs.on_start(function() ecs.every(0.01, "h") end)`,
		"on_start":  `ecs.on_start(function() ecs.spawn(V) gone() end)`,
		"observer":  `ecs.on_add(V, function() gone() end) ecs.system "s" { run = function() if not kept.v then kept.v = true ecs.spawn(V) end end }`,
		"callback":  `ecs.system "s" { run = function() host.call(function() ecs.spawn(V) gone() end) end }`,
	} {
		for form, fn := range map[string]func(on *bool) any{
			"fast":      func(on *bool) any { return func() { leave(on) } },
			"reflected": func(on *bool) any { return func(...map[string]int) { leave(on) } },
		} {
			t.Run(place+" "+form, func(t *testing.T) {
				r, on := newGame(t, scripting.Limits{}), true
				for name, value := range map[string]any{"gone": fn(&on), "call": func(f func()) { f() }} {
					if err := r.host.Expose(name, value); err != nil {
						t.Fatal(err)
					}
				}
				r.write("a.lua", `local host, kept = require "host", ecs.state("kept", {}) local gone = host.gone `+text+`
ecs.system "zz.other" { phase = "debug", run = function() ecs.log("other") end }`)
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				position := ecs.Register[Position](r.world)
				e := r.world.Spawn(position.With(Position{X: 1}))
				again := 2
				if place == "timer" || place == "on_start" { // begins, and begins no more
					again = 1
				}
				for range again {
					gone(t, func() error { return r.host.Step(0.1) })
					if r.host.Running() != nil {
						t.Error("the call still runs")
					}
				}
				if p, _ := position.Get(e); p.X != 1 || place != "observer" && r.world.Len() != 1 {
					t.Errorf("not undone: x is %v, %d entities", p.X, r.world.Len())
				}
				if err := r.world.Check(); err != nil {
					t.Error(err)
				}
				on = false
				r.run(2)
				if got := strings.Count(r.logged(), "other"); got != 2 {
					t.Errorf("the other system ran %d times", got)
				}
			})
		}
	}
}

// TestGoexitWhileFilesAreSwapped: the set is refused as a whole, or in force as a whole.
func TestGoexitWhileFilesAreSwapped(t *testing.T) {
	const old = `local host = require "host" ecs.system "s" { run = function() ecs.log("old") end } `
	const new = `local host = require "host" local H = ecs.component("H", { n = ecs.u8(1) }) ecs.system "s" { run = function() ecs.log("new") end } `
	const other = ` ecs.on_start(function() ecs.log("starts") end) ecs.on_reload(function() ecs.log("reloaded") end)`
	for name, c := range map[string]struct{ old, new, want string }{
		"top level": {old, new + `host.gone()`, "old old"},
		"on_unload": {old + `ecs.on_unload(function() host.gone() end)`, new, "old old"},
		"on_reload": {old, new + `ecs.on_reload(function() host.gone() end)`, "starts new new"},
		"migrate":   {old + `local H = ecs.component("H", { m = ecs.u8(1) }) ecs.on_start(function() ecs.spawn(H) end)`, old + `local H = ecs.component("H", { n = ecs.u8(1) }, { migrate = function(old) host.gone() return { n = 1 } end })`, "old old"},
	} {
		t.Run(name, func(t *testing.T) {
			r, on := newGame(t, scripting.Limits{}), true
			if err := r.host.Expose("gone", func() { leave(&on) }); err != nil {
				t.Fatal(err)
			}
			r.write("a.lua", c.old)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.run(1)
			r.logged()
			r.save("a.lua", c.new, "b.lua", other)
			gone(t, func() error { return r.host.Step(0.1) })
			if err := r.world.Check(); err != nil {
				t.Error(err)
			}
			on = false
			r.run(2)
			if got := r.logged(); got != c.want {
				t.Errorf("logged %q, want %q", got, c.want)
			}
			r.save("c.lua", "")
			r.accepted() // with what was given up, if it was
			if got := r.logged(); !strings.Contains(got, "new") && name != "migrate" {
				t.Errorf("logged %q after the next save", got)
			}
		})
	}
	r, on := newGame(t, scripting.Limits{}), true
	if err := r.host.Expose("gone", func() { leave(&on) }); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", new+`host.gone()`)
	gone(t, func() error { return r.host.Load(r.folder) })
	on = false
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog("new")
}

// gone demands that a function ends the goroutine that runs it.
func gone(t *testing.T, run func() error) {
	t.Helper()
	returned := make(chan error, 1)
	go func() {
		defer close(returned)
		returned <- run()
	}()
	if err, ok := <-returned; ok {
		t.Errorf("it returned %v", err)
	}
}

func leave(on *bool) {
	if *on {
		runtime.Goexit()
	}
}
