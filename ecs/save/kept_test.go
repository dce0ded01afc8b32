package save_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

type (
	lit   struct{ Left float64 }
	hot   struct{ Degrees float64 }
	label struct{ Text string }
)

// TestQueriesHaveSeenWhatTheyHadSeen: what was written since a query with Changed looked is what it finds after a load, whether a column
// was written, an entity came, or a value lies on the heap.
func TestQueriesHaveSeenWhatTheyHadSeen(t *testing.T) {
	type kept struct {
		*ecs.World
		wide  ecs.Component[wideNow]
		lit   ecs.Component[lit]
		label ecs.Component[label]

		looks [3]*ecs.Query
	}
	open := func() *kept {
		w := world(t, 16<<20)
		k := &kept{World: w, wide: ecs.Register[wideNow](w), lit: ecs.Register[lit](w, ecs.Sparse), label: ecs.Register[label](w)}
		k.looks = [3]*ecs.Query{w.Query().Changed(k.wide), w.Query().Changed(k.lit), w.Query().Changed(k.label)}
		return k
	}
	seen := func(k *kept) (all [3][]ecs.Entity) {
		for i, q := range k.looks {
			for c := range q.Chunks() {
				all[i] = append(all[i], c.Entities()...)
			}
		}
		return all
	}
	for what, change := range map[string]func(*kept, []ecs.Entity){
		"nothing":           func(*kept, []ecs.Entity) {},
		"a column":          func(k *kept, e []ecs.Entity) { k.wide.Edit(e[1]).A++ },
		"a pool":            func(k *kept, e []ecs.Entity) { k.lit.Edit(e[1]).Left++ },
		"a value on a heap": func(k *kept, e []ecs.Entity) { k.label.Edit(e[1]).Text = "new" },
		"an entity":         func(k *kept, e []ecs.Entity) { k.Spawn(k.wide.With(wideNow{})) },
		"one that is gone":  func(k *kept, e []ecs.Entity) { must(t, k.Despawn(e[0])) },
	} {
		from := open()
		e := []ecs.Entity{
			from.Spawn(from.wide.With(wideNow{})),
			from.Spawn(from.wide.With(wideNow{}), from.lit.With(lit{1}), from.label.With(label{"a"})),
			from.Spawn(from.lit.With(lit{2}), from.label.With(label{"b"})),
			from.Spawn(from.wide.With(wideNow{})),
		}
		must(t, from.Step(0.1))
		seen(from)
		must(t, from.Step(0.1))
		change(from, e)
		f := opened(t, from.World)
		w := open()
		_, err := f.Load(w.World, save.LoadOptions{})
		must(t, err)
		if got, want := fmt.Sprint(seen(w)), fmt.Sprint(seen(from)); got != want || (what == "nothing") != (want == "[[] [] []]") {
			t.Errorf("%s has changed: a query finds %s, without the load %s", what, got, want)
		}
	}
}

// TestNewFieldsHaveTheirDefaults: a field that a save has not gets the default of the component.
func TestNewFieldsHaveTheirDefaults(t *testing.T) {
	from := world(t, 16<<20)
	c := ecs.Register[wideLess](from, ecs.Named("Wide"))
	e := from.Spawn(c.With(wideLess{1}))
	f := opened(t, from)
	w := world(t, 16<<20)
	now := ecs.Register[wideNow](w, ecs.Named("Wide"), ecs.Default(wideNow{8, 9}))
	_, err := f.Load(w, save.LoadOptions{})
	must(t, err)
	if v, _ := now.Get(e); v != (wideNow{1, 9}) {
		t.Error(v)
	}
}

// TestAMigrationThatFails refuses the load, which has changed nothing.
func TestAMigrationThatFails(t *testing.T) {
	from := world(t, 16<<20)
	c := ecs.Register[wideBefore](from, ecs.Named("Wide"))
	from.Spawn(c.With(wideBefore{1, 2}))
	f := opened(t, from)
	w := world(t, 16<<20)
	now := ecs.Register[wideLess](w, ecs.Named("Wide"))
	e := w.Spawn(now.With(wideLess{5}))
	before, no := w.Checksum(), errors.New("it cannot be done")
	_, err := f.Load(w, save.LoadOptions{Migrate: func(*ecs.Schema, *ecs.Schema) ecs.Convert {
		return func(ecs.Entity, unsafe.Pointer, unsafe.Pointer) error { return no }
	}})
	if v, _ := now.Get(e); !errors.Is(err, no) || w.Checksum() != before || v.A != 5 {
		t.Errorf("%v: %v", v, err)
	}
}

