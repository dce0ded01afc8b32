package kit

import "fmt"

// comparisons bounds the comparisons of one tick by their number, so that the outcome
// is the same on every machine.
//
// A search that has no more candidates than its share is never cut, and takes
// nothing from others: so a crowd somewhere changes nothing elsewhere. Searches
// with more take from what is left of the work, and when that is used up, each
// looks at its share of its candidates only. Together that is at most the work
// and a share for each search.
//
// Why not a limit for each cell? What is too much depends on how many such cells
// there are: a single crowd of two thousand can be compared whole.
type comparisons struct {
	share int
	left  int    // of the work, for those with more than a share
	cut   uint64 // searches that were cut
}

// least is the least share: about what is near in a world without crowds.
const least = 64

// newComparisons shares the work of a tick among its searches.
func newComparisons(work, searches int) comparisons {
	return comparisons{share: shareOf(work, searches), left: max(work, 0)}
}

// shareOf returns what each of so many searches may do of a work.
func shareOf(work, searches int) int { return max(work/max(searches, 1), least) }

// allow returns how many of its n candidates a search may look at.
func (b *comparisons) allow(n int) int {
	if n <= b.share {
		return n
	}
	if n <= b.left {
		b.left -= n
		return n
	}
	b.cut++
	return b.share
}

// tellOfCrowds warns when searches were cut, once until there was calm again.
func (c *collide) tellOfCrowds(cut uint64) {
	if cut == 0 {
		c.calm++
		return
	}
	if c.calm >= calmAfter {
		x, y, n := c.grid.densest()
		c.warn(fmt.Sprintf("kit.collide: %d colliders crowd around %.4g, %.4g, among %d in all: "+
			"too many to compare each with each, so collisions are missed there (Collisions.work); spread them out, or give fewer of them a mask", n, x, y, len(c.all)))
	}
	c.calm = 0
}

// densest returns where most bodies share a cell, and how many: of the first of
// several such cells.
func (g *grid) densest() (x, y float64, n int) {
	if n = len(g.large); n > 0 {
		x, y = g.large[0].x, g.large[0].y
	}
	for c := range g.starts[1:] {
		if here := int(g.starts[c+1] - g.starts[c]); here > n {
			at := &g.bodies[g.starts[c]]
			x, y, n = at.x, at.y, here
		}
	}
	return x, y, n
}
