package journal

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/fields"
)

// watched is an entity whose values are compared after each system.
//
// Invariant: known has what is known of each of ids, in their order.
type watched struct {
	entity ecs.Entity
	ids    []ecs.ComponentID // that it had at the last look, rising
	known  []*knownValue
	now    []ecs.ComponentID // scratch
}

// knownValue is what is known of a component of a watched entity: the values of its leaves, and its bytes, where it does not
// lie on Go's heap.
type knownValue struct {
	by     byCommand // of what a command writes now
	schema *ecs.Schema
	leaves []ecs.Field // its fields, those of structs one by one, with whole paths as names
	bytes  []byte
	values []any
}

// byCommand is the command that writes a component, until the system that has recorded it ends, or another one does.
type byCommand struct {
	system string
	caller ecs.Caller
	entry  uint64 // 1 + number of its Set
}

// Watch has the journal compare the values of an entity after each system, until Unwatch or Close. What it has is
// known from then on. Watching it twice is watching it once. The error wraps [ecs.ErrDead], [ecs.ErrClosed],
// or [ecs.ErrRange] for more than [MostWatched]: those that died stop to count.
func (j *Journal) Watch(e ecs.Entity) error {
	switch {
	case j == nil || j.world == nil:
		return fmt.Errorf("journal: %w", ecs.ErrClosed)
	case !j.world.Alive(e):
		return fmt.Errorf("journal: watching %v: %w", e, ecs.ErrDead)
	case j.Watches(e):
		return nil
	}
	j.watched = slices.DeleteFunc(j.watched, func(w *watched) bool { return !j.world.Alive(w.entity) })
	if len(j.watched) == MostWatched {
		return fmt.Errorf("journal: %w: %d entities are watched already", ecs.ErrRange, MostWatched)
	}
	w := &watched{entity: e}
	w.look(j, "", j.tick())
	j.watched = append(j.watched, w)
	return nil
}

// Unwatch ends Watch. One that is not watched is ignored.
func (j *Journal) Unwatch(e ecs.Entity) {
	if j != nil {
		j.watched = slices.DeleteFunc(j.watched, func(w *watched) bool { return w.entity == e })
	}
}

// Watches reports whether an entity is watched.
func (j *Journal) Watches(e ecs.Entity) bool {
	return j != nil && j.watching(e) != nil
}

// Watched returns the entities that are watched and alive, in the order of Watch.
func (j *Journal) Watched() (list []ecs.Entity) {
	if j == nil {
		return nil
	}
	for _, w := range j.watched {
		if j.world.Alive(w.entity) {
			list = append(list, w.entity)
		}
	}
	return list
}

// watching returns what is known of an entity, nil for one that is not watched.
func (j *Journal) watching(e ecs.Entity) *watched {
	for _, w := range j.watched {
		if w.entity == e {
			return w
		}
	}
	return nil
}

// compare is called before the first system of a step, with "", and after each.
func (j *Journal) compare(system string) {
	tick := j.tick()
	j.catchUp(tick - 1) // the step has begun
	for _, w := range j.watched {
		if j.world.Alive(w.entity) {
			w.look(j, system, tick)
		}
		for _, k := range w.known {
			k.by = byCommand{}
		}
	}
}

// authored takes note of the command whose writes come now. The entries from a number on are of it.
func (w *watched) authored(c *ecs.RawChange, number uint64) {
	if c.Kind != ecs.OnSet {
		return
	}
	for _, id := range c.Components {
		if i, ok := slices.BinarySearch(w.ids, id); ok && w.known[i] != nil {
			w.known[i].by = byCommand{system: c.System}
			if !c.InPlace {
				w.known[i].by = byCommand{c.System, c.Caller, number + 1}
			}
		}
	}
}

// look compares an entity with what is known of it. What it has got since, the world has reported.
func (w *watched) look(j *Journal, system string, tick uint64) {
	raw := j.world.Raw()
	change, _ := raw.Reported()
	if w.now = raw.Components(w.entity, w.now[:0]); !slices.Equal(w.now, w.ids) {
		w.regroup()
	}
	for i, id := range w.ids {
		if k := w.known[i]; k == nil || k.schema != raw.Schema(id) {
			w.known[i] = j.know(w.entity, id, raw.Schema(id))
		} else {
			k.compare(j, &keptEntry{tick: tick, change: change, entity: w.entity, system: system, kind: Write, n: 1, ids: [fit]ecs.ComponentID{id}})
		}
	}
}