// TestGroupsComeBack: the pools of a group have the order that they had.
func TestGroupsComeBack(t *testing.T) {
	open := func() (*ecs.World, ecs.Component[lit], ecs.Component[hot]) {
		w := world(t, 16<<20)
		l, h := ecs.Register[lit](w, ecs.Sparse), ecs.Register[hot](w, ecs.Sparse)
		return w, l, h
	}
	from, l, h := open()
	for i := range 9 {
		e := from.Spawn()
		if i%3 != 0 {
			l.Set(e, lit{float64(-i)})
		}
		if i%2 == 0 {
			h.Set(e, hot{float64(i)})
		}
	}
	must(t, from.Group(l, h))
	must(t, l.Sort(func(a, b *lit) int { return cmp.Compare(a.Left, b.Left) }))
	order := func(w *ecs.World, l ecs.Component[lit], h ecs.Component[hot]) (all []ecs.Entity) {
		for c := range w.Query(ecs.Read(l), ecs.Read(h)).Chunks() {
			all = append(all, c.Entities()...)
		}
		return all
	}
	f := opened(t, from)
	w, l2, h2 := open()
	must(t, w.Group(l2, h2))
	_, err := f.Load(w, save.LoadOptions{})
	must(t, err)
	must(t, w.Check())
	if got, want := order(w, l2, h2), order(from, l, h); !slices.Equal(got, want) || len(want) < 3 {
		t.Errorf("the order is %v, it was %v", got, want)
	}
}

// TestChangesThatWaitComeBack: observers get what had happened when the save was made, with the value that was removed.
func TestChangesThatWaitComeBack(t *testing.T) {
	var got []string
	open := func() (*ecs.World, ecs.Component[wideNow], ecs.Component[label]) {
		w := world(t, 16<<20)
		c, l := ecs.Register[wideNow](w), ecs.Register[label](w)
		observe := func(name string, id ecs.ComponentID, old func(ecs.Notice) string) {
			must(t, w.Observe(ecs.Observer{Name: name, On: ecs.OnAdd | ecs.OnRemove, Component: id, Run: func(_ *ecs.Tick, n ecs.Notice) error {
				if got = append(got, name+" added"); n.Trigger == ecs.OnRemove {
					got[len(got)-1] = name + " was " + old(n)
				}
				return nil
			}}))
		}
		observe("wide", c.ID(), func(n ecs.Notice) string { return fmt.Sprint(*(*wideNow)(n.Old)) })
		observe("label", l.ID(), func(n ecs.Notice) string { return (*label)(n.Old).Text })
		return w, c, l
	}
	from, c, l := open()
	e := from.Spawn(c.With(wideNow{1, 2}), l.With(label{"x"}))
	must(t, from.Step(0.1))
	c.Remove(e)
	l.Remove(e)
	from.Spawn(c.With(wideNow{}))
	f := opened(t, from)
	got = nil
	must(t, from.Step(0.1))
	want := strings.Join(got, ", ")
	w, _, _ := open()
	_, err := f.Load(w, save.LoadOptions{})
	must(t, err)
	got = nil
	must(t, w.Step(0.1))
	if got := strings.Join(got, ", "); got != want || want != "wide was {1 2}, label was x, wide added" {
		t.Errorf("observers get %q, without the load %q", got, want)
	}
}

// sealed writes itself as bytes that are no text, though it says it is one.
type sealed struct{ N byte }

func (s sealed) Clone() sealed                { return s }
func (s sealed) MarshalText() ([]byte, error) { return []byte{0xff, s.N, 0xfe}, nil }
func (s *sealed) UnmarshalText(text []byte) error {
	if len(text) != 3 || text[0] != 0xff || text[2] != 0xfe {
		return fmt.Errorf("%q is not what was written", text)
	}
	s.N = text[1]
	return nil
}

// TestTextsThatAreNone: a resource whose text is not UTF-8 comes back as it was.
func TestTextsThatAreNone(t *testing.T) {
	from, w := world(t, 16<<20), world(t, 16<<20)
	ecs.Provide(from, &sealed{0x80})
	now := ecs.Provide(w, &sealed{})
	_, err := opened(t, from).Load(w, save.LoadOptions{})
	if err != nil || now.N != 0x80 {
		t.Error(now, err)
	}
}
