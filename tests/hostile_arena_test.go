package tests_test

import (
	"io"
	"log/slog"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// arena is a host with healthy systems and room for a hostile one.
type arena struct {
	*testing.T
	world    *ecs.World
	host     *scripting.Host
	files    fstest.MapFS
	faults   []*scripting.Error
	reloads  []scripting.Reload
	ticks    int
	inGo     int
	inLua    int
	routines int
}

// healthy counts its ticks in a system, moves entities in a kernel and in a batch,
// and uses what a hostile script may try to take away.
const healthy = `
local ecs = require "ecs"
local host = require "host"
local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local M = { limit = 100 }

ecs.system "healthy.count" {
  run = function()
    local parts = {}
    for i, word in ipairs { "a", "b" } do table.insert(parts, tostring(word):upper() .. math.floor(i + 0.5)) end
    local co = coroutine.wrap(function() coroutine.yield(table.concat(parts)) end)
    assert(co() == "A1B2" and string.format("%d", 7) == "7", "somebody has changed the library")
    assert(ecs.count { Position, Velocity } == 100, "somebody has changed the world")
    host.beat()
  end,
}

ecs.system "healthy.kernel" {
  query = { Position, Velocity },
  each = function(_, position, velocity)
    position.y = position.y + velocity.y
  end,
}

ecs.system "healthy.batch" {
  query = { Position, Velocity },
  batch = function(b)
    local x, vx = b:write(Position, "x"), b:read(Velocity, "x")
    for i = 1, b.n do x[i] = x[i] + vx[i] end
  end,
}

return M
`

func newArena(t *testing.T, limits scripting.Limits) *arena {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxEntities: 20_000, MaxBytes: 64 << 20, Breaker: ecs.Breaker{Failures: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	a := &arena{T: t, world: w, files: fstest.MapFS{"healthy.lua": {Data: []byte(healthy)}}}
	position, velocity := ecs.Register[kit.Position](w), ecs.Register[kit.Velocity](w)
	for range 100 {
		w.Spawn(position.With(kit.Position{}), velocity.With(kit.Velocity{X: 1, Y: 2}))
	}
	err = w.Schedule().Add(ecs.System{Name: "go.count", Phase: ecs.Debug, Run: func(*ecs.Tick) error { a.inGo++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	a.host, err = scripting.New(w, scripting.Options{
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnError:  func(e *scripting.Error) { a.faults = append(a.faults, e) },
		OnReload: func(r scripting.Reload) { a.reloads = append(a.reloads, r) },
		Limits:   limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.host.Close() })
	for name, value := range map[string]any{
		"beat": func() { a.inLua++ }, "object": newExposed(), "panic": func() { panic("the host fell over") },
		"call": func(f func()) { f() }, "add": func(a, b int) int { return a + b },
	} {
		if err := a.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.host.Load(a.files); err != nil {
		t.Fatal(err)
	}
	a.routines = runtime.NumGoroutine()
	return a
}

// exposed is what a host may hand out: some of it is the script's to use.
type exposed struct {
	Name   string
	Inner  *exposed
	Lines  chan int
	secret string
}

func newExposed() *exposed {
	return &exposed{Name: "object", Inner: &exposed{Name: "inner"}, Lines: make(chan int), secret: "secret"}
}

// Twice is a method that scripts may call.
func (e *exposed) Twice(n int) int { return 2 * n }

// hidden is one that they may not.
func (e *exposed) hidden() string { return e.secret }

var _ = (*exposed).hidden // nobody calls it
