package ecs

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Check verifies the invariants of every structure and returns all that are
// broken, joined; nil means none. It is meant for tests and tools: it looks at
// everything.
func (w *World) Check() error {
	if w.arena.Base() == nil {
		return w.checkEvents() // no entity was ever here, or the world is closed
	}
	if err := w.checkPlaces(); err != nil {
		return err // all else follows the records
	}
	errs := []error{w.findFreedWrite(), w.arena.Check(w.units()), w.slots.Check(), w.checkCascade(), w.checkEvents()}
	errs = append(errs, w.checkNumbers(), w.checkComponents(), w.checkWatched(), w.checkDeferred(), w.notices.check(), w.lastSpawn.check())
	for _, a := range w.archetypes[limbo+1:] {
		errs = append(errs, w.checkEdges(a), w.checkArchetype(a), w.checkShape(a))
	}
	for _, c := range w.components {
		errs = append(errs, c.checkAdditions())
	}
	errs = append(errs, w.checkGuarded())
	for _, t := range w.trackers {
		errs = append(errs, t.check(&w.store))
	}
	errs = append(errs, w.invariants.check(&w.store))
	for _, p := range w.pools {
		errs = append(errs, p.check())
		if g := p.of().group; g != nil { // from each of its pools, as one may have lost it
			errs = append(errs, g.check())
		}
	}
	for _, r := range w.relations {
		errs = append(errs, r.check())
	}
	if w.ChildOf().check() == nil {
		errs = append(errs, w.checkPrefabs())
	}
	return errors.Join(errs...)
}

// checkNumbers: components and archetypes stand at their numbers, chunks at their first
// units, and the pools of data are all pools but those of relations.
func (w *World) checkNumbers() error {
	for i, c := range w.components {
		if int(c.id) != i {
			return fmt.Errorf("component %q has the number %d, and stands at %d", c.schema.Name, c.id, i)
		}
	}
	for i, a := range w.archetypes {
		if int(a.id) != i {
			return fmt.Errorf("archetype %d stands at %d", a.id, i)
		}
		for _, c := range slices.Concat(a.chunks, a.spare) {
			if w.chunks[c.unit] != c {
				return fmt.Errorf("archetype %d: its chunk at unit %d is not found there", i, c.unit)
			}
		}
	}
	data := slices.DeleteFunc(slices.Clone(w.pools), func(p pool) bool { return p.of().reserved != "" })
	if !slices.Equal(data, w.dataPools) {
		return fmt.Errorf("%d pools hold data, %d are known to", len(data), len(w.dataPools))
	}
	return nil
}

// checkWatched: a component knows what observers watch it for, and the world whether one
// has a hook for its removal. Who waits for a kind of change is in its audience.
func (w *World) checkWatched() error {
	wanted := make([]Trigger, len(w.components))
	for _, o := range w.notices.everyone.list {
		if o.gone {
			continue
		}
		if w.notices.named[o.Name] != o {
			return fmt.Errorf("observer %q is not found by its name", o.Name)
		}
		if on := o.On & (OnAdd | OnSet | OnRemove); on != 0 {
			wanted[o.component] |= on
		}
		for kind := range o.On.kinds {
			if !slices.Contains(w.audience(kind, o.component).list, o) {
				return fmt.Errorf("observer %q would not get changes of kind %#x", o.Name, 1<<kind)
			}
		}
	}
	for _, c := range w.components {
		observed := wanted[c.id]
		if observed&OnRemove != 0 {
			observed |= OnAdd // the end is reported where the beginning was
		}
		switch {
		case c.observed != observed || observed&^w.notices.any != 0:
			return fmt.Errorf("component %q is observed for %b, and thinks for %b", c.schema.Name, observed, c.observed)
		case c.rules.hooks.removed != nil && !w.hasRemoveHooks:
			return fmt.Errorf("component %q has a hook for its removal, which the world does not know", c.schema.Name)
		}
	}
	return nil
}

