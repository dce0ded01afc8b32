package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// TestFilter: a replica of some components of some entities has these, and nothing else, whatever the
// world of the primary does; its own world has other components and another order.
func TestFilter(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { filtered(t, seed) })
	}
}

func filtered(t *testing.T, seed uint64) {
	g := newGame(t, ecs.Options{Seed: seed, Tag: 9})
	r := rand.New(rand.NewPCG(seed, 7))
	area := func() iter.Seq[ecs.Entity] { // those that are near, which are others each time
		center, wide := r.Float32()*1000, r.Float32()*800
		return func(yield func(ecs.Entity) bool) {
			for e, p := range ecs.Rows(g.World.Query(ecs.Read(g.position)), g.position) {
				if p.X <= center-wide || p.X >= center+wide {
					continue
				}
				for range 2 {
					if !yield(e) {
						return
					}
				}
			}
			yield(0)
		}
	}
	var now iter.Seq[ecs.Entity]
	filter := &replica.Interest{
		Components: []ecs.ComponentRef{g.burning, g.position, g.mood, g.label, g.perch, g.state, g.frozen, g.targets, g.World.ChildOf(), g.position},
		Entities:   func(yield func(ecs.Entity) bool) { now(yield) },
	}
	if seed%3 == 2 {
		filter.Entities = nil
	}
	primary, err := replica.NewPrimary(g.World, replica.PrimaryOptions{Interest: filter, Compress: seed%2 == 1})
	must(t, err)

	w, err := ecs.Open(ecs.Options{Tag: 9, MaxBytes: 32 << 20})
	must(t, err)
	defer w.Close()
	type extra struct{ A, B float64 }
	ecs.Register[extra](w)
	c := &game{World: w, label: ecs.Register[label](w), perch: ecs.Register[perch](w, ecs.Stored(func() ecs.Storage[perch] { return newBlocks() }))}
	ecs.Register[extra](w)
	c.state, err = w.Raw().Define(*g.Raw().Schema(g.state), false)
	must(t, err)
	c.mood, c.position = ecs.Register[mood](w), ecs.Register[position](w)
	c.frozen, err = w.Raw().Define(ecs.Schema{Name: "Frozen"}, true)
	must(t, err)
	c.burning = ecs.Register[burning](w, ecs.Sparse)
	c.targets, err = w.Relation("Targets", ecs.RelationOptions{})
	must(t, err)
	copy, err := replica.New(w, replica.Options{})
	must(t, err)
	w.Spawn()
	own := ecs.Provide(w, &score{Hits: 5}) // what the primary does not send stays
	random := w.Random().Uint64()

	for tick := range 80 {
		g.step(seed)
		now = area()
		seen := map[ecs.Entity]bool{}
		if filter.Entities == nil {
			for e := range g.Entities() {
				if !g.Raw().IsPrefab(e) && slices.ContainsFunc(filter.Components, func(c ecs.ComponentRef) bool { return g.Raw().Has(e, c.ID()) }) {
					seen[e] = true
				}
			}
		} else {
			now(func(e ecs.Entity) bool { seen[e] = e != 0; return true })
			delete(seen, 0)
			for e := range seen {
				if g.Raw().IsPrefab(e) {
					delete(seen, e)
				}
			}
			fixed := slices.Collect(func(yield func(ecs.Entity) bool) { now(yield) })
			now = slices.Values(fixed)
		}
		m, err := primary.Next()
		must(t, err)
		if tick%13 == 5 {
			m, err = primary.Full()
			must(t, err)
		}
		must(t, copy.Apply(m))
		must(t, w.Check())
		alike(t, g, c, seen)
		seconds, ticks := w.Time()
		if s, n := g.Time(); seconds != s || ticks != n || copy.Tick() != n {
			t.Fatalf("tick %d at %v, want %d at %v", ticks, seconds, n, s)
		}
		if next := w.Random().Uint64(); next == random || own.Hits != 5 {
			t.Fatalf("the random number %x came again, or the resource is %v", next, own)
		} else {
			random = next
		}
	}
}

