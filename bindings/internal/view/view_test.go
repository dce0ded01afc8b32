package view

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"pgregory.net/rapid"
)

type place struct{ X, Y float64 }

type speed struct{ X float32 }

type mark struct{ N int64 }

// bench is a world with entities in archetypes of many lengths, and what a slow model
// knows of it.
type bench struct {
	t      *rapid.T
	world  *ecs.World
	places ecs.Component[place]
	speeds ecs.Component[speed]
	marks  [3]ecs.Component[mark]
	terms  []*decl.Component
	query  *ecs.Query
	runner *tx.Runner
	list   []line
}

// line is what the model knows of one row of the query: values, and which chunk it is in.
type line struct {
	e     ecs.Entity
	place place
	speed *speed
	chunk *ecs.Chunk
}

func newBench(t *rapid.T) *bench {
	w := ecs.NewWorld()
	b := &bench{t: t, world: w, places: ecs.Register[place](w), speeds: ecs.Register[speed](w)}
	for i, name := range []string{"first", "second", "third"} {
		b.marks[i] = ecs.Register[mark](w, ecs.Named(name))
	}
	for set := range 16 {
		for range rapid.SampledFrom([]int{0, 0, 1, 3, 31, 32, 33, 600}).Draw(t, "entities of a set") {
			n := float64(len(b.list))
			b.list = append(b.list, line{})
			values := []ecs.Value{b.places.With(place{n, -n})}
			if set&1 != 0 {
				values = append(values, b.speeds.With(speed{float32(n)}))
			}
			for i := range b.marks {
				if set&(2<<i) != 0 {
					values = append(values, b.marks[i].With(mark{int64(n)}))
				}
			}
			w.Spawn(values...)
		}
	}
	component := func(id ecs.ComponentID) *decl.Component {
		c := &decl.Component{ID: id}
		c.Schema, c.Ready = w.Raw().Schema(id), true
		return c
	}
	b.terms = []*decl.Component{component(b.places.ID()), component(b.speeds.ID())}
	b.query = w.Query(ecs.Write(b.places.ID())).Optional(ecs.Write(b.speeds.ID()))
	b.runner = &tx.Runner{World: w, Limits: &tx.Limits{}}
	return b
}

// close ends the world.
func (b *bench) close() { b.world.Close() }

// look has the model read the query row by row.
func (b *bench) look() {
	b.list = b.list[:0]
	for c := range b.query.Chunks() {
		for i, e := range c.Entities() {
			l := line{e: e, place: b.places.Of(c)[i], chunk: c}
			if list := b.speeds.Of(c); list != nil {
				s := list[i]
				l.speed = &s
			}
			b.list = append(b.list, l)
		}
	}
}

// call runs body as a call of a script, which fails with what body returns.
func (b *bench) call(body func(t *ecs.Tick) error) {
	failed := errors.New("the call failed on purpose")
	err := b.world.Run("test", func(t *ecs.Tick) error {
		if err := b.runner.Enter(t, "a.lua", "test"); err != nil {
			return err
		}
		hold := b.runner.Hold()
		err := body(t)
		hold.Release()
		if b.runner.Leave(err) != nil {
			return failed
		}
		return nil
	})
	if err != nil && !errors.Is(err, failed) {
		b.t.Fatal(err)
	}
}

// viewer returns one with settings that are drawn.
func (b *bench) viewer() *Viewer {
	v := NewViewer(b.runner, b.terms)
	v.Least = rapid.SampledFrom([]int{1, wholeChunk}).Draw(b.t, "least")
	v.Most = rapid.SampledFrom([]int{7, Longest, LongestSure}).Draw(b.t, "most")
	v.Alike = rapid.Bool().Draw(b.t, "alike")
	return v
}

