package twin

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// transfer moves an entity, and with D its family too, to a second world and back. It
// comes back under a new handle with all its components, but without links to entities
// that stayed.
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
	were := make([]*modelEntity, len(family))
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

// family returns the entities that move, parents first, or the error that refuses the
// move.
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

// unfit returns the error when a member of the family cannot exist in another world as it
// is: a component that was required and then removed is required again on arrival.
func (m *Model) unfit(family []ecs.Entity) error {
	for _, f := range family {
		if _, err := m.arriving(m.things[f]); err != nil {
			return err
		}
	}
	return nil
}

// arriving returns the values that an entity has in the world in which it has arrived.
func (m *Model) arriving(t *modelEntity) ([]given, error) {
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

func (t *modelEntity) clone() *modelEntity {
	c := *t
	c.links = nil
	for _, l := range t.links {
		c.links = append(c.links, link{l.target, slices.Clone(l.sources)})
	}
	return &c
}

// comeHome gives the model the entities that have come back: the same values, and the
// links among them.
func (tw *Twin) comeHome(t T, op Op, home ecs.Entity, family []ecs.Entity, were []*modelEntity) {
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
	tw.rejoin(t, op, news)
}

// rejoin sets the captain of each team again: the handle of an entity that stayed was
// cleared on the way.
func (tw *Twin) rejoin(t T, op Op, es []ecs.Entity) {
	t.Helper()
	for _, e := range es {
		if n, has := tw.Model.things[e].values[8]; has {
			v := []given{{8, n}}
			agree(t, op, tw.World.Add(e, tw.values(v)...), nil)
			agree(t, op, tw.Model.Add(e, v), nil)
		}
	}
}
