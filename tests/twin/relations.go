package twin

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// maxAncestors is the documented bound of acyclic relations.
const maxAncestors = 1024

// link is an entity's part in one relation.
type link struct {
	target  ecs.Entity
	sources []ecs.Entity // in order
}

// relations makes those under test: the hierarchy, and one for each policy.
func relations(w *ecs.World) ([]*ecs.Relation, error) {
	all := []*ecs.Relation{w.ChildOf()}
	for _, c := range []struct {
		name    string
		options ecs.RelationOptions
	}{
		{"Targets", ecs.RelationOptions{}},
		{"OwnedBy", ecs.RelationOptions{OnDespawn: ecs.Cascade}},
		{"Pins", ecs.RelationOptions{OnDespawn: ecs.Refuse, Acyclic: true}},
	} {
		r, err := w.Relation(c.name, c.options)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Relate gives source a target in a relation, or takes it away, and a place
// among the other sources; -1 is the last.
func (m *Model) Relate(r int, source, target ecs.Entity, place int) error {
	if _, err := m.find(source); err != nil {
		return err
	}
	if target == 0 {
		m.unlink(r, source)
		return nil
	}
	if _, err := m.find(target); err != nil {
		return err
	}
	if r == 0 && m.things[target].prefab && !m.things[source].prefab {
		return ecs.ErrConflict
	}
	if err := m.climb(r, source, target); err != nil {
		return err
	}
	m.unlink(r, source)
	m.touch(source)
	m.touch(target)
	m.things[source].links[r].target = target
	l := &m.things[target].links[r]
	if place < 0 {
		place = len(l.sources)
	}
	l.sources = slices.Insert(l.sources, place, source)
	return nil
}

func (m *Model) climb(r int, source, target ecs.Entity) error {
	depth := 0
	for e := target; m.rules[r].Acyclic && e != 0; e = m.things[e].links[r].target {
		if e == source {
			return ecs.ErrCycle
		}
		if depth++; depth > maxAncestors {
			return ecs.ErrRange
		}
	}
	return nil
}

// SetParent makes child the last child of parent, or a root.
func (m *Model) SetParent(child, parent ecs.Entity) error { return m.Relate(0, child, parent, -1) }

func (m *Model) unlink(r int, e ecs.Entity) {
	l := &m.things[e].links[r]
	m.touch(e)
	if l.target == 0 {
		return
	}
	m.touch(l.target)
	if up := m.things[l.target]; up != nil {
		up.links[r].sources = slices.DeleteFunc(up.links[r].sources, func(c ecs.Entity) bool { return c == e })
	}
	l.target = 0
}

// Despawn ends e and the entities that die with it. If a relation refuses the death of one
// of them, none dies.
func (m *Model) Despawn(e ecs.Entity) error {
	if m.things[e] == nil {
		return gone(e)
	}
	doomed := m.doom(nil, map[ecs.Entity]bool{}, e)
	if err := m.refusal(doomed); err != nil {
		return err
	}
	m.bury(doomed)
	return nil
}

// refusal returns the error when a source keeps one of the dying entities alive.
func (m *Model) refusal(doomed []ecs.Entity) error {
	dies := make(map[ecs.Entity]bool, len(doomed))
	for _, d := range doomed {
		dies[d] = true
	}
	for r, rule := range m.rules {
		for _, d := range doomed {
			lives := func(source ecs.Entity) bool { return !dies[source] }
			if rule.OnDespawn == ecs.Refuse && slices.ContainsFunc(m.things[d].links[r].sources, lives) {
				return ecs.ErrConflict
			}
		}
	}
	return nil
}

// doom appends e to the dying entities, after its sources in relations that cascade.
func (m *Model) doom(doomed []ecs.Entity, met map[ecs.Entity]bool, e ecs.Entity) []ecs.Entity {
	if met[e] {
		return doomed
	}
	met[e] = true
	for r, rule := range m.rules {
		if rule.OnDespawn == ecs.Cascade {
			for _, source := range slices.Backward(m.things[e].links[r].sources) {
				doomed = m.doom(doomed, met, source)
			}
		}
	}
	return append(doomed, e)
}

func (m *Model) bury(doomed []ecs.Entity) {
	for _, e := range doomed {
		t := m.things[e]
		for r := range m.rules {
			for _, source := range slices.Clone(t.links[r].sources) {
				m.unlink(r, source)
			}
			m.unlink(r, e)
		}
		if t.placed {
			m.note(ecs.OnDespawn, -1, e, 0)
			m.noteLoss(e, t, false)
			m.noteLoss(e, t, true)
		}
		m.forget(e)
	}
}

// Reset despawns everything in order of slots, whatever is refused.
func (m *Model) Reset() {
	for _, e := range slices.SortedFunc(slices.Values(m.order), byIndex) {
		if m.things[e] != nil {
			m.bury(m.doom(nil, map[ecs.Entity]bool{}, e))
		}
	}
}

// walk appends e and those below it, each before its sources.
func (m *Model) walk(r int, list []ecs.Entity, root, e ecs.Entity) []ecs.Entity {
	list = append(list, e)
	for _, source := range m.things[e].links[r].sources {
		if source != root {
			list = m.walk(r, list, root, source)
		}
	}
	return list
}

// relate gives an entity a target directly, at a place that D chooses.
func (tw *Twin) relate(t T, op Op) {
	t.Helper()
	m, i := tw.Model, int(op.C)%len(tw.relations)
	r, source, target := tw.relations[i], tw.pick(op.A), tw.pick(op.B)
	place, others := -1, m.others(i, source, target)
	var err error
	switch n := int(op.D/4) % (len(others) + 1); {
	case op.D%4 == 0 || target == 0:
		err = r.Set(source, target)
	case op.D%4 == 1 || len(others) == 0:
		place, err = n, r.SetAt(source, target, n)
	case op.D%4 == 2:
		place = n % len(others)
		err = r.SetBefore(source, others[place])
	default:
		place = n%len(others) + 1
		err = r.SetAfter(source, others[place-1])
	}
	if !tw.full(err) {
		agree(t, op, err, m.Relate(i, source, target, place))
	}
}

// others returns the sources of target without one.
func (m *Model) others(r int, source, target ecs.Entity) []ecs.Entity {
	if m.things[target] == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.things[target].links[r].sources), func(e ecs.Entity) bool { return e == source })
}

