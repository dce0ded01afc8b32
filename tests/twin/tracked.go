package twin

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// follower keeps a copy of a tracked component by its deltas alone, as the other end of a
// network would, beside what the component was when it was asked last.
type follower struct {
	restored int // of the twin, when it looked last
	kind     int
	version  uint64
	ticks    uint64 // when it was asked last
	era      int    // likewise: the migrations of the kind
	copied   map[ecs.Entity]any
}

// track returns a follower for each kind that is tracked.
func track(kinds []kind) (all []*follower) {
	for k := range kinds {
		if kinds[k].tracked {
			all = append(all, &follower{kind: k, copied: map[ecs.Entity]any{}})
		}
	}
	return all
}

// key returns what distinguishes the value at p from others: padding does not.
func (tw *Twin) key(k int, p unsafe.Pointer) any {
	if tw.kinds[k].key != nil {
		return tw.kinds[k].key(p)
	}
	return string(unsafe.Slice((*byte)(p), tw.kinds[k].size))
}

// followAll asks what has changed since the last operation, and compares with what the model
// says. In a large crowd it does so now and then.
func (tw *Twin) followAll(op Op) error {
	if tw.Model.clock%(1+tw.crowd/(4*crowd)) != 0 {
		return nil
	}
	for _, f := range tw.followers {
		if err := f.follow(tw, op); err != nil {
			return fmt.Errorf("changes of kind %d: %w", f.kind, err)
		}
	}
	return nil
}

// now returns the values of the component of those that have it by the model; ok is false if one
// has none in the world, which the comparison of all values tells better.
func (f *follower) now(tw *Twin) (_ map[ecs.Entity]any, ok bool) {
	now := map[ecs.Entity]any{}
	for e, t := range tw.Model.things {
		if _, has := t.values[f.kind]; has && !t.prefab {
			p := tw.World.Raw().Pointer(e, tw.kinds[f.kind].id)
			if p == nil {
				return nil, false
			}
			now[e] = tw.key(f.kind, p)
		}
	}
	return now, true
}

func (f *follower) follow(tw *Twin, op Op) error {
	w := tw.World
	now, ok := f.now(tw)
	if !ok {
		return nil
	}
	d, err := w.Raw().Since(tw.kinds[f.kind].id, f.version)
	if err != nil {
		return err
	}
	changed := map[ecs.Entity]any{}
	for e, v := range d.Bytes() {
		changed[e] = tw.key(f.kind, unsafe.Pointer(unsafe.SliceData(v)))
	}
	_, ticks := w.Time()
	era := tw.Model.eras[f.kind]
	// A tick compares at its end: what changed before it and back after it counts.
	// So does what has come and gone with a restore, which may bring the same tick again.
	exact := tw.restored == f.restored && (ticks == f.ticks || ticks == f.ticks+1 && (op.Kind == Step || op.Kind == System) && tw.crowd == crowd)
	if d.Whole {
		if f.version != 0 && era == f.era && tw.restored == f.restored && len(f.copied) < 500 {
			return fmt.Errorf("everything is sent since %d", f.version)
		}
		clear(f.copied)
	} else if era != f.era || tw.restored != f.restored {
		return fmt.Errorf("not everything is sent after a migration, or a restore")
	}
	if err := f.apply(now, changed, d.Removed(), exact); err != nil {
		return fmt.Errorf("since %d: %w", f.version, err)
	}
	f.version, f.ticks, f.era, f.restored = d.Version, ticks, era, tw.restored
	return nil
}

// apply changes the copy as a delta says. Then it is what the component is now; and, when the
// delta is exact, nothing was sent that need not have been.
func (f *follower) apply(now, changed map[ecs.Entity]any, removed []ecs.Entity, exact bool) error {
	for _, e := range removed {
		if _, had := f.copied[e]; !had && exact {
			return fmt.Errorf("%v is removed, and had no value", e)
		}
		delete(f.copied, e)
	}
	for e, v := range changed {
		if was, had := f.copied[e]; had && was == v && exact {
			return fmt.Errorf("%v is sent, and has not changed", e)
		}
		f.copied[e] = v
	}
	if !maps.Equal(f.copied, now) {
		return fmt.Errorf("the copy has %d values of %d entities; it differs at %v", len(f.copied), len(now), differ(f.copied, now))
	}
	if !slices.IsSortedFunc(removed, byIndex) {
		return fmt.Errorf("removed entities are not in order of their slots: %v", removed)
	}
	return nil
}

// differ returns the entities whose values differ.
func differ(a, b map[ecs.Entity]any) (list []ecs.Entity) {
	for e, v := range a {
		if w, has := b[e]; !has || v != w {
			list = append(list, e)
		}
	}
	for e := range b {
		if _, has := a[e]; !has {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, byIndex)
	return list[:min(len(list), 10)]
}
