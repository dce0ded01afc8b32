package kit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// shown is a world of which something is to be drawn.
type shown struct {
	w        *ecs.World
	list     *kit.DrawList
	position ecs.Component[kit.Position]
	velocity ecs.Component[kit.Velocity]
	shape    ecs.Component[kit.Shape]
	sprite   ecs.Component[kit.Sprite]
	trail    ecs.Component[kit.Trail]
	label    ecs.Component[kit.Label]
	bar      ecs.Component[kit.Bar]
	camera   ecs.Component[kit.Camera]
}

// newShown makes a world of n shapes.
func newShown(t testing.TB, n int) *shown {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 64 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	list, err := kit.NewDrawList(w)
	must(t, err)
	s := &shown{
		w, list, ecs.Register[kit.Position](w), ecs.Register[kit.Velocity](w), ecs.Register[kit.Shape](w), ecs.Register[kit.Sprite](w),
		ecs.Register[kit.Trail](w), ecs.Register[kit.Label](w), ecs.Register[kit.Bar](w), ecs.Register[kit.Camera](w),
	}
	for i := range n {
		w.Spawn(s.position.With(kit.Position{X: float64(i % 100 * 10), Y: float64(i / 100 * 10)}), s.velocity.With(kit.Velocity{X: 1, Y: float64(i)}),
			s.shape.With(kit.Shape{Turns: true, Size: float32(8 + i%5), Color: 0xffffff, Alpha: 1, Layer: uint8(i % 3)}))
	}
	return s
}

// TestDrawListHasWhatIsDrawn: shapes and sprites by layer with their places and angles, bars that are not full, trails, labels with their
// defaults, and strokes.
func TestDrawListHasWhatIsDrawn(t *testing.T) {
	s := newShown(t, 0)
	global := ecs.Register[kit.GlobalTransform](s.w)
	high := s.w.Spawn(s.position.With(kit.Position{X: 1}), s.velocity.With(kit.Velocity{Y: 2}), s.shape.With(kit.Shape{Layer: 3, Turns: true, Angle: 0.25}))
	low := s.w.Spawn(s.position.With(kit.Position{X: 2}), s.sprite.With(kit.Sprite{Image: 7, Layer: 1, Angle: 0.5}), s.bar.With(kit.Bar{Value: 1, Max: 2, DY: 5}), s.trail.With(kit.Trail{Seconds: 1, Width: 1, Alpha: 1}))
	child := s.w.Spawn(global.With(kit.GlobalTransform{X: 3, Y: 4, Angle: 1, Scale: 2}), s.shape.With(kit.Shape{Layer: 2, Angle: 0.5}))
	s.w.Spawn(s.shape.With(kit.Shape{})) // it has no place
	s.w.Spawn(s.position.With(kit.Position{}), s.bar.With(kit.Bar{Value: 2, Max: 2}), s.trail.With(kit.Trail{}), s.label.With(kit.Label{}))
	s.w.Spawn(s.label.With(kit.Label{Text: "score"}))
	s.w.Spawn(s.position.With(kit.Position{X: 10}), s.label.With(kit.Label{Text: "here", Size: 20, Color: 0x123456, DX: 1, DY: 2}))
	s.list.Update()
	l := s.list
	want := []struct {
		e                  ecs.Entity
		x, y, angle, scale float64
	}{{low, 2, 0, 0.5, 1}, {child, 3, 4, 1.5, 2}, {high, 1, 0, 0.25 + math.Pi/2, 1}}
	if l.Len() != len(want) {
		t.Fatalf("%d are drawn", l.Len())
	}
	for k, one := range want {
		if d := l.At(k); d.Entity != one.e || d.X != one.x || d.Y != one.y || d.Angle() != one.angle || float64(d.Scale) != one.scale || (d.Sprite != nil) != (k == 0) || (d.Shape != nil) != (k > 0) {
			t.Errorf("%d: %+v with the angle %v, want %+v", k, d, d.Angle(), one)
		}
	}
	if len(l.Bars) != 1 || l.Bars[0].Entity != low || l.Bars[0].Y != 5 || len(l.Trails) != 1 || l.Trails[0].X != 2 {
		t.Errorf("bars %+v, trails %+v", l.Bars, l.Trails)
	}
	if len(l.Labels) != 2 {
		t.Fatalf("labels %+v", l.Labels)
	}
	for _, one := range l.Labels {
		if one.Corner != (one.Text == "score") || one.Corner && (one.Size != 13 || one.Color != 0xffffff) || !one.Corner && (one.X != 11 || one.Y != 2 || one.Size != 20 || one.Color != 0x123456) {
			t.Errorf("a label: %+v", one)
		}
	}
	board, err := sketch.Open(s.w)
	must(t, err)
	if l, err = kit.NewDrawList(s.w); err != nil {
		t.Fatal(err)
	}
	board.Draw(nil, sketch.Stroke{X2: 5})
	if l.Update(); len(l.Strokes) != 1 || l.Strokes[0].X2 != 5 || l.More {
		t.Errorf("strokes %+v, more %v", l.Strokes, l.More)
	}
}

