package ecs

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// tank is a hull with two turrets, one of which has a gun.
func tank(position Component[Position], label Component[Label]) *Prefab {
	gun := Prefab{Name: "gun", Values: []Value{label.With(Label{"gun"})}}
	return &Prefab{
		Name:   "tank",
		Values: []Value{position.With(Position{1, 1}), label.With(Label{"hull"})},
		Children: []Prefab{
			{Name: "turret", Values: []Value{label.With(Label{"left"})}, Children: []Prefab{gun}},
			{Name: "turret", Values: []Value{label.With(Label{"right"})}},
		},
	}
}

func TestPrefabWithChildrenAndOverrides(t *testing.T) {
	w := open(t, Options{})
	position, label, frozen := Register[Position](w), Register[Label](w), Register[Frozen](w)
	p := tank(position, label)
	c := w.NewCommands()
	recorded := c.SpawnPrefab(p, position.With(Position{9, 9}), frozen.With(Frozen{}))
	must(t, c.Apply())
	direct, err := w.SpawnPrefab(p, position.With(Position{9, 9}), frozen.With(Frozen{}))
	must(t, err)
	for _, e := range []Entity{recorded, direct} {
		if at, _ := position.Get(e); at != (Position{9, 9}) || !frozen.Has(e) {
			t.Errorf("the overrides are not in: %v, frozen %v", at, frozen.Has(e))
		}
		if got, want := family(w, label, e), []string{"hull", "left", "gun", "right"}; !slices.Equal(got, want) {
			t.Errorf("the family is %q, want %q", got, want)
		}
	}
	if plain, err := w.SpawnPrefab(p); err != nil || frozen.Has(plain) {
		t.Error("an override changed the prefab itself")
	}
	must(t, w.Check())
}

// family lists the labels of e and those below it.
func family(w *World, label Component[Label], e Entity) []string {
	l, _ := label.Get(e)
	all := []string{l.Text}
	for child := range w.Children(e) {
		all = append(all, family(w, label, child)...)
	}
	return all
}

// TestAPrefabThatDoesNotFitLeavesNothing, wherever in the family room runs out.
func TestAPrefabThatDoesNotFitLeavesNothing(t *testing.T) {
	for limit := range 4 {
		w := open(t, Options{MaxEntities: 10 + limit})
		position, label := Register[Position](w), Register[Label](w)
		spawnMany(w, 10)
		if e, err := w.SpawnPrefab(tank(position, label)); !errors.Is(err, ErrEntityLimit) || e != 0 {
			t.Errorf("room for %d of 4: got %v, %v", limit, e, err)
		}
		if w.Len() != 10 {
			t.Errorf("room for %d of 4: %d entities were left behind", limit, w.Len()-10)
		}
		c := w.NewCommands()
		c.SpawnPrefab(tank(position, label))
		if err := c.Apply(); !errors.Is(err, ErrEntityLimit) {
			t.Errorf("commands: room for %d of 4: got %v", limit, err)
		}
		must(t, w.Check())
	}
}

// TestAFamilyWithoutRoomForItsRoot: the children fit, the root does not.
func TestAFamilyWithoutRoomForItsRoot(t *testing.T) {
	type Huge struct{ V [1 << 20]int64 } // 8 MiB
	w := open(t, Options{MaxBytes: 4 << 20})
	huge, position := Register[Huge](w), Register[Position](w)
	p := &Prefab{Values: []Value{huge.With(Huge{})}, Children: []Prefab{{Values: []Value{position.With(Position{})}}}}
	if _, err := w.SpawnPrefab(p); !errors.Is(err, ErrArenaFull) || w.Len() != 0 {
		t.Errorf("answered %v; %d orphans", err, w.Len())
	}
	must(t, w.Check())
}

