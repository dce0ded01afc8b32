package twin

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// markPrefab makes a prefab of an entity and its family.
func (tw *Twin) markPrefab(t T, op Op) {
	t.Helper()
	m, e := tw.Model, tw.pick(op.A)
	err := tw.World.MarkPrefab(e)
	if tw.full(err) {
		return
	}
	_, want := m.find(e)
	agree(t, op, err, want)
	if want == nil {
		for _, node := range m.walk(0, nil, e, e) {
			m.template(node)
		}
	}
}

// template makes e a prefab.
func (m *Model) template(e ecs.Entity) {
	if t := m.things[e]; !t.prefab {
		t.prefab = true
		m.prefabs++
	}
}

// instantiate makes up to three copies of an entity and its family.
func (tw *Twin) instantiate(t T, op Op) {
	t.Helper()
	m, e, n := tw.Model, tw.pick(op.A), int(op.B%4)*(tw.burst/40)
	var family []ecs.Entity
	_, want := m.find(e)
	if want == nil {
		family = m.walk(0, nil, e, e)
	}
	if tw.World.Len()+n*len(family) > tw.crowd {
		return
	}
	vs := tw.given(Op{C: op.C, D: op.D})
	if want == nil && n > 0 {
		want = m.uncopied(family, vs)
	}
	tops, err := tw.World.Instantiate(e, n, tw.values(vs)...)
	if tw.full(err) {
		tw.calls = nil // of those that were made and ended again
		return
	}
	agree(t, op, err, want)
	if want == nil && len(tops) != n {
		t.Fatalf("%v: %d instances, not %d", op, len(tops), n)
	}
	if len(tops) > 0 {
		tw.copied(t, op, family, tops, vs)
	}
}

// contents returns the values that an entity has, in order of kinds.
func (m *Model) contents(e ecs.Entity) (vs []given) {
	for k := range m.pooled {
		if n, has := m.things[e].values[k]; has {
			vs = append(vs, given{k, n})
		}
	}
	return vs
}

// uncopied returns the error when rules refuse a copy of a member of the family.
func (m *Model) uncopied(family []ecs.Entity, overrides []given) error {
	for k, e := range family {
		vs := m.contents(e)
		if k == 0 {
			vs = append(vs, overrides...)
		}
		if _, err := m.complete(nil, nil, vs); err != nil {
			return err
		}
	}
	return nil
}

// copied gives the model the copies of a family: entity by entity, of each all
// the copies, and then the links.
func (tw *Twin) copied(t T, op Op, family, tops []ecs.Entity, overrides []given) {
	t.Helper()
	var copies [][]ecs.Entity // by instance, in the order of the family
	for _, top := range tops {
		var one []ecs.Entity
		for e := range tw.World.ChildOf().DepthFirst(top) {
			one = append(one, e)
		}
		if len(one) != len(family) {
			t.Fatalf("%v: %v became %v", op, family, one)
		}
		copies = append(copies, one)
	}
	for k, e := range family {
		vs := tw.Model.contents(e)
		if k == 0 {
			vs = append(vs, overrides...)
		}
		for i := range tops {
			tw.settle(t, op, copies[i][k], vs)
		}
	}
	for r := range tw.Model.rules {
		tw.copiedLinks(t, op, r, family, copies)
	}
}

func (tw *Twin) copiedLinks(t T, op Op, r int, family []ecs.Entity, copies [][]ecs.Entity) {
	t.Helper()
	m := tw.Model
	for k, e := range family {
		for _, source := range slices.Clone(m.things[e].links[r].sources) {
			for _, one := range copies {
				if s := slices.Index(family, source); s >= 0 {
					agree(t, op, m.Relate(r, one[s], one[k], -1), nil)
				}
			}
		}
	}
	for k, e := range family {
		target := m.things[e].links[r].target
		if r == 0 || target == 0 || slices.Contains(family, target) {
			continue
		}
		for _, one := range copies {
			agree(t, op, m.Relate(r, one[k], target, -1), nil)
		}
	}
}
