package ecs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Migration gives components and events that were defined at run time other
// fields, and converts the values that exist, all or nothing. Name what changes,
// Prepare it, then Commit or Drop it.
//
// Prepare makes everything anew and keeps what is there: nothing can fail after it,
// and until Commit nothing has changed. While both exist, the chunks concerned
// take twice their room. Handles, the order of entities and those components that
// stay as they are keep what they were; for filters, every row of the archetypes
// concerned counts as changed as lately as the last change among them, and the
// component itself as changed now.
//
// Addresses and chunks borrowed before Commit are over then, and so are values
// ([Value], [Prefab]) of the components that were made before: methods that get one
// return ErrConflict; make them again. Of commands recorded before, Apply refuses
// those that hold such values, patches or events in the same way.
// A migration belongs to the goroutine that owns the world. Once that is closed, methods
// that have an error return ErrClosed, and Commit and Drop do nothing.
type Migration struct {
	world      *World
	components map[ComponentID]*migrated
	streams    []*restream
	shapes     []*reshape
	renamed    map[ComponentID]string
	prepared   bool
}

// migrated is a component with its new layout.
type migrated struct {
	schema  *Schema
	convert Convert
}

// Convert makes a value's new form at to, which holds the new default, out of the
// old one at from. For events the entity is 0. It must not touch the world. An
// error refuses the whole migration.
type Convert func(e Entity, from, to unsafe.Pointer) error

// reshape is an archetype with the chunks that it is going to have; their layouts
// belong to next until the commit.
type reshape struct {
	old, next *archetype
	pool      *arenaPool // whose rows these are, or nil
}

// restream is an event type with the events that wait, in their new form.
type restream struct {
	stream  *stream
	schema  *Schema
	convert Convert
	data    eventPages
}

// migrate is Raw.Migrate.
func (w *World) migrate() *Migration {
	return &Migration{world: w, components: map[ComponentID]*migrated{}, renamed: map[ComponentID]string{}}
}

// Rename gives a component another name. Its number, its values and what was made
// of it stay; from the commit on, it is found by the new name only. To give it other
// fields in the same migration, call Component with the new name afterwards. The error
// wraps ErrUnknown, or ErrConflict for a name that is taken and for a component that is
// Go's, or that the world keeps itself.
func (m *Migration) Rename(from, to string) error {
	if m.world.closed() {
		return fmt.Errorf("component %q: %w", from, ErrClosed)
	}
	id, ok := m.world.names[from]
	if !ok {
		return fmt.Errorf("%w: component %q", ErrUnknown, from)
	}
	if c := m.world.components[id]; c.typ != nil || c.heap || c.reserved != "" {
		return fmt.Errorf("%w: component %q was not defined at run time", ErrConflict, from)
	}
	if _, taken := m.named(to); taken || to == "" {
		return fmt.Errorf("%w: component %q cannot be called %q: the name is taken", ErrConflict, from, to)
	}
	m.renamed[id] = to
	return nil
}

// named finds a component by the name that it is going to have, or has.
func (m *Migration) named(name string) (ComponentID, bool) {
	for id, now := range m.renamed {
		if now == name {
			return id, true
		}
	}
	id, ok := m.world.names[name]
	return id, ok
}

// Component gives the component of the schema's name the schema's fields,
// version and default. The error wraps ErrUnknown, ErrRange, or ErrConflict for
// one that is Go's, or that the world keeps itself.
func (m *Migration) Component(schema Schema, convert Convert) error {
	if m.world.closed() {
		return fmt.Errorf("component %q: %w", schema.Name, ErrClosed)
	}
	id, ok := m.named(schema.Name)
	if !ok {
		return fmt.Errorf("%w: component %q", ErrUnknown, schema.Name)
	}
	if c := m.world.components[id]; c.typ != nil || c.heap || c.reserved != "" {
		return fmt.Errorf("%w: the fields of component %q are not defined at run time", ErrConflict, schema.Name)
	}
	if err := schema.Layout(); err != nil {
		return err
	}
	if err := m.world.components[id].rules.hooks.check(schema.Name, nil, schema.Size); err != nil {
		return err
	}
	m.components[id] = &migrated{&schema, convert}
	return nil
}

// Event gives the event type of the schema's name the schema's fields. The error
// wraps ErrUnknown, ErrRange, or ErrConflict for one that is Go's.
func (m *Migration) Event(schema Schema, convert Convert) error {
	if m.world.closed() {
		return fmt.Errorf("event %q: %w", schema.Name, ErrClosed)
	}
	id, ok := m.world.events.names[schema.Name]
	if !ok {
		return fmt.Errorf("%w: event %q", ErrUnknown, schema.Name)
	}
	t := m.world.events.streams[id]
	if t.typ != nil {
		return fmt.Errorf("%w: the fields of event %q are not defined at run time", ErrConflict, schema.Name)
	}
	if err := schema.Layout(); err != nil {
		return err
	}
	m.streams = slices.DeleteFunc(m.streams, func(s *restream) bool { return s.stream == t })
	m.streams = append(m.streams, &restream{stream: t, schema: &schema, convert: convert})
	return nil
}