// traverse compares the walks that begin at an entity.
func (tw *Twin) traverse(t T, op Op) {
	t.Helper()
	i := int(op.C) % len(tw.relations)
	r, root := tw.relations[i], tw.pick(op.A)
	var want, post, pre, rows []ecs.Entity
	if _, err := tw.Model.find(root); err == nil {
		want = tw.Model.walk(i, nil, root, root)
	}
	depths, last := map[ecs.Entity]int{}, 0
	for e, depth := range r.DepthFirst(root) {
		pre, depths[e] = append(pre, e), depth
	}
	for e, depth := range r.BreadthFirst(root) {
		if depths[e] != depth || depth < last {
			t.Fatalf("%v: %v is %d away, then %d, after %d", op, e, depths[e], depth, last)
		}
		rows, last = append(rows, e), depth
	}
	met := map[ecs.Entity]bool{}
	for e := range r.PostOrder(root) {
		for source := range r.Sources(e) {
			if !met[source] && source != root {
				t.Fatalf("%v: %v comes before its source %v", op, e, source)
			}
		}
		post, met[e] = append(post, e), true
	}
	slices.SortFunc(rows, byIndex)
	slices.SortFunc(post, byIndex)
	if !slices.Equal(pre, want) || !slices.Equal(rows, slices.SortedFunc(slices.Values(want), byIndex)) || !slices.Equal(rows, post) {
		t.Fatalf("%v: from %v: %v, by rows %v, last first %v; the model has %v", op, root, pre, rows, post, want)
	}
}

// compareLinks compares an entity's part in every relation with the model.
func (tw *Twin) compareLinks(e ecs.Entity, t *modelEntity) error {
	for i, r := range tw.relations {
		l, got := t.links[i], slices.Collect(r.Sources(e))
		if r.Target(e) != l.target || !slices.Equal(got, l.sources) || r.Count(e) != len(got) {
			return fmt.Errorf("%v has in %q the target %v and the sources %v, counted as %d; the model says %v and %v",
				e, r.Name(), r.Target(e), got, r.Count(e), l.target, l.sources)
		}
	}
	if tw.World.Parent(e) != t.links[0].target || !slices.Equal(slices.Collect(tw.World.Children(e)), t.links[0].sources) {
		return fmt.Errorf("%v has another parent or other children than its links say", e)
	}
	return nil
}

// setPolicy changes what deaths mean in a relation, for a while; there are three.
func (tw *Twin) setPolicy(t T, op Op) {
	t.Helper()
	i, p := int(op.C)%len(tw.relations), ecs.Policy(op.D%4)
	if err := tw.relations[i].SetPolicy(p); p > ecs.Refuse {
		agree(t, op, err, ecs.ErrRange)
		return
	}
	tw.Model.rules[i].OnDespawn = p
}
