package kit

import (
	"cmp"
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

// Index finds entities by where they are: within a radius, in a box, along a ray, or the
// nearest ones. [Kit.Index] has all colliders of a world; a host fills one of its own with
// whatever has a place, by [Index.Add].
//
// An index is a copy. It knows where entities were when they were added, until Clear; those
// that have died since are left out of all results, and new ones are not found. It belongs to one
// goroutine at a time, as searches share its memory. While a search asks Filter.Keep, the index does
// nothing else: other searches find nothing and are not whole, Add returns false, and Clear does
// nothing. A nil index is empty.
//
// # Results
//
// A search appends what it has found to dst, without an allocation where that has room. Hits
// are in order of distance, and those at the same distance in the order of their handles
// (distances are compared by their squares). So results follow from what was added alone, and
// not from the order in which it was.
//
// Searches are total: a coordinate that is not a number, or beyond a billion, finds nothing, nor
// does a radius that is not a number or is below zero. A radius may be infinite. A search of
// the same index by Filter.Keep finds nothing and is not whole: there is memory for one at a time.
//
// # Cost
//
// Bodies are kept in square cells of several widths, which are made when a search first needs
// them: O(bodies) for each width, of which there are at most eight. A search looks at the cells
// around it that are about half as wide as it reaches, so it costs what lies there, however
// unevenly the world is filled:
//
//	Within, InBox, Count   O(bodies in about twice the area)
//	Nearest                O(k + bodies in about four times the area that k bodies take)
//	Ray, First             O(bodies in 64 cells along it and those beside them, and the large ones)
//	the order of n hits    O(n log n)
//
// # Bounds
//
// All searches between two Clears share Work comparisons. A search that has no more candidates
// than its share, Work divided by the bodies and at least 32, is never cut, and takes nothing
// from others. One with more takes from what is left of the work; when that is used up, it looks
// at its share of the candidates only, and says that the result is not whole. So ten thousand
// searches among ten thousand bodies on one spot compare 6,000,000 pairs at most, and not
// a hundred million.
type Index struct {
	// Work is how many comparisons searches with many candidates may do between two Clears;
	// 0 stands for 3,000,000, about 8 ms, and below zero for none.
	Work int

	world *ecs.World
	all   []body
	own   []body   // memory of all, where it is not lent
	lent  bool     // all is the kit's, which fills the index
	of    *collide // of the kit; else nil

	levels [maxLevels]level
	n      int // of levels in use
	reach  float64
	large  []body  // reach further than reach; found by rays apart
	rays   bool    // reach and large are known
	width  float64 // of the part where most are; 0: not known
	begun  bool    // work is known
	shared bool    // and the share of it, for as many bodies as there are
	work   comparisons
	missed bool      // the search that runs has not looked at everything
	unpaid bool      // the search that runs was not paid for, and does nothing more
	small  bool      // the search that runs misses what has more candidates than its share
	asking bool      // a search asks Filter.Keep, which may not search
	runs   []stretch // scratch of one search
	one    [1]Hit    // scratch of First
	ray    segment   // scratch of Ray: a variable of its own would be an allocation
	cut    uint64

	pay func(steps int) bool // reports whether the search may go on that takes so many steps; nil: it may
}

// level is a grid over all bodies, large ones too, with cells of the width odd·2^power.
type level struct {
	power int
	grid  grid
}

// stepsPerBody is what it takes to put a body into its cell, beside a comparison.
const stepsPerBody = 3

// maxLevels bounds how many widths of cells there are at a time: memory and work of an index
// are so many times those of one grid. Where a search wants one more, the nearest one must do.
const maxLevels = 8

// The widths of cells, as powers of two: from smallest to beyond far.
const leastPower, mostPower = -10, 31

// odd times a power of two is the width of a cell. Places that lie a multiple of so many cells
// apart share one, and with powers of two alone those would be the round numbers, at which games
// put their crowds.
const odd = 1.1803398875

// Hit is an entity that a search has found. Distance is that from the point to the entity's
// position; in InBox from the box's center, and along a ray from where it begins to where it
// touches the entity's shape.
type Hit struct {
	Entity   ecs.Entity
	Distance float64
}

// Filter says which entities a search may find. The zero value finds all.
type Filter struct {
	Mask   uint32                // layers, of which an entity has one; 0: all
	Except ecs.Entity            // whom it does not find, such as the one who asks
	Keep   func(ecs.Entity) bool // nil, or whether to find a living entity: for tags and values; see Index
	Most   int                   // the most hits, the nearest ones; 0: all
}

// Body is what an [Index] knows of an entity: a point, a circle with a Radius, or a box with a
// Width and a Height. Only rays look at the shape.
type Body struct {
	Entity        ecs.Entity
	X, Y          float64 // the center
	Radius        float32
	Width, Height float32 // of a box; both 0: it is none
	Layer         uint32  // 0: no search finds it
}

// NewIndex makes an empty index of entities of a world. With nil, all entities count as alive.
func NewIndex(w *ecs.World) *Index { return &Index{world: w} }

// Clear forgets all bodies, and begins a new Work. Their memory is used again. The index of a
// [Kit] keeps its bodies: the kit fills it.
func (x *Index) Clear() {
	if !x.free() || x.lent {
		return
	}
	x.own = x.own[:0]
	x.fill(x.own)
}

// Add adds an entity. It reports whether searches can find it: they cannot if it has no layer,
// if its size is below zero, or if its position or size is not a number or beyond a billion. The
// index of a [Kit] takes nobody. The cells are made anew by the next search, so add all before it.
func (x *Index) Add(b Body) bool {
	added, ok := b.body()
	if !ok || !x.free() || x.lent {
		return false
	}
	x.own = append(x.own, added)
	x.refill(x.own)
	return true
}

// body returns what searches compare, and whether they can find it.
func (b *Body) body() (made body, ok bool) {
	made = body{x: b.X, y: b.Y, radius: float64(b.Radius), layer: b.Layer, entity: b.Entity}
	ok = made.sane()
	if b.Width != 0 || b.Height != 0 {
		made.radius, ok = boxed(b.Width, b.Height)
		ok = ok && known(b.X) && known(b.Y)
	}
	return made, ok && b.Layer != 0
}

// Len returns how many bodies there are, of the dead too.
func (x *Index) Len() int {
	if x == nil {
		return 0
	}
	return len(x.all)
}

// Cut returns how many searches were cut short so far.
func (x *Index) Cut() uint64 {
	if x == nil {
		return 0
	}
	return x.cut
}

// free reports whether the index can be searched and changed now.
func (x *Index) free() bool { return x != nil && !x.asking }

// fill has the index search among these bodies, which are sane and stay where they are.
func (x *Index) fill(all []body) {
	if x.asking {
		return // a step within Filter.Keep; the next one fills it
	}
	x.refill(all)
	x.begun = false
}

// refill is fill in the same Work.
func (x *Index) refill(all []body) { x.all, x.n, x.rays, x.width, x.shared = all, 0, false, 0, false }

// begin sets out what the searches may do.
func (x *Index) begin() {
	if x.shared {
		return
	}
	work := cmp.Or(x.Work, defaultWork)
	if !x.begun {
		x.work = newComparisons(work, len(x.all))
	}
	x.work.share = shareOf(work, len(x.all)) // bodies may have been added since
	x.begun, x.shared = true, true
}

// powerOf returns the power of two that is next below a width.
func powerOf(width float64) int {
	_, power := math.Frexp(min(width, 1<<mostPower)) // of zero 0, which is as good as any
	return min(max(power-1, leastPower), mostPower)
}

// level returns the grid whose cells are about so wide. Where that was not paid for, it is any:
// the search ends before it looks.
func (x *Index) level(width float64) *grid {
	x.begin()
	power, best, off := powerOf(width), 0, math.MaxInt
	for i := range x.levels[:x.n] {
		if d := abs(x.levels[i].power - power); d < off {
			best, off = i, d
		}
	}
	if off == 0 || x.n == maxLevels {
		return &x.levels[best].grid
	}
	if !x.paid(stepsPerBody * len(x.all)) {
		return &x.levels[best].grid
	}
	l := &x.levels[x.n]
	x.n++
	l.power = power
	l.grid.divide(x.all, math.Ldexp(odd, power))
	return &l.grid
}

func abs(n int) int { return max(n, -n) }

// Within finds the entities whose positions are at most radius away from a point. whole is
// false if the search was cut short, see [Index].
func (x *Index) Within(dst []Hit, px, py, radius float64, f Filter) (hits []Hit, whole bool) {
	if !x.free() {
		return dst, x == nil
	}
	if !known(px) || !known(py) || !(radius >= 0) {
		return dst, true
	}
	s := x.newSearch(dst, px, py, f)
	x.around(&s, radius)
	return x.finish(&s)
}

// Count returns how many entities Within would find.
func (x *Index) Count(px, py, radius float64, f Filter) (n int, whole bool) {
	if !x.free() {
		return 0, x == nil
	}
	if !known(px) || !known(py) || !(radius >= 0) {
		return 0, true
	}
	s := x.newSearch(nil, px, py, f)
	s.counts = true
	x.around(&s, radius)
	return min(s.n, s.filter.Most), x.whole()
}

// InBox finds the entities whose positions are in a box, its edge included, which two opposite
// corners say. Their order is that of the distance from the center.
func (x *Index) InBox(dst []Hit, x1, y1, x2, y2 float64, f Filter) (hits []Hit, whole bool) {
	if !x.free() {
		return dst, x == nil
	}
	if !known(x1) || !known(y1) || !known(x2) || !known(y2) {
		return dst, true
	}
	s := x.newSearch(dst, float64(x1/2)+float64(x2/2), float64(y1/2)+float64(y2/2), f)
	s.left, s.right, s.low, s.high = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
	// Cells as wide as a square of this area, unless the box is so thin that there are too many.
	w, h := s.right-s.left, s.high-s.low
	g := x.level(max(math.Sqrt(w*h), w/rayCells, h/rayCells) / 2)
	x.rect(g, s.left, s.low, s.right, s.high)
	x.look(&s, g, nil)
	return x.finish(&s)
}

// Nearest finds the k entities nearest to a point, or as many as there are at most reach away.
// Filter.Most does not count.
func (x *Index) Nearest(dst []Hit, px, py, reach float64, k int, f Filter) (hits []Hit, whole bool) {
	if !x.free() {
		return dst, x == nil
	}
	if !known(px) || !known(py) || !(reach >= 0) || k <= 0 {
		return dst, true
	}
	f.Most = k
	s := x.newSearch(dst, px, py, f)
	x.nearest(&s, reach)
	return x.finish(&s)
}

// Ray finds the entities whose shapes the straight line between two points touches. The first
// hit is at distance 0 where the line begins within a shape.
func (x *Index) Ray(dst []Hit, x1, y1, x2, y2 float64, f Filter) (hits []Hit, whole bool) {
	if !x.free() {
		return dst, x == nil
	}
	if !known(x1) || !known(y1) || !known(x2) || !known(y2) {
		return dst, true
	}
	s := x.newSearch(dst, x1, y1, f)
	x.ray = newSegment(x1, y1, x2, y2)
	s.ray = &x.ray
	x.along(&s)
	return x.finish(&s)
}

// First returns the first hit of Ray, with an Entity of 0 if there is none.
func (x *Index) First(x1, y1, x2, y2 float64, f Filter) (hit Hit, whole bool) {
	if !x.free() {
		return Hit{}, x == nil
	}
	f.Most = 1
	hits, whole := x.Ray(x.one[:0], x1, y1, x2, y2, f)
	if len(hits) > 0 {
		hit = hits[0]
	}
	return hit, whole
}
