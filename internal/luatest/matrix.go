package luatest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A cell is a rule at a place: what every implementation must be seen to do the same.
type cell struct {
	group, rule, place string
	speaks             Lua
	write              func(g *generator) string
}

// matrix is all cells: expressions at all places, statements in all contexts, operators
// between operands of all types, mistakes with values of all names.
var matrix = cells()

func cells() (all []cell) {
	add := func(group, rule, place string, speaks Lua, write func(g *generator) string) {
		if speaks == 0 {
			speaks = Everyone
		}
		all = append(all, cell{group, rule, place, speaks, write})
	}
	for _, e := range expressions {
		for _, p := range places {
			add("expressions", e.name, p.name, e.speaks, func(g *generator) string {
				return g.fill(p.text, 2, g.fill(e.text, 2, ""))
			})
		}
	}
	for _, s := range statements {
		for _, c := range contexts {
			add("statements", s.name, c.name, s.speaks, func(g *generator) string {
				return g.within(&c, func() string { return g.fill(s.text, 2, "") })
			})
		}
	}
	for _, a := range operands {
		for _, op := range unary {
			add("operators", op, a.name, elsewhere(op == "for" && a.name == "text of a number"), unaryCell(op, a.text))
		}
		for _, b := range operands {
			for _, op := range binary {
				add("operators", op, a.name+", "+b.name, elsewhere(op == "[]=" && a.name == "object" && b.name == "nil"), binaryCell(op, a.text, b.text))
			}
		}
	}
	for _, m := range mistakes {
		for i, w := range wrongs {
			add("mistakes", m.name, w.name, elsewhere(m.name == "over two lines"), mistakeCell(m.use, i))
		}
	}
	return all
}

// elsewhere is who does alike where PUC Lua is known to do something else: it takes texts
// for numbers in a for, does not ask __newindex about nil, and knows one line for an
// expression over several.
func elsewhere(differs bool) Lua {
	if differs {
		return VM | Machine
	}
	return Everyone
}

// cellsOf are the numbers of the cells that exactly these implementations understand.
func cellsOf(speaks Lua) (numbers []int) {
	for i := range matrix {
		if matrix[i].speaks == speaks {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// Reach counts, for each cell of the matrix, the programs that showed something of it.
type Reach struct {
	counts []int
}

var shown = regexp.MustCompile(`(?m)^@(\d+)\t`)

// Note takes the output of a program.
func (r *Reach) Note(out string) {
	if r.counts == nil {
		r.counts = make([]int, len(matrix))
	}
	seen := map[string]bool{}
	for _, m := range shown.FindAllStringSubmatch(out, -1) {
		if i, err := strconv.Atoi(m[1]); err == nil && i > 0 && i <= len(matrix) && !seen[m[1]] {
			seen[m[1]] = true
			r.counts[i-1]++
		}
	}
}

// missing are the cells of which nothing was shown, among those that some implementations
// understand and another one does not.
func (r *Reach) missing(by, not Lua) (names []string) {
	for i, c := range matrix {
		if c.speaks&by == by && (not == 0 || c.speaks&not == 0) && (r.counts == nil || r.counts[i] == 0) {
			names = append(names, Cell(i))
		}
	}
	return names
}

// Cell is the name of a cell.
func Cell(i int) string {
	c := matrix[i]
	return fmt.Sprintf("%d: %s, %s: %s", i+1, c.group, c.rule, c.place)
}

// String is how much of each group was reached, a line for each rule with the fewest and
// the most programs at a place.
func (r *Reach) String() string {
	var b strings.Builder
	for i := 0; i < len(matrix); {
		c, places, reached, few, most := matrix[i], 0, 0, -1, 0
		for ; i < len(matrix) && matrix[i].group == c.group && (c.group == "operators" || matrix[i].rule == c.rule); i++ {
			n := r.counts[i]
			places++
			if n > 0 {
				reached++
			}
			if few < 0 || n < few {
				few = n
			}
			most = max(most, n)
		}
		fmt.Fprintf(&b, "%-12s %-44s %4d of %4d places, each by %d to %d programs\n", c.group, c.rule, reached, places, few, most)
	}
	return b.String()
}
