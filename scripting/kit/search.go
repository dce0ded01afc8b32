package kit

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// search is one search of an index: what it looks for, and what it has found.
//
// Invariant: as long as it runs, hits have squares as distances; once there are as many as
// the filter wants, they are a heap with the last one on top, and nothing beyond square
// counts.
type search struct {
	world  *ecs.World // of the index
	filter Filter
	x, y   float64
	square float64 // the most that the square of a distance may be

	left, right, low, high float64 // where positions may be

	ray  *segment // nil: positions count, not shapes
	most float64  // the largest extent of bodies that a ray looks for in cells

	counts bool // hits are counted only, in n
	n      int
	hits   []Hit
	from   int // the first hit of this search
}

// newSearch begins a search around a point.
func (x *Index) newSearch(dst []Hit, px, py float64, f Filter) search {
	if x.of != nil {
		x.of.catchUp()
	}
	if f.Mask == 0 {
		f.Mask = math.MaxUint32
	}
	if f.Most <= 0 {
		f.Most = math.MaxInt
	}
	return search{world: x.world, filter: f, x: px, y: py, square: math.Inf(1),
		left: math.Inf(-1), right: math.Inf(1), low: math.Inf(-1), high: math.Inf(1), hits: dst, from: len(dst)}
}

// around looks at everything within a radius.
func (x *Index) around(s *search, radius float64) {
	s.square = radius * radius
	x.look(s, x.circle(s, radius), nil)
}

// circle finds the runs of bodies around a circle, in the grid that it returns. The cells that it
// looks at are paid for.
func (x *Index) circle(s *search, radius float64) *grid {
	g := x.level(radius)
	x.rect(g, s.x-radius, s.y-radius, s.x+radius, s.y+radius)
	return g
}

// rect finds the runs of bodies in a box.
func (x *Index) rect(g *grid, left, low, right, high float64) {
	if x.runs = x.runs[:0]; x.paid(g.rows(low, high)) {
		x.runs = g.rect(left, low, right, high, x.runs)
	}
}

// paid reports whether the search may take so many steps more. After the first refusal it may
// take none: nothing is done that a script has not paid for.
func (x *Index) paid(steps int) bool {
	if !x.unpaid && x.pay != nil {
		x.unpaid = !x.pay(steps)
	}
	return !x.unpaid
}

// look compares the bodies in the runs of a grid, and others, with what a search looks for, as
// far as the work allows.
func (x *Index) look(s *search, g *grid, others []body) {
	n := bodiesIn(x.runs) + len(others)
	left := x.allow(n)
	if !x.paid(left) {
		left = 0
	}
	x.missed = x.missed || left < n
	if s.filter.Keep != nil {
		x.asking = true
		defer func() { x.asking = false }()
	}
	for _, r := range x.runs {
		n := min(int(r.to-r.from), left)
		s.compare(g.bodies[r.from : int(r.from)+n])
		left -= n
	}
	s.most = math.Inf(1)
	s.compare(others[:min(len(others), left)])
}

// allow returns how many of its candidates the search may look at.
func (x *Index) allow(n int) int {
	if !x.small {
		return x.work.allow(n)
	}
	if n > x.work.share {
		return 0
	}
	return n
}

// whole reports whether the search that ends has looked at everything.
func (x *Index) whole() bool {
	whole := !x.missed && !x.unpaid
	if !whole && !x.small {
		if x.cut++; x.of != nil {
			x.of.counts.Cut++ // at once: what snapshots do not have, no later tick may count
		}
	}
	x.missed, x.unpaid = false, false
	return whole
}

// sortSteps is what it takes to put so many hits in order, beside a comparison of bodies.
func sortSteps(hits int) int { return hits * bits.Len(uint(hits)) }

// bodiesIn returns how many bodies some runs have.
func bodiesIn(runs []stretch) (n int) {
	for _, r := range runs {
		n += int(r.to - r.from)
	}
	return n
}