// TestAPrefabInherits: values by component, children by name, wherever in the
// tree, and from the bases of bases.
func TestAPrefabInherits(t *testing.T) {
	w := open(t, Options{})
	position, label, frozen := Register[Position](w), Register[Label](w), Register[Frozen](w)
	base := tank(position, label)
	heavy := &Prefab{
		Name: "heavy", Base: base, Values: []Value{label.With(Label{"heavy hull"})},
		Children: []Prefab{
			{Name: "turret", Values: []Value{frozen.With(Frozen{})}, Children: []Prefab{{Name: "gun", Values: []Value{label.With(Label{"long gun"})}}}},
			{Name: "crane", Values: []Value{label.With(Label{"crane"})}},
		},
	}
	heaviest := &Prefab{Base: heavy, Children: []Prefab{
		{Name: "turret"}, {Name: "turret", Values: []Value{label.With(Label{"third"})}}, {Base: &Prefab{Values: []Value{label.With(Label{"flag"})}}},
	}}
	for want, p := range map[string]*Prefab{
		"hull left gun right": base, "heavy hull left long gun right crane": heavy,
		"heavy hull left long gun right crane third flag": heaviest,
	} {
		direct, err := w.SpawnPrefab(p)
		must(t, err)
		c := w.NewCommands()
		recorded := c.SpawnPrefab(p)
		must(t, c.Apply())
		for _, e := range []Entity{direct, recorded} {
			if got := strings.Join(family(w, label, e), " "); got != want {
				t.Errorf("the family is %q, want %q", got, want)
			}
			if at, _ := position.Get(e); at != (Position{1, 1}) {
				t.Errorf("%q is at %v: not inherited", want, at)
			}
		}
		if left := slices.Collect(w.Children(direct))[0]; frozen.Has(left) != (p != base) {
			t.Errorf("%q: the left turret is frozen: %v", want, frozen.Has(left))
		}
	}
	if len(base.Children) != 2 || len(base.Values) != 2 || len(heavy.Children) != 2 {
		t.Error("inheriting has changed the base")
	}
	must(t, w.Check())
}

func TestABaseThatLeadsToItself(t *testing.T) {
	w := open(t, Options{})
	own := &Prefab{Name: "own"}
	own.Base = own
	within := &Prefab{Name: "within", Children: []Prefab{{}, {}}}
	within.Children[0].Base, within.Children[1].Base = within, within
	endless := &Prefab{Name: "endless", Children: make([]Prefab, 1)}
	endless.Children[0].Children = endless.Children
	for _, p := range []*Prefab{own, within, endless} {
		if e, err := w.SpawnPrefab(p); !errors.Is(err, ErrCycle) || e != 0 || w.Len() != 0 {
			t.Errorf("%q: answered %v, %d alive", p.Name, err, w.Len())
		}
		c := w.NewCommands()
		e := c.SpawnPrefab(p)
		if err := c.Apply(); !errors.Is(err, ErrCycle) || e != 0 || w.Len() != 0 {
			t.Errorf("%q, recorded: answered %v, %d alive", p.Name, err, w.Len())
		}
	}
}

// squad is a prefab entity: a leader with two members, of which the second has a
// pet; with bonds and targets among them and to somebody outside.
type squad struct {
	w        *World
	position Component[Position]
	label    Component[Label]
	bond     Component[Bond]
	party    Component[Party]
	targets  *Relation
	tree     []Entity // leader, first, second, pet
	outside  Entity
}

func newSquad(t testing.TB, options Options) *squad {
	w := open(t, options)
	s := &squad{
		w: w, position: Register[Position](w), label: Register[Label](w), bond: Register[Bond](w), party: Register[Party](w),
		targets: relate(t, w, "Targets", RelationOptions{}),
	}
	s.outside = w.Spawn()
	for i := range 4 {
		s.tree = append(s.tree, w.Spawn(s.position.With(Position{X: float64(i)}), s.label.With(Label{fmt.Sprint(i)})))
	}
	for child, parent := range map[int]int{3: 2} {
		must(t, w.SetParent(s.tree[child], s.tree[parent]))
	}
	must(t, w.SetParent(s.tree[1], s.tree[0]))
	must(t, w.SetParent(s.tree[2], s.tree[0]))
	must(t, s.bond.Set(s.tree[1], Bond{To: s.tree[3], Also: [2]Entity{s.outside, s.tree[0]}}))
	must(t, s.party.Set(s.tree[0], Party{Members: []Entity{s.tree[1], s.outside, s.tree[2]}, Name: "blue"}))
	must(t, s.targets.Set(s.tree[1], s.tree[3]))
	must(t, s.targets.Set(s.tree[2], s.tree[3]))
	must(t, s.targets.Set(s.tree[3], s.outside))
	return s
}