// TestViewsAreTheQuery cuts queries over random worlds into views: they have each row of
// the query once, in its order, with its values, and know where chunks end.
func TestViewsAreTheQuery(t *testing.T) {
	gatheredViews, parts := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t)
		defer b.close()
		b.look()
		viewer, at := b.viewer(), 0
		b.call(func(tick *ecs.Tick) error {
			viewer.Each(b.query, func(v *rows.View) {
				if v.Chunk != nil {
					parts++
				} else {
					gatheredViews++
				}
				if most := max(viewer.Most, gathered+wholeChunk); len(v.Entities) == 0 || len(v.Entities) > most {
					t.Fatalf("a view of %d rows, with %d at most", len(v.Entities), most)
				}
				b.compare(v, at, viewer.Alike)
				at += len(v.Entities)
				tick.Commands.Spawn(b.places.With(place{})) // is in no view
			})
			return nil
		})
		if at != len(b.list) {
			t.Fatalf("%d rows in views, %d in the query", at, len(b.list))
		}
	})
	if gatheredViews == 0 || parts == 0 {
		t.Errorf("%d views were gathered, %d parts of chunks", gatheredViews, parts)
	}
}

// compare compares a view with the lines of the model from the first one on.
func (b *bench) compare(v *rows.View, first int, alike bool) {
	for i, e := range v.Entities {
		l := &b.list[first+i]
		p, s := (*place)(v.Columns[0].At(i)), (*speed)(v.Columns[1].At(i))
		if e != l.e || p == nil || *p != l.place || (s == nil) != (l.speed == nil) || s != nil && *s != *l.speed {
			b.t.Fatalf("row %d is %v with %v and %v, the query has %+v", first+i, e, p, s, *l)
		}
		if alike && (s == nil) != (b.list[first].speed == nil) {
			b.t.Fatalf("row %d has other terms than the first one of its view", first+i)
		}
		from, to := v.Within(i)
		if i < from || i >= to {
			b.t.Fatalf("row %d is not within %d..%d", i, from, to)
		}
		if v.Chunk == nil {
			for k := range v.Entities {
				if same := b.list[first+k].chunk == l.chunk; same != (k >= from && k < to) {
					b.t.Fatalf("rows %d and %d of a view: of one chunk: %v, the chunk is said to have %d..%d", i, k, same, from, to)
				}
			}
		}
		if one := v.Part(i, 1, &rows.View{}); one.Entities[0] != e || one.Columns[0].At(0) != v.Columns[0].At(i) || one.Columns[1].At(0) != v.Columns[1].At(i) {
			b.t.Fatalf("row %d is another one in a part of the view", i)
		}
	}
}

// TestWritesAreKeptOrPutBack writes into random rows of opened columns: a call that
// succeeds leaves what it wrote, but for rows that were undone alone; one that fails leaves
// nothing. A query for changes finds the rows of the chunks that were opened.
func TestWritesAreKeptOrPutBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t)
		defer b.close()
		changed := b.world.Query(ecs.Read(b.places.ID())).Changed(b.places.ID())
		for range changed.Chunks() { // from here on
		}
		b.look()
		want, opened := slices.Clone(b.list), map[*ecs.Chunk]bool{}
		fails, viewer, at := rapid.Bool().Draw(t, "fails"), b.viewer(), 0
		b.call(func(*ecs.Tick) error {
			viewer.Each(b.query, func(v *rows.View) {
				if rapid.Bool().Draw(t, "written") {
					b.runner.Open(nil, v, &v.Columns[0], nil)
					for i := range v.Entities {
						opened[b.list[at+i].chunk] = true
						*(*place)(v.Columns[0].At(i)) = place{1, float64(at + i)}
						if rapid.IntRange(0, 15).Draw(t, "undone") == 0 {
							b.runner.Call.UndoRow(v, i)
						} else if !fails {
							want[at+i].place = place{1, float64(at + i)}
						}
					}
				}
				at += len(v.Entities)
			})
			if fails {
				return errors.New("fails")
			}
			return nil
		})
		b.look()
		for i := range want {
			if b.list[i].e != want[i].e || b.list[i].place != want[i].place {
				t.Fatalf("row %d is %+v, want %+v", i, b.list[i], want[i])
			}
		}
		var found, told []ecs.Entity
		for c := range changed.Chunks() {
			found = append(found, c.Entities()...)
		}
		for _, l := range want {
			if opened[l.chunk] && !fails {
				told = append(told, l.e)
			}
		}
		slices.Sort(found)
		slices.Sort(told)
		if !slices.Equal(found, told) {
			t.Fatalf("%d rows count as changed, %d were opened", len(found), len(told))
		}
	})
}

