package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// watched samples a world of made-up counts for some seconds.
func watched(g *growth, from, seconds int, counts func(second int) ecs.Stats) *ecs.Stats {
	var s ecs.Stats
	for at := from; at < from+seconds; at++ {
		s = counts(at)
		if g.due(float64(at)) {
			g.sample(float64(at), &s)
		}
	}
	return &s
}

// one is a world with one archetype.
func one(n int) ecs.Stats {
	return ecs.Stats{Entities: n, EntityLimit: 1 << 20, Archetypes: []ecs.ArchetypeStats{{Components: []string{"Position", "Bullet"}, Entities: n}}}
}

// TestWhatLeaksIsNamed: after a minute, and by how much; what comes back, what stays and what has grown for less
// than a minute is not.
func TestWhatLeaksIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		seconds int
		counts  func(second int) int
		grown   bool
	}{
		"it leaks":                  {70, func(s int) int { return 100 + 3*s }, true},
		"it leaks below a battle":   {90, func(s int) int { return 2*s + s%7*50 }, true},
		"for less than a minute":    {60, func(s int) int { return 100 + 3*s }, false},
		"a battle":                  {90, func(s int) int { return 100 + s%9*1000 }, false},
		"it stays":                  {90, func(int) int { return 100_000 }, false},
		"it has grown, and stopped": {90, func(s int) int { return min(s, 50) * 9 }, false},
		"it becomes fewer":          {90, func(s int) int { return 1000 - s }, false},
		"a few":                     {90, func(s int) int { return s / 10 }, false},
	} {
		var g growth
		s := watched(&g, 0, c.seconds, func(second int) ecs.Stats { return one(c.counts(second)) })
		counts, grown := g.history(setKey([]string{"Position", "Bullet"}, false))
		if len(counts) != min(c.seconds, growthSamples) || counts[len(counts)-1] != c.counts(c.seconds-1) {
			t.Errorf("%s: %v", name, counts)
		}
		leaks := g.leaks(s)
		if (grown > 0) != c.grown || (len(leaks) > 0) != c.grown || c.grown && !strings.Contains(leaks[0], fmt.Sprintf("Position, Bullet have become more for 60 s, by %d", grown)) {
			t.Errorf("%s: by %d: %q", name, grown, leaks)
		}
		if want := len(s.Warnings()) + len(leaks); g.warnings != want {
			t.Errorf("%s: %d warnings, want %d", name, g.warnings, want)
		}
	}
}

// TestGrowthOfARewoundGame: samples of a future that was given up go, and the next ones follow.
func TestGrowthOfARewoundGame(t *testing.T) {
	var g growth
	watched(&g, 0, 80, func(s int) ecs.Stats { return one(s) })
	if g.due(79.5) || !g.due(80) {
		t.Error("a sample is due once a second")
	}
	watched(&g, 30, 5, func(s int) ecs.Stats { return one(1000 + s) })
	counts, grown := g.history(setKey([]string{"Position", "Bullet"}, false))
	if len(counts) != 35 || len(g.times) != 35 || counts[30] != 30 || counts[31] != 1031 || grown != 0 {
		t.Errorf("%v, %d", counts, grown)
	}
	watched(&g, -5, 1, func(int) ecs.Stats { return one(1) })
	if counts, _ := g.history(setKey([]string{"Position", "Bullet"}, false)); len(counts) != 1 || counts[0] != 1 {
		t.Error(counts)
	}
}

// TestSetsThatAreWatched: a number that is bounded; those that are gone for long are forgotten; two archetypes of the
// same columns are one set, pools are sets of their own.
func TestSetsThatAreWatched(t *testing.T) {
	var g growth
	many := func(int) (s ecs.Stats) {
		for n := range 1000 {
			s.Archetypes = append(s.Archetypes, ecs.ArchetypeStats{Components: []string{fmt.Sprint("C", n)}, Entities: 1})
		}
		return s
	}
	watched(&g, 0, 3, many)
	if len(g.sets) != growthSets {
		t.Errorf("%d sets are watched", len(g.sets))
	}
	watched(&g, 3, growthSamples-1, func(int) ecs.Stats { return ecs.Stats{} })
	if len(g.sets) == 0 {
		t.Error("those that are gone are forgotten too soon")
	}
	watched(&g, 3+growthSamples-1, 1, func(int) ecs.Stats { return ecs.Stats{} })
	if len(g.sets) != 0 {
		t.Errorf("%d sets are watched still", len(g.sets))
	}
	watched(&g, 200, 2, func(int) ecs.Stats {
		return ecs.Stats{
			Archetypes: []ecs.ArchetypeStats{{Components: []string{"A"}, Entities: 2}, {Components: []string{"A"}, Entities: 3}, {Components: []string{"B"}}},
			Pools:      []ecs.PoolStats{{Component: "A", Entities: 7}},
		}
	})
	for name, want := range map[string]int{setKey([]string{"A"}, false): 5, setKey([]string{"A"}, true): 7} {
		if counts, _ := g.history(name); len(counts) != len(g.times) || counts[len(counts)-1] != want || counts[len(counts)-2] != want {
			t.Errorf("%s: %v, want %d", name, counts, want)
		}
	}
	if counts, _ := g.history(setKey([]string{"B"}, false)); len(counts) != 0 {
		t.Error(counts)
	}
}
