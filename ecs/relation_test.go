package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func relate(t testing.TB, w *World, name string, o RelationOptions) *Relation {
	t.Helper()
	r, err := w.Relation(name, o)
	must(t, err)
	return r
}

func sources(r *Relation, e Entity) []Entity { return slices.Collect(r.Sources(e)) }

func TestARelationHasBothWays(t *testing.T) {
	w := open(t, Options{})
	targets, mounts := relate(t, w, "Targets", RelationOptions{}), relate(t, w, "Mounts", RelationOptions{Acyclic: true})
	es := spawnMany(w, 4)
	for _, e := range es[1:] {
		must(t, targets.Set(e, es[0]))
	}
	must(t, targets.Set(es[0], es[0])) // itself: this relation may come round
	must(t, mounts.Set(es[0], es[3]))
	if targets.Target(es[2]) != es[0] || mounts.Target(es[0]) != es[3] || mounts.Target(es[2]) != 0 || w.Parent(es[1]) != 0 {
		t.Error("a target is not the one that was set")
	}
	if got := sources(targets, es[0]); !slices.Equal(got, []Entity{es[1], es[2], es[3], es[0]}) || targets.Count(es[0]) != 4 || targets.Len() != 4 {
		t.Errorf("the sources are %v, counted as %d of %d", got, targets.Count(es[0]), targets.Len())
	}
	must(t, targets.Set(es[2], 0))
	must(t, targets.Set(es[1], es[3]))
	if !slices.Equal(sources(targets, es[0]), []Entity{es[3], es[0]}) || targets.Target(es[2]) != 0 || targets.Len() != 3 {
		t.Error("a cleared or changed target is still there")
	}
	must(t, w.Check())
}

func TestSourcesAreOrderedByChoice(t *testing.T) {
	w := open(t, Options{})
	r := w.ChildOf()
	es := spawnMany(w, 6)
	root, a, b, c, d := es[0], es[1], es[2], es[3], es[4]
	for i, step := range []struct {
		do   func() error
		want []Entity
	}{
		{func() error { return r.SetAt(a, root, 0) }, []Entity{a}},
		{func() error { return r.SetAt(b, root, 0) }, []Entity{b, a}},
		{func() error { return r.SetAt(c, root, 1) }, []Entity{b, c, a}},
		{func() error { return r.SetAt(d, root, 3) }, []Entity{b, c, a, d}},
		{func() error { return r.SetAt(b, root, 3) }, []Entity{c, a, d, b}}, // among the three others
		{func() error { return r.SetAt(b, root, 2) }, []Entity{c, a, b, d}},
		{func() error { return r.SetBefore(d, c) }, []Entity{d, c, a, b}},
		{func() error { return r.SetBefore(b, a) }, []Entity{d, c, b, a}},
		{func() error { return r.SetAfter(d, c) }, []Entity{c, d, b, a}},
		{func() error { return r.SetAfter(d, c) }, []Entity{c, d, b, a}},
		{func() error { return r.SetAfter(c, a) }, []Entity{d, b, a, c}},
		{func() error { return r.SetAfter(es[5], b) }, []Entity{d, b, es[5], a, c}},
		{func() error { return r.Set(d, root) }, []Entity{b, es[5], a, c, d}},
	} {
		must(t, step.do())
		if got := sources(r, root); !slices.Equal(got, step.want) || r.Count(root) != len(step.want) {
			t.Fatalf("step %d: the order is %v, want %v", i, got, step.want)
		}
		must(t, w.Check())
	}
	for name, got := range map[string]error{
		"past the end": r.SetAt(a, root, 5), "before the first": r.SetAt(a, root, -1), "past nobody": r.SetAt(a, es[4], 1), "of nobody": r.SetAt(a, 0, 1),
	} {
		if !errors.Is(got, ErrRange) {
			t.Errorf("a place %s: answered %v", name, got)
		}
	}
	stranger := w.Spawn()
	for name, got := range map[string]error{"itself": r.SetBefore(a, a), "a root": r.SetAfter(a, stranger)} {
		if !errors.Is(got, ErrConflict) {
			t.Errorf("beside %s: answered %v", name, got)
		}
	}
	must(t, w.Despawn(stranger))
	for name, got := range map[string]error{"dead": r.SetBefore(a, stranger), "one's own child": r.SetAfter(root, a)} {
		if !errors.Is(got, ErrDead) && !errors.Is(got, ErrCycle) {
			t.Errorf("beside one that is %s: answered %v", name, got)
		}
	}
}

