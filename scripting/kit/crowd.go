package kit

import "fmt"

// comparisons bounds the comparisons of one tick by their number, so that the outcome
// is the same on every machine.
//
// A search that has no more candidates than its share is never cut, and takes
// nothing from others: so a crowd somewhere changes nothing elsewhere. Searches
// with more take from what is left of the work, and when that is used up, each
// looks at its share of its candidates only.
//
// Where it is known how many searches are to come, half a share is put aside for each. So together
// they do no more than the work, or the least share each.
//
// Why not a limit for each cell? What is too much depends on how many such cells
// there are: a single crowd of two thousand can be compared whole.
type comparisons struct {
	share int
	left  int    // of the work, for those with more than a share; where it is known, for all
	known bool   // how many searches are to come
	ahead int    // so many
	cut   uint64 // searches that were cut
}

// least is the least share: about what is near in a world without crowds.
const least = 32

// newComparisons shares a work among searches, nobody knows how many, over so many bodies.
func newComparisons(work, bodies int) comparisons {
	return comparisons{share: shareOf(work, bodies), left: max(work, 0)}
}

// shareOf returns what each search over so many bodies may do of a work.
func shareOf(work, bodies int) int { return max(work/max(bodies, 1), least) }

// putAside shares a work among so many searches. What one leaves of its share is for those that need
// more.
func putAside(work, searches int) comparisons {
	return comparisons{share: shareOf(work/2, searches), left: work, known: true, ahead: searches}
}

// allow returns how many of its n candidates a search may look at.
func (b *comparisons) allow(n int) int {
	aside := 0
	if b.known {
		b.ahead--
		aside = b.ahead * b.share
	}
	if n > b.share && n > b.left-aside {
		b.cut++
		n = b.share
	}
	if b.known || n > b.share {
		b.left -= n
	}
	return n
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
