package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	growthSamples = 90  // of each set, one for each second of simulation
	growthSets    = 400 // that are watched: further ones are not
	growthWindow  = 60  // seconds in which a set has to grow to be named
	growthParts   = 6   // of the window: the least of each has to be above that of the one before
	growthLeast   = 10  // entities by which it has to grow
)

// growth watches how many entities there are of each set of components, and in each pool, while streams
// are open: what has grown for a minute, and never came back, is most likely forgotten by the one who spawns it.
//
// Why the least of each part? A battle spawns thousands and ends; what leaks does not return to
// where it was.
//
// Invariants: it belongs to the goroutine of the host; times rise; each set has a count for each time.
type growth struct {
	times    []float64 // of simulation, in seconds
	sets     map[string]*grownSet
	spawners map[string][]spawnerJSON // of the sets that have grown, by the last sample; nil while no journal is kept
	warnings int                      // of the world and of this, at the last sample
}

// grownSet is how many entities of a set there were.
type grownSet struct {
	counts []int
	fresh  bool // it was seen in the sample at hand
}

// setKey is what a set of components is called; pools have one component.
func setKey(components []string, pool bool) string {
	kind := "columns "
	if pool {
		kind = "pool "
	}
	return kind + strings.Join(components, " ")
}

// due reports whether a sample is to be taken at a time. Where the time is earlier than at the last one,
// the game was rewound: later samples are of a future that has not happened.
func (g *growth) due(now float64) bool {
	n := len(g.times)
	for n > 0 && g.times[n-1] > now {
		n--
	}
	if n < len(g.times) {
		g.times = g.times[:n]
		for _, s := range g.sets {
			s.counts = s.counts[:n]
		}
	}
	return n == 0 || now-g.times[n-1] >= 1
}

// sample notes how many entities there are of each set.
func (g *growth) sample(now float64, s *ecs.Stats) {
	if g.sets == nil {
		g.sets = map[string]*grownSet{}
	}
	for _, a := range s.Archetypes {
		g.count(setKey(a.Components, false), a.Entities)
	}
	for _, p := range s.Pools {
		g.count(setKey([]string{p.Component}, true), p.Entities)
	}
	g.times = append(g.times, now)
	old := max(len(g.times)-growthSamples, 0)
	g.times = slices.Delete(g.times, 0, old)
	for name, k := range g.sets {
		if !k.fresh {
			k.counts = append(k.counts, 0)
		}
		k.fresh = false
		k.counts = slices.Delete(k.counts, 0, old)
		if slices.Max(k.counts) == 0 {
			delete(g.sets, name)
		}
	}
	g.warnings = len(s.Warnings()) + len(g.leaks(s))
}

// count adds a count of a set. One that is new had none before.
func (g *growth) count(name string, n int) {
	k := g.sets[name]
	switch {
	case k != nil && k.fresh: // another archetype with these columns
		k.counts[len(k.counts)-1] += n
		return
	case k == nil && (n == 0 || len(g.sets) == growthSets):
		return
	case k == nil:
		k = &grownSet{counts: make([]int, len(g.times), growthSamples+1)}
		g.sets[name] = k
	}
	k.counts, k.fresh = append(k.counts, n), true
}

// history returns the counts of a set, the oldest first, and by how much it has grown in the last minute
// without coming back; 0 for what has not.
func (g *growth) history(name string) (counts []int, grown int) {
	k := g.sets[name]
	if k == nil {
		return []int{}, 0
	}
	return slices.Clone(k.counts), g.grown(k)
}

// grown is by how many entities a set has grown in each part of the window.
func (g *growth) grown(k *grownSet) int {
	n := len(g.times)
	if n == 0 || g.times[n-1]-g.times[0] < growthWindow {
		return 0
	}
	begin := g.times[n-1] - growthWindow
	var least [growthParts]int
	for i := range least {
		least[i] = math.MaxInt
	}
	for i, at := range g.times {
		if at >= begin {
			part := min(int((at-begin)/growthWindow*growthParts), growthParts-1)
			least[part] = min(least[part], k.counts[i])
		}
	}
	for i := 1; i < growthParts; i++ {
		if least[i] <= least[i-1] || least[i] == math.MaxInt {
			return 0
		}
	}
	if by := least[growthParts-1] - least[0]; by >= growthLeast {
		return by
	}
	return 0
}

// leaks are the sets that have grown for a minute, in words.
func (g *growth) leaks(s *ecs.Stats) (list []string) {
	g.eachLeak(s, func(components []string, pool bool, entities, by int) {
		list = append(list, cut(fmt.Sprintf("entities of %s have become more for %d s, by %d, and are %d: what spawns them may not despawn them%s",
			strings.Join(components, ", "), growthWindow, by, entities, g.said(setKey(components, pool)))))
	})
	return list
}

// eachLeak calls a function for each set that has grown for a minute.
func (g *growth) eachLeak(s *ecs.Stats, do func(components []string, pool bool, entities, by int)) {
	look := func(components []string, pool bool, entities int) {
		if k := g.sets[setKey(components, pool)]; k != nil {
			if by := g.grown(k); by > 0 {
				do(components, pool, entities, by)
			}
		}
	}
	for _, a := range s.Archetypes {
		look(a.Components, false, a.Entities)
	}
	for _, p := range s.Pools {
		look([]string{p.Component}, true, p.Entities)
	}
}

// watchGrowth takes a sample if one is due, and not of an earlier tick that is looked at. For the
// goroutine of the host.
func (i *Inspector) watchGrowth() {
	if _, looking := i.rewind.back.Looking(); looking {
		return
	}
	if now, _ := i.world.Time(); i.growth.due(now) {
		s := i.world.Stats()
		i.growth.sample(now, &s)
		i.findSpawners(&s)
	}
}