func TestRelationsHaveNames(t *testing.T) {
	w := open(t, Options{})
	r := relate(t, w, "Targets", RelationOptions{OnDespawn: Refuse})
	if again := relate(t, w, "Targets", RelationOptions{OnDespawn: Refuse}); again != r || w.relationNamed("Targets") != r || r.Name() != "Targets" {
		t.Error("the same relation is another one")
	}
	all := slices.Collect(w.allRelations())
	if len(all) != 2 || all[0] != w.ChildOf() || all[0].Name() != "ChildOf" || all[1] != r || w.relationNamed("Nobody") != nil {
		t.Errorf("the relations are %v", all)
	}
	for name, o := range map[string]RelationOptions{"Targets": {}, "": {}, "Odd": {OnDespawn: 9}} {
		want := map[string]error{"Odd": ErrRange}[name]
		if _, err := w.Relation(name, o); !errors.Is(err, cmp.Or(want, ErrConflict)) {
			t.Errorf("%q: answered %v", name, err)
		}
	}
	if _, taken := w.componentNamed("Targets"); taken {
		t.Error("the links can be found as a component")
	}
	for {
		if _, err := w.Relation(fmt.Sprint("r", len(w.relations)), RelationOptions{}); err != nil {
			if !errors.Is(err, ErrConflict) || len(w.components) != MaxComponents {
				t.Errorf("with %d components: %v", len(w.components), err)
			}
			break
		}
	}
	if s := fmt.Sprint(Orphan, Cascade, Refuse, Policy(7)); s != "orphan cascade refuse policy 7" {
		t.Errorf("policies print as %q", s)
	}
	must(t, w.Check())
}

// TestPolicies: what becomes of a source, and of those that hang on it, when its
// target dies.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		policy      Policy
		dies, lives int // of target, source, the source's child
	}{{Orphan, 1, 2}, {Cascade, 3, 0}, {Refuse, 0, 3}} {
		w := open(t, Options{})
		r := relate(t, w, "Holds", RelationOptions{OnDespawn: c.policy})
		es := spawnMany(w, 3)
		must(t, r.Set(es[1], es[0]))
		must(t, w.SetParent(es[2], es[1]))
		err := w.Despawn(es[0])
		if refused := errors.Is(err, ErrConflict); refused != (c.policy == Refuse) || w.Len() != c.lives {
			t.Errorf("%v: answered %v, %d are left", c.policy, err, w.Len())
		}
		if c.policy == Refuse {
			for _, part := range []string{es[0].String(), es[1].String(), `"Holds"`} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the refusal %q does not name %s", err, part)
				}
			}
			must(t, r.Set(es[1], 0))
			must(t, w.Despawn(es[0]))
		}
		if c.policy == Orphan && (r.Target(es[1]) != 0 || r.Len() != 0) {
			t.Error("a source keeps a target that is dead")
		}
		must(t, w.Check())
	}
}

