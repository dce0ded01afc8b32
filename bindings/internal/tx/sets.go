package tx

import (
	"cmp"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// sets count the sets of components that scripts bring about, each an archetype of the
// world that stays.
//
// A script is charged for those that the world has got when its commands were applied;
// until then they wait. Commands that are dropped charge nobody.
type sets struct {
	known   int            // in the world, when it was looked at last
	made    map[string]int // by script
	waiting []waitingSets
	unpaid  []waitingSets // that came of commands, and whose looks nobody was charged for yet
}

// waitingSets are those of commands that are not applied yet, or were dropped.
type waitingSets struct {
	script string
	n      int // at most
}

// settle charges scripts for what has come of their commands in a world that has so many sets: before
// a call, and at the end of a step.
func (s *sets) settle(n int) {
	for _, w := range s.waiting {
		if grown := min(w.n, n-s.known); grown > 0 {
			if s.made == nil {
				s.made = map[string]int{}
			}
			s.made[w.script] += grown
			s.known += grown
			s.unpaid = append(s.unpaid, waitingSets{w.script, grown})
		}
	}
	s.known, s.waiting = n, s.waiting[:0]
}

// KeptSets are how many sets of components a script has brought about.
type KeptSets struct {
	Script string
	Sets   int
}

// A new set counts as so many nanoseconds of rows, and as more for each system: its queries look at it once.
const perSet, perLook = 2000, 100

// payForSets counts the looks of queries at the sets that have come since the last call.
func (r *Runner) payForSets() {
	unpaid := r.Usage.sets.unpaid
	r.Usage.sets.unpaid = unpaid[:0]
	if r.Budget == nil || r.World == nil || r.Unhurried {
		return
	}
	for _, w := range unpaid {
		r.Budget.SpendOnRows(w.script, int64(w.n)*r.looks())
	}
}

// looks is what one new set counts with the queries that look at it, in nanoseconds of rows.
func (r *Runner) looks() int64 { return perSet + int64(r.World.Schedule().Len())*perLook }

// SettleSets charges scripts for what has come of their commands in a world that has so many sets.
func (r *Runner) SettleSets(n int) {
	r.Usage.sets.settle(n)
	r.payForSets()
}

// KeepSets appends what was charged to each script, in the order of names.
func (r *Runner) KeepSets(to []KeptSets) []KeptSets {
	for script, n := range r.Usage.sets.made {
		to = append(to, KeptSets{script, n})
	}
	slices.SortFunc(to, func(a, b KeptSets) int { return cmp.Compare(a.Script, b.Script) })
	return to
}

// BringSets makes these what was charged, in a world that has n sets.
func (r *Runner) BringSets(list []KeptSets, n int) {
	s := &r.Usage.sets
	*s = sets{known: n, made: make(map[string]int, len(list))}
	for _, x := range list {
		s.made[x.Script] = x.Sets
	}
}

// commit notes what may come of the commands of a call that has succeeded.
func (s *sets) commit(c *Call) {
	n := c.Tick.Commands.NewSets(c.setsRoom)
	for i := range s.waiting {
		if s.waiting[i].script == c.Script {
			s.waiting[i].n = max(s.waiting[i].n, n)
			return
		}
	}
	s.waiting = append(s.waiting, waitingSets{c.Script, n})
}

// RoomForSets returns how many sets the commands of the call may bring about, and what
// is said when there are more.
func (r *Runner) RoomForSets(c *Call) int {
	if c.setsRoom != 0 {
		return c.setsRoom
	}
	limits, s := r.Limits, &r.Usage.sets
	c.setsRoom = math.MaxInt32
	if limits.Archetypes > 0 {
		c.setsRoom = limits.Archetypes - s.made[c.Script]
	}
	if limits.ArchetypesTotal > 0 && c.Tick.World != nil {
		all := limits.ArchetypesTotal - c.Tick.World.Raw().Sets()
		c.setsRoom = min(c.setsRoom, max(all, limits.Archetypes/share-s.made[c.Script]))
	}
	c.fewLooks = false
	if r.Budget != nil && r.World != nil && !r.Unhurried {
		if left := r.Budget.LeftForRows(c.Script) / r.looks(); left < int64(c.setsRoom) {
			c.setsRoom, c.fewLooks = int(left), true
		}
	}
	if c.setsRoom <= 0 {
		c.setsRoom = -1 // none
	}
	return c.setsRoom
}

// TooManySets is the error of a call whose commands would bring about too many sets.
func (r *Runner) TooManySets(c *Call) error {
	if c.Tick.Commands == nil || c.Tick.Commands.Len() == 0 {
		return nil
	}
	room := r.RoomForSets(c)
	if c.Tick.Commands.Len() <= room {
		return nil
	}
	n := c.Tick.Commands.NewSets(max(room, 0))
	if n <= room || n == 0 {
		return nil
	}
	if c.fewLooks {
		return diag.Reached("TickRows", "too much: %s new combinations of components, each of which the queries of %s have to look at: bring about fewer in one tick",
			diag.Grouped(int64(n)), diag.Count(r.World.Schedule().Len(), "system", "systems"))
	}
	limits, used := r.Limits, r.Usage.sets.made[c.Script]+n
	if limits.Archetypes > 0 && used > limits.Archetypes {
		return diag.Reached("Archetypes", "too much: used %s of %s combinations of components that one script brings about; a combination stays for as long as the game runs, so use fields for what has many values",
			diag.Grouped(int64(used)), diag.Grouped(int64(limits.Archetypes)))
	}
	return diag.Reached("ArchetypesTotal", "too much: used %s of %s combinations of components of all scripts",
		diag.Grouped(int64(c.Tick.World.Raw().Sets()+n)), diag.Grouped(int64(limits.ArchetypesTotal)))
}