// TestDrawListView: what a screen shows, of a camera, of the arena, and of a world without either.
func TestDrawListView(t *testing.T) {
	s := newShown(t, 0)
	view := func(aspect, x, y, height float64) {
		t.Helper()
		s.list.Update()
		if gx, gy, gh := s.list.View(aspect); math.Abs(gx-x)+math.Abs(gy-y)+math.Abs(gh-height) > 1e-9 {
			t.Errorf("%v, %v, %v; want %v, %v, %v", gx, gy, gh, x, y, height)
		}
	}
	view(2, 0, 0, 1000)
	s.w.Spawn(s.position.With(kit.Position{X: 100, Y: 300}), s.shape.With(kit.Shape{}))
	s.w.Spawn(s.position.With(kit.Position{X: math.NaN()}), s.shape.With(kit.Shape{}))
	s.w.Spawn(s.position.With(kit.Position{X: 300, Y: 300}), s.sprite.With(kit.Sprite{}))
	view(1, 200, 300, 300)
	ecs.Provide(s.w, &kit.Arena{Width: 400, Height: 100})
	view(2, 200, 50, 220)
	view(math.NaN(), 200, 50, 440)
	s.w.Spawn(s.camera.With(kit.Camera{Height: 50})) // it is nowhere
	view(8, 200, 50, 110)
	eye := s.w.Spawn(s.position.With(kit.Position{X: 7, Y: 8}), s.camera.With(kit.Camera{Height: 50}))
	view(8, 7, 8, 50)
	must(t, s.camera.Set(eye, kit.Camera{Height: float32(math.NaN())}))
	view(8, 200, 50, 110)
}

// TestDrawListIsBounded: what is too much is left out, and it says so; and it uses its memory again.
func TestDrawListIsBounded(t *testing.T) {
	s := newShown(t, 50_000)
	s.w.Spawn(s.position.With(kit.Position{}), s.shape.With(kit.Shape{Alpha: 1}))
	if s.list.Update(); s.list.Len() > 50_000 || !s.list.More {
		t.Errorf("%d shapes, more: %v", s.list.Len(), s.list.More)
	}
	s = newShown(t, 2000)
	for range 4097 {
		s.w.Spawn(s.position.With(kit.Position{}), s.label.With(kit.Label{Text: "x"}), s.trail.With(kit.Trail{Seconds: 1, Width: 1, Alpha: 1}), s.bar.With(kit.Bar{Max: 1}))
	}
	if s.list.Update(); len(s.list.Labels) != 512 || len(s.list.Trails) != 4096 || len(s.list.Bars) != 4096 || !s.list.More {
		t.Errorf("%d labels, %d trails, %d bars, more: %v", len(s.list.Labels), len(s.list.Trails), len(s.list.Bars), s.list.More)
	}
	_ = s.list.At(0)
	if n := testing.AllocsPerRun(10, func() { s.list.Update(); _ = s.list.At(0) }); n != 0 {
		t.Errorf("an update allocates %v times", n)
	}
}

