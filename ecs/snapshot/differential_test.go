package snapshot_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestARestoredWorldGoesOnAsIfItHadNeverStopped: a world that is captured, runs on with other
// inputs, and is restored, is in each tick after that what a world is that had only the right
// inputs; so is another world into which the snapshot is restored, and so it is a second time.
func TestARestoredWorldGoesOnAsIfItHadNeverStopped(t *testing.T) {
	for _, workers := range []int{1, 4} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%d workers, seed %d", workers, seed), func(t *testing.T) {
				differential(t, workers, seed, 40, 60, 30)
			})
		}
	}
}

func differential(t *testing.T, workers int, seed uint64, before, astray, after int) {
	options := ecs.Options{Seed: seed, Workers: workers, ReuseAfter: 4}
	straight := newGame(t, options)
	straight.play(t, before)
	straight.trace = nil
	straight.play(t, after)

	g := newGame(t, options)
	g.play(t, before)
	s, err := snapshot.Capture(g.World)
	must(t, err)
	for _, round := range []string{"restored", "restored again"} {
		g.inputs = 99
		g.play(t, astray)
		g.inputs = 1
		must(t, snapshot.Restore(g.World, s))
		must(t, g.Check())
		g.trace = nil
		g.play(t, after)
		same(t, round, g.trace, straight.trace)
	}

	options.Tag, options.Seed = s.Tag(), 12345
	other := newGame(t, options)
	other.inputs = 77
	other.play(t, int(seed)*5) // what it was is gone
	other.inputs = 1
	must(t, g.Close()) // a snapshot outlives its world
	must(t, snapshot.Restore(other.World, s))
	must(t, other.Check())
	other.trace = nil
	other.play(t, after)
	same(t, "another world", other.trace, straight.trace)
}

// TestRollback: a ring goes back some ticks in each tick and makes them again, as games do that
// correct a guess; the world stays what one is that never guessed.
func TestRollback(t *testing.T) {
	for _, options := range []snapshot.RingOptions{{Ticks: 8}, {Ticks: 8, Bytes: 64 << 20}} {
		straight := newGame(t, ecs.Options{ReuseAfter: 4})
		g := newGame(t, ecs.Options{ReuseAfter: 4})
		r, err := snapshot.NewRing(g.World, options)
		must(t, err)
		must(t, r.Capture())
		straight.play(t, 60)
		for tick := range 60 {
			g.inputs = 50
			back := min(tick, 5)
			for range back { // the last ticks again, with the right inputs
				g.trace = g.trace[:len(g.trace)-1]
			}
			must(t, r.Restore(uint64(tick-back)))
			g.inputs = 1
			for range back + 1 {
				g.step(t)
				must(t, r.Capture())
			}
			g.inputs = 50 // and a guess
			g.step(t)
			must(t, r.Restore(uint64(tick+1)))
			g.trace = g.trace[:len(g.trace)-1]
		}
		same(t, "rolled back", g.trace, straight.trace)
	}
}
