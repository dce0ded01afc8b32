package formula

import "slices"

// Formula is a mathematical function: a description with a name.
type Formula struct {
	// Name is that of the function in package ecs/detmath. One that begins with a small
	// letter is a part that the slow ways there are made of.
	Name string
	// Doc is the sentence about the function after its name.
	Doc string
	// Params is how many numbers it takes, at most three.
	Params int
	// Results is how many numbers it makes of them.
	Results int
	// Of is the name of the formula that this one is a part of, with the same bits for some of
	// its arguments; empty: none. It has no function in Go: that of the other one is the same.
	Of string

	describe description
}

// description makes the results of the arguments, and the guard.
type description func(x []Float) (guard Mask, results []Float)

// Find returns the formula with a name.
func Find(name string) (Formula, bool) {
	i := slices.IndexFunc(All, func(f Formula) bool { return f.Name == name })
	if i < 0 {
		return Formula{}, false
	}
	return All[i], true
}

// Program is the operations of one formula or more.
type Program struct {
	nodes   []*node // without constants
	uses    map[*node]int
	results []*node
	guard   *node // nil: total
	params  int
}

// Program returns the operations of the formula.
func (f *Formula) Program() *Program { return Together(f) }

// Together returns the operations of formulas that take the same arguments: the results of
// the first one, then those of the next. The guard holds where all of theirs do.
func Together(formulas ...*Formula) *Program {
	g := &graph{known: map[key]*node{}}
	p := &Program{params: formulas[0].Params}
	var x []Float
	for i := range p.params {
		x = append(x, g.parameter(i))
	}
	var guard Mask
	for _, f := range formulas {
		holds, results := f.describe(x)
		switch {
		case guard.n == nil:
			guard = holds
		case holds.n != nil && holds != guard:
			guard = guard.And(holds)
		}
		for _, r := range results {
			p.results = append(p.results, r.n)
		}
	}
	p.guard = guard.n
	roots := p.results
	if p.guard != nil {
		roots = append([]*node{p.guard}, p.results...)
	}
	p.nodes, p.uses = g.live(roots)
	p.nodes = schedule(p.nodes, roots)
	for i, n := range p.nodes {
		n.at = i
	}
	return p
}

// Total reports whether the results hold for all arguments.
func (p *Program) Total() bool { return p.guard == nil }

// Operations is how many operations there are.
func (p *Program) Operations() int { return len(p.nodes) - p.params }