// compare takes what the search looks for.
func (s *search) compare(bodies []body) {
	if s.ray != nil {
		s.hit(bodies)
		return
	}
	for i := range bodies {
		b := &bodies[i]
		dx, dy := b.x-s.x, b.y-s.y
		d := float64(dx*dx) + float64(dy*dy)
		if d <= s.square && b.layer&s.filter.Mask != 0 && b.x >= s.left && b.x <= s.right && b.y >= s.low && b.y <= s.high {
			s.take(b, d)
		}
	}
}

// hit takes what the ray touches.
func (s *search) hit(bodies []body) {
	for i := range bodies {
		b := &bodies[i]
		if b.layer&s.filter.Mask == 0 || b.extent() > s.most {
			continue
		}
		if d, ok := s.ray.meets(b); ok && float64(d*d) <= s.square {
			s.take(b, d*d)
		}
	}
}

// take adds a body whose distance has this square, unless the filter is against it or there
// are as many that are nearer.
func (s *search) take(b *body, square float64) {
	hit := Hit{b.entity, square}
	full := len(s.hits)-s.from == s.filter.Most
	switch {
	case full && !after(&s.hits[s.from], &hit), b.entity == s.filter.Except:
	case s.world != nil && !s.world.Alive(b.entity):
	case s.filter.Keep != nil && !s.filter.Keep(b.entity):
	case s.counts:
		s.n++
	case full:
		s.hits[s.from] = hit
		s.sink(0)
		s.square = s.hits[s.from].Distance
	default:
		if s.hits = append(s.hits, hit); len(s.hits)-s.from == s.filter.Most {
			s.heap()
		}
	}
}

// after reports whether a hit comes after another one in the results.
func after(a, b *Hit) bool {
	return a.Distance > b.Distance || a.Distance == b.Distance && a.Entity > b.Entity
}

// heap makes a heap of the hits.
func (s *search) heap() {
	for i := (len(s.hits) - s.from) / 2; i >= 0; i-- {
		s.sink(i)
	}
	s.square = s.hits[s.from].Distance
}

// sink lets a hit sink to its place in the heap.
func (s *search) sink(i int) {
	h := s.hits[s.from:]
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if after(&h[child], &h[last]) {
				last = child
			}
		}
		if last == i {
			return
		}
		h[i], h[last] = h[last], h[i]
		i = last
	}
}

// finish returns dst with the hits in their order, and whether these are all.
func (x *Index) finish(s *search) (hits []Hit, whole bool) {
	if x.paid(sortSteps(len(s.hits) - s.from)) {
		s.sort()
	} else {
		s.hits, x.missed = s.hits[:s.from], true
	}
	return s.hits, x.whole()
}

// sort puts the hits in their order.
func (s *search) sort() {
	found := s.hits[s.from:]
	slices.SortFunc(found, func(a, b Hit) int {
		if a.Distance == b.Distance {
			return cmp.Compare(a.Entity, b.Entity)
		}
		if a.Distance < b.Distance { // cmp.Compare asks for what is no number, too
			return -1
		}
		return 1
	})
	for i := range found {
		found[i].Distance = math.Sqrt(found[i].Distance)
	}
}

// nearest looks around in circles that grow until there are enough hits.
func (x *Index) nearest(s *search, reach float64) {
	wanted := float64(s.filter.Most)
	for radius := x.first(s, reach); ; {
		s.hits = s.hits[:s.from]
		s.square = radius * radius
		g := x.circle(s, radius)
		if x.unpaid {
			return
		}
		all := bodiesIn(x.runs) == len(g.bodies)
		if all {
			s.square = reach * reach // there is nothing further out than these cells
		}
		x.look(s, g, nil)
		found := float64(len(s.hits) - s.from)
		if all || found >= wanted || radius >= reach || x.small && x.missed {
			return
		}
		radius = min(radius*max(2, min(4, 1.2*math.Sqrt(wanted/max(found, 1)))), reach)
	}
}

