package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// sort says where in a program a node may stand.
type sort uint8

const (
	block     sort = iota // any number of statements
	statement             // one line or more
	number                // an expression that is a number
	boolean               // one that is true or false
	truth                 // one of which only the truth counts
	handle                // an entity, 0 or nil
	word                  // a text
	other                 // any other piece of text
)

// node is a piece of a program. Its form has a $ for each kid; a block has no form
// and prints its kids one after the other.
type node struct {
	what string // the construct, as the table of coverage calls it
	sort sort
	form string
	kids []*node
}

func stmt(what, form string, kids ...*node) *node { return &node{what, statement, form, kids} }
func num(what, form string, kids ...*node) *node  { return &node{what, number, form, kids} }
func yes(what, form string, kids ...*node) *node  { return &node{what, boolean, form, kids} }
func ask(what, form string, kids ...*node) *node  { return &node{what, truth, form, kids} }
func ent(what, form string, kids ...*node) *node  { return &node{what, handle, form, kids} }
func body(kids ...*node) *node                    { return &node{sort: block, kids: kids} }

// copy returns the tree anew, so that one of the two can be changed.
func (n *node) copy() *node {
	c := *n
	c.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		c.kids[i] = k.copy()
	}
	return &c
}

// walk calls visit for n and all below it, from the top.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// size is how many nodes there are.
func (n *node) size() (all int) {
	n.walk(func(*node) { all++ })
	return all
}

// printer writes a tree as Lua. With marks, each statement inside of a function
// first notes that it was come to.
type printer struct {
	out    strings.Builder
	indent int
	marks  map[*node]int // nil: none
	inside bool          // of a function
}

func (p *printer) print(n *node) {
	if n.sort == block {
		p.block(n)
		return
	}
	kid := 0
	for part := range strings.SplitSeq(n.form, "$") {
		if kid > 0 {
			p.print(n.kids[kid-1])
		}
		p.out.WriteString(strings.ReplaceAll(part, "\n", "\n"+strings.Repeat("  ", p.indent)))
		kid++
	}
}

func (p *printer) block(n *node) {
	outside := p.indent == 0 && !p.inside
	if !outside {
		p.indent++
	}
	p.inside = true
	for _, k := range n.kids {
		if !outside {
			p.out.WriteString("\n" + strings.Repeat("  ", p.indent))
		} else {
			p.out.WriteString("\n")
		}
		if p.marks != nil && !outside {
			p.marks[k] = len(p.marks) + 1
			fmt.Fprintf(&p.out, "MARKS[%d] = true ", p.marks[k])
		}
		p.print(k)
	}
	if outside {
		p.out.WriteString("\n")
		p.inside = false
		return
	}
	p.indent--
	p.out.WriteString("\n" + strings.Repeat("  ", p.indent))
}

// text is the tree as Lua.
func (n *node) text() string {
	var p printer
	p.print(n)
	return p.out.String()
}

// chance draws what a program is made of.
type chance struct{ *rand.Rand }

func newChance(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))} }

// in reports true in percent of a hundred.
func (c chance) in(percent int) bool { return c.IntN(100) < percent }

func one[T any](c chance, list ...T) T { return list[c.IntN(len(list))] }

// way is one of several ways to go on, chosen by weight.
type way struct {
	weight int
	make   func() *node
}

// choose takes a way. One that returns nil was not possible, and another is tried.
func (c chance) choose(ways ...way) *node {
	ways = slices.Clone(ways)
	for {
		all := 0
		for _, w := range ways {
			all += w.weight
		}
		if all == 0 {
			return nil
		}
		at := c.IntN(all)
		i := 0
		for at >= ways[i].weight {
			at -= ways[i].weight
			i++
		}
		if n := ways[i].make(); n != nil {
			return n
		}
		ways[i].weight = 0
	}
}
