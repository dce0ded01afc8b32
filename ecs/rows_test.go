package ecs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestViewsShowWhatEntitiesHave, row by row, for structs of one to five fields over queries of
// every kind, in whole loops, in chunks and by entity.
func TestViewsShowWhatEntitiesHave(t *testing.T) {
	z := newMixedWorld(t)
	for i := range 40 { // so that columns have rows to move on to
		z.Spawn(z.position.With(Position{X: float64(i)}), z.label.With(Label{fmt.Sprint("more ", i)}))
		z.Spawn(z.position.With(Position{Y: float64(i)}), z.burning.With(Burning{float32(i)}))
		z.Spawn(z.position.With(Position{Y: float64(i)}), z.burning.With(Burning{float32(i)}), z.label.With(Label{fmt.Sprint(i)}))
	}
	check(t, z, "one", func(e Entity, p *Position, b *Burning, l *Label, r *struct{ Position *Position }) bool {
		return r.Position == p
	})
	check(t, z, "one in a pool", func(e Entity, p *Position, b *Burning, l *Label, r *struct{ Burning *Burning }) bool {
		return r.Burning == b
	})
	check(t, z, "two", func(e Entity, p *Position, b *Burning, l *Label, r *struct {
		Label    *Label
		Position *Position `ecs:"read"`
	}) bool {
		return r.Position == p && r.Label == l
	})
	check(t, z, "three", func(e Entity, p *Position, b *Burning, l *Label, r *mixedRow) bool {
		return r.Position == p && r.Burning == b && r.Label == l
	})
	check(t, z, "all", func(e Entity, p *Position, b *Burning, l *Label, r *struct {
		Burning  *Burning  `ecs:"optional,read"`
		Frozen   *Frozen   `ecs:"optional"`
		Position *Position `ecs:"write"`
		Label    *Label    `ecs:"optional"`
	}) bool {
		return r.Position == p && r.Burning == b && r.Label == l && (r.Frozen != nil) == z.frozen.Has(e)
	})
}

// check compares what a view yields with its query and with what Peek finds.
func check[T any](t *testing.T, z *mixedWorld, name string, right func(Entity, *Position, *Burning, *Label, *T) bool) {
	t.Helper()
	view := NewView[T](z.World)
	shows := func(how string, e Entity, row T) {
		raw := z.Raw()
		p, b, l := raw.Pointer(e, z.position.ID()), raw.Pointer(e, z.burning.ID()), raw.Pointer(e, z.label.ID())
		if !right(e, (*Position)(p), (*Burning)(b), (*Label)(l), &row) {
			t.Errorf("%s, %s: %v is shown %+v", name, how, e, row)
		}
	}
	want := entities(view.Query())
	var rows, inChunks []Entity
	for e, row := range view.Rows() {
		shows("rows", e, row)
		rows = append(rows, e)
		for inner := range view.Rows() {
			if inner != want[0] {
				t.Errorf("%s: an inner loop begins with %v", name, inner)
			}
			break
		}
	}
	for c := range view.Query().Chunks() {
		for e, row := range view.In(c) {
			shows("in a chunk", e, row)
			inChunks = append(inChunks, e)
		}
		for range view.In(c) {
			break
		}
	}
	if !slices.Equal(rows, want) || !slices.Equal(inChunks, want) || len(want) == 0 || z.locks != 0 {
		t.Errorf("%s: the query has %v, the rows are %v, those in chunks %v; %d locks are left", name, want, rows, inChunks, z.locks)
	}
	for e := range z.Entities() {
		row, ok := view.Get(e)
		if ok != slices.Contains(want, e) {
			t.Errorf("%s: Get of %v says %v", name, e, ok)
		}
		if ok {
			shows("get", e, row)
		}
	}
}