// TestAsideShowsWhatTheCallHasDone records changes of random entities, shows them aside,
// and writes into what is shown: the world comes to what a model comes to that does one
// after the other.
func TestAsideShowsWhatTheCallHasDone(t *testing.T) {
	shown := 0
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t)
		defer b.close()
		b.look()
		want := map[ecs.Entity]line{}
		for _, l := range b.list {
			want[l.e] = l
		}
		b.call(func(tick *ecs.Tick) error {
			for i := range b.list {
				l := b.list[i]
				switch rapid.IntRange(0, 9).Draw(t, "change") {
				case 0:
					l.place = place{7, 8}
					tick.Commands.Add(l.e, b.places.With(l.place))
				case 1:
					l.speed = nil
					tick.Commands.Remove(l.e, b.speeds.ID())
				case 2:
					l.speed = &speed{9}
					tick.Commands.Add(l.e, b.speeds.With(*l.speed))
				}
				want[l.e] = l
			}
			var aside Aside
			b.viewer().Each(b.query, func(v *rows.View) {
				p := b.runner.Ahead()
				for i, e := range v.Entities {
					if p == nil || !p.Concerns(e) {
						continue
					}
					shown++
					aside.Begin(b.runner, v)
					aside.Add(p, v, i)
					l := want[e]
					at, s := (*place)(aside.View.Columns[0].At(0)), (*speed)(aside.View.Columns[1].At(0))
					if *at != l.place || (s == nil) != (l.speed == nil) || s != nil && *s != *l.speed {
						t.Fatalf("%v is shown with %v and %v, and has %+v", e, at, s, l)
					}
					if aside.Cells[0].Own && rapid.Bool().Draw(t, "written") {
						at.Y, l.place.Y = 5, 5 // the other field is nobody's business
					}
					if s != nil && aside.Cells[1].Own && rapid.Bool().Draw(t, "written") {
						l.speed = &speed{-1}
						s.X = -1
					}
					want[e] = l
					aside.Record(nil, nil)
					p = b.runner.Ahead()
				}
			})
			return nil
		})
		b.look()
		for _, l := range b.list {
			w := want[l.e]
			if l.place != w.place || (l.speed == nil) != (w.speed == nil) || l.speed != nil && *l.speed != *w.speed {
				t.Fatalf("%v has %v and %v, want %v and %v", l.e, l.place, l.speed, w.place, w.speed)
			}
		}
	})
	if shown == 0 {
		t.Error("nothing was shown aside")
	}
}

// TestOneValueIsShown: ShowOne is what a function of ecs.update gets.
func TestOneValueIsShown(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	places := ecs.Register[place](w)
	runner, given := &tx.Runner{World: w, Limits: &tx.Limits{}}, place{3, 4}
	var s Aside
	c := &decl.Component{ID: places.ID()}
	c.Schema = w.Raw().Schema(places.ID())
	s.ShowOne(runner, 77, c, unsafe.Pointer(&given))
	if got := (*place)(s.View.Columns[0].At(0)); *got != given || got == &given || !s.Cells[0].Own || s.View.Entities[0] != 77 {
		t.Errorf("%v is shown for %v: %+v", *got, given, s.Cells[0])
	}
}