// TestDrawListHasNothingOld: one that copies only what has changed has the same as a new one, whatever becomes of the world.
func TestDrawListHasNothingOld(t *testing.T) {
	for seed := range uint64(10) {
		s := newShown(t, 0)
		global := ecs.Register[kit.GlobalTransform](s.w)
		r := rand.New(rand.NewPCG(seed, 1))
		must(t, s.w.Schedule().Add(ecs.System{Name: "some", Run: func(*ecs.Tick) error {
			for c := range s.w.Query(ecs.Write(s.shape)).Chunks() {
				if r.IntN(3) == 0 {
					s.shape.Mut(c)[r.IntN(c.Len())].Layer = uint8(r.IntN(4))
				}
				if r.IntN(6) == 0 {
					s.shape.Mut(c)[r.IntN(c.Len())].Turns = r.IntN(2) == 0
				}
			}
			return nil
		}}))
		var all []ecs.Entity
		var kept *snapshot.Snapshot
		for step := range 200 {
			one := func() ecs.Entity {
				if len(all) == 0 {
					return 0
				}
				return all[r.IntN(len(all))]
			}
			e := one()
			switch n := r.IntN(14); {
			case n < 3:
				for range r.IntN(200) {
					all = append(all, s.w.Spawn(s.position.With(kit.Position{X: r.Float64()}), s.shape.With(kit.Shape{Layer: uint8(r.IntN(3)), Size: r.Float32()})))
				}
			case n == 3:
				for range r.IntN(40) {
					_ = s.w.Despawn(one()) // it may be dead
				}
			case n == 4 && s.w.Alive(e):
				must(t, s.w.Add(e, s.sprite.With(kit.Sprite{Size: r.Float32()}), global.With(kit.GlobalTransform{X: r.Float64(), Scale: 1})))
			case n == 5 && s.w.Alive(e):
				must(t, s.w.Remove(e, s.shape))
			case n == 6 && s.shape.Has(e):
				must(t, s.shape.Set(e, kit.Shape{Size: r.Float32()}))
			case n == 7 && s.position.Has(e):
				must(t, s.position.Set(e, kit.Position{X: r.Float64()}))
			case n == 8:
				must(t, s.w.Step(0.1))
			case n == 12 && s.w.Alive(e):
				if must(t, s.w.Add(e, s.velocity.With(kit.Velocity{X: r.Float64(), Y: 1}))); s.sprite.Has(e) {
					must(t, s.sprite.Set(e, kit.Sprite{Turns: true}))
				}
			case n == 13 && s.velocity.Has(e):
				must(t, s.velocity.Set(e, kit.Velocity{X: r.Float64(), Y: 1}))
			case n == 9 && kept != nil:
				must(t, snapshot.Restore(s.w, kept))
			case n == 10:
				var err error
				kept, err = snapshot.Capture(s.w)
				must(t, err)
			}
			if r.IntN(3) == 0 {
				continue
			}
			s.list.Update()
			other, err := kit.NewDrawList(s.w)
			must(t, err)
			if other.Update(); s.list.Len() != other.Len() {
				t.Fatalf("seed %d, step %d: %d are drawn, want %d", seed, step, s.list.Len(), other.Len())
			}
			for k := range other.Len() {
				a, b := s.list.At(k), other.At(k)
				if want := s.angle(&a, global); a.Angle() != want {
					t.Fatalf("seed %d, step %d: %+v has the angle %v, want %v", seed, step, a, a.Angle(), want)
				}
				if a.Entity != b.Entity || a.X != b.X || a.Scale != b.Scale || !same(a.Shape, b.Shape) || !same(a.Sprite, b.Sprite) {
					t.Fatalf("seed %d, step %d: %+v, want %+v", seed, step, a, b)
				}
			}
		}
	}
}

// angle is where what is drawn leads, by what its entity has now.
func (s *shown) angle(d *kit.Drawable, global ecs.Component[kit.GlobalTransform]) float64 {
	var of float32
	if g, ok := global.Get(d.Entity); ok {
		of = float32(g.Angle)
	}
	turns := d.Shape != nil && d.Shape.Turns || d.Sprite != nil && d.Sprite.Turns
	if v, ok := s.velocity.Get(d.Entity); ok && turns {
		return float64(of) + detmath.Atan2(v.Y, v.X)
	}
	return float64(of)
}

// same reports whether two are the same, or both nil.
func same[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// TestDrawListRefuses worlds that cannot have one; one that NewDrawList has not made is empty, and stays so.
func TestDrawListRefuses(t *testing.T) {
	closed := ecs.NewWorld()
	must(t, closed.Close())
	if _, err := kit.NewDrawList(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := kit.NewDrawList(closed); !errors.Is(err, ecs.ErrClosed) {
		t.Error(err)
	}
	for _, l := range []*kit.DrawList{nil, {}} {
		if l.Update(); l.Len() != 0 || l.At(0) != (kit.Drawable{}) {
			t.Error("it is not empty")
		}
		if _, _, height := l.View(1); !(height > 0) {
			t.Errorf("it shows a height of %v", height)
		}
	}
	s := newShown(t, 3)
	s.list.Update()
	must(t, s.w.Close())
	if s.list.Update(); s.list.Len() != 3 {
		t.Errorf("%d are left of a world that is closed", s.list.Len())
	}
	if d := (&kit.Drawable{Shape: &kit.Shape{Angle: float32(math.Inf(1))}}); d.Angle() != 0 || (&kit.Drawable{}).Angle() != 0 || (*kit.Drawable)(nil).Angle() != 0 {
		t.Error("an angle that is no number is one")
	}
}

// BenchmarkDrawList copies 10,000 shapes of which each has moved, as a tick leaves them, whose own time is a part of it.
func BenchmarkDrawList(b *testing.B) {
	s := newShown(b, 10_000)
	must(b, s.w.Schedule().Add(ecs.System{Name: "move", Run: func(*ecs.Tick) error {
		for c := range s.w.Query(ecs.Write(s.position), ecs.Read(s.velocity)).Chunks() {
			s.position.Mut(c)[0].X++
		}
		return nil
	}}))
	for b.Loop() {
		must(b, s.w.Step(0.01))
		s.list.Update()
	}
}