// checkArchetype: all chunks but the last are full, every row's record points
// back at it, and the count is right.
func (w *World) checkArchetype(a *archetype) error {
	count := 0
	for i, c := range a.chunks {
		if full := c.layout.capacity; c.layout.arch != a || c.n > full || i+1 < len(a.chunks) && c.n < full {
			return fmt.Errorf("archetype %d: chunk %d holds %d of %d rows", a.id, i, c.n, full)
		}
		for row, e := range c.Entities() {
			r := w.slots.Record(uint64(e))
			if r == nil || r.Table != c.layout.table || r.Chunk != c.unit || r.Row != uint32(row) {
				return fmt.Errorf("archetype %d: row %d of chunk %d is entity %v, whose record says otherwise", a.id, row, i, e)
			}
		}
		count += c.n
	}
	for _, c := range a.spare {
		if c.layout.arch != a || c.n != 0 {
			return fmt.Errorf("archetype %d: a spare chunk holds %d rows", a.id, c.n)
		}
	}
	if count != a.count {
		return fmt.Errorf("archetype %d: %d rows, %d counted", a.id, count, a.count)
	}
	if w.byMask[a.mask] != a {
		return fmt.Errorf("archetype %d is not found by its components", a.id)
	}
	return w.checkTable(a)
}

// checkTable: the offset tables name exactly the archetype's components, and are
// found by their numbers, here and in the arena's directory, with their lengths
// before them.
func (w *World) checkTable(a *archetype) error {
	for class, l := range a.layouts {
		if int(l.table) >= len(w.tables) || w.tables[l.table] != l || l.class != class {
			return fmt.Errorf("archetype %d: layout %d is not found as table %d", a.id, class, l.table)
		}
		words := w.arena.At(w.arena.Directory()[l.table])
		if *(*uint32)(words) != uint32(len(l.offsets)) || unsafe.Add(words, 4) != unsafe.Pointer(unsafe.SliceData(l.offsets)) {
			return fmt.Errorf("archetype %d: the arena's directory does not lead to table %d", a.id, l.table)
		}
		for id := range l.offsets {
			if (l.offsets[id] != 0) != a.mask.Has(uint32(id)) {
				return fmt.Errorf("archetype %d: an offset table is wrong about component %q", a.id, w.components[id].schema.Name)
			}
			if l.columnSlots[id].offset != l.offsets[id] {
				return fmt.Errorf("archetype %d: layout %d thinks component %q elsewhere than its offset table", a.id, class, w.components[id].schema.Name)
			}
		}
	}
	return nil
}

// checkPlaces: every living entity is in limbo or in the row its record names.
func (w *World) checkPlaces() error {
	placed := 0
	for e := range w.Entities() {
		r := w.slots.Record(uint64(e))
		if r.Table == limbo {
			continue
		}
		placed++
		if int(r.Table) >= len(w.tables) || int(r.Chunk) >= len(w.chunks) || w.chunks[r.Chunk] == nil {
			return fmt.Errorf("entity %v lies in table %d, chunk %d, which do not exist", e, r.Table, r.Chunk)
		}
	}
	rows := 0
	for _, a := range w.archetypes[limbo+1:] {
		rows += a.count
	}
	if rows != placed {
		return fmt.Errorf("%d entities are placed, %d rows exist", placed, rows)
	}
	return nil
}

// checkEvents: no reader stands outside of what its stream keeps, and the tick begins within it.
func (w *World) checkEvents() error {
	for _, t := range w.events.streams {
		if gone := len(t.readers) - len(slices.Collect(t.open)); gone != t.closed || 2*gone > len(t.readers) {
			return fmt.Errorf("event %q: %d of %d readers are closed, %d are known to be", t.schema.Name, gone, len(t.readers), t.closed)
		}
		if t.sent < t.first || t.sent > t.next() {
			return fmt.Errorf("event %q: the tick begins at %d, events %d to %d are kept", t.schema.Name, t.sent, t.first, t.next())
		}
		for r := range t.open {
			if r.next < t.first || r.next > t.next() {
				return fmt.Errorf("event %q: a reader at %d, events %d to %d are kept", t.schema.Name, r.next, t.first, t.next())
			}
		}
		if n := len(t.ends); n > t.keep.Ticks || !slices.IsSorted(t.ends) || n > 0 && t.ends[n-1] > t.next() {
			return fmt.Errorf("event %q: the last ticks ended at %v, events up to %d were sent", t.schema.Name, t.ends, t.next())
		}
	}
	return nil
}

