package kit_test

import (
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// searching is a game whose state follows from what searches find: from timers, before and after
// kit.collide, and while things move, come and go after it.
const searching = `
local S = ecs.state("s", { n = 0 })
local function note(...) for _, v in ipairs { ... } do S.n = (S.n * 31 + v) % 1000003 end end
local function look(at)
  note(host.nearest(at, at, 90, 3), (host.count_within(at, 50, 40, 1)), #host.within(at, at, 60, 3), (host.ray(0, at, 200, 100, 3)))
  for _, e in ipairs((host.k_nearest(60, at, 5, 1/0, 3))) do note(e) end
  for _, e in ipairs((host.in_box(20, 20, 90, at, 3))) do note(e) end
end
ecs.on_start(function()
  ecs.resource("Collisions").work = 600
  for i = 1, 70 do
    ecs.spawn(Position { x = math.random(200), y = math.random(100) }, Velocity { x = math.random(90) - 45, y = math.random(90) }, Collider { radius = 4, layer = i % 2 + 1, mask = i % 3 })
  end
  ecs.every(0.15, "ask", {})
end)
ecs.handler("ask", function() look(S.n % 100) end)
ecs.system "early" { phase = "input", run = function(ctx) look(10 + ctx.tick % 50) end }
ecs.system "each" { query = { Position }, each = function(e, p) if host.nearest(p.x, p.y, 5, 1) == e then p.x = p.x + 0.5 end end }
ecs.system "late" { phase = "animation", run = function(ctx)
  look(100 - ctx.tick % 50)
  for e in ecs.entities { Position } do
    if math.random(9) == 1 then
      ecs.despawn(e)
      ecs.spawn(Position { x = math.random(200), y = math.random(100) }, Velocity { x = 20 }, Collider { radius = 3, layer = 1, mask = 2 })
    end
  end
end }
`

// TestSearchesGoOnAfterARestore: what searches find follows from the world alone, so a game that goes
// back, and one that goes on in another process, find what the game finds that never stopped.
func TestSearchesGoOnAfterARestore(t *testing.T) {
	const before, after = 13, 12
	play := func(s *scripted, ticks int) (sums []uint64) {
		for range ticks {
			s.step(t, 0.05)
			sums = append(sums, s.Checksum())
			x, err := s.host.Capture() // changes nothing
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, hash(x.Scripts().Encode()))
		}
		return sums
	}
	restore := func(s *scripted, x *scripting.Snapshot) {
		t.Helper()
		if found, err := s.host.Restore(x); err != nil || len(found.Notes) > 0 {
			t.Fatal(found, err)
		}
	}
	for _, limits := range []scripting.Limits{{}, {Instructions: 20_000}} {
		straight := newScripted(t, limits, searching)
		for range before {
			straight.step(t, 0.05) // without captures
		}
		want := play(straight, after)

		g := newScripted(t, limits, searching)
		play(g, before)
		x, err := g.host.Capture()
		if err != nil {
			t.Fatal(err)
		}
		if got := play(g, after); !slices.Equal(got, want) {
			t.Errorf("captured: tick %d differs", firstOther(got, want)/2)
		}
		restore(g, x)
		if got := play(g, after); !slices.Equal(got, want) {
			t.Errorf("gone back: tick %d differs", firstOther(got, want)/2)
		}
		other := newScripted(t, limits, searching)
		other.step(t, 0.05)
		restore(other, x)
		if got := play(other, after); !slices.Equal(got, want) {
			t.Errorf("loaded: tick %d differs", firstOther(got, want)/2)
		}
	}
}

// TestSearchesBetweenTwoTicks: they see the world as it is, restored or not.
func TestSearchesBetweenTwoTicks(t *testing.T) {
	s := newScripted(t, scripting.Limits{}, `ecs.on_start(function() ecs.spawn(Position { x = 10, y = 10 }, Velocity { x = 100 }, Collider { radius = 1, layer = 1 }) end)
ecs.system "late" { phase = "animation", query = { Position }, each = function(e, p) p.y = 20 end }`)
	s.step(t, 0.1)
	x, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	at := func(px, py float64) bool { return s.kit.Nearest(px, py, 1, 1) != 0 }
	if at(20, 10) || !at(20, 20) {
		t.Error("the search knows the place of kit.collide, not that of the end of the tick")
	}
	s.step(t, 0.1)
	if !at(30, 20) || at(20, 20) {
		t.Error("the search knows an old place")
	}
	if err := snapshot.Restore(s.World, x); err != nil {
		t.Fatal(err)
	}
	if at(30, 20) || !at(20, 20) {
		t.Error("after a restore the search knows what has not happened")
	}
}

// firstOther returns where two lists differ first.
func firstOther(a, b []uint64) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// hash is FNV-1a.
func hash(data []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range data {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// TestTopsAfterARestore: kit.transform remembers the tops of its trees. After a restore they are those of another world, also
// where as many came as went.
func TestTopsAfterARestore(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	if _, err := kit.Install(w, kit.Options{}); err != nil {
		t.Fatal(err)
	}
	position, local, global := ecs.Register[kit.Position](w), ecs.Register[kit.Transform](w), ecs.Register[kit.GlobalTransform](w)
	spawn := func() ecs.Entity { return w.Spawn(position.With(kit.Position{}), local.With(kit.Transform{Scale: 1})) }
	step := func() {
		if err := w.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
	first := spawn()
	step()
	step()
	then, err := snapshot.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Despawn(first); err != nil {
		t.Fatal(err)
	}
	spawn()
	step()
	step()
	if err := snapshot.Restore(w, then); err != nil {
		t.Fatal(err)
	}
	position.Edit(first).X = 7
	step()
	if at, _ := global.Get(first); at.X != 7 {
		t.Errorf("the top is at %v", at.X)
	}
}
