package twin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

// state is something that a world can be in, or that an operation can do to it,
// and that operations have to be judged in.
type state int

// The states: first those in which an operation may begin, then those that an operation
// may cause.
const (
	longChunks state = iota
	laterPages
	commandsWait
	noticesWait
	deathsWait
	eventsWait
	unobserved
	prefabsLive
	migratedTypes

	archetypeCame
	chunkGrew
	chunkCame
	chunkWent
	chunkShrank
	poolGrew
	poolShrank
	slotReused
	stateCount
)

var stateNames = [stateCount]string{
	"an archetype of several long chunks", "places in the second page of a pool, or later", "commands wait", "notices wait",
	"deaths wait", "events wait", "nobody observes", "prefabs are there", "types have migrated",
	"an archetype came", "a chunk grew", "a second chunk or a later one came", "a chunk went", "a chunk shrank",
	"a pool grew", "a pool shrank", "a slot was used again",
}

// Populations are the classes that a crowd is sorted into, by the fewest of each.
var Populations = []int{0, 1_000, 10_000, 50_000}

// Reach counts which operations a history has applied, in worlds of which population and
// in which states.
type Reach struct {
	twin    *Twin
	before  ecs.Stats
	holding [stateCount]bool
	class   int
	classes [KindCount][]int
	states  [KindCount][stateCount]int
	most    int // entities
	table   int // archetypes
}

// NewReach returns the counts of a twin. Call Begin before each operation and End after
// it.
func NewReach(tw *Twin) *Reach {
	r := &Reach{twin: tw, before: tw.World.Stats()}
	for k := range r.classes {
		r.classes[k] = make([]int, len(Populations))
	}
	return r
}

// longRows is how many rows a chunk has at least that has grown to its end.
const longRows = 256 << 10

// pagePlaces is how many places the first page of a pool has.
const pagePlaces = ecs.ChunkBytes / 8

// Begin notes the states of the world in which an operation begins.
func (r *Reach) Begin() {
	tw, m := r.twin, r.twin.Model
	r.class = 0
	for i, least := range Populations {
		if len(m.order) >= least {
			r.class = i
		}
	}
	r.holding = [stateCount]bool{
		commandsWait: len(m.pending.do) > 0, noticesWait: len(m.notes) > 0, deathsWait: len(m.later) > 0,
		unobserved: m.quiet, prefabsLive: m.prefabs > 0, migratedTypes: slices.Max(m.eras) > 0,
		longChunks: slices.ContainsFunc(r.before.Archetypes, func(a ecs.ArchetypeStats) bool {
			return a.Chunks > 2 && a.Bytes > 2*longRows
		}),
	}
	for i := range tw.boxes {
		for _, s := range tw.boxes[i].readers {
			r.holding[eventsWait] = r.holding[eventsWait] || s.next < tw.boxes[i].end()
		}
	}
	r.holding[laterPages] = r.paged()
}

// paged reports whether some of the last entities have a place in a later page of
// a pool in the arena.
func (r *Reach) paged() bool {
	m := r.twin.Model
	for _, e := range m.order[max(len(m.order)-100, 0):] {
		for k := range m.things[e].values {
			if m.pooled[k] && !r.twin.kinds[k].heap && e.Index() >= pagePlaces {
				return true
			}
		}
	}
	return false
}

// End notes the states that the operation has caused.
func (r *Reach) End(op Op) {
	now := r.twin.World.Stats()
	r.holding[slotReused] = r.twin.reused
	for i, a := range now.Archetypes {
		if i >= len(r.before.Archetypes) {
			r.holding[archetypeCame] = true
			continue
		}
		was := r.before.Archetypes[i]
		r.holding[chunkGrew] = r.holding[chunkGrew] || a.Chunks > 0 && a.Chunks == was.Chunks && a.Capacity > was.Capacity
		r.holding[chunkShrank] = r.holding[chunkShrank] || a.Chunks == was.Chunks && a.Capacity < was.Capacity
		r.holding[chunkCame] = r.holding[chunkCame] || a.Chunks > 1 && a.Chunks > was.Chunks
		r.holding[chunkWent] = r.holding[chunkWent] || a.Chunks < was.Chunks
	}
	for i, p := range now.Pools {
		was := r.before.Pools[i]
		r.holding[poolGrew] = r.holding[poolGrew] || p.Bytes > was.Bytes
		r.holding[poolShrank] = r.holding[poolShrank] || p.Bytes < was.Bytes
	}
	r.before, r.most, r.table = now, max(r.most, now.Entities), max(r.table, len(now.Archetypes))
	r.classes[op.Kind][r.class]++
	for s, holds := range r.holding {
		if holds {
			r.states[op.Kind][s]++
		}
	}
}

// Missing names what was not reached: operations in classes of populations from
// one on, states that never were, and, when all is demanded, operations that met
// one of the states in which they may find a world never.
func (r *Reach) Missing(from int, all bool) (missing []string) {
	for k := range KindCount {
		for i := from; i < len(Populations); i++ {
			if r.classes[k][i] == 0 {
				missing = append(missing, fmt.Sprintf("%s among %d entities or more", k, Populations[i]))
			}
		}
	}
	for s := range stateCount {
		met := 0
		for k := range KindCount {
			met += r.states[k][s]
			if all && s < archetypeCame && r.states[k][s] == 0 {
				missing = append(missing, fmt.Sprintf("%s while %s", k, stateNames[s]))
			}
		}
		if met == 0 {
			missing = append(missing, stateNames[s])
		}
	}
	return missing
}

// String prints the counts as a table.
func (r *Reach) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "at most %d entities, %d archetypes\n", r.most, r.table)
	for s, name := range stateNames {
		fmt.Fprintf(&b, "  %c: %s\n", 'a'+rune(s), name)
	}
	fmt.Fprintf(&b, "%-16s", "")
	for _, least := range Populations {
		fmt.Fprintf(&b, "%7d+", least)
	}
	for s := range stateCount {
		fmt.Fprintf(&b, "%6c", 'a'+rune(s))
	}
	for k := range KindCount {
		fmt.Fprintf(&b, "\n%-16s", k)
		for _, n := range r.classes[k] {
			fmt.Fprintf(&b, "%8d", n)
		}
		for _, n := range r.states[k] {
			fmt.Fprintf(&b, "%6d", n)
		}
	}
	return b.String()
}
