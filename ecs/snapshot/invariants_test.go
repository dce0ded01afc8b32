package snapshot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// door is a component with rules: its state machine, and a bound.
type door struct {
	State uint8 `ecs:"state,enum=open|shut|locked"`
	Keys  int32 `ecs:"keys"`
}

// old is on some doors, so that they are in chunks of their own: what is written near a broken one would have it
// reported again.
type old struct{}

// doors is a world with doors, and what its steps report.
type doors struct {
	*ecs.World
	door ecs.Component[door]
	old  ecs.Component[old]
	got  []*ecs.Violation
}

func newDoors(t *testing.T, options ecs.Options) *doors {
	t.Helper()
	w, err := ecs.Open(options)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	d := &doors{World: w}
	d.door = ecs.Register[door](w, ecs.Tracked, ecs.Range("keys", 0, 3),
		ecs.Transitions("state", map[string][]string{"open": {"shut"}, "shut": {"open", "locked"}, "locked": {"shut"}}))
	d.old = ecs.Register[old](w)
	_, err = w.Schedule().OnViolation(func(v *ecs.Violation) { d.got = append(d.got, v) })
	must(t, err)
	return d
}

// step makes a step and returns what it reports, sorted.
func (d *doors) step(t *testing.T) (all []string) {
	t.Helper()
	d.got = nil
	must(t, d.Step(1))
	for _, v := range d.got {
		all = append(all, fmt.Sprintf("%d: %s, before %s", v.Entity.Index(), v.Value, v.Before))
	}
	slices.Sort(all)
	return all
}

func (d *doors) want(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := d.step(t); !slices.Equal(got, want) {
		t.Errorf("%s: the step reports %q, want %q", when, got, want)
	}
	must(t, d.Check())
}

// TestInvariantsAfterARestore: the step after a restore looks at all rows, so that what was broken at the
// capture is reported again, and what was broken since is not. State machines begin with the states
// that were restored, and not with those of the future.
func TestInvariantsAfterARestore(t *testing.T) {
	d := newDoors(t, ecs.Options{Tag: 1})
	sound, broken := d.Spawn(d.door.With(door{})), d.Spawn(d.door.With(door{Keys: -1}), d.old.With(old{}))
	again := fmt.Sprintf("%d: keys = -1, before ", broken.Index())
	d.want(t, "at first", again)
	d.want(t, "with nothing written")
	s := capture(t, d.World)
	d.door.Edit(sound).State, d.door.Edit(sound).Keys = 1, 9
	d.want(t, "one more is broken", fmt.Sprintf("%d: keys = 9, before keys = 0", sound.Index()))
	d.door.Edit(sound).State = 2
	later := d.Spawn(d.door.With(door{State: 1}))
	d.want(t, "locked", fmt.Sprintf("%d: keys = 9, before keys = 9", sound.Index()))

	must(t, snapshot.Restore(d.World, s))
	if got := d.Schedule().Violations(0); len(got) != 1 || got[0].Entity != broken {
		t.Errorf("after the restore, Violations finds %v", got)
	}
	d.want(t, "after the restore", again)
	d.want(t, "after the restore, with nothing written")
	d.door.Edit(sound).State = 1 // from open, as it was restored: from locked it would be right, too
	d.want(t, "shut")
	must(t, snapshot.Restore(d.World, s))
	d.door.Edit(sound).State = 2 // from open it is wrong, from shut it would be right
	d.want(t, "locked while it is open", fmt.Sprintf("%d: state = locked, before state = open", sound.Index()), again)
	if d.Alive(later) {
		t.Error("what came later is alive")
	}
	must(t, snapshot.Restore(d.World, s))
	fresh := d.Spawn(d.door.With(door{State: 0}))
	if fresh != later {
		t.Errorf("the handle %v is issued, and not again %v: this test judges less than it could", fresh, later)
	}
	d.door.Edit(fresh).State = 2
	d.want(t, "a new entity has no state of one with its handle before the restore", again)
	d.door.Edit(fresh).State = 0
	d.want(t, "and one from its first check on", fmt.Sprintf("%d: state = open, before state = locked", fresh.Index()))
}

// TestInvariantsInAnotherWorld: a world that is opened for a snapshot, as for a saved game, has rules of
// its own, checks all rows in its first step, and follows states from those that it got.
func TestInvariantsInAnotherWorld(t *testing.T) {
	d := newDoors(t, ecs.Options{Tag: 1})
	sound, broken := d.Spawn(d.door.With(door{State: 2})), d.Spawn(d.door.With(door{Keys: 4}), d.old.With(old{}))
	d.step(t)
	s := capture(t, d.World)
	o := newDoors(t, ecs.Options{Tag: s.Tag()})
	o.Spawn(o.door.With(door{State: 1, Keys: 7}))
	o.step(t)
	must(t, snapshot.Restore(o.World, s))
	o.want(t, "the first step", fmt.Sprintf("%d: keys = 4, before ", broken.Index()))
	o.door.Edit(sound).State = 0
	o.want(t, "from locked to open", fmt.Sprintf("%d: state = open, before state = locked", sound.Index()))
}