// checkComponents: a component knows its column in every table, its traits say
// what is set, and exclusions are mutual.
func (w *World) checkComponents() error {
	for _, c := range w.components {
		if err := w.checkWhere(c); err != nil {
			return err
		}
		if pooled := c.pool != nil; pooled != (c.traits&pooledTrait != 0) || (c.watch != 0) != (c.traits&watchedTrait != 0) || (c.reserved != "") != (c.traits&reservedTrait != 0) {
			return fmt.Errorf("component %q: its traits %b do not say what it is", c.schema.Name, c.traits)
		}
		for _, x := range c.rules.excludes {
			if !slices.Contains(x.rules.excludes, c) {
				return fmt.Errorf("component %q excludes %q, which knows nothing of it", c.schema.Name, x.schema.Name)
			}
		}
	}
	return nil
}

// checkGuarded: an entity has what a component of it requires, where its removal is guarded. Of
// each rule that is broken, one entity is named.
func (w *World) checkGuarded() error {
	var errs []error
	for _, need := range w.components {
		for _, q := range need.rules.guarded {
			if e := w.findUnmet(q, need); e != 0 {
				errs = append(errs, fmt.Errorf("%w: %v has %q, which requires %q, and lacks that", ErrConflict, e, q.of.schema.Name, need.schema.Name))
			}
		}
	}
	return errors.Join(errs...)
}

// findUnmet returns the first entity for which a requirement holds, and that lacks what is
// required; 0 if there is none.
func (w *World) findUnmet(q *dependency, need *component) Entity {
	for e := range w.Entities() {
		if q.holds(func(c *component) bool { return c.find(e) != nil }) && need.find(e) == nil {
			return e
		}
	}
	return 0
}

// checkWhere: where agrees with the tables' own offsets.
func (w *World) checkWhere(c *component) error {
	for t, l := range w.tables {
		offset := uint32(0)
		if uint(c.id) < uint(len(l.offsets)) {
			offset = l.offsets[c.id]
		}
		known := uint32(0)
		if t < len(c.where) {
			known = c.where[t]
		}
		if known != offset {
			return fmt.Errorf("component %q lies at %d in table %d, and thinks at %d", c.schema.Name, offset, t, known)
		}
	}
	return nil
}

// checkEdges: an edge leads to the archetype that differs by its component only,
// and no batch has left rows due.
func (w *World) checkEdges(a *archetype) error {
	if a.due != 0 {
		return fmt.Errorf("archetype %d: %d rows are due, but no batch is running", a.id, a.due)
	}
	for id, e := range a.edges {
		with, without := a.mask, a.mask
		with.Set(uint32(id))
		without.Clear(uint32(id))
		if !w.leadsTo(e.with, with) || !w.leadsTo(e.without, without) {
			return fmt.Errorf("archetype %d: the edge of component %q leads astray", a.id, w.components[id].schema.Name)
		}
	}
	return nil
}

// check: the way of the last spawn leads where shape would.
func (l *lastSpawn) check() error {
	m := mask.Mask{}
	for _, c := range l.of {
		if c.traits != 0 || c.era != 0 {
			return nil // it will not be taken
		}
		m.Set(uint32(c.id))
	}
	if l.to != nil && l.to.mask != m {
		return fmt.Errorf("the way of the last spawn leads to archetype %d, which has other components", l.to.id)
	}
	return nil
}