// TestWhoDiesTooRefusesNothing: a source that goes along with its target does
// not keep it alive, whichever relation takes it along and in whatever order.
func TestWhoDiesTooRefusesNothing(t *testing.T) {
	w := open(t, Options{})
	pins := relate(t, w, "Pins", RelationOptions{OnDespawn: Refuse})
	owns := relate(t, w, "OwnedBy", RelationOptions{OnDespawn: Cascade})
	es := spawnMany(w, 5)
	// 0 is the parent of 1; 2 is owned by 1, and owns 0: it comes round. 2 and 3 pin 0 and 1.
	must(t, w.SetParent(es[1], es[0]))
	must(t, owns.Set(es[2], es[1]))
	must(t, owns.Set(es[0], es[2]))
	must(t, pins.Set(es[2], es[0]))
	must(t, pins.Set(es[3], es[1]))
	for _, e := range es[:3] {
		if err := w.Despawn(e); !errors.Is(err, ErrConflict) || w.Len() != 5 {
			t.Fatalf("%v died although %v pins it: %v", es[1], es[3], err)
		}
	}
	must(t, w.Check())
	must(t, pins.Set(es[3], es[4]))
	must(t, w.Despawn(es[0]))
	if w.Len() != 2 || pins.Len() != 1 {
		t.Errorf("%d are left, %d pins", w.Len(), pins.Len())
	}
	must(t, w.Check())
	must(t, w.Reset())
	if w.Len() != 0 || pins.Len() != 0 {
		t.Error("a pin outlived a reset")
	}
	must(t, w.Check())
}

// TestDeathComesInOrder: sources before their target, relation by relation, the
// last first.
func TestDeathComesInOrder(t *testing.T) {
	w := open(t, Options{})
	owns := relate(t, w, "OwnedBy", RelationOptions{OnDespawn: Cascade})
	es := spawnMany(w, 5)
	must(t, w.SetParent(es[1], es[0]))
	must(t, w.SetParent(es[2], es[0]))
	must(t, owns.Set(es[3], es[0]))
	must(t, owns.Set(es[4], es[2]))
	var dead []Entity
	must(t, w.Observe(Observer{Name: "o", On: OnDespawn, Run: func(_ *Tick, n Notice) error { dead = append(dead, n.Entity); return nil }}))
	must(t, w.Despawn(es[0]))
	must(t, w.Step(0))
	if want := []Entity{es[4], es[2], es[1], es[3], es[0]}; !slices.Equal(dead, want) {
		t.Errorf("they died in the order %v, want %v", dead, want)
	}
}

func TestTheHierarchysPolicyCanBeChosen(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 3)
	must(t, w.SetParent(es[1], es[0]))
	must(t, w.SetParent(es[2], es[1]))
	must(t, w.ChildOf().SetPolicy(Refuse))
	if err := w.Despawn(es[1]); !errors.Is(err, ErrConflict) {
		t.Errorf("a parent died, although that is refused: %v", err)
	}
	must(t, w.ChildOf().SetPolicy(Orphan))
	if err := w.ChildOf().SetPolicy(99); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), `"ChildOf": there is no policy 99`) {
		t.Errorf("policy 99: %v", err)
	}
	must(t, w.Despawn(es[1]))
	if w.Len() != 2 || w.Parent(es[2]) != 0 {
		t.Error("an orphan died, or has a dead parent")
	}
	must(t, w.Check())
}

func TestRelationsInCommands(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	r, foreign := relate(t, w, "Targets", RelationOptions{}), relate(t, other, "Targets", RelationOptions{})
	c := w.NewCommands()
	a, b := c.Spawn(), c.Spawn()
	c.Relate(r, a, b)
	c.Relate(r, b, a)
	c.Relate(r, a, 0)
	c.Relate(r, b, 12345) // dead: passed over
	c.Relate(foreign, b, 0)
	if err := c.Apply(); !errors.Is(err, ErrConflict) || r.Target(b) != a || r.Target(a) != 0 {
		t.Errorf("answered %v; the targets are %v and %v", err, r.Target(a), r.Target(b))
	}
	must(t, w.Check())
}

// spawnMany returns n entities without components.
func spawnMany(w *World, n int) []Entity {
	es := make([]Entity, n)
	for i := range es {
		es[i] = w.Spawn()
	}
	return es
}

