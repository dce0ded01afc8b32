package ecstest

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// transfer moves an entity, with D its family too, to a second world and back: it
// comes home under a new handle with all it had, but for links to those who
// stayed.
func (tw *Twin) transfer(t T, op Op) {
	t.Helper()
	if tw.side == nil {
		tw.openSide(t)
	}
	tw.elsewhere = tw.elsewhere[:0]
	m, w, e := tw.Model, tw.World, tw.pick(op.A)
	there, err := send(w, tw.side, e, op)
	family, want := m.family(e, op.D%2 == 1)
	if want == nil {
		want = m.unfit(family)
	}
	agree(t, op, err, want)
	if want != nil {
		return
	}
	were := make([]*thing, len(family))
	for i, f := range family {
		were[i] = m.things[f].clone()
	}
	slices.Reverse(family)
	m.bury(family)
	slices.Reverse(family)
	calls := len(tw.calls)
	home, err := send(tw.side, w, there, op)
	if tw.full(err) { // it is stranded, as a whole
		tw.calls = tw.calls[:calls]
		if n := tw.side.Len(); n != len(family) {
			t.Fatalf("%v: %d of %d are left in the other world", op, n, len(family))
		}
		agree(t, op, tw.side.Reset(), nil)
		return
	}
	agree(t, op, err, nil)
	if n := tw.side.Len(); n != 0 {
		t.Fatalf("%v: %d are left in the other world", op, n)
	}
	agree(t, op, tw.side.Check(), nil)
	tw.comeHome(t, op, home, family, were)
}

func (tw *Twin) openSide(t T) {
	t.Helper()
	var err error
	if tw.side, err = ecs.Open(ecs.Options{MaxBytes: 32 << 20}); err != nil {
		t.Fatalf("opening a second world: %v", err)
	}
	ecs.Register[mood](tw.side) // so that numbers differ
	ruled(tw.side, kinds(tw.side), &tw.elsewhere, true)
	if _, err = relations(tw.side); err != nil {
		t.Fatalf("preparing a second world: %v", err)
	}
	tw.follow(t)
}

func send(from, to *ecs.World, e ecs.Entity, op Op) (ecs.Entity, error) {
	if op.D%2 == 1 {
		return from.TransferTree(e, to)
	}
	return from.Transfer(e, to)
}

// family returns who moves, parents first, or why nobody does.
func (m *Model) family(e ecs.Entity, tree bool) ([]ecs.Entity, error) {
	if _, err := m.find(e); err != nil {
		return nil, err
	}
	family := []ecs.Entity{e}
	if tree {
		family = m.walk(0, nil, e, e)
	}
	for r, rule := range m.rules {
		for _, f := range family {
			stays := func(source ecs.Entity) bool { return !slices.Contains(family, source) }
			if rule.OnDespawn == ecs.Refuse && slices.ContainsFunc(m.things[f].links[r].sources, stays) {
				return nil, ecs.ErrConflict
			}
		}
	}
	return family, nil
}

// unfit answers when one of a family cannot be as it is anywhere else: what it
// has lost since it got it is required again where it arrives.
func (m *Model) unfit(family []ecs.Entity) error {
	for _, f := range family {
		if _, err := m.arriving(m.things[f]); err != nil {
			return err
		}
	}
	return nil
}

// arriving returns what an entity has in a world that it has come to.
func (m *Model) arriving(t *thing) ([]given, error) {
	var vs []given
	for k := range m.pooled {
		if n, has := t.values[k]; has {
			vs = append(vs, given{k, n})
		}
	}
	vs, err := m.complete(nil, nil, vs)
	slices.SortFunc(vs, func(a, b given) int { return a.kind - b.kind })
	return vs, err
}

func (t *thing) clone() *thing {
	c := *t
	c.links = nil
	for _, l := range t.links {
		c.links = append(c.links, link{l.target, slices.Clone(l.sources)})
	}
	return &c
}

// comeHome gives the model what has come back: the same values, and the links
// among those who moved.
func (tw *Twin) comeHome(t T, op Op, home ecs.Entity, family []ecs.Entity, were []*thing) {
	t.Helper()
	m, now := tw.Model, map[ecs.Entity]ecs.Entity{}
	news := []ecs.Entity{home}
	if len(family) > 1 {
		news = news[:0]
		for e := range tw.World.ChildOf().DepthFirst(home) {
			news = append(news, e)
		}
	}
	if len(news) != len(family) {
		t.Fatalf("%v: %v came back as %v", op, family, news)
	}
	for i, f := range family {
		vs, err := m.arriving(were[i])
		agree(t, op, err, nil)
		tw.settle(t, op, news[i], vs)
		now[f] = news[i]
	}
	for r := range m.rules {
		for i, f := range family {
			for _, source := range were[i].links[r].sources {
				if now[source] != 0 {
					agree(t, op, m.Relate(r, now[source], now[f], -1), nil)
				}
			}
		}
	}
	for i := range family {
		if were[i].prefab {
			m.template(news[i])
		}
	}
	tw.recrew(t, op, news)
}

// recrew gives those who have a crew its captain back: as nobody knows who that
// is, its handle was cleared on the way.
func (tw *Twin) recrew(t T, op Op, es []ecs.Entity) {
	t.Helper()
	for _, e := range es {
		if n, has := tw.Model.things[e].values[8]; has {
			v := []given{{8, n}}
			agree(t, op, tw.World.Add(e, tw.values(v)...), nil)
			agree(t, op, tw.Model.Add(e, v), nil)
		}
	}
}
