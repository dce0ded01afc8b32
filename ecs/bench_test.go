package ecs

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// integrate is the loop that stands for all.
func integrate(p []Position, v []Velocity) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += v[i].X
		p[i].Y += v[i].Y
	}
}

// movers opens a world of n entities with two columns.
func movers(b *testing.B, n int) (*World, Component[Position], Component[Velocity]) {
	w := open(b, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	for i := range n {
		w.Spawn(position.With(Position{float64(i), 0}), velocity.With(Velocity{1, 2}))
	}
	return w, position, velocity
}

// BenchmarkQueryAgainstSlices reports the time of a query's loop as a multiple
// of the same loop over two plain slices. The two take turns and the fastest
// turn of each counts, because the machine is never quiet.
func BenchmarkQueryAgainstSlices(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, position, velocity := movers(b, n)
			q := w.Query(Write(position), Read(velocity))
			p, v := make([]Position, n), make([]Velocity, n)
			query, slices := math.Inf(1), math.Inf(1)
			for b.Loop() {
				query = min(query, timed(n, func() {
					for c := range q.Chunks() {
						integrate(position.Mut(c), velocity.Of(c))
					}
				}))
				slices = min(slices, timed(n, func() { integrate(p, v) }))
			}
			b.ReportMetric(query, "query-ns/entity")
			b.ReportMetric(slices, "slices-ns/entity")
			b.ReportMetric(query/slices, "ratio")
		})
	}
}

// timed returns the nanoseconds of f for each of n entities, over enough runs
// to be worth a look at the clock.
func timed(n int, f func()) float64 {
	runs := max(1, 100_000/n)
	began := time.Now()
	for range runs {
		f()
	}
	return float64(time.Since(began).Nanoseconds()) / float64(runs*n)
}

func BenchmarkRows2(b *testing.B) {
	w, position, velocity := movers(b, 10_000)
	q := w.Query(Write(position), Read(velocity))
	for b.Loop() {
		integrateRows(q, position, velocity)
	}
	perEntity(b, 10_000)
}

// integrateRows is by itself because nothing is inlined into the body of
// testing.B.Loop, and row iteration lives on that.
func integrateRows(q *Query, position Component[Position], velocity Component[Velocity]) {
	for _, r := range Rows2(q, position, velocity) {
		r.A.X += r.B.X
		r.A.Y += r.B.Y
	}
}

func perEntity(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
}

// BenchmarkQueryOfOne is the cost of a query itself.
func BenchmarkQueryOfOne(b *testing.B) {
	w, position, _ := movers(b, 1)
	q := w.Query(Write(position))
	for b.Loop() {
		for c := range q.Chunks() {
			position.Mut(c)[0].X++
		}
	}
}

// BenchmarkFragmented: 16 entities in each of 32 archetypes.
func BenchmarkFragmented(b *testing.B) {
	w := open(b, Options{})
	position := Register[Position](w)
	for i := range 32 {
		id, err := w.define(Schema{Name: fmt.Sprint("c", i)}, false)
		must(b, err)
		for range 16 {
			w.Spawn(position.With(Position{}), w.valueAt(id, nil))
		}
	}
	q := w.Query(Write(position))
	for b.Loop() {
		for c := range q.Chunks() {
			p := position.Mut(c)
			for i := range p {
				p[i].X++
			}
		}
	}
	perEntity(b, 32*16)
}

// BenchmarkMixed: a column and a pool that half of the entities are in.
func BenchmarkMixed(b *testing.B) {
	w, position, _ := movers(b, 10_000)
	burning := Register[Burning](w, Sparse)
	for e := range w.Entities() {
		if e.Index()%2 == 0 {
			must(b, burning.Set(e, Burning{1}))
		}
	}
	q := w.Query(Write(position), Read(burning))
	for b.Loop() {
		for c := range q.Chunks() {
			position.Mut(c)[0].X += float64(burning.Of(c)[0].Left)
		}
	}
	perEntity(b, 5_000)
}

func BenchmarkGet(b *testing.B) {
	w, position, _ := movers(b, 1_000)
	es := make([]Entity, 0, 1_000)
	for e := range w.Entities() {
		es = append(es, e)
	}
	sum := 0.0
	for b.Loop() {
		for _, e := range es {
			p, _ := position.Get(e)
			sum += p.X
		}
	}
	perEntity(b, 1_000)
}