func open(t testing.TB, options Options) *World {
	t.Helper()
	if options.MaxBytes == 0 {
		options.MaxBytes = bytesForTests
	}
	w, err := Open(options)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func TestChildrenKeepTheOrderInWhichTheyCame(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 5)
	for _, child := range es[1:] {
		must(t, w.SetParent(child, es[0]))
	}
	must(t, w.SetParent(es[2], es[0])) // again: it becomes the last
	must(t, w.SetParent(es[3], 0))
	if got, want := slices.Collect(w.Children(es[0])), []Entity{es[1], es[4], es[2]}; !slices.Equal(got, want) {
		t.Errorf("the children are %v, want %v", got, want)
	}
	if w.Parent(es[2]) != es[0] || w.Parent(es[3]) != 0 || w.Parent(es[0]) != 0 {
		t.Error("the parents are not those that were set")
	}
	must(t, w.Check())
}

func TestDespawnTakesTheFamilyAlong(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 6)
	// 0 ─ 1 ─ 3
	//   └ 2 ─ 4      5 is alone
	for child, parent := range map[int]int{1: 0, 2: 0, 3: 1, 4: 2} {
		must(t, w.SetParent(es[child], es[parent]))
	}
	must(t, w.Despawn(es[2]))
	if w.Alive(es[4]) || !w.Alive(es[3]) || w.Len() != 4 {
		t.Error("a child outlived its parent, or a cousin died")
	}
	must(t, w.Despawn(es[0]))
	if w.Len() != 1 || !w.Alive(es[5]) {
		t.Errorf("%d entities are left, want the one that is no relative", w.Len())
	}
	must(t, w.Check())
}

// TestADeepFamilyDiesWithoutRecursion: scripts can build chains as long as
// MaxEntities by joining shorter ones.
func TestADeepFamilyDiesWithoutRecursion(t *testing.T) {
	w := open(t, Options{})
	const links, length = 20, 900
	var tail, root Entity
	for i := range links {
		chain := spawnMany(w, length)
		for j := 1; j < length; j++ {
			must(t, w.SetParent(chain[j], chain[j-1]))
		}
		if i > 0 {
			must(t, w.SetParent(root, chain[length-1])) // the older chain hangs below
		}
		root, tail = chain[0], chain[length-1]
	}
	if err := w.SetParent(w.Spawn(), tail); err != nil {
		t.Fatal(err)
	}
	must(t, w.Check())
	must(t, w.Despawn(root))
	if w.Len() != 0 {
		t.Errorf("%d of %d entities outlived their ancestor", w.Len(), links*length+1)
	}
}

func TestSetParentRefuses(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, MaxDepth+3)
	dead := w.Spawn()
	must(t, w.Despawn(dead))
	for i := range MaxDepth {
		must(t, w.SetParent(es[i+1], es[i]))
	}
	reserved := w.NewCommands().Spawn()
	last := es[MaxDepth]
	for name, c := range map[string]struct {
		child, parent Entity
		want          error
	}{
		"itself":                    {es[0], es[0], ErrCycle},
		"its child":                 {es[0], es[1], ErrCycle},
		"its grandchild":            {es[0], es[2], ErrCycle},
		"a dead parent":             {es[0], dead, ErrDead},
		"a dead child":              {dead, es[0], ErrDead},
		"a dead child, to no one":   {dead, 0, ErrDead},
		"a child not placed yet":    {reserved, es[0], ErrDead},
		"a parent not placed yet":   {es[0], reserved, ErrDead},
		"more than 1,024 ancestors": {es[MaxDepth+1], last, ErrRange},
	} {
		before := w.Parent(c.child)
		if err := w.SetParent(c.child, c.parent); !errors.Is(err, c.want) || w.Parent(c.child) != before {
			t.Errorf("%s: answered %v, want %v", name, err, c.want)
		}
	}
	must(t, w.Check())
}