// TestViewsStampWhatTheyWrite, and nothing that they only read.
func TestViewsStampWhatTheyWrite(t *testing.T) {
	w := open(t, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	e := w.Spawn(position.With(Position{}), velocity.With(Velocity{1, 2}))
	view := NewView[moving](w)
	moved, pushed := w.Query(Read(position)).Changed(position), w.Query(Read(velocity)).Changed(velocity)
	look := func(how string, written bool) {
		t.Helper()
		if got := len(entities(moved)) == 1; got != written {
			t.Errorf("%s: the position counts as changed: %v", how, got)
		}
		if len(entities(pushed)) != 0 {
			t.Errorf("%s: the velocity counts as changed", how)
		}
	}
	entities(moved)
	entities(pushed)
	system := view.Each(System{Name: "move"}, func(tick *Tick, e Entity, m moving) { m.Position.X += m.Velocity.X * tick.DT })
	if len(system.Queries) != 1 || system.Queries[0] != view.Query() {
		t.Error("the system does not declare the view's query")
	}
	must(t, w.Schedule().Add(system))
	must(t, w.Step(0.5))
	look("a system", true)
	if p, _ := position.Get(e); p.X != 0.5 {
		t.Errorf("the system has moved it to %v", p)
	}
	must(t, w.Run("in chunks", func(tick *Tick) error {
		return tick.Parallel(view.Query(), func(_ *Tick, c *Chunk) {
			for _, m := range view.In(c) {
				m.Position.Y += m.Velocity.Y
			}
		})
	}))
	look("in chunks", true)
	must(t, w.Run("by entity", func(*Tick) error {
		m, _ := view.Get(e)
		m.Position.X = 7
		return nil
	}))
	look("by entity", true)
	must(t, w.Run("nothing", idle))
	look("nothing", false)
	if err := w.Run("no function", view.Each(System{}, nil).Run); err == nil || !strings.Contains(err.Error(), "no function") {
		t.Errorf("without a function: %v", err)
	}
}

// TestViewsRefuseOtherStructs with the name of the field and what is wrong with it.
func TestViewsRefuseOtherStructs(t *testing.T) {
	w := open(t, Options{})
	Register[Position](w)
	for want, use := range map[string]func(){
		"a view is a struct":                                     func() { NewView[*Position](w) },
		"is a struct of pointers":                                func() { NewView[struct{}](w) },
		"field Position is no exported pointer":                  func() { NewView[struct{ Position Position }](w) },
		"field position is no exported pointer":                  func() { NewView[struct{ position *Position }](w) },
		"component ecs.Velocity is not registered":               func() { NewView[struct{ Velocity *Velocity }](w) },
		"field Q: component \"Position\" is in the view already": func() { NewView[struct{ P, Q *Position }](w) },
		"the tag says read and write": func() {
			NewView[struct {
				P *Position `ecs:"read,write"`
			}](w)
		},
		"there is no world": func() { NewView[struct{ P *Position }](nil) },
		"all fields are optional": func() {
			NewView[struct {
				P *Position `ecs:"optional"`
			}](w)
		},
		"the tag says \"reed\": expected read, write or optional": func() {
			NewView[struct {
				P *Position `ecs:"reed"`
			}](w)
		},
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) {
					t.Errorf("expected %q, got %v", want, err)
				}
			}()
			use()
		}()
	}
}

// TestSortedByAgreesWithSorted over queries of every kind, for numbers that lie close together
// and far apart, and for those at the ends of int.
func TestSortedByAgreesWithSorted(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 7))
		z := newMixedWorld(t)
		for range r.IntN(300) {
			values := []Value{z.position.With(Position{X: float64(r.IntN(4)), Y: r.NormFloat64() * 1e6})}
			if r.IntN(2) == 0 {
				values = append(values, z.burning.With(Burning{}))
			}
			if r.IntN(2) == 0 {
				values = append(values, z.label.With(Label{}))
			}
			z.Spawn(values...)
		}
		keys := map[string]func(*Position) int{
			"close": func(p *Position) int { return int(p.X) - 2 },
			"far":   func(p *Position) int { return int(p.Y) },
			"ends": func(p *Position) int {
				return []int{math.MinInt, -1, 0, math.MaxInt}[int(math.Abs(p.X))%4]
			},
		}
		for name, q := range menagerie(z) {
			for order, key := range keys {
				var want, got []Entity
				for c := range Sorted(q, z.position, func(a, b *Position) int {
					switch ka, kb := key(a), key(b); {
					case ka < kb:
						return -1
					case ka > kb:
						return 1
					}
					return 0
				}) {
					want = append(want, c.Entities()...)
				}
				for c := range SortedBy(q, z.position, key) {
					got = append(got, c.Entities()...)
					for i, p := range z.position.Of(c) {
						if want, _ := z.position.Get(c.Entities()[i]); p != want {
							t.Fatalf("seed %d, %s, %s: %v has %v in the loop and %v by its handle", seed, name, order, c.Entities()[i], p, want)
						}
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s, %s: %v, sorted by a comparison %v", seed, name, order, got, want)
				}
			}
			for range SortedBy(q, z.position, keys["close"]) {
				break
			}
			if z.locks != 0 {
				t.Fatalf("seed %d, %s: %d locks are left", seed, name, z.locks)
			}
		}
	}
}

// BenchmarkSorted is a loop by layer over 10,000 entities, in each way.
func BenchmarkSorted(b *testing.B) {
	w, position, _ := movers(b, 0)
	for i := range 10_000 {
		w.Spawn(position.With(Position{X: float64(i * 7 % 16)}))
	}
	q, sum := w.Query(Read(position)), 0.0
	b.Run("Sorted", func(b *testing.B) {
		for b.Loop() {
			for c := range Sorted(q, position, func(a, b *Position) int { return int(a.X) - int(b.X) }) {
				sum += position.Of(c)[0].X
			}
		}
		perEntity(b, 10_000)
	})
	b.Run("SortedBy", func(b *testing.B) {
		for b.Loop() {
			for c := range SortedBy(q, position, func(p *Position) int { return int(p.X) }) {
				sum += position.Of(c)[0].X
			}
		}
		perEntity(b, 10_000)
	})
}