func BenchmarkSpawnDespawn(b *testing.B) {
	w := open(b, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	b.ReportAllocs()
	for b.Loop() {
		w.Despawn(w.Spawn(position.With(Position{1, 0}), velocity.With(Velocity{1, 2})))
	}
}

func BenchmarkAddRemoveColumn(b *testing.B) {
	w, position, velocity := movers(b, 0)
	e := w.Spawn(position.With(Position{1, 0}))
	b.ReportAllocs()
	for b.Loop() {
		velocity.Set(e, Velocity{})
		velocity.Remove(e)
	}
}

func BenchmarkAddRemovePooled(b *testing.B) {
	w, position, _ := movers(b, 0)
	burning := Register[Burning](w, Sparse)
	e := w.Spawn(position.With(Position{1, 0}))
	b.ReportAllocs()
	for b.Loop() {
		burning.Set(e, Burning{})
		burning.Remove(e)
	}
}

func BenchmarkCommands(b *testing.B) {
	w, position, _ := movers(b, 0)
	c := w.NewCommands()
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			c.Despawn(c.Spawn(position.With(Position{})))
		}
		if err := c.Apply(); err != nil {
			b.Fatal(err)
		}
	}
	perEntity(b, 100)
}

func BenchmarkNewWorld(b *testing.B) {
	for b.Loop() {
		NewWorld().Close()
	}
}

// BenchmarkView is a loop over a struct of 2 and of 4 components, beside BenchmarkRows2.
func BenchmarkView(b *testing.B) {
	b.Run("2", func(b *testing.B) {
		w, _, _ := movers(b, 10_000)
		view := NewView[moving](w)
		for b.Loop() {
			integrateView(view)
		}
		perEntity(b, 10_000)
	})
	b.Run("4", func(b *testing.B) {
		w, position, velocity := movers(b, 0)
		third, fourth := Register[pushed](w), Register[braked](w)
		for range 10_000 {
			w.Spawn(position.With(Position{}), velocity.With(Velocity{1, 1}), third.With(pushed{1, 1}), fourth.With(braked{0.5}))
		}
		view := NewView[steered](w)
		for b.Loop() {
			integrateSteered(view)
		}
		perEntity(b, 10_000)
	})
}

type (
	moving struct {
		Position *Position
		Velocity *Velocity `ecs:"read"`
	}
	pushed  struct{ X, Y float64 }
	braked  struct{ Part float64 }
	steered struct {
		Position *Position
		Velocity *Velocity
		Pushed   *pushed `ecs:"read"`
		Braked   *braked `ecs:"read,optional"`
	}
)

// integrateView is by itself for the reason of integrateRows.
func integrateView(view *View[moving]) {
	for _, r := range view.Rows() {
		r.Position.X += r.Velocity.X
		r.Position.Y += r.Velocity.Y
	}
}

func integrateSteered(view *View[steered]) {
	for _, r := range view.Rows() {
		r.Velocity.X = (r.Velocity.X + r.Pushed.X) * r.Braked.Part
		r.Velocity.Y = (r.Velocity.Y + r.Pushed.Y) * r.Braked.Part
		r.Position.X += r.Velocity.X
		r.Position.Y += r.Velocity.Y
	}
}

// BenchmarkValueQuery finds 1 % of 100,000 entities by a value: by a scan, by an index of values
// that nobody writes, of which one chunk is written each time, and of which all are.
func BenchmarkValueQuery(b *testing.B) {
	w := NewWorld()
	defer w.Close()
	c := Register[scored](w)
	for i := range 100_000 {
		w.Spawn(c.With(scored{int32(i * 7919 % 100_000)}))
	}
	x, err := NewIndex(c, func(v *scored) int32 { return v.Score })
	if err != nil {
		b.Fatal(err)
	}
	all, few := w.Query(Write(c)), Where(w.Query(Read(c)), c, func(v *scored) bool { return v.Score < 1000 })
	one := w.Query(Write(c)).First()
	find := func(b *testing.B) {
		n := 0
		for range x.Below(1000) {
			n++
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for k := range few.Chunks() {
				n += k.Len()
			}
			if n != 1000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			find(b)
		}
	})
	b.Run("one chunk written", func(b *testing.B) {
		for b.Loop() {
			c.Edit(one)
			find(b)
		}
	})
	b.Run("all written", func(b *testing.B) {
		for b.Loop() {
			for k := range all.Chunks() {
				c.Mut(k)
			}
			find(b)
		}
	})
}