// Prepare converts everything. The error wraps ErrIterating inside of a step, a
// query, or while changes wait for their report to observers; ErrArenaFull; or is
// one of Convert. After an error the migration is over, and nothing has changed.
// O(bytes of the archetypes, pools and events concerned).
func (m *Migration) Prepare() error {
	w := m.world
	if w.closed() {
		m.forget()
		return ErrClosed
	}
	if w.clock.running.Load() || w.locks > 0 || len(w.notices.queue) > 0 {
		return fmt.Errorf("%w: a migration needs a world at rest", ErrIterating)
	}
	ready := false
	defer func() {
		if !ready { // a conversion may panic, too
			m.Drop()
		}
	}()
	err := m.prepare()
	if ready = err == nil; ready && !m.prepared {
		m.prepared = true
		w.migrations++
	}
	return err
}

// prepare makes the new chunks of archetypes and pools, and the new events.
func (m *Migration) prepare() error {
	for _, a := range m.world.archetypes[limbo+1:] {
		if slices.ContainsFunc(a.ids, func(id ComponentID) bool { return m.components[id] != nil }) {
			if err := m.reshape(a, nil); err != nil {
				return err
			}
		}
	}
	for _, p := range m.world.pools {
		if pool, ok := p.(*arenaPool); ok && m.components[pool.comp.id] != nil {
			if err := m.reshape(pool.rows, pool); err != nil {
				return err
			}
		}
	}
	for _, s := range m.streams {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	return nil
}

// reshape makes an archetype's rows anew.
func (m *Migration) reshape(a *archetype, pool *arenaPool) error {
	next := &archetype{mask: a.mask, ids: a.ids, pooled: a.pooled}
	for _, id := range a.ids {
		if size := m.size(id); size > 0 {
			next.columns = append(next.columns, columnSpec{id, size})
		}
	}
	for range a.layouts {
		next.arrange(make([]uint32, a.width()))
	}
	m.shapes = append(m.shapes, &reshape{a, next, pool}) // so that Drop finds its chunks
	for _, from := range a.chunks {
		for row := range from.n {
			if err := m.copyRow(a, next, from, row); err != nil {
				return err
			}
		}
	}
	m.dates(a, next)
	return nil
}

// rowsWith is Raw.RowsWith.
func (w *World) rowsWith(ids []ComponentID) (rows int, bytes int64) {
	handle := int64(unsafe.Sizeof(Entity(0)))
	var any mask.Mask
	for _, id := range ids {
		if int(id) >= len(w.components) {
			continue
		}
		any.Set(uint32(id))
		if pool, ok := w.components[id].pool.(*arenaPool); ok {
			rows, bytes = rows+pool.len(), bytes+int64(pool.len())*(int64(pool.rows.bytes)+handle)
		}
	}
	for _, a := range w.archetypes {
		if a.count > 0 && a.mask.Meets(&any) {
			rows, bytes = rows+a.count, bytes+int64(a.count)*(int64(a.bytes)+handle)
		}
	}
	return rows, bytes
}

// size returns the bytes that a value is going to have.
func (m *Migration) size(id ComponentID) uintptr {
	if c := m.components[id]; c != nil {
		return c.schema.Size
	}
	return m.world.components[id].size
}

// copyRow appends one row, converted, to the archetype that is being made.
func (m *Migration) copyRow(a, next *archetype, from *Chunk, row int) error {
	to, err := next.nextRow(&m.world.store)
	if err != nil {
		return err
	}
	e := *(*Entity)(unsafe.Add(from.base, uintptr(row)*unsafe.Sizeof(Entity(0))))
	*(*Entity)(unsafe.Add(to.base, uintptr(to.n)*unsafe.Sizeof(Entity(0)))) = e
	for _, id := range a.ids {
		old, now := from.at(id, row), to.at(id, to.n)
		if c := m.components[id]; c == nil {
			copyBytes(now, old, m.size(id))
		} else if err := c.make(e, old, now); err != nil {
			return err
		}
	}
	to.n++
	next.count++
	return nil
}

// nextRow returns a chunk with room for one more row. Chunks grow as they do
// elsewhere, but an archetype gets no size that it has not had.
func (a *archetype) nextRow(s *store) (*Chunk, error) {
	if n := len(a.chunks); n > 0 && a.chunks[n-1].n < a.chunks[n-1].layout.capacity {
		return a.chunks[n-1], nil
	}
	c, err := a.chunk(s, a.layouts[a.nextClass(len(a.layouts))])
	if err == nil {
		a.chunks = append(a.chunks, c)
	}
	return c, err
}

// make writes the new form of one value.
func (c *migrated) make(e Entity, from, to unsafe.Pointer) error {
	size := c.schema.Size
	if size > 0 {
		fresh := unsafe.Slice((*byte)(to), size)
		clear(fresh[copy(fresh, c.schema.Default):])
	}
	if c.convert == nil {
		return nil
	}
	return c.convert(e, from, to)
}

// dates sets the versions of the chunks that are being made. What becomes a tag
// has no column to stamp: the whole chunk counts as changed.
func (m *Migration) dates(a, next *archetype) {
	last := make([]uint64, len(next.columns)+1)
	for _, c := range a.chunks {
		last[0] = max(last[0], c.versions[0])
		for i, col := range next.columns {
			if at := c.layout.columnSlot(col.id).version; at > 0 {
				last[i+1] = max(last[i+1], c.versions[at])
			}
		}
	}
	for i, col := range next.columns {
		if m.components[col.id] != nil {
			last[i+1] = m.world.version
		}
	}
	if slices.ContainsFunc(a.ids, func(id ComponentID) bool { return m.components[id] != nil && m.size(id) == 0 }) {
		last[0] = m.world.version
	}
	for _, c := range next.chunks {
		copy(c.versions, last)
	}
}

// prepare converts the events that wait.
func (s *restream) prepare() error {
	made := migrated{schema: s.schema, convert: s.convert}
	s.data = newEventPages(capture.EventLen(int(s.schema.Size)))
	for i := range s.stream.count() {
		if err := made.make(0, unsafe.Pointer(s.stream.data.at(i)), unsafe.Pointer(s.data.push())); err != nil {
			return err
		}
	}
	return nil
}

// Drop ends a migration that is not committed. What was prepared is given back.
func (m *Migration) Drop() {
	if m.world.closed() {
		m.shapes = nil // the chunks went with the world
	}
	for _, s := range m.shapes {
		for _, c := range s.next.chunks {
			s.next.free(&m.world.store, c)
		}
	}
	m.forget()
}

// Commit puts what was prepared in the place of what was there. It cannot fail.
// Nothing may have changed in the world since Prepare. It panics, with an error that
// wraps ErrIterating, inside of a query.
func (m *Migration) Commit() {
	if m.world.locks > 0 {
		panic(fmt.Errorf("ecs: commit of a migration: %w", ErrIterating))
	}
	if m.world.closed() {
		m.forget()
		return
	}
	for id, name := range m.renamed {
		m.world.rename(id, name)
	}
	for id, c := range m.components {
		info := m.world.components[id]
		info.schema, info.size, info.fallback = c.schema, c.schema.Size, nil
		info.era++
	}
	for id := range m.components {
		if t := m.world.components[id].tracker; t != nil {
			t.restart(&m.world.store)
		}
	}
	for _, s := range m.shapes {
		s.commit(m.world)
	}
	for _, s := range m.streams {
		s.stream.shape(s.schema)
		s.stream.data = s.data
		s.stream.era++
	}
	m.world.events.recount()
	m.forget()
	s := &m.world.schedule
	s.stages = m.world.stages(s.order) // who stamps a column of its own, and who a whole chunk
	m.world.committed("migrating", 0)
}

// rename gives a component a name that is free. A caller that holds its schema keeps the old one.
func (w *World) rename(id ComponentID, name string) {
	c := w.components[id]
	delete(w.names, c.schema.Name)
	schema := *c.schema
	schema.Name = name
	c.schema, w.names[name] = &schema, id
}

// forget makes the migration one that changes nothing.
func (m *Migration) forget() {
	clear(m.components)
	clear(m.renamed)
	m.shapes, m.streams = nil, nil
	if m.prepared {
		m.prepared = false
		m.world.migrations--
	}
}

// commit gives the archetype its new chunks. Its layouts stay where they are,
// because queries, records and the arena's directory know them.
func (s *reshape) commit(w *World) {
	a, next := s.old, s.next
	for _, c := range slices.Concat(a.chunks, a.spare) {
		a.free(&w.store, c)
	}
	a.columns, a.chunks, a.spare, a.units = next.columns, next.chunks, nil, next.units
	a.bytes = 0
	for _, col := range a.columns {
		a.bytes += int(col.size)
	}
	w.widest = max(w.widest, a.moved())
	for i, l := range a.layouts {
		n := next.layouts[i]
		l.units, l.capacity, l.columns, l.columnSlots = n.units, n.capacity, n.columns, n.columnSlots
		copy(l.offsets, n.offsets)
		if s.pool == nil {
			for _, id := range a.ids {
				w.components[id].place(l)
			}
		}
	}
	for _, c := range a.chunks {
		c.layout = a.layouts[c.layout.class]
		for row, e := range c.Entities() {
			if s.pool != nil {
				s.pool.place(e, poolPlace{c.unit, uint32(row)})
				continue
			}
			w.slots.Place(w.slots.Record(uint64(e)), uint64(e), c.layout.table, c.unit, uint32(row))
		}
	}
}