// leadsTo reports whether an end of an edge is not known or the archetype of m.
func (w *World) leadsTo(id uint32, m mask.Mask) bool {
	return id == 0 || uint(id) < uint(len(w.archetypes)) && w.archetypes[id].mask == m
}

// checkDeferred: each entity that dies at the next flush is known once.
func (w *World) checkDeferred() error {
	for _, e := range w.deferred.list {
		if !w.deferred.known[e] {
			return fmt.Errorf("entity %v is to die later and not known to be", e)
		}
	}
	if len(w.deferred.list) != len(w.deferred.known) {
		return fmt.Errorf("%d are to die later, %d are known to be", len(w.deferred.list), len(w.deferred.known))
	}
	return nil
}

// checkShape: what an archetype remembers of its components and chunks is what
// these say.
func (w *World) checkShape(a *archetype) error {
	observed, sized := false, 0
	for _, id := range a.ids {
		observed = observed || w.components[id].removalObserved()
		if w.components[id].size > 0 {
			sized++
		}
	}
	switch {
	case a.mask.Meets(&w.removals) != observed, a.noticed.era == w.removalEra && a.noticed.observed != observed:
		return fmt.Errorf("archetype %d: whether the removal of a component is observed is not what its components say", a.id)
	case a.prefab != (w.mark != nil && a.has(w.mark.id)):
		return fmt.Errorf("archetype %d: whether its rows are prefabs is not what its components say", a.id)
	case sized != len(a.columns):
		return fmt.Errorf("archetype %d: %d components have bytes, %d columns exist", a.id, sized, len(a.columns))
	}
	return errors.Join(a.checkColumns(w), a.checkUnits())
}

// checkColumns: columns lie one after the other in every layout, and each has a
// version of its own.
func (a *archetype) checkColumns(w *World) error {
	for i, col := range a.columns {
		if col.size != w.components[col.id].size {
			return fmt.Errorf("archetype %d: column %d is of %d bytes", a.id, i, col.size)
		}
		for _, l := range a.layouts {
			end := uintptr(l.units) * arena.Unit
			if i+1 < len(a.columns) {
				end = l.columns[i+1]
			}
			if uintptr(l.offsets[col.id]) != l.columns[i] || l.columns[i]+col.size*uintptr(l.capacity) > end {
				return fmt.Errorf("archetype %d: column %d of layout %d does not lie where it should", a.id, i, l.class)
			}
			if s := l.columnSlots[col.id]; s.version != uint32(i+1) {
				return fmt.Errorf("archetype %d: column %d of layout %d has version %d", a.id, i, l.class, s.version)
			}
		}
	}
	return nil
}

// check: what serves deliveries only is empty between them. While an observer
// runs, there is a cause.
func (n *notices) check() error {
	if n.cause != 0 {
		return nil
	}
	switch {
	case len(n.causes)+len(n.unseen) > 0:
		return fmt.Errorf("notices: %d causes and %d that were not seen are left of a delivery", len(n.causes), len(n.unseen))
	case len(n.queue) == 0 && len(n.data)+len(n.passed) > 0:
		return errors.New("notices: nothing waits to be told, but values that were removed do")
	}
	return nil
}

// Checksum hashes what a game sees: every entity and every component value, in
// iteration order. Two worlds with the same history have the same checksum,
// whatever their tags and whatever machine they are on; NaN is one value.
//
// Handles are hashed without the tag of the world, those of the entities and those in fields of type
// [Entity]. A number or a text that was made of a handle is hashed as it is, tag included: worlds
// that are compared then need the same Options.Tag. Maps in components have no order and are left out.
// Resources, events, commands, the clock and random numbers are no part of it, and neither is what
// scripts keep beside the world.
//
// O(bytes of all values).
//
// Why SHA-256? It is in the standard library, fast where it matters and the
// same everywhere; eight bytes of it are kept.
func (w *World) Checksum() uint64 {
	s := summer{h: sha256.New()}
	for _, a := range w.archetypes[limbo+1:] {
		if a.count == 0 {
			continue
		}
		for _, id := range a.ids {
			s.text(w.components[id].schema.Name)
		}
		for _, c := range a.chunks {
			s.chunk(w, c, a.ids)
		}
	}
	for _, p := range w.pools {
		if p.len() > 0 {
			s.text(p.of().schema.Name)
			for i := 0; p.page(i) != nil; i++ {
				s.chunk(w, p.page(i), []ComponentID{p.of().id})
			}
		}
	}
	return binary.LittleEndian.Uint64(s.h.Sum(nil))
}