func TestQueriesPassPrefabsOver(t *testing.T) {
	s := newSquad(t, Options{})
	burning := Register[Burning](s.w, Sparse)
	must(t, burning.Set(s.tree[0], Burning{}))
	lit := s.w.Spawn(burning.With(Burning{}), s.position.With(Position{}), s.label.With(Label{}))
	queries := map[string]func() *Query{
		"columns": func() *Query { return s.w.Query(Read(s.position)) }, "a pool": func() *Query { return s.w.Query(Read(burning)) },
		"a heap pool": func() *Query { return s.w.Query(Read(s.label)) }, "pools": func() *Query { return s.w.Query(Read(burning), Read(s.label)) },
		"both":  func() *Query { return s.w.Query(Read(s.position), Read(burning)) },
		"exact": func() *Query { return s.w.Query(Read(s.position), Read(burning), Read(s.label)).Exact() },
		"where": func() *Query { return Where(s.w.Query(), burning, func(*Burning) bool { return true }) },
	}
	before := map[string]*Query{}
	for name, q := range queries {
		before[name] = q()
		before[name].Count() // it knows the archetypes of now
	}
	must(t, s.w.MarkPrefab(s.tree[0]))
	for name, q := range queries {
		old, now, all := before[name], q(), q().Prefabs()
		for _, q := range []*Query{old, now} {
			if q.Matches(s.tree[0]) || !q.Matches(lit) || q.Count() != 1 || q.First() != lit {
				t.Errorf("%s: a query finds %d, first %v", name, q.Count(), q.First())
			}
			for c := range q.Chunks() {
				if slices.Contains(c.Entities(), s.tree[0]) {
					t.Errorf("%s: a loop yields a prefab", name)
				}
			}
		}
		if name == "exact" {
			continue // the leader has a party
		}
		if !all.Matches(s.tree[0]) || all.Count() < 2 {
			t.Errorf("%s: a query that asks for prefabs finds %d", name, all.Count())
		}
	}
	if n, err := s.w.DespawnAll(s.w.Query(Read(s.position))); err != nil || n != 1 || !s.w.Alive(s.tree[0]) {
		t.Errorf("%d died: %v", n, err)
	}
	must(t, s.w.Check())
}

func TestInstancesOfAPrefab(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		s := newSquad(t, Options{})
		w := s.w
		must(t, w.MarkPrefab(s.tree[0]))
		tops, err := w.Instantiate(s.tree[0], n, s.label.With(Label{"captain"}))
		must(t, err)
		must(t, w.Check())
		if len(tops) != n || w.Query(Read(s.position)).Count() != 4*n || s.targets.Count(s.outside) != n+1 {
			t.Fatalf("%d instances, %d entities, %d of them target the outside", len(tops), w.Query(Read(s.position)).Count(), s.targets.Count(s.outside))
		}
		for _, top := range tops {
			var es []Entity
			for e := range w.ChildOf().DepthFirst(top) {
				es = append(es, e)
			}
			if len(es) != 4 || w.Parent(top) != 0 || w.isPrefab(es[3]) {
				t.Fatalf("an instance is %v", es)
			}
			top, first, second, pet := es[0], es[1], es[2], es[3]
			name, _ := s.label.Get(top)
			at, _ := s.position.Get(pet)
			if name.Text != "captain" || at.X != 3 {
				t.Errorf("the values are %v and %v", name, at)
			}
			if b, _ := s.bond.Get(first); b.To != pet || b.Also != [2]Entity{s.outside, top} {
				t.Errorf("the handles in fields are %+v", b)
			}
			if p, _ := s.party.Get(top); !slices.Equal(p.Members, []Entity{first, s.outside, second}) {
				t.Errorf("the handles in slices are %+v", p)
			}
			if !slices.Equal(sources(s.targets, pet), []Entity{first, second}) || s.targets.Target(pet) != s.outside {
				t.Errorf("%v target the pet, which targets %v", sources(s.targets, pet), s.targets.Target(pet))
			}
		}
		if p, _ := s.party.Get(s.tree[0]); !slices.Equal(p.Members, []Entity{s.tree[1], s.outside, s.tree[2]}) {
			t.Error("the prefab itself was changed")
		}
	}
}

