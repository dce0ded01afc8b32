package ecs

import (
	"slices"
	"testing"
)

// TestWhereYieldsRuns of rows whose values pass, of columns and of pools.
func TestWhereYieldsRuns(t *testing.T) {
	w := open(t, Options{})
	position, burning, label := Register[Position](w), Register[Burning](w, Sparse), Register[Label](w)
	for i := range 10 {
		w.Spawn(position.With(Position{X: float64(i)}), burning.With(Burning{float32(i)}), label.With(Label{"x"}))
	}
	for name, q := range map[string]*Query{
		"column":    Where(w.Query(), position, func(p *Position) bool { return int(p.X)%5 != 0 }),
		"pool":      Where(w.Query(Read(position)), burning, func(b *Burning) bool { return int(b.Left)%5 != 0 }),
		"of both":   Where(w.Query(Read(position), Read(label)), burning, func(b *Burning) bool { return int(b.Left)%5 != 0 }),
		"two tests": Where(Where(w.Query(), position, func(p *Position) bool { return p.X != 0 }), position, func(p *Position) bool { return p.X != 5 }),
	} {
		var runs []int
		for c := range q.Chunks() {
			runs = append(runs, c.Len())
			for i, e := range c.Entities() {
				if p, _ := position.Get(e); position.Of(c)[i] != p || int(p.X)%5 == 0 {
					t.Errorf("%s: %v has %v, the run says %v", name, e, p, position.Of(c)[i])
				}
			}
			if b := burning.Of(c); name != "column" && name != "two tests" && int(b[len(b)-1].Left) != int(position.Of(c)[len(b)-1].X) {
				t.Errorf("%s: the pool's column is of others: %v", name, b)
			}
		}
		if !slices.Equal(runs, []int{4, 4}) || q.Count() != 8 {
			t.Errorf("%s: runs of %v, %d counted", name, runs, q.Count())
		}
	}
	if terms := Where(w.Query(), position, func(*Position) bool { return true }).Terms(); len(terms) != 1 || terms[0] != Read(position) {
		t.Errorf("a test reads: %v", terms)
	}
	if q := Where(w.Query(Write(position)), position, func(p *Position) bool { return p.X == 3 }); len(q.Terms()) != 1 || q.Count() != 1 || !q.Matches(q.First()) || q.Matches(w.Query().First()) {
		t.Error("the test is not part of the match, or a term was named twice")
	}
}
