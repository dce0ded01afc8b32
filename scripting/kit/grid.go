package kit

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	// far bounds coordinates and radii: up to here the width of a cell is many
	// times the distance between two neighbouring numbers.
	far = 1e9
	// smallest is the least width of a cell, for circles without extent.
	smallest = 1e-3
	// crowd is how many times the mean radius makes a collider large.
	crowd = 4
)

// body is a collider as the search sees it.
type body struct {
	x, y, radius float64
	layer, mask  uint32
	entity       ecs.Entity
}

// sane reports whether the numbers are such that distances mean something. The
// form of the conditions is false for what is not a number.
func (b *body) sane() bool {
	return math.Abs(b.x) < far && math.Abs(b.y) < far && b.radius >= 0 && b.radius < far
}

// touches reports whether two circles share a point.
func (b *body) touches(o *body) bool {
	dx, dy, r := b.x-o.x, b.y-o.y, b.radius+o.radius
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

// grid finds the bodies near a point. The plane is cut into square cells, and
// the plane of cells is rolled up on a torus of side × side: cells that lie a
// multiple of side apart share a place.
//
// Invariant: the bodies of place c are bodies[starts[c]:starts[c+1]], in the
// order in which they came.
//
// Why a torus and not a box around all bodies? One body that a script has sent
// to infinity would make the cells of the box so large that all others share
// one. Why not a hash of the cell? Two neighbouring cells could get the same
// hash, and their bodies would be seen twice; on the torus neighbours differ.
//
// Why is large kept apart? One body of the size of the arena would make the
// cells as large. There are few such bodies, so everyone looks at all of them.
type grid struct {
	cell, inverse float64 // width of a cell, and 1/cell
	reach         float64 // the largest radius among bodies
	limit         float64 // beyond which a radius is large
	bits          uint    // side is 1<<bits
	starts        []uint32
	bodies        []body
	large         []body
	places        []uint32 // scratch: the place of each body that came
}

// nowhere is the place of what is not kept in cells.
const nowhere = ^uint32(0)

// stretch is a range of a grid's bodies.
type stretch struct{ from, to uint32 }

// fill makes the grid hold the bodies that have a layer. It copies them.
func (g *grid) fill(all []body) {
	g.measure(all)
	n := g.place(all)
	g.bodies = resize(g.bodies, n)
	starts, places, bodies := g.starts, g.places, g.bodies
	sum := uint32(0)
	for c, count := range starts {
		sum += count
		starts[c] = sum
	}
	for i := len(all) - 1; i >= 0; i-- { // backwards, so that each place keeps the order
		if c := places[i]; c != nowhere {
			starts[c]--
			bodies[starts[c]] = all[i]
		}
	}
}

// measure decides how wide a cell is and how many there are.
//
// The largest radius up to the limit takes a second look at all bodies only if one lies
// between this limit and that of the last time.
func (g *grid) measure(all []body) {
	found, sum, before := 0, 0.0, g.limit
	most, under, over := 0.0, 0.0, math.Inf(1) // the limit of the last time
	for i := range all {
		b := &all[i]
		if b.layer == 0 {
			continue
		}
		found++
		sum += b.radius
		if b.radius <= before {
			if b.radius > under {
				under = b.radius
			}
		} else {
			most, over = max(most, b.radius), min(over, b.radius)
		}
	}
	g.limit = crowd * sum / float64(max(found, 1))
	most = max(most, under)
	switch {
	case most <= g.limit:
		g.reach = most
	case under <= g.limit && g.limit < over:
		g.reach = under
	default:
		g.reach = largest(all, g.limit)
	}
	g.cell = max(2*g.reach, smallest)
	g.inverse = 1 / g.cell
	for g.bits = 2; 1<<(2*g.bits) < found; {
		g.bits++
	}
}

// largest returns the largest radius up to a limit among bodies with a layer.
func largest(all []body, limit float64) (r float64) {
	for i := range all {
		if b := &all[i]; b.layer != 0 && b.radius <= limit {
			r = max(r, b.radius)
		}
	}
	return r
}

// place counts the bodies of each place into starts and returns how many there
// are; the large ones go into large.
func (g *grid) place(all []body) (n int) {
	cells := 1 << (2 * g.bits)
	g.starts = resize(g.starts, cells+1)
	clear(g.starts)
	g.places, g.large = resize(g.places, len(all)), g.large[:0]
	starts, places, reach, inverse, bits := g.starts, g.places, g.reach, g.inverse, g.bits // in registers
	last := int64(1)<<bits - 1
	for i := range all {
		b := &all[i]
		places[i] = nowhere
		switch {
		case b.layer == 0:
		case b.radius > reach:
			g.large = append(g.large, *b)
		default: // coordinates are sane, so their columns and rows are integers
			column, row := int64(math.Floor(b.x*inverse))&last, int64(math.Floor(b.y*inverse))&last
			c := uint32(row<<bits | column)
			places[i] = c
			starts[c]++
			n++
		}
	}
	return n
}

// index makes an integer of a whole number, and 0 of one that is out of range or not a
// number: there Go's conversion depends on the processor.
func index(v float64) int64 {
	if !(math.Abs(v) < 1<<62) {
		return 0
	}
	return int64(v)
}

// near appends to runs where the bodies are that may touch a circle; no body
// comes twice. The large ones are not among them.
func (g *grid) near(x, y, radius float64, runs []stretch) []stretch {
	span := radius + g.reach + float64(g.cell/64) // more than rounding can take away
	column, columns := g.window(x, span)
	row, rows := g.window(y, span)
	side := uint32(1) << g.bits
	if columns == side { // rows of all columns lie one behind the other
		over := max(row+rows, side) - side
		runs = g.add(runs, row<<g.bits, (row+rows-over)<<g.bits)
		return g.add(runs, 0, over<<g.bits)
	}
	for range rows {
		base := row << g.bits
		over := max(column+columns, side) - side // what continues at column 0
		runs = g.add(runs, base+column, base+column+columns-over)
		runs = g.add(runs, base, base+over)
		row = (row + 1) & (side - 1)
	}
	return runs
}

// window returns the first column, or row, around x and how many there are.
func (g *grid) window(x, span float64) (first, n uint32) {
	lo, hi := math.Floor((x-span)*g.inverse), math.Floor((x+span)*g.inverse)
	side := int64(1) << g.bits
	if !(hi-lo < float64(side)) {
		return 0, uint32(side)
	}
	return uint32(index(lo) & (side - 1)), uint32(hi-lo) + 1
}

// add appends the bodies of the places from a to before b, if there are any.
func (g *grid) add(runs []stretch, a, b uint32) []stretch {
	if from, to := g.starts[a], g.starts[b]; from < to {
		return append(runs, stretch{from, to})
	}
	return runs
}

// resize returns a slice of n elements, reusing its memory where it is enough.
// The contents are not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
