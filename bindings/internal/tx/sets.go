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
		}
	}
	s.known, s.waiting = n, s.waiting[:0]
}

// KeptSets are how many sets of components a script has brought about.
type KeptSets struct {
	Script string
	Sets   int
}

// SettleSets charges scripts for what has come of their commands in a world that has so many sets.
func (r *Runner) SettleSets(n int) { r.Usage.sets.settle(n) }

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
	if c.setsRoom <= 0 {
		c.setsRoom = -1 // none
	}
	return c.setsRoom
}

// TooManySets is the error of a call whose commands would bring about too many sets.
func (r *Runner) TooManySets(c *Call) error {
	room := r.RoomForSets(c)
	if c.Tick.Commands == nil || c.Tick.Commands.Len() <= room {
		return nil
	}
	n := c.Tick.Commands.NewSets(max(room, 0))
	if n <= room || n == 0 {
		return nil
	}
	limits, used := r.Limits, r.Usage.sets.made[c.Script]+n
	if limits.Archetypes > 0 && used > limits.Archetypes {
		return diag.Reached("Archetypes", "too much: used %s of %s combinations of components that one script brings about; a combination stays for as long as the game runs, so use fields for what has many values",
			diag.Grouped(int64(used)), diag.Grouped(int64(limits.Archetypes)))
	}
	return diag.Reached("ArchetypesTotal", "too much: used %s of %s combinations of components of all scripts",
		diag.Grouped(int64(c.Tick.World.Raw().Sets()+n)), diag.Grouped(int64(limits.ArchetypesTotal)))
}
