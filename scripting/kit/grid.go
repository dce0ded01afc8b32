package kit

import "math"

const (
	// far bounds coordinates and radii: up to here the width of a cell is many
	// times the distance between two neighbouring numbers.
	far = 1e9
	// smallest is the least width of a cell, for circles without extent.
	smallest = 1e-3
	// crowd is how many times the mean radius makes a collider large.
	crowd = 4
)

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
	g.scatter(all)
}

// divide makes the grid hold the bodies that have a layer, large ones too, in cells of a
// given width.
func (g *grid) divide(all []body, cell float64) {
	g.reach, g.cell, g.inverse = far, cell, 1/cell
	g.count(len(all))
	g.scatter(all)
}

// count decides how many cells there are for so many bodies.
func (g *grid) count(bodies int) {
	for g.bits = 2; 1<<(2*g.bits) < bodies; {
		g.bits++
	}
}

// scatter copies the bodies into their cells.
func (g *grid) scatter(all []body) {
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
		radius := b.extent()
		sum += radius
		if radius <= before {
			if radius > under {
				under = radius
			}
		} else {
			most, over = max(most, radius), min(over, radius)
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
	g.count(found)
}

// largest returns the largest radius up to a limit among bodies with a layer.
func largest(all []body, limit float64) (r float64) {
	for i := range all {
		if b := &all[i]; b.layer != 0 && b.extent() <= limit {
			r = max(r, b.extent())
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
		case b.extent() > reach:
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

// integer makes an integer of a whole number, and 0 of one that is out of range or not a
// number: there Go's conversion depends on the processor.
func integer(v float64) int64 {
	if !(math.Abs(v) < 1<<62) {
		return 0
	}
	return int64(v)
}

// near appends to runs where the bodies are that may touch a circle, or a box of that
// extent; no body comes twice. The large ones are not among them.
func (g *grid) near(x, y, extent float64, runs []stretch) []stretch {
	span := extent + g.reach
	return g.rect(x-span, y-span, x+span, y+span, runs)
}

// rect appends to runs where the bodies are whose centers may lie in a box; no body comes
// twice.
func (g *grid) rect(left, low, right, high float64, runs []stretch) []stretch {
	column, columns := g.window(left, right)
	row, rows := g.window(low, high)
	side := uint32(1) << g.bits
	if columns == side { // rows of all columns lie one behind the other
		over := max(row+rows, side) - side
		runs = g.add(runs, row<<g.bits, (row+rows-over)<<g.bits)
		return g.add(runs, 0, over<<g.bits)
	}
	for range rows {
		runs = g.row(row, column, columns, runs)
		row = (row + 1) & (side - 1)
	}
	return runs
}

// rows returns how many rows of cells rect looks at.
func (g *grid) rows(low, high float64) int {
	_, n := g.window(min(low, high), max(low, high))
	return int(n)
}

// row appends some columns of a row of cells.
func (g *grid) row(row, column, columns uint32, runs []stretch) []stretch {
	side, base := uint32(1)<<g.bits, row<<g.bits
	over := max(column+columns, side) - side // what continues at column 0
	runs = g.add(runs, base+column, base+column+columns-over)
	return g.add(runs, base, base+over)
}

// window returns the first column, or row, between two coordinates and how many there are.
func (g *grid) window(from, to float64) (first, n uint32) {
	margin := float64(g.cell / 64) // more than rounding can take away
	lo, hi := math.Floor((from-margin)*g.inverse), math.Floor((to+margin)*g.inverse)
	side := int64(1) << g.bits
	if !(hi-lo < float64(side)) {
		return 0, uint32(side)
	}
	return uint32(integer(lo) & (side - 1)), uint32(hi-lo) + 1
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