// regroup takes the components over that the entity has now. Of those that it has got, nothing is known.
func (w *watched) regroup() {
	all := make([]*knownValue, len(w.now))
	for i, id := range w.now {
		if before, ok := slices.BinarySearch(w.ids, id); ok {
			all[i] = w.known[before]
		}
	}
	w.ids, w.now, w.known = w.now, w.ids, all
}

// know returns what a component of an entity is now.
func (j *Journal) know(e ecs.Entity, id ecs.ComponentID, schema *ecs.Schema) *knownValue {
	k := &knownValue{schema: schema, leaves: leaves(nil, "", 0, schema.Fields)}
	for i := range k.leaves {
		k.values = append(k.values, j.valueOf(e, id, &k.leaves[i]))
	}
	if !j.world.Raw().OnHeap(id) {
		k.bytes = bytes.Clone(unsafe.Slice((*byte)(j.world.Raw().Pointer(e, id)), schema.Size))
	}
	return k
}

// leaves appends the fields of a component, or of a struct in it: those of structs one by one.
func leaves(list []ecs.Field, path string, base uintptr, of []ecs.Field) []ecs.Field {
	for _, f := range of {
		f.Name, f.Offset = path+f.Name, base+f.Offset
		switch {
		case f.Kind == ecs.Opaque:
		case f.Kind == ecs.Struct && f.Len == 0:
			list = leaves(list, f.Name+".", f.Offset, f.Fields)
		default:
			list = append(list, f)
		}
	}
	return list
}

// mostElements is of how many elements an array may be whose values are kept.
const mostElements = 64

// valueOf returns the value of a leaf; nil where it is not kept.
func (j *Journal) valueOf(e ecs.Entity, id ecs.ComponentID, f *ecs.Field) any {
	if f.Len > mostElements {
		return nil
	}
	v, err := fields.Of(j.world).Get(e, id, f.Name)
	if err != nil {
		return err.Error()
	}
	return v
}

// mostText is how many bytes of a text, or of a list that is written out, an entry keeps.
const mostText = 200

// same reports whether two values of a field are alike; what is no number is, too.
func same(a, b any) bool {
	x, isNumber := a.(float64)
	y, both := b.(float64)
	return isNumber && both && x != x && y != y || reflect.DeepEqual(a, b)
}

// short returns a value as an entry keeps it: numbers and truths as they are, and of texts and lists not too much.
func short(v any) any {
	text, ok := v.(string)
	switch v.(type) {
	case []any, map[string]any:
		text, ok = fmt.Sprint(v), true
	}
	if !ok {
		return v
	}
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "…"
	}
	return strings.Clone(text)
}

// compare notes which fields have other values than the known ones. w is the entry of a write, without what was written.
func (k *knownValue) compare(j *Journal, w *keptEntry) {
	id := w.ids[0]
	if k.bytes == nil && len(k.values) > 0 {
		for i := range k.leaves {
			if now := j.valueOf(w.entity, id, &k.leaves[i]); !same(now, k.values[i]) {
				k.wrote(j, w, i, now)
			}
		}
		return
	}
	now := unsafe.Slice((*byte)(j.world.Raw().Pointer(w.entity, id)), k.schema.Size)
	if bytes.Equal(now, k.bytes) {
		return
	}
	for i := range k.leaves {
		f := &k.leaves[i]
		from, to := f.Offset, f.Offset+f.Stride*uintptr(max(f.Len, 1))
		if !bytes.Equal(now[from:to], k.bytes[from:to]) {
			k.wrote(j, w, i, j.valueOf(w.entity, id, f))
		}
	}
	copy(k.bytes, now)
}

// wrote keeps a Write of a leaf, as one of the command that writes now, if there is one: its Set says less, and is void.
func (k *knownValue) wrote(j *Journal, w *keptEntry, leaf int, now any) {
	r := *w
	r.written = &fieldWrite{k.leaves[leaf].Name, short(k.values[leaf]), short(now)}
	k.values[leaf] = now
	if k.by != (byCommand{}) {
		r.system, r.caller = k.by.system, k.by.caller
	}
	if at := k.by.entry; at > 0 && j.made-at < uint64(len(j.ring)) {
		if set := &j.ring[(at-1)%uint64(len(j.ring))]; set.kind == Set && set.n == 1 && !set.goesOn {
			set.void = true
		}
	}
	j.add(&r)
}
