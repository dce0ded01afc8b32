package kit

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

// body is an entity as searches see it: where it is, and its shape around that.
//
// A circle has a radius that is not below zero. A box has the sign there, and in the other bits
// half of its width and half of its height, as numbers of 32 bits: as a number, that is below
// zero or none at all. Why so dense? Searches are bound by how many bodies fit into the caches.
type body struct {
	x, y, radius float64
	layer, mask  uint32
	entity       ecs.Entity
}

// boxed returns the radius of a box, and whether its sides are such that it can be found. One
// without sides is a point, which is a circle as well.
func boxed(width, height float32) (radius float64, ok bool) {
	hx, hy := float32(width/2), float32(height/2) // rounded, so that no sum is fused with them
	if !(hx >= 0 && hx < far && hy >= 0 && hy < far) {
		return 0, false
	}
	return math.Float64frombits(1<<63 | uint64(math.Float32bits(hx+0))<<32 | uint64(math.Float32bits(hy+0))), true
}

// isCircle reports whether the body is no box.
func (b *body) isCircle() bool { return b.radius >= 0 }

// half returns half of the width and of the height of a box.
func (b *body) half() (hx, hy float64) {
	bits := math.Float64bits(b.radius)
	return float64(math.Float32frombits(uint32(bits >> 32 &^ (1 << 31)))), float64(math.Float32frombits(uint32(bits)))
}

// extent is how far the body reaches from its center along an axis.
func (b *body) extent() float64 {
	if b.isCircle() {
		return b.radius
	}
	return max(b.half())
}

// sane reports whether the numbers of a circle are such that distances mean something. The
// form of the conditions is false for what is not a number.
func (b *body) sane() bool { return known(b.x) && known(b.y) && b.radius >= 0 && b.radius < far }

// known reports whether a coordinate is a number within the bounds of searches.
func known(v float64) bool { return math.Abs(v) < far }

// circlesTouch reports whether two circles share a point.
func circlesTouch(a, b *body) bool {
	dx, dy, r := a.x-b.x, a.y-b.y, a.radius+b.radius
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

// boxTouches reports whether two bodies share a point, of which one is a box.
func boxTouches(a, b *body) bool {
	dx, dy := math.Abs(a.x-b.x), math.Abs(a.y-b.y)
	switch {
	case a.isCircle():
		return b.near(dx, dy, a.radius)
	case b.isCircle():
		return a.near(dx, dy, b.radius)
	}
	ax, ay := a.half()
	bx, by := b.half()
	return dx <= ax+bx && dy <= ay+by
}

// near reports whether a box has a point within r of one that lies dx and dy from its center.
func (b *body) near(dx, dy, r float64) bool {
	hx, hy := b.half()
	dx, dy = max(dx-hx, 0), max(dy-hy, 0)
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

// segment is a straight line between two points.
type segment struct {
	x, y   float64 // where it begins
	dx, dy float64 // from there to its end
	length float64
}

// newSegment returns the segment between two points.
func newSegment(x1, y1, x2, y2 float64) segment {
	dx, dy := x2-x1, y2-y1
	return segment{x1, y1, dx, dy, math.Sqrt(float64(dx*dx) + float64(dy*dy))}
}

// meets returns how far along the segment it first touches a body: 0 if it begins there.
func (s *segment) meets(b *body) (distance float64, ok bool) {
	var in, out float64
	if b.isCircle() {
		in, out, ok = s.throughCircle(b.x, b.y, b.radius)
	} else {
		in, out, ok = s.throughBox(b)
	}
	if !ok || in > 1 || out < 0 {
		return 0, false
	}
	return max(in, 0) * s.length, true
}

// throughCircle returns where the line of the segment is in a circle, in lengths of the
// segment.
//
// It takes the point of the line that is nearest to the center, and goes half of the chord
// back. The usual quadratic equation subtracts large squares, and misses small circles far
// from the origin.
func (s *segment) throughCircle(x, y, r float64) (in, out float64, ok bool) {
	cx, cy := x-s.x, y-s.y
	if s.length == 0 {
		return 0, 0, float64(cx*cx)+float64(cy*cy) <= r*r
	}
	ux, uy := s.dx/s.length, s.dy/s.length
	along := float64(cx*ux) + float64(cy*uy)
	ox, oy := cx-float64(along*ux), cy-float64(along*uy)
	rest := float64(r*r) - float64(ox*ox) - float64(oy*oy)
	if rest < 0 {
		return 0, 0, false
	}
	half := math.Sqrt(rest)
	return (along - half) / s.length, (along + half) / s.length, true
}

// throughBox is throughCircle for a box: where the line is between its left and right side,
// and between its lower and upper one.
func (s *segment) throughBox(b *body) (in, out float64, ok bool) {
	hx, hy := b.half()
	left, right := between(b.x-s.x, hx, s.dx)
	low, high := between(b.y-s.y, hy, s.dy)
	in, out = max(left, low), min(right, high)
	return in, out, in <= out
}

// between returns when a point that moves by d is within half of a center.
func between(center, half, d float64) (in, out float64) {
	if d == 0 {
		if math.Abs(center) <= half {
			return math.Inf(-1), math.Inf(1)
		}
		return math.Inf(1), math.Inf(-1)
	}
	in, out = (center-half)/d, (center+half)/d
	return min(in, out), max(in, out)
}
