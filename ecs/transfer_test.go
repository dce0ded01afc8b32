package ecs

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// The types of a party that travels: handles in fields, arrays, nested structs,
// and, on the heap, in slices and where nobody looks.
type (
	Bond struct {
		To   Entity
		Also [2]Entity
		In   struct{ Who Entity }
	}
	Party struct {
		Members []Entity
		Groups  [][]Entity
		Leader  Entity
		Name    string
		ByName  map[string]Entity
	}
)

// journey is two worlds with the same types under other numbers.
type journey struct {
	a, b        *World
	bond, bondB Component[Bond]
	party, pB   Component[Party]
	flame, fB   Component[Burning]
}

func newJourney(t testing.TB, there Options) *journey {
	a, b := open(t, Options{}), open(t, there)
	j := &journey{a: a, b: b, bond: Register[Bond](a), party: Register[Party](a), flame: Register[Burning](a, Sparse)}
	j.fB = Register[Burning](b) // stored otherwise
	j.pB, j.bondB = Register[Party](b), Register[Bond](b)
	return j
}

func TestTransferOfAFamily(t *testing.T) {
	j := newJourney(t, Options{})
	targets, targetsB := relate(t, j.a, "Targets", RelationOptions{}), relate(t, j.b, "Targets", RelationOptions{})
	es := spawnMany(j.a, 5)
	root, x, y, stays := es[0], es[1], es[2], es[3]
	for _, child := range []Entity{x, y} {
		must(t, j.a.SetParent(child, root))
	}
	must(t, j.a.SetParent(root, es[4]))
	must(t, targets.Set(x, y))
	must(t, targets.Set(y, stays))
	must(t, targets.Set(stays, x))
	must(t, j.bond.Set(x, Bond{To: root, Also: [2]Entity{stays, y}, In: struct{ Who Entity }{x}}))
	members := []Entity{x, stays, 0, y}
	must(t, j.party.Set(root, Party{Members: members, Groups: [][]Entity{{y}}, Leader: x, Name: "us", ByName: map[string]Entity{"x": x}}))
	must(t, j.flame.Set(y, Burning{3}))
	var gone, came []Entity
	must(t, j.a.Observe(Observer{Name: "o", On: OnDespawn, Run: func(_ *Tick, n Notice) error { gone = append(gone, n.Entity); return nil }}))
	must(t, j.b.Observe(Observer{Name: "o", On: OnSpawn, Run: func(_ *Tick, n Notice) error { came = append(came, n.Entity); return nil }}))

	moved, err := j.a.TransferTree(root, j.b)
	must(t, err)
	family := slices.Collect(j.b.Children(moved))
	if len(family) != 2 || j.b.Parent(moved) != 0 || j.a.Len() != 2 || j.a.Alive(root) || !j.a.Alive(es[4]) {
		t.Fatalf("%v came with the children %v; %d stayed", moved, family, j.a.Len())
	}
	nx, ny := family[0], family[1]
	if b, _ := j.bondB.Get(nx); b != (Bond{To: moved, Also: [2]Entity{0, ny}, In: struct{ Who Entity }{nx}}) {
		t.Errorf("the handles in fields became %+v", b)
	}
	p, _ := j.pB.Get(moved)
	if !slices.Equal(p.Members, []Entity{nx, 0, 0, ny}) || p.Groups[0][0] != ny || p.Leader != nx || p.Name != "us" || p.ByName["x"] != x {
		t.Errorf("the handles in slices became %+v", p)
	}
	if !slices.Equal(members, []Entity{x, stays, 0, y}) {
		t.Errorf("the caller's own slice became %v", members)
	}
	if f, _ := j.fB.Get(ny); f.Left != 3 {
		t.Error("a pooled value did not come to its column")
	}
	if targetsB.Target(nx) != ny || targetsB.Target(ny) != 0 || targets.Target(stays) != 0 || targetsB.Len() != 1 {
		t.Error("the links are not those among who moved")
	}
	must(t, j.a.Step(0))
	must(t, j.b.Step(0))
	if !slices.Equal(gone, []Entity{y, x, root}) || !slices.Equal(came, []Entity{moved, nx, ny}) {
		t.Errorf("told of %v gone, %v come", gone, came)
	}
	must(t, errors.Join(j.a.Check(), j.b.Check()))
}

