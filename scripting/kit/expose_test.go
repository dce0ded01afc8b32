package kit_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// scripted is a field with a host that has the kit's functions.
type scripted struct {
	*field
	host   *scripting.Host
	faults []*scripting.Error
}

// newScripted loads a script, which has the tables ecs and host and the kit's components.
func newScripted(t testing.TB, limits scripting.Limits, text string) *scripted {
	t.Helper()
	return newScriptedWith(t, limits, text, func(*ecs.World) {})
}

// newScriptedWith is newScripted for a script that needs more of the world.
func newScriptedWith(t testing.TB, limits scripting.Limits, text string, prepare func(w *ecs.World)) *scripted {
	t.Helper()
	s := &scripted{field: newField(t)}
	prepare(s.World)
	var err error
	s.host, err = scripting.New(s.World, scripting.Options{Limits: limits, OnError: func(e *scripting.Error) { s.faults = append(s.faults, e) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.host.Close() })
	if err := s.kit.Expose(s.host.Expose); err != nil {
		t.Fatal(err)
	}
	const head = `local ecs, host = require "ecs", require "host"
local Position, Velocity, Collider = ecs.native("Position"), ecs.native("Velocity"), ecs.native("Collider")
`
	if err := s.host.Load(fstest.MapFS{"a.lua": {Data: []byte(head + text)}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// step makes a step of the host.
func (s *scripted) step(t testing.TB, dt float64) {
	t.Helper()
	if err := s.host.Step(dt); err != nil {
		t.Fatal(err)
	}
}

// TestScriptsSearch: each function, and all that it returns.
func TestScriptsSearch(t *testing.T) {
	s := newScripted(t, scripting.Limits{}, `
local at = {}
ecs.on_start(function()
  for i = 1, 5 do at[i] = ecs.spawn(Position { x = 10 * i, y = 100 }, Collider { radius = 2, layer = i % 2 + 1 }) end
end)
local function same(what, got, whole, ...)
  local want = { ... }
  assert(whole == true, what .. " is not whole")
  assert(#got == #want, what .. " has " .. #got)
  for i, e in ipairs(got) do assert(e == at[want[i]], what .. " differs at " .. i) end
end
ecs.system "search" { run = function()
  if host.count_within(0, 0, 1/0, 3) == 0 then return end -- kit.collide has not run
  local list, whole = host.within(30, 100, 10, 3)      same("within", list, whole, 3, 2, 4)
  list, whole = host.within(30, 100, 10, 1)             same("within, layer 1", list, whole, 2, 4)
  list, whole = host.within(30, 100, 10, 0)             same("within, no layer", list, whole)
  list, whole = host.within(30, 100, -1, 3)             same("within less than nothing", list, whole)
  list, whole = host.within(0/0, 100, 1, 3)             same("within nowhere", list, whole)
  list, whole = host.k_nearest(11, 100, 2, 1/0, 3)      same("k_nearest", list, whole, 1, 2)
  list, whole = host.k_nearest(11, 100, 9, 25, 3)       same("k_nearest within reach", list, whole, 1, 2, 3)
  list, whole = host.k_nearest(11, 100, -3, 1/0, 3)     same("k_nearest of less than none", list, whole)
  list, whole = host.in_box(45, 90, 20, 100, 3)         same("in_box", list, whole, 3, 4, 2)
  list, whole = host.ray_all(60, 101, 25, 101, 3)       same("ray_all", list, whole, 5, 4, 3)
  local n, all = host.count_within(30, 100, 10, 3)      assert(n == 3 and all == true)
  n, all = host.count_within(30, 100, 10, 0)            assert(n == 0 and all == true)
  local e, free = host.ray(0, 100, 100, 100, 3)         assert(e == at[1] and free == 8)
  e, free = host.ray(0, 100, 100, 100, 2)               assert(e == at[1] and free == 8)
  e, free = host.ray(0, 100, 100, 100, 1)               assert(e == at[2] and free == 18)
  e, free = host.ray(0, 0, 30, 40, 3)                   assert(e == 0 and free == 50)
  e, free = host.ray(0, 100, 100, 100, 0)               assert(e == 0 and free == 100)
  local before = host.nearest(1/0, 0, 1, 1)             assert(before == 0)
  assert(host.nearest(29, 100, 1e300, 3) == at[3] and host.nearest(29, 100, 0.5, 3) == 0)
  local ok, why = pcall(host.k_nearest, 0, 0, 1.5, 1, 1)
  assert(not ok and why:find("argument 3", 1, true), why)
end }`)
	s.step(t, 0)
	s.step(t, 0) // kit.collide runs after the script
	if n := s.host.Usage()[0].Calls; n != 3 {
		t.Errorf("%d calls, want on_start and two of the system", n)
	}
	if len(s.faults) > 0 {
		t.Error(s.faults[0])
	}
}

// TestScriptsPayForSearches: in a crowd a script reaches its limit, which has a name, and what
// it may do before does not depend on the machine.
func TestScriptsPayForSearches(t *testing.T) {
	for _, search := range []string{
		"host.within(0, 0, 5, 1)", "host.count_within(0, 0, 5, 1)", "host.k_nearest(0, 0, 100000, 5, 1)",
		"host.in_box(-1, -1, 1, 1, 1)", "host.ray(0, 0, 1, 1, 1)", "host.ray_all(0, 0, 1, 1, 1)",
	} {
		var made [2]uint64
		for i := range made {
			s := newScripted(t, scripting.Limits{Instructions: 2_000_000}, `
local Count = ecs.state("count", { n = 0 })
ecs.system "search" { run = function() while true do Count.n = Count.n + 1 `+search+` end end }`)
			for range 20_000 {
				s.Spawn(s.position.With(kit.Position{}), s.collider.With(kit.Collider{Radius: 1, Layer: 1}))
			}
			s.step(t, 0) // the script searches in vain, and is cut as well
			s.step(t, 0)
			for _, e := range s.faults {
				if !errors.Is(e, scripting.ErrLimit) || e.Limit != "Instructions" {
					t.Fatalf("%s: %v", search, e)
				}
			}
			if len(s.faults) == 0 {
				t.Fatalf("%s goes on for ever", search)
			}
			made[i] = s.kit.Index().Cut()
		}
		if made[0] != made[1] {
			t.Errorf("%s: %d searches were cut in one run and %d in another", search, made[0], made[1])
		}
	}
}

// TestScriptsSeeNoDead: what has died since kit.collide has run is in no list.
func TestScriptsSeeNoDead(t *testing.T) {
	s := newScripted(t, scripting.Limits{}, `
ecs.system "search" { run = function()
  for _, e in ipairs(host.within(0, 0, 1000, 1)) do assert(ecs.alive(e)) ecs.get(e, Position) end
end }`)
	r := rand.New(rand.NewPCG(1, 1))
	var all []ecs.Entity
	for range 500 {
		all = append(all, s.Spawn(s.position.With(kit.Position{X: r.Float64()}), s.collider.With(kit.Collider{Layer: 1})))
	}
	for range 20 {
		s.step(t, 0)
		for range 10 {
			if err := s.Despawn(all[0]); err != nil {
				t.Fatal(err)
			}
			all = all[1:]
		}
	}
	if len(s.faults) > 0 {
		t.Error(s.faults[0])
	}
}

// TestSearchesBelongToSystems: the top level of a script has no tick.
func TestSearchesBelongToSystems(t *testing.T) {
	f := newField(t)
	host, err := scripting.New(f.World, scripting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := f.kit.Expose(host.Expose); err != nil {
		t.Fatal(err)
	}
	err = host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local n = #require("host").within(0, 0, 1, 1)`)}})
	if err == nil || !strings.Contains(err.Error(), "the host gives it to systems, handlers and callbacks") {
		t.Errorf("the top level has searched: %v", err)
	}
	if err := f.kit.Expose(host.Expose); err == nil {
		t.Error("the names were exposed twice")
	}
}

// TestEachHostPaysForItsSearches, also after the functions were exposed once more.
func TestEachHostPaysForItsSearches(t *testing.T) {
	s := newScripted(t, scripting.Limits{Instructions: 50_000}, `
ecs.system "search" { run = function(ctx) if ctx.tick > 1 then for i = 1, 100 do host.count_within(5, 5, 1, 1) end end end }`)
	for range 2000 {
		s.Spawn(s.position.With(kit.Position{X: 5, Y: 5}), s.collider.With(kit.Collider{Layer: 1}))
	}
	if err := s.kit.Expose(func(string, any) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s.step(t, 0.1)
	s.step(t, 0.1)
	if len(s.faults) != 1 || s.faults[0].Limit != "Instructions" {
		t.Errorf("a script has searched for nothing: %v", s.faults)
	}
}

// TestEachHostPaysForItsOwnSearches: two hosts in one world with one kit.
func TestEachHostPaysForItsOwnSearches(t *testing.T) {
	f := newField(t)
	for range 20_000 {
		f.Spawn(f.position.With(kit.Position{}), f.collider.With(kit.Collider{Radius: 1, Layer: 1}))
	}
	f.step(t, 0)
	var hosts [2]*scripting.Host
	for i := range hosts {
		host, err := scripting.New(f.World, scripting.Options{Limits: scripting.Limits{Instructions: 100_000}, OnError: func(*scripting.Error) {}})
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close()
		if err := f.kit.Expose(host.Expose); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(`require("ecs").system "search%" { run = function() for i = 1, 20 do require("host").count_within(0, 0, 5, 1) end end }`, "%", []string{"A", "B"}[i])
		if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
		hosts[i] = host
	}
	for i, host := range hosts {
		if err := host.Step(0); err != nil && !errors.Is(err, scripting.ErrLimit) {
			t.Fatal(err)
		}
		usage := host.Usage()[0]
		if usage.Instructions < 100_000 {
			t.Errorf("host %d has searched among 20,000 for %d instructions", i, usage.Instructions)
		}
	}
}
