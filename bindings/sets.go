package bindings

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
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

// settle charges scripts for what has come of their commands, before a call.
func (s *sets) settle(c *call) {
	if c.tick.World == nil {
		return
	}
	n := c.tick.World.Sets()
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

// commit notes what may come of the commands of a call that has succeeded.
func (s *sets) commit(c *call) {
	n := c.tick.Commands.NewSets(c.setsRoom)
	for i := range s.waiting {
		if s.waiting[i].script == c.script {
			s.waiting[i].n = max(s.waiting[i].n, n)
			return
		}
	}
	s.waiting = append(s.waiting, waitingSets{c.script, n})
}

// roomForSets returns how many sets the commands of the call may bring about, and what
// is said when there are more.
func (r *runner) roomForSets(c *call) int {
	if c.setsRoom != 0 {
		return c.setsRoom
	}
	limits, s := r.limits, &r.usage.sets
	c.setsRoom = math.MaxInt32
	if limits.Archetypes > 0 {
		c.setsRoom = limits.Archetypes - s.made[c.script]
	}
	if limits.ArchetypesTotal > 0 && c.tick.World != nil {
		all := limits.ArchetypesTotal - c.tick.World.Sets()
		c.setsRoom = min(c.setsRoom, max(all, limits.Archetypes/share-s.made[c.script]))
	}
	if c.setsRoom <= 0 {
		c.setsRoom = -1 // none
	}
	return c.setsRoom
}

// tooManySets is the error of a call whose commands would bring about too many sets.
func (r *runner) tooManySets(c *call) error {
	room := r.roomForSets(c)
	if c.tick.Commands == nil || c.tick.Commands.Len() <= room {
		return nil
	}
	n := c.tick.Commands.NewSets(max(room, 0))
	if n <= room || n == 0 {
		return nil
	}
	limits, used := r.limits, r.usage.sets.made[c.script]+n
	if limits.Archetypes > 0 && used > limits.Archetypes {
		return fmt.Errorf("too much: used %s of %s combinations of components that one script brings about; a combination stays for as long as the game runs, so use fields for what has many values (Limits.Archetypes)",
			diag.Grouped(int64(used)), diag.Grouped(int64(limits.Archetypes)))
	}
	return fmt.Errorf("too much: used %s of %s combinations of components of all scripts (Limits.ArchetypesTotal)",
		diag.Grouped(int64(c.tick.World.Sets()+n)), diag.Grouped(int64(limits.ArchetypesTotal)))
}

// spendSets raises an error when the change that was just recorded brings about one set
// too many.
func (a *args) spendSets() {
	if c := a.m.tx.call; c != nil {
		if err := a.m.tx.tooManySets(c); err != nil {
			a.fail("%s", err)
		}
	}
}

// roomForSets returns how many changes of a kernel surely keep within the limits.
func (s *KernelHost) roomForSets(c *call) int {
	room := s.m.tx.roomForSets(c)
	if s.changes == nil {
		for i := range s.list {
			for _, p := range s.list[i].Parts {
				s.changes = appendComponents(s.changes, p.Ref)
			}
		}
	}
	if c.tick.Commands.FewSets(max(room, 0), s.changes) {
		return math.MaxInt
	}
	return room - c.tick.Commands.NewSets(max(room, 0))
}

// appendComponents lists those of a component or a prefab.
func appendComponents(list []ecs.ComponentID, thing any) []ecs.ComponentID {
	switch x := thing.(type) {
	case *Component:
		list = append(list, x.id)
	case *prefab:
		for _, v := range x.values {
			list = append(list, v.comp.id)
		}
		for _, child := range x.children {
			list = appendComponents(list, child)
		}
	}
	return list
}
