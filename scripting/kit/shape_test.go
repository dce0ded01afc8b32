package kit_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// thing is a collider as the model knows it: half of a box's sides, or a radius.
type thing struct {
	entity      ecs.Entity
	x, y        float64
	hx, hy      float64
	radius      float64
	layer, mask uint32
}

// meets is the model of two shapes that touch. The nearest points of two boxes, of which a circle
// has none but its center, are no further apart than the radii.
func (a *thing) meets(b *thing) bool {
	gap := func(d, h float64) float64 { return max(math.Abs(d)-h, 0) }
	dx, dy := gap(a.x-b.x, a.hx+b.hx), gap(a.y-b.y, a.hy+b.hy)
	r := a.radius + b.radius
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

// scatterBoxes fills the field with circles and boxes, and returns what the model knows. All
// numbers are such that sums of them are exact.
func (f *field) scatterBoxes(r *rand.Rand, n int, extent float64) (all []thing) {
	exact := func(most float64) float64 { return math.Floor(r.Float64()*most*4) / 4 }
	for range n {
		c := kit.Collider{Radius: float32(exact(8)), Layer: r.Uint32N(4), Mask: r.Uint32N(4)}
		p := kit.Position{X: exact(extent), Y: exact(extent)}
		one := thing{x: p.X, y: p.Y, radius: float64(c.Radius), layer: c.Layer, mask: c.Mask}
		values := []ecs.Value{f.position.With(p), f.collider.With(c)}
		if r.IntN(2) == 0 {
			b := kit.Box{Width: float32(exact(16)), Height: float32(exact(16))}
			if r.IntN(20) == 0 {
				b.Width = float32(exact(extent))
			}
			one.hx, one.hy, one.radius = float64(b.Width)/2, float64(b.Height)/2, 0
			values = append(values, f.box.With(b))
		}
		one.entity = f.Spawn(values...)
		all = append(all, one)
	}
	return all
}

// TestBoxesCollide: circles and boxes touch as the model says, in all pairs.
func TestBoxesCollide(t *testing.T) {
	pairs := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 11))
		f := newRoomyField(t)
		all := f.scatterBoxes(r, 1+r.IntN(200), math.Pow(10, 1+r.Float64()*2))
		ecs.Resource[kit.Collisions](f.World).Limit = 1 << 30
		f.step(t, 0)
		var want []kit.Collision
		for i := range all {
			for j := range all {
				a, b := &all[i], &all[j]
				if i != j && a.mask&b.layer != 0 && (b.mask&a.layer == 0 || a.entity < b.entity) && a.meets(b) {
					want = append(want, kit.Collision{A: a.entity, B: b.entity})
				}
			}
		}
		got := sorted(slices.Collect(f.hits.Read(f.reader)))
		if !slices.Equal(got, sorted(want)) {
			t.Fatalf("seed %d: %d pairs, the model finds %d", seed, len(got), len(want))
		}
		pairs += len(want)
	}
	if pairs < 1000 {
		t.Errorf("%d pairs in all: that judges nothing", pairs)
	}
}

// TestWhereBoxesTouch: sides and corners, by hand.
func TestWhereBoxesTouch(t *testing.T) {
	for _, c := range []struct {
		name  string
		x, y  float64 // of the other
		box   kit.Box // of it; none: a circle of radius 1
		touch bool
	}{
		{"side to side", 6, 0, kit.Box{Width: 2, Height: 2}, true},
		{"beside it", 6.001, 0, kit.Box{Width: 2, Height: 2}, false},
		{"corner to corner", 6, 3, kit.Box{Width: 2, Height: 2}, true},
		{"above it", 0, 3.001, kit.Box{Width: 2, Height: 2}, false},
		{"within it", 1, 1, kit.Box{Width: 1, Height: 1}, true},
		{"around it", 0, 0, kit.Box{Width: 100, Height: 100}, true},
		{"across it", 0, 0, kit.Box{Width: 0.5, Height: 100}, true},
		{"a line on its edge", 5, 0, kit.Box{Width: 0, Height: 1}, true},
		{"a circle at its side", 6, 0, kit.Box{}, true},
		{"a circle beside its side", 6.001, 0, kit.Box{}, false},
		{"a circle at its corner", 5.7, 2.7, kit.Box{}, true},
		{"a circle past its corner", 5.8, 2.8, kit.Box{}, false},
		{"a circle within it", 0, 0, kit.Box{}, true},
		{"a side below zero", 0, 0, kit.Box{Width: 1, Height: -1}, false},
		{"a side that is no number", 0, 0, kit.Box{Width: float32(math.NaN()), Height: 1}, false},
		{"an endless side", 0, 0, kit.Box{Width: float32(math.Inf(1)), Height: 1}, false},
	} {
		f := newField(t)
		f.Spawn(f.position.With(kit.Position{}), f.collider.With(kit.Collider{Mask: 1}), f.box.With(kit.Box{Width: 10, Height: 4}))
		other := []ecs.Value{f.position.With(kit.Position{X: c.x, Y: c.y}), f.collider.With(kit.Collider{Radius: 1, Layer: 1})}
		if c.box != (kit.Box{}) {
			other = append(other, f.box.With(c.box))
		}
		f.Spawn(other...)
		f.step(t, 0)
		if touch := f.reader.Len() > 0; touch != c.touch {
			t.Errorf("%s: touches %v, want %v", c.name, touch, c.touch)
		}
	}
}

// TestRaysHitBoxes: the index of the kit knows the shapes.
func TestRaysHitBoxes(t *testing.T) {
	f := newField(t)
	wall := f.Spawn(f.position.With(kit.Position{X: 50}), f.collider.With(kit.Collider{Layer: 1, Radius: 20}), f.box.With(kit.Box{Width: 10, Height: 200}))
	f.step(t, 0)
	if hit, _ := f.kit.Index().First(0, 90, 100, 90, kit.Filter{}); hit != (kit.Hit{Entity: wall, Distance: 45}) {
		t.Errorf("%+v", hit)
	}
}
