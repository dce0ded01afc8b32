package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

func newRing(t testing.TB, h *scripting.Host, options snapshot.RingOptions) *scripting.Ring {
	t.Helper()
	r, err := scripting.NewRing(h, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRollbacksAreNoTurns: random games that go back at random, to ticks that are kept and to ticks
// that were thinned out, are the games that never went back.
func TestRollbacksAreNoTurns(t *testing.T) {
	seed := *keptSeed
	if seed == 0 {
		seed = rand.Uint64() >> 1
	}
	games := max(*keptGames/2, 4)
	if testing.Short() {
		games = min(games, 4)
	}
	t.Logf("-kept.seed=%d", seed)
	for i := range games {
		rolledBack(t, seed+uint64(i), []int{1, 4}[i%2], i%4 < 2)
	}
}

func rolledBack(t *testing.T, seed uint64, workers int, noKernels bool) {
	const ticks = 60
	r := rand.New(rand.NewPCG(seed, 8))
	text := keptText(seed) + "\n" + onError
	what := fmt.Sprintf("-kept.seed=%d -kept.games=2, %d workers, kernels %v\n%s\n", seed, workers, !noKernels, text)
	straight := newKeptGame(t, text, seed, workers, noKernels)
	straight.play(ticks)
	g := newKeptGame(t, text, seed, workers, noKernels)
	ring := newRing(t, g.host, snapshot.RingOptions{Ticks: 25, Bytes: []int64{0, 900 << 10}[r.IntN(2)]})
	for rollbacks := 0; len(g.trace) < ticks; {
		g.play(1)
		if err := ring.Capture(); err != nil {
			t.Fatal(what, err)
		}
		if rollbacks == 12 || r.IntN(4) > 0 {
			continue
		}
		rollbacks++
		oldest := slices.Collect(ring.Ticks())[0]
		to, ok := ring.Before(oldest + r.Uint64N(uint64(len(g.trace))-oldest+1))
		if !ok {
			t.Fatal(what, "nothing is kept")
		}
		if found, err := ring.Restore(to); err != nil || len(found.Notes) > 0 {
			t.Fatal(what, found, err)
		}
		if err := g.world.Check(); err != nil {
			t.Fatal(what, err)
		}
		g.trace = g.trace[:to]
	}
	sameTrace(t, what, g.trace, straight.trace)
}

// TestRingOfScripts keeps the last ticks, within its bytes, and says what it does not keep.
func TestRingOfScripts(t *testing.T) {
	g := loaded(t, "a.lua", `local S = ecs.state("s", { n = 0, all = {} })
ecs.system "count" { run = function() S.n = S.n + 1 S.all[S.n] = ("x"):rep(1000) .. S.n end }`)
	n := func() string { return fmt.Sprint(g.host.World().Time()) }
	ring := newRing(t, g.host, snapshot.RingOptions{Ticks: 5})
	for range 9 {
		g.step(1)
		if err := ring.Capture(); err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Collect(ring.Ticks()); !slices.Equal(got, []uint64{5, 6, 7, 8, 9}) || ring.Len() != 5 {
		t.Errorf("kept %v", got)
	}
	before, bytes := n(), ring.Bytes()
	if _, err := ring.Restore(3); !errors.Is(err, snapshot.ErrNotKept) || n() != before || ring.Len() != 5 {
		t.Errorf("%v, %s, %d kept", err, n(), ring.Len())
	}
	if _, err := ring.Restore(7); err != nil || ring.Len() != 3 {
		t.Errorf("%v, %d kept", err, ring.Len())
	}
	if at, ok := ring.Before(100); at != 7 || !ok {
		t.Errorf("before 100 is %d, %v", at, ok)
	}

	bytes *= 2
	small := newRing(t, g.host, snapshot.RingOptions{Ticks: 300, Bytes: bytes})
	for range 30 {
		g.step(1)
		if err := small.Capture(); err != nil {
			t.Fatal(err)
		}
		if small.Bytes() > bytes {
			t.Fatalf("%d bytes, it may have %d", small.Bytes(), bytes)
		}
	}
	if small.Len() < 2 || small.Len() >= 30 {
		t.Errorf("%d of 30 ticks are kept in %d bytes", small.Len(), bytes)
	}
	ring.Clear()
	if ring.Len() != 0 || ring.Bytes() != 0 {
		t.Errorf("%d kept in %d bytes", ring.Len(), ring.Bytes())
	}
	tiny := newRing(t, g.host, snapshot.RingOptions{Bytes: 100})
	if err := tiny.Capture(); !errors.Is(err, ecs.ErrRange) || tiny.Len() != 0 {
		t.Errorf("%v, %d kept", err, tiny.Len())
	}
}

// TestRingSharesStates: a state table that no script writes is kept once, and is what it was in each
// tick.
func TestRingSharesStates(t *testing.T) {
	g := loaded(t, "a.lua", `local S = ecs.state("s", { n = 0, all = {} })
ecs.on_start(function() for i = 1, 1000 do S.all[i] = i end end)
ecs.system "count" { run = function(ctx) if ctx.tick % 10 == 0 then S.n = ctx.tick S.all[5] = ctx.tick end end }`)
	ring := newRing(t, g.host, snapshot.RingOptions{Ticks: 100})
	var want []string
	for range 40 {
		g.step(1)
		if err := ring.Capture(); err != nil {
			t.Fatal(err)
		}
		want = append(want, string(g.captured().Scripts().Encode()))
	}
	if one := int64(1000 * 16); ring.Bytes() > 20*one {
		t.Errorf("40 ticks with 4 different states take %d bytes", ring.Bytes())
	}
	for tick := len(want); tick > 0; tick -= 7 {
		if _, err := ring.Restore(uint64(tick)); err != nil {
			t.Fatal(err)
		}
		if got := string(g.captured().Scripts().Encode()); got != want[tick-1] {
			t.Fatalf("tick %d\n%s\nwant\n%s", tick, got, want[tick-1])
		}
	}
}

// TestRingAllocatesNothing once it is full.
func TestRingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	g := loaded(t, "a.lua", `local S = ecs.state("s", { n = 0 })
ecs.on_start(function() for i = 1, 500 do ecs.spawn(P { x = i }) end end)
ecs.system "move" { query = { P }, each = function(e, p) p.x = p.x + 1 end }
ecs.system "count" { run = function() S.n = S.n + 1 end }`)
	ring := newRing(t, g.host, snapshot.RingOptions{Ticks: 8})
	capture := func() {
		if err := ring.Capture(); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 {
		g.step(1)
		capture()
	}
	var before, after runtime.MemStats
	total := uint64(0)
	for range 20 {
		g.step(1)
		runtime.ReadMemStats(&before)
		capture()
		runtime.ReadMemStats(&after)
		total += after.Mallocs - before.Mallocs
	}
	if total > 5 { // of others in the process
		t.Errorf("%d allocations in 20 ticks", total)
	}
}