func TestTransferOfOneLeavesItsChildren(t *testing.T) {
	j := newJourney(t, Options{})
	es := spawnMany(j.a, 2)
	must(t, j.a.SetParent(es[1], es[0]))
	if _, err := j.a.Transfer(es[0], j.b); err != nil || !j.a.Alive(es[1]) || j.a.Parent(es[1]) != 0 || j.b.Len() != 1 {
		t.Errorf("answered %v; the child lives: %v", err, j.a.Alive(es[1]))
	}
	must(t, errors.Join(j.a.Check(), j.b.Check()))
}

// TestTransferRefuses: everything that can be said before is, with names, and
// nothing has changed in either world.
func TestTransferRefuses(t *testing.T) {
	type (
		OnlyHere  struct{ V int }
		AlsoHere  struct{ V int }
		Different struct{ V int32 }
	)
	j := newJourney(t, Options{MaxEntities: 2})
	here, also := Register[OnlyHere](j.a), Register[AlsoHere](j.a)
	odd, oddB := Register[Different](j.a), Register[Velocity](j.b, Named("Different"))
	j.b.Spawn(oddB.With(Velocity{}))
	pins, only := relate(t, j.a, "Pins", RelationOptions{OnDespawn: Refuse}), relate(t, j.a, "Only", RelationOptions{})
	es := spawnMany(j.a, 8)
	must(t, errors.Join(here.Set(es[0], OnlyHere{}), also.Set(es[0], AlsoHere{}), odd.Set(es[1], Different{})))
	must(t, errors.Join(pins.Set(es[3], es[2]), j.a.SetParent(es[5], es[4]), only.Set(es[5], es[4])))
	must(t, j.a.SetParent(es[7], es[6]))
	reserved := j.a.NewCommands().Spawn()
	for name, c := range map[string]struct {
		e    Entity
		to   *World
		want error
		says []string
	}{
		"unknown components": {es[0], j.b, ErrUnknown, []string{`"OnlyHere"`, `"AlsoHere"`}},
		"another type":       {es[1], j.b, ErrConflict, []string{`"Different"`}},
		"a pinned target":    {es[2], j.b, ErrConflict, []string{`"Pins"`, es[3].String()}},
		"unknown relations":  {es[4], j.b, ErrUnknown, []string{`"Only"`}},
		"no room for two":    {es[6], j.b, ErrEntityLimit, nil},
		"the same world":     {es[6], j.a, ErrConflict, nil},
		"the dead":           {Entity(77), j.b, ErrDead, nil},
		"one not placed":     {reserved, j.b, ErrDead, nil},
	} {
		before, there := j.a.Checksum(), j.b.Checksum()
		told := len(j.b.notices.queue)
		_, err := j.a.TransferTree(c.e, c.to)
		if !errors.Is(err, c.want) || j.a.Checksum() != before || j.b.Checksum() != there || len(j.b.notices.queue) != told {
			t.Errorf("%s: answered %v, or something changed", name, err)
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not name %s", name, err, part)
			}
		}
		must(t, errors.Join(j.a.Check(), j.b.Check()))
	}
	for _, w := range []*World{j.a, j.b} {
		for range w.Query().Chunks() {
			if _, err := j.a.Transfer(es[6], j.b); !errors.Is(err, ErrIterating) {
				t.Errorf("while iterated: %v", err)
			}
		}
	}
}

// TestHandlesInASliceThatHoldsItself are left where the search for them ends.
func TestHandlesInASliceThatHoldsItself(t *testing.T) {
	type Knot struct {
		Loop []Knot
		Who  Entity
	}
	a, b := open(t, Options{}), open(t, Options{})
	knot, knotB := Register[Knot](a), Register[Knot](b)
	loop := []Knot{{}}
	loop[0].Loop = loop
	e := a.Spawn(knot.With(Knot{Loop: loop, Who: 5}))
	moved, err := a.Transfer(e, b)
	must(t, err)
	if k, _ := knotB.Get(moved); k.Who != 0 || len(k.Loop) != 1 {
		t.Errorf("it became %+v", k.Who)
	}
}