// TestOnlySetParentWritesTheHierarchy: the links are a component like any other
// to tools, but not to be written.
func TestOnlySetParentWritesTheHierarchy(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 2)
	must(t, w.SetParent(es[1], es[0]))
	id := w.ChildOf().ID()
	c := w.NewCommands()
	c.Patch(es[1], id, 0, make([]byte, 8))
	_, spawn := w.TrySpawn(w.valueAt(id, nil))
	for name, err := range map[string]error{
		"spawn": spawn, "add": w.Add(es[0], w.valueAt(id, nil)), "remove": w.Remove(es[1], id), "patch": c.Apply(),
		"the zero Value": w.Add(es[0], Value{}),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if w.Parent(es[1]) != es[0] || w.Len() != 2 {
		t.Error("a refused change changed something")
	}
	must(t, w.Check())
}

func TestChildrenMayGoWhileIterated(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 6)
	for _, child := range es[1:5] {
		must(t, w.SetParent(child, es[0]))
	}
	seen := 0
	for child := range w.Children(es[0]) {
		if seen++; seen%2 == 0 {
			must(t, w.Despawn(child))
		} else {
			must(t, w.SetParent(child, es[5]))
		}
	}
	if seen != 4 || len(slices.Collect(w.Children(es[0]))) != 0 || len(slices.Collect(w.Children(es[5]))) != 2 {
		t.Errorf("saw %d children of 4, %v stay", seen, slices.Collect(w.Children(es[0])))
	}
	for range w.Children(es[5]) {
		must(t, w.Despawn(es[1]))
		must(t, w.Despawn(es[3])) // not the one that was given: the loop ends, no more
	}
	must(t, w.Check())
}

// TestNoRoomForAParentLeavesNoLinks fills a world until SetParent is refused.
func TestNoRoomForAParentLeavesNoLinks(t *testing.T) {
	type Wide struct{ V [1000]int64 }
	w := open(t, Options{MaxBytes: 1, ReuseAfter: -1})
	wide := Register[Wide](w)
	es := spawnMany(w, 400)
	for {
		if _, err := w.TrySpawn(wide.With(Wide{})); err != nil {
			break
		}
	}
	for {
		if _, err := w.arena.Alloc(1); err != nil {
			break
		}
	}
	lost := w.arena.Used()
	refused := 0
	for _, child := range es[1:] {
		if err := w.SetParent(child, es[0]); err != nil {
			if !errors.Is(err, ErrArenaFull) || w.ChildOf().of(child) != nil {
				t.Fatalf("answered %v, links: %v", err, w.ChildOf().of(child) != nil)
			}
			refused++
		}
	}
	if refused == 0 || w.arena.Used() != lost {
		t.Fatalf("%d of 399 were refused", refused)
	}
	must(t, w.ChildOf().check())
}

// TestSourcesAfterOne: the rest of a list, from any of its places, as it is when the loop begins.
func TestSourcesAfterOne(t *testing.T) {
	w := open(t, Options{})
	parent := w.Spawn()
	var all []Entity
	for range 5 {
		e := w.Spawn()
		must(t, w.SetParent(e, parent))
		all = append(all, e)
	}
	r := w.ChildOf()
	for i, e := range all {
		if got := slices.Collect(r.SourcesAfter(e)); !slices.Equal(got, all[i+1:]) {
			t.Errorf("after %d: %v", i, got)
		}
	}
	must(t, r.SetAt(all[4], parent, 0))
	if got := slices.Collect(r.SourcesAfter(all[4])); !slices.Equal(got, all[:4]) {
		t.Error(got)
	}
	for range r.SourcesAfter(all[4]) {
		break
	}
	for e := range r.SourcesAfter(all[4]) { // a body that ends those ahead
		if e == all[0] {
			must(t, w.Despawn(all[1]))
		}
	}
	must(t, w.SetParent(all[2], 0))
	for name, e := range map[string]Entity{"the parent": parent, "a dead one": all[1], "one that has left": all[2], "none": 0} {
		if got := slices.Collect(r.SourcesAfter(e)); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