// summer feeds a hash through a buffer.
type summer struct {
	h     hash.Hash
	buf   []byte
	depth int // of slices within slices; see maxNesting
}

// text hashes a length and a text, so that no two lists of texts hash alike.
func (s *summer) text(t string) {
	s.h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(t))))
	s.h.Write([]byte(t))
}

// chunk hashes the handles of a chunk without the world tag, and then column by column.
func (s *summer) chunk(w *World, c *Chunk, ids []ComponentID) {
	s.buf = binary.LittleEndian.AppendUint64(s.buf[:0], uint64(c.n))
	for _, e := range c.Entities() {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, e.untagged())
	}
	for _, id := range ids {
		info := w.components[id]
		p := c.column(id)
		for i := range c.n {
			s.value(info, unsafe.Add(p, uintptr(i)*info.size))
		}
	}
	s.h.Write(s.buf)
}

// value appends one component value, field by field: bytes between fields are
// padding and mean nothing.
func (s *summer) value(info *component, p unsafe.Pointer) {
	if info.heap {
		s.pointers(reflect.NewAt(info.typ, p).Elem())
		return
	}
	s.fields(info.schema.Fields, p)
}

// fields appends the fields of a value, nested structs and arrays included.
func (s *summer) fields(fields []Field, p unsafe.Pointer) {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			s.field(f, unsafe.Add(p, f.Offset+uintptr(j)*f.Stride))
		}
	}
}

// field appends one element of a field.
func (s *summer) field(f *Field, p unsafe.Pointer) {
	switch f.Kind {
	case Struct:
		s.fields(f.Fields, p)
	case Ref:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, (*(*Entity)(p)).untagged())
	case Opaque:
		s.buf = append(s.buf, unsafe.Slice((*byte)(p), f.Stride)...)
	case F32:
		s.float32(*(*float32)(p))
	case F64:
		s.float64(*(*float64)(p))
	default:
		s.buf = append(s.buf, unsafe.Slice((*byte)(p), f.Kind.Size())...)
	}
}

// float32 and float64 append a number. All that are not-a-number are one: the sign and the
// payload of 0/0 depend on the processor.
func (s *summer) float32(v float32) {
	if v != v {
		v = float32(math.NaN())
	}
	s.buf = binary.LittleEndian.AppendUint32(s.buf, math.Float32bits(v))
}

func (s *summer) float64(v float64) {
	if v != v {
		v = math.NaN()
	}
	s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(v))
}

// pointers appends the exported scalars, strings and slices of a value with Go
// pointers.
func (s *summer) pointers(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.pointers(v.Field(i))
			}
		}
	case reflect.String:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v.Len()))
		s.buf = append(s.buf, v.String()...)
	case reflect.Slice, reflect.Array:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v.Len()))
		if s.depth == maxNesting {
			return
		}
		s.depth++
		for i := range v.Len() {
			s.pointers(v.Index(i))
		}
		s.depth--
	case reflect.Uint64:
		n := v.Uint()
		if v.Type() == reflect.TypeFor[Entity]() {
			n = Entity(n).untagged()
		}
		s.buf = binary.LittleEndian.AppendUint64(s.buf, n)
	case reflect.Float32:
		s.float32(float32(v.Float()))
	case reflect.Float64:
		s.float64(v.Float())
	default:
		if v.Kind() <= reflect.Complex128 { // maps and pointers have no order to hash in
			s.buf = append(s.buf, unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())...)
		}
	}
}
