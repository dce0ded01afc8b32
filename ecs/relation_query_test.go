package ecs

import (
	"slices"
	"testing"
)

func TestQueriesByRelation(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	r := relate(t, w, "Targets", RelationOptions{})
	var es []Entity
	for range 6 {
		es = append(es, w.Spawn(position.With(Position{})))
	}
	plain := w.Spawn() // no position
	must(t, r.Set(es[3], es[0]))
	must(t, r.Set(es[1], es[0]))
	must(t, r.Set(es[0], es[2]))
	must(t, r.Set(plain, es[0]))
	for name, c := range map[string]struct {
		q    *Query
		want []Entity
	}{
		"sources of one": {w.Query(Read(position)).SourcesOf(r, es[0]), []Entity{es[3], es[1]}},
		"sources":        {w.Query(Read(position)).Sources(r), []Entity{es[3], es[0], es[1]}},
		"targets":        {w.Query(Read(position)).Targets(r), []Entity{es[0], es[2]}},
		"both":           {w.Query().Sources(r).Targets(r), []Entity{es[0]}},
		"either":         {w.Query().With(r), []Entity{es[3], es[0], es[1], es[2], plain}},
		"neither":        {w.Query(Read(position)).Without(r), []Entity{es[4], es[5]}},
		"children":       {w.Query().Sources(w.ChildOf()), nil},
	} {
		var got []Entity
		for chunk := range c.q.Chunks() {
			got = append(got, chunk.Entities()...)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || c.q.Count() != len(c.want) {
			t.Errorf("%s: %v, counted %d, want %v", name, got, c.q.Count(), c.want)
		}
	}
	sources := w.Query().Sources(r)
	must(t, r.Set(es[1], 0))
	if sources.Matches(es[1]) || !sources.Matches(es[3]) {
		t.Error("a query remembers a link that has gone")
	}
}
