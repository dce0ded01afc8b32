package twin

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/ecs"
)

// The component types with rules: a ward needs a charge and a banner, a curse
// meets neither a charge nor what is frozen. Wards and banners have hooks.
type (
	charge struct{ N int32 }
	banner struct{ Text string }
	ward   struct{ N int32 }
	curse  struct{ N int16 }
)

// firstRuled is the number of the first kind with rules; kinds has those before.
const firstRuled = 12

// rule is what the model knows about a kind's rules.
type rule struct {
	needs, bans []int
	def         int // the default is the value made from it
	hooked      bool
}

// call is a call of a hook: the change, the kind, and the number that the value
// in place was made from.
type call struct {
	change ecs.Trigger
	kind   int
	entity ecs.Entity
	n      int
}

// ruled registers the types with rules, and with hooks that write down what they
// are called for. Without removeHooks no component has a hook for removals, and the world
// uses faster code.
func ruled(w *ecs.World, all []kind, calls *[]call, removeHooks bool) ([]kind, map[int]rule) {
	charges := ecs.Register[charge](w, ecs.Sparse, ecs.Default(charge{3}))
	banners := ecs.Register[banner](w, ecs.Default(banner{"4"}), hooks(calls, firstRuled+1, removeHooks, func(b banner) int {
		n, _ := strconv.Atoi(b.Text)
		return n
	}))
	ecs.Register[ward](w, ecs.Requires(charges, banners), hooks(calls, firstRuled+2, removeHooks, func(v ward) int { return int(v.N) }))
	ecs.Register[curse](w, ecs.Excludes(charges, all[2].id))
	return append(all,
			typed(w, func(n int) charge { return charge{int32(n)} }, equal),
			typed(w, func(n int) banner { return banner{strconv.Itoa(n)} }, equal),
			typed(w, func(n int) ward { return ward{int32(n)} }, equal),
			typed(w, func(n int) curse { return curse{int16(n)} }, equal, ecs.Tracked),
			typed(w, func(n int) tint { return tint{uint16(n)} }, equal, ecs.Tracked),
			typed(w, func(int) moor { return moor{} }, equal),
		), map[int]rule{
			2: {bans: []int{15}}, 12: {bans: []int{15}, def: 3}, 13: {def: 4, hooked: true},
			14: {needs: []int{12, 13}, hooked: true}, 15: {bans: []int{12, 2}},
		}
}

// hooks returns hooks that record their calls.
func hooks[C any](calls *[]call, k int, removeHooks bool, number func(C) int) ecs.Hooks[C] {
	note := func(on ecs.Trigger) func(ecs.Entity, *C) {
		return func(e ecs.Entity, v *C) { *calls = append(*calls, call{on, k, e, number(*v)}) }
	}
	h := ecs.Hooks[C]{Added: note(ecs.OnAdd), Set: note(ecs.OnSet)}
	if removeHooks {
		h.Removed = note(ecs.OnRemove)
	}
	return h
}

// complete adds to the values what they require and t lacks, and refuses what
// must not meet; t is nil for a new entity.
func (m *Model) complete(t *modelEntity, remove []int, values []given) ([]given, error) {
	list := slices.Clone(values)
	gives := func(k int) bool { return slices.ContainsFunc(list, func(v given) bool { return v.kind == k }) }
	keeps := func(k int) bool {
		if t == nil || slices.Contains(remove, k) {
			return false
		}
		_, has := t.values[k]
		return has
	}
	for i := 0; i < len(list); i++ {
		r := m.kinds[list[i].kind]
		if keeps(list[i].kind) {
			continue
		}
		for _, x := range r.bans {
			if gives(x) || keeps(x) {
				return nil, ecs.ErrConflict
			}
		}
		for _, need := range r.needs {
			if !gives(need) && !keeps(need) {
				list = append(list, given{need, m.kinds[need].def})
			}
		}
	}
	return list, nil
}

// refuses reports whether the rules refuse one of the changes of a batch.
func (m *Model) refuses(list []ecs.Entity, remove []int, values []given) error {
	for _, e := range list {
		if _, err := m.complete(m.things[e], remove, values); err != nil {
			return err
		}
	}
	return nil
}

// call notes that a hook must be called.
func (m *Model) call(on ecs.Trigger, kind int, e ecs.Entity, n int) {
	if m.kinds[kind].hooked && (on != ecs.OnRemove || m.removeHooks) {
		m.calls = append(m.calls, call{on, kind, e, n})
	}
}

// compareCalls demands that the hooks were called as the model expects, and
// forgets both lists.
func (tw *Twin) compareCalls() error {
	got, want := tw.calls, tw.Model.calls
	tw.calls, tw.Model.calls = nil, nil
	if !slices.Equal(got, want) {
		return fmt.Errorf("the hooks were called for %+v, the model says %+v", got, want)
	}
	return nil
}