// first returns the radius of the first circle: one that has some more bodies than are looked
// for, as far as that can be seen from the cells.
func (x *Index) first(s *search, reach float64) float64 {
	wanted := float64(s.filter.Most) + 4
	radius := min(x.spread()*math.Sqrt(wanted/float64(len(x.all)+1)), reach)
	for n := x.candidates(s, radius); float64(n) > 4*wanted && radius > smallest; {
		smaller := radius * math.Sqrt(3*wanted/float64(n))
		m := x.candidates(s, smaller)
		if m > n/2 { // a crowd: closer to it there are as many
			break
		}
		radius, n = smaller, m
	}
	return radius
}

// candidates returns how many bodies lie in the cells around a point.
func (x *Index) candidates(s *search, radius float64) int {
	x.circle(s, radius)
	return bodiesIn(x.runs)
}

// sampled is how many bodies spread looks at.
const sampled = 32

// spread returns about how wide the part of the plane is in which most bodies are. It is a
// guess, from which searches begin.
func (x *Index) spread() float64 {
	if x.width == 0 {
		var xs, ys [sampled]float64
		n := min(len(x.all), sampled)
		for i := range n {
			b := &x.all[i*len(x.all)/n]
			xs[i], ys[i] = b.x, b.y
		}
		x.width = max(middle(xs[:n]), middle(ys[:n]), smallest)
	}
	return x.width
}

// middle returns how far the middle three quarters of some numbers are apart.
func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)-1-len(list)/8] - list[len(list)/8]
}

// rayCells is about how many rows of cells a ray goes through.
const rayCells = 64

// along looks at everything that a ray may touch.
func (x *Index) along(s *search) {
	x.measure()
	g := x.level(max(2*x.reach, s.ray.length/rayCells))
	x.runs = x.runs[:0]
	if x.paid(g.rows(s.ray.y, s.ray.y+s.ray.dy)) {
		x.runs = g.beside(s.ray, x.reach, x.runs)
	}
	s.most = x.reach
	x.look(s, g, x.large)
}

// measure finds out how far most bodies reach, and which reach further. As in a grid, large is
// what is so many times as large as the mean.
func (x *Index) measure() {
	if x.rays {
		return
	}
	sum := 0.0
	for i := range x.all {
		sum += x.all[i].extent()
	}
	limit := crowd * sum / float64(max(len(x.all), 1))
	x.reach, x.large, x.rays = 0, x.large[:0], true
	for i := range x.all {
		if b := &x.all[i]; b.extent() <= limit {
			x.reach = max(x.reach, b.extent())
		} else if b.layer != 0 {
			x.large = append(x.large, *b)
		}
	}
}

// beside appends to runs where the bodies are whose centers may be at most reach away from a
// segment; no body comes twice.
func (g *grid) beside(s *segment, reach float64, runs []stretch) []stretch {
	span := reach + float64(g.cell/16) // more than rounding can take away
	low, high := min(s.y, s.y+s.dy)-span, max(s.y, s.y+s.dy)+span
	row, rows := g.window(low, high)
	side := uint32(1) << g.bits
	if rows == side {
		return g.add(runs, 0, side<<g.bits)
	}
	y := math.Floor((low-float64(g.cell/64))*g.inverse) * g.cell // where the first row begins
	for range rows {
		from, to := s.within(y-span, y+g.cell+span)
		column, columns := g.window(from-span, to+span)
		runs = g.row(row, column, columns, runs)
		row = (row + 1) & (side - 1)
		y += g.cell
	}
	return runs
}

// within returns between which two x the segment has a y between two others. Where it has none,
// it is the end that is nearer.
func (s *segment) within(low, high float64) (from, to float64) {
	a, b := 0.0, 1.0
	if s.dy != 0 {
		a, b = (low-s.y)/s.dy, (high-s.y)/s.dy
	}
	a, b = min(max(a, 0), 1), min(max(b, 0), 1)
	p, q := s.x+float64(a*s.dx), s.x+float64(b*s.dx)
	return min(p, q), max(p, q)
}