// TestAVariantOfAPrefab: an instance that is marked is a prefab with overrides.
func TestAVariantOfAPrefab(t *testing.T) {
	s := newSquad(t, Options{})
	must(t, s.w.MarkPrefab(s.tree[0]))
	variant, err := s.w.Instantiate(s.tree[0], 1, s.position.With(Position{X: 70}))
	must(t, err)
	must(t, s.w.MarkPrefab(variant[0]))
	must(t, s.w.MarkPrefab(variant[0])) // once more is no more
	tops, err := s.w.Instantiate(variant[0], 2)
	must(t, err)
	if at, _ := s.position.Get(tops[1]); at.X != 70 || s.w.Query(Read(s.position)).Count() != 8 {
		t.Errorf("at %v, %d live", at, s.w.Query(Read(s.position)).Count())
	}
	plain, err := s.w.Copy(variant[0])
	must(t, err)
	if s.w.isPrefab(plain) {
		t.Error("the copy of a prefab is one")
	}
	must(t, s.w.Check())
}

// TestInstancesInAGroup: a copy of the top that enters a group takes the place of
// a row in it, here of the child's, whose copies must get what the child had.
func TestInstancesInAGroup(t *testing.T) {
	h := newGroupWorld(t, 2) // both burn; the child is the first
	child, top := h.es[0], h.es[1]
	must(t, h.SetParent(child, top))
	for i, e := range h.es {
		must(t, h.heavy.Set(e, Heavy{[300]int64{0: int64(i), 299: int64(-i)}}))
	}
	must(t, h.Group(h.burning, h.heavy, h.label))
	tops, err := h.Instantiate(top, 3, h.label.With(Label{"grouped"}))
	must(t, err)
	must(t, h.Check())
	if n := h.Query(Read(h.burning), Read(h.heavy), Read(h.label)).Count(); n != 3 {
		t.Errorf("%d are in the group, not the three tops", n)
	}
	for _, at := range append(tops, top) {
		below := slices.Collect(h.Children(at))
		if len(below) != 1 {
			t.Fatalf("below %v are %v", at, below)
		}
		for i, e := range []Entity{below[0], at} {
			left, _ := h.burning.Get(e)
			heavy, _ := h.heavy.Get(e)
			if int(left.Left) != i || heavy.V[0] != int64(i) || heavy.V[299] != int64(-i) {
				t.Errorf("%v has %v and %d, %d; it is like number %d", e, left, heavy.V[0], heavy.V[299], i)
			}
		}
	}
}

func TestPrefabsTravel(t *testing.T) {
	s, there := newSquad(t, Options{}), newSquad(t, Options{})
	must(t, s.w.MarkPrefab(s.tree[0]))
	moved, err := s.w.TransferTree(s.tree[0], there.w)
	must(t, err)
	if !there.w.isPrefab(moved) || there.w.Query(Read(there.position)).Count() != 4 {
		t.Error("a prefab has become an ordinary entity on the way")
	}
	must(t, errors.Join(s.w.Check(), there.w.Check()))
}