// alike compares what a replica has with what it is to have.
func alike(t *testing.T, g, c *game, seen map[ecs.Entity]bool) {
	t.Helper()
	if c.Len() != len(seen) {
		t.Fatalf("%d entities, want %d", c.Len(), len(seen))
	}
	for e := range seen {
		for _, names := range []string{"State", "Frozen", "position", "mood", "burning", "label", "perch"} {
			there, _ := g.Raw().ComponentNamed(names)
			here, ok := c.Raw().ComponentNamed(names)
			if !ok {
				t.Fatalf("no component %q", names)
			}
			if g.Raw().Has(e, there) != c.Raw().Has(e, here) {
				t.Fatalf("%v has %s: %v", e, names, c.Raw().Has(e, here))
			}
		}
		compare := func(a, b any) {
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%v has %v, want %v", e, b, a)
			}
		}
		compare(value(g.position, e), value(c.position, e))
		compare(value(g.mood, e), value(c.mood, e))
		compare(value(g.burning, e), value(c.burning, e))
		compare(value(g.label, e), value(c.label, e))
		compare(value(g.perch, e), value(c.perch, e))
		for i, relations := range [][2]*ecs.Relation{{g.targets, c.targets}, {g.ChildOf(), c.ChildOf()}} {
			want := relations[0].Target(e)
			if !seen[want] {
				want = 0
			}
			if got := relations[1].Target(e); got != want {
				t.Fatalf("relation %d: %v has the target %v, want %v", i, e, got, want)
			}
		}
	}
}

func value[T any](c ecs.Component[T], e ecs.Entity) *T {
	if v, ok := c.Get(e); ok {
		return &v
	}
	return nil
}

// TestFilteredBytesStay: what lies between fields, and what a filter keeps back, is in no message.
func TestFilteredBytesStay(t *testing.T) {
	type secret struct{ Word [16]uint8 }
	type open struct {
		Small int8
		Large float64
	}
	w := ecs.NewWorld()
	defer w.Close()
	hidden, shown := ecs.Register[secret](w), ecs.Register[open](w)
	word := [16]uint8([]byte("a secret to keep"))
	for range 100 {
		w.Spawn(hidden.With(secret{word}), shown.With(open{1, 2}))
	}
	for c := range w.Query(ecs.Write(shown)).Chunks() { // bytes between the fields, as reused memory has them
		for i := range shown.Mut(c) {
			copy(padding(&shown.Mut(c)[i].Small), word[:7])
		}
	}
	defined, err := w.Raw().Define(ecs.Schema{Name: "Defined", Fields: []ecs.Field{{Name: "small", Kind: ecs.U8}, {Name: "large", Kind: ecs.F64}}}, false)
	must(t, err)
	for e := range w.Entities() {
		must(t, w.Add(e, w.Raw().ValueAt(defined, nil)))
	}
	for e := range w.Entities() {
		copy(padding((*int8)(w.Raw().Edit(e, defined))), word[:7])
	}
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{Interest: &replica.Interest{Components: []ecs.ComponentRef{shown, defined}}})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	if bytes.Contains(m, word[:7]) {
		t.Error("the message has what was filtered")
	}
}

// TestFiltersThatFail: what a primary or a replica cannot do is an error, and says what to do.
func TestFiltersThatFail(t *testing.T) {
	g := newGame(t, ecs.Options{Tag: 9})
	for want, list := range map[error][]ecs.ComponentRef{
		ecs.ErrConflict: {nil},
		ecs.ErrUnknown:  {ecs.ComponentID(200)},
	} {
		if _, err := replica.NewPrimary(g.World, replica.PrimaryOptions{Interest: &replica.Interest{Components: list}}); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	s, err := replica.NewPrimary(g.World, replica.PrimaryOptions{Interest: &replica.Interest{Components: []ecs.ComponentRef{g.label}}})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	w, err := ecs.Open(ecs.Options{Tag: 9})
	must(t, err)
	defer w.Close()
	r, err := replica.New(w, replica.Options{})
	must(t, err)
	if err := r.Apply(m); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	other, err := ecs.Open(ecs.Options{Tag: 10})
	must(t, err)
	defer other.Close()
	ecs.Register[label](other)
	r, err = replica.New(other, replica.Options{})
	must(t, err)
	if err := r.Apply(m); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if tag, err := replica.Tag(m); tag != 9 || err != nil {
		t.Error(tag, err)
	}
	if tag, err := replica.Tag(m[1:]); !errors.Is(err, replica.ErrDamaged) {
		t.Error(tag, err)
	}
	small, err := replica.New(g.World, replica.Options{Bytes: 10})
	must(t, err)
	if err := small.Apply(m); !errors.Is(err, replica.ErrTooLarge) {
		t.Error(err)
	}
}