func TestPrefabEntitiesRefuse(t *testing.T) {
	s := newSquad(t, Options{MaxEntities: 12})
	w := s.w
	must(t, w.MarkPrefab(s.tree[0]))
	dead := w.Spawn()
	must(t, w.Despawn(dead))
	for name, c := range map[string]struct {
		f    func() error
		want error
	}{
		"marking the dead":        {func() error { return w.MarkPrefab(dead) }, ErrDead},
		"instances of the dead":   {func() error { _, err := w.Instantiate(dead, 1); return err }, ErrDead},
		"less than no instance":   {func() error { _, err := w.Instantiate(s.tree[0], -1); return err }, ErrRange},
		"two of four, with seven": {func() error { _, err := w.Instantiate(s.tree[0], 2); return err }, ErrEntityLimit},
		"more than can be":        {func() error { _, err := w.Instantiate(s.tree[0], 1<<(bits.UintSize-2)); return err }, ErrEntityLimit},
		"a foreign override":      {func() error { _, err := w.Instantiate(s.tree[0], 1, Value{}); return err }, ErrConflict},
		"an ordinary child":       {func() error { return w.SetParent(s.outside, s.tree[3]) }, ErrConflict},
		"the mark as a component": {func() error { return w.Remove(s.tree[0], w.mark.id) }, ErrConflict},
	} {
		before, links := w.Checksum(), w.ChildOf().Len()
		if err := c.f(); !errors.Is(err, c.want) || w.Len() != 5 || w.Checksum() != before || w.ChildOf().Len() != links {
			t.Errorf("%s: answered %v, or something changed", name, err)
		}
		must(t, w.Check())
	}
	for range w.Query().Chunks() {
		_, err := w.Instantiate(s.tree[0], 1)
		if !errors.Is(err, ErrIterating) || !errors.Is(w.MarkPrefab(s.outside), ErrIterating) {
			t.Error("a loop is running, and a prefab was made or used")
		}
	}
	if tops, err := w.Instantiate(s.tree[0], 0); tops != nil || err != nil {
		t.Errorf("no instances: %v, %v", tops, err)
	}
	must(t, w.SetParent(s.tree[2], 0)) // out of the prefab, it stays one
	if !w.isPrefab(s.tree[2]) || !w.isPrefab(s.tree[3]) {
		t.Error("a part of a prefab is none by itself")
	}
	must(t, w.Check())
}

// TestNoNumberForTheMark: a world with all component numbers taken says so.
func TestNoNumberForTheMark(t *testing.T) {
	w := open(t, Options{})
	for len(w.components) < MaxComponents {
		if _, err := w.define(Schema{Name: fmt.Sprint("c", len(w.components))}, false); err != nil {
			t.Fatal(err)
		}
	}
	e := w.Spawn()
	if err := w.MarkPrefab(e); !errors.Is(err, ErrConflict) || w.isPrefab(e) {
		t.Errorf("answered %v", err)
	}
	if err := w.MarkPrefab(e); !errors.Is(err, ErrConflict) {
		t.Errorf("asked again: %v", err)
	}
}

// BenchmarkInstances compares batches of instances with one at a time, for a
// prefab of four entities.
func BenchmarkInstances(b *testing.B) {
	const n = 10_000
	for _, c := range []struct {
		name string
		make func(w *World, prefab Entity) error
	}{
		{"batch", func(w *World, prefab Entity) error { _, err := w.Instantiate(prefab, n); return err }},
		{"one by one", func(w *World, prefab Entity) error {
			for range n {
				if _, err := w.Instantiate(prefab, 1); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				w := open(b, Options{})
				position, velocity := Register[Position](w), Register[Velocity](w)
				tree := make([]Entity, 4)
				for i := range tree {
					tree[i] = w.Spawn(position.With(Position{}), velocity.With(Velocity{}))
					if i > 0 {
						must(b, w.SetParent(tree[i], tree[(i-1)/2]))
					}
				}
				must(b, w.MarkPrefab(tree[0]))
				b.StartTimer()
				must(b, c.make(w, tree[0]))
				b.StopTimer()
				w.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*n), "ns/entity")
		})
	}
}
