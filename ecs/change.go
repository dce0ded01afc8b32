package ecs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Spawn creates an entity with the given components; the later of two values
// of one component wins. It panics with the error that TrySpawn returns, ErrClosed for a
// closed world among them.
func (w *World) Spawn(values ...Value) Entity {
	e, err := w.TrySpawn(values...)
	if err != nil {
		panic(fmt.Errorf("ecs: spawn: %w", err))
	}
	return e
}

// TrySpawn creates an entity, or changes nothing and returns an error that
// wraps ErrIterating, ErrEntityLimit, ErrArenaFull, or ErrConflict when a value
// is of another world.
func (w *World) TrySpawn(values ...Value) (Entity, error) {
	if w.locks > 0 {
		return 0, ErrIterating
	}
	if w.slots == nil {
		return 0, w.closedError()
	}
	h, ok := w.slots.Issue()
	e := Entity(h)
	if !ok {
		var err error
		if e, err = w.issueFirst(); err != nil {
			return 0, err
		}
	}
	if err := w.settle(e, w.slots.At(uint64(e)), values); err != nil {
		w.slots.Release(uint64(e))
		return 0, err
	}
	return e, nil
}

// settle gives a reserved entity, whose record is r, its first place. Everything
// that can fail is done before anything is changed.
func (w *World) settle(e Entity, r *slots.Record, values []Value) error {
	if last := &w.lastSpawn; last.like(values) && w.notices.watch&OnSpawn == 0 {
		if c := last.to.open(); c != nil {
			last.fill(c, last.to.push(&w.store, c, e, r), values)
			if w.reports.on {
				w.reports.spawned(e, values)
			}
			w.committed("placing", e)
			return nil
		}
	}
	to, special, err := w.shape(w.empty(), values)
	switch {
	case err != nil:
		return err
	case special != 0 || w.notices.watch&OnSpawn != 0:
		return w.change(e, r, nil, values)
	}
	c := to.open()
	if c == nil {
		if c, err = to.reserve(&w.store); err != nil {
			return err
		}
	}
	c.fill(to.push(&w.store, c, e, r), values)
	w.lastSpawn.set(to, values)
	if w.reports.on {
		w.reports.spawned(e, values)
	}
	w.committed("placing", e)
	return nil
}

// lastSpawn is where the last new entity went that took the short way: most are
// followed by another one of the same components.
//
// Invariant: to is the archetype that has the components of and no others, unless
// one of these has traits or was migrated since.
//
// Why is it kept, where the edges of archetypes say the same? A value has just been
// copied into the slice that it comes in, and the processor waits for that copy
// before it can follow a pointer in it. Here the values are only compared, and the
// processor predicts the result of a comparison.
type lastSpawn struct {
	of []*component // of the values, in their order
	to *archetype   // nil before the first
}

// like reports whether values are of the components of the last spawn, and nothing
// is special about these.
func (l *lastSpawn) like(values []Value) bool {
	if len(values) != len(l.of) || l.to == nil {
		return false
	}
	for i, c := range l.of {
		if values[i].of != c || c.traits != 0 || c.era != 0 {
			return false
		}
	}
	return true
}

// fill stores values that are like those of the last spawn in a new row.
func (l *lastSpawn) fill(c *Chunk, row int, values []Value) {
	offsets := c.layout.offsets
	for i, of := range l.of[:len(values)] {
		if size := of.size; size > 0 {
			copyBytes(unsafe.Add(c.base, uintptr(offsets[of.id])+uintptr(row)*size), values[i].data(), size)
		}
	}
}

// set remembers where the entity with these values went.
func (l *lastSpawn) set(to *archetype, values []Value) {
	l.to, l.of = to, l.of[:0]
	for i := range values {
		l.of = append(l.of, values[i].of)
	}
}

// shape finds the archetype that an entity of archetype a has once it has the
// values too, and what is special about them.
func (w *World) shape(a *archetype, values []Value) (*archetype, traits, error) {
	special := traits(0)
	for i := range values {
		c := values[i].of
		if c == nil || c.world != w || c.era != 0 && values[i].stale() {
			return nil, 0, w.foreign(c)
		}
		special |= c.traits
		if c.traits&pooledTrait != 0 {
			continue
		}
		if to := a.edge(c.id).with; to != 0 {
			a = w.archetypes[to]
			continue
		}
		to, err := w.archetypeWith(a, c.id)
		if err != nil {
			return nil, 0, err
		}
		a = to
	}
	return a, special, nil
}

// foreign returns the error for a Value that is of another world, was made before a
// migration, or is the zero Value.
func (w *World) foreign(c *component) error {
	switch {
	case c == nil:
		return fmt.Errorf("%w: a value is of no component: it is the zero Value", ErrConflict)
	case c.world != w:
		return fmt.Errorf("%w: a value of %q was made for another world", ErrConflict, c.schema.Name)
	}
	return fmt.Errorf("%w: a value of %q was made before a migration: make it again", ErrConflict, c.schema.Name)
}

// Add gives e the values, adding the components that it lacks; in one move. An
// entity that is only reserved gets its place. The error wraps ErrDead,
// ErrIterating, ErrArenaFull or ErrConflict, and nothing has changed then.
func (w *World) Add(e Entity, values ...Value) error {
	r := w.slots.Record(uint64(e))
	switch {
	case r == nil:
		return w.deadError(e)
	case w.locks > 0 && w.grows(e, r, values):
		return ErrIterating
	case r.Table == limbo:
		return w.settle(e, r, values)
	}
	from := w.tables[r.Table].arch
	to, special, err := w.shape(from, values)
	switch {
	case err != nil:
		return err
	case special != 0:
		return w.change(e, r, nil, values)
	case to == from:
		if w.reports.on && !w.frozen.on {
			w.changing(e, from, nil, values)
		}
		w.chunks[r.Chunk].overwrite(int(r.Row), values)
		return nil
	}
	return w.shift(e, r, from, to, values)
}

// grows reports whether adding the values would change e's components.
func (w *World) grows(e Entity, r *slots.Record, values []Value) bool {
	for i := range values {
		if values[i].of == nil || values[i].of.find(e) == nil {
			return true
		}
	}
	return r.Table == limbo
}

// shift moves an entity and writes values of its new chunk's columns.
func (w *World) shift(e Entity, r *slots.Record, from, to *archetype, values []Value) error {
	c := to.open()
	if c == nil {
		var err error
		if c, err = to.reserve(&w.store); err != nil {
			return err
		}
	}
	if w.reports.on {
		w.changing(e, from, from.less(to), values)
	}
	c.fill(w.move(e, r, from, to, c), values)
	w.committed("adding or removing components", e)
	return nil
}

// move takes an entity to another archetype, into the chunk that reserve has
// returned, and returns its row there.
func (w *World) move(e Entity, r *slots.Record, from, to *archetype, c *Chunk) int {
	source, row := w.chunks[r.Chunk], int(r.Row)
	at := to.push(&w.store, c, e, r)
	theirs, i := from.columns, 0
	there, here := c.layout.columns[:len(to.columns)], source.layout.columns[:len(theirs)]
	for j, column := range to.columns {
		for i < len(theirs) && theirs[i].id < column.id {
			i++
		}
		if i < len(theirs) && theirs[i].id == column.id {
			copyBytes(
				unsafe.Add(c.base, there[j]+uintptr(at)*column.size),
				unsafe.Add(source.base, here[i]+uintptr(row)*column.size), column.size)
		}
	}
	from.drop(&w.store, source, row)
	w.moves++
	return at
}

// Remove takes components from e; those it lacks are passed over. The error
// wraps ErrDead, ErrIterating, ErrArenaFull, ErrUnknown or ErrConflict, and
// nothing has changed then.
func (w *World) Remove(e Entity, components ...ComponentRef) error {
	var few [8]ComponentID
	ids, err := w.numbersOf(few[:0], components)
	if err != nil {
		return err
	}
	return w.remove(e, ids)
}

// numbersOf appends the numbers of components to dst. The errors are those of resolve.
func (w *World) numbersOf(dst []ComponentID, components []ComponentRef) ([]ComponentID, error) {
	for _, h := range components {
		c, err := w.resolve(h)
		if err != nil {
			return nil, err
		}
		dst = append(dst, c.id)
	}
	return dst, nil
}

// remove is Remove by numbers.
func (w *World) remove(e Entity, ids []ComponentID) error {
	r := w.slots.Record(uint64(e))
	switch {
	case r == nil || r.Table == limbo:
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	}
	from := w.tables[r.Table].arch
	to, special, err := w.without(from, ids)
	switch {
	case err != nil:
		return err
	case special != 0:
		return w.change(e, r, ids, nil)
	case to == from:
		return nil
	}
	return w.shift(e, r, from, to, nil)
}

// without finds the archetype that has a's components but these, and what is
// special about them.
func (w *World) without(a *archetype, ids []ComponentID) (*archetype, traits, error) {
	special := traits(0)
	for _, id := range ids {
		if uint(id) >= uint(len(w.components)) {
			return nil, 0, fmt.Errorf("%w: component %d", ErrUnknown, id)
		}
		special |= w.components[id].traits
		if to := a.edge(id).without; to != 0 {
			a = w.archetypes[to]
			continue
		}
		to, err := w.archetypeWithout(a, id)
		if err != nil {
			return nil, 0, err
		}
		a = to
	}
	return a, special, nil
}

// Exchange removes components from e and gives it values, in one move: the
// components come and go together, for observers too. A component that is both
// removed and given stays and gets the value. Those e lacks are passed over, and
// an entity that is only reserved gets its place. The error wraps what Add and
// Remove return, and nothing has changed then.
func (w *World) Exchange(e Entity, remove []ComponentRef, add ...Value) error {
	var few [8]ComponentID
	ids, err := w.numbersOf(few[:0], remove)
	if err != nil {
		return err
	}
	return w.exchange(e, ids, add)
}

// exchange is Exchange by numbers.
func (w *World) exchange(e Entity, remove []ComponentID, add []Value) error {
	r := w.slots.Record(uint64(e))
	switch {
	case r == nil:
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	case r.Table == limbo:
		return w.settle(e, r, add)
	}
	from := w.tables[r.Table].arch
	less, special, err := w.without(from, remove)
	if err != nil {
		return err
	}
	to, more, err := w.shape(less, add)
	switch {
	case err != nil:
		return err
	case special|more != 0:
		return w.change(e, r, remove, add)
	case to == from:
		if w.reports.on {
			w.changing(e, from, nil, add)
		}
		w.chunks[r.Chunk].overwrite(int(r.Row), add)
		return nil
	}
	return w.shift(e, r, from, to, add)
}

// change is the long way of every structural change of one entity, for
// components that are pooled, observed or have rules. An entity without a place
// gets one. Everything that can fail is done before anything is changed.
func (w *World) change(e Entity, r *slots.Record, remove []ComponentID, add []Value) error {
	if !w.frozen.on && (anyRuled(add) || w.anyGuarded(remove)) { // while it stands still, e has all that it is given
		list, all, err := w.follow(e, remove, add)
		defer w.values.give(list)
		if err != nil {
			return err
		}
		add, remove = list, all
	}
	from := w.tables[r.Table].arch
	to, err := w.prepare(e, from, remove, add)
	if err != nil {
		return err
	}
	w.callRemoveHooks(e, remove, add)
	w.noticeChange(e, from, remove, add)
	due := w.findDueHooks(e, add)
	switch {
	case r.Table == limbo:
		to.push(&w.store, to.last(), e, r)
	case to != from:
		w.move(e, r, from, to, to.last())
	}
	w.write(e, r, add)
	for _, id := range remove {
		if p := w.components[id].pool; p != nil && !givesComponent(add, id) {
			p.remove(e)
		}
	}
	w.callDueHooks(e, due)
	w.committed("changing the components", e)
	return nil
}

// prepare finds where e goes and makes room for it there and in the pools.
func (w *World) prepare(e Entity, from *archetype, remove []ComponentID, add []Value) (*archetype, error) {
	to, err := w.route(from, remove, add)
	if err != nil {
		return nil, err
	}
	for i := range add {
		if p := add[i].of.pool; p != nil {
			if err := p.reserve(e); err != nil {
				return nil, err
			}
		}
	}
	if to == from {
		return to, nil
	}
	_, err = to.reserve(&w.store)
	return to, err
}

// route finds the archetype that an entity of archetype from has once it has
// lost and got components, and refuses what must not be written.
func (w *World) route(from *archetype, remove []ComponentID, add []Value) (*archetype, error) {
	if from.id == limbo {
		from = w.empty()
	}
	less, removed, err := w.without(from, remove)
	if err != nil {
		return nil, err
	}
	to, added, err := w.shape(less, add)
	if err == nil && (removed|added)&reservedTrait != 0 {
		err = w.refuseReserved(remove, add)
	}
	return to, err
}

// refuseReserved names the component that is not everybody's to write.
func (w *World) refuseReserved(remove []ComponentID, add []Value) error {
	for _, id := range remove {
		if w.components[id].reserved != "" {
			return w.components[id].reservedError()
		}
	}
	for i := range add {
		if add[i].of.reserved != "" {
			return add[i].of.reservedError()
		}
	}
	return nil
}

// noticeChange records for the observers, and reports, what is about to happen to e.
func (w *World) noticeChange(e Entity, from *archetype, remove []ComponentID, add []Value) {
	if w.reports.on && !w.frozen.on {
		w.changing(e, from, remove, add)
	}
	if w.notices.any == 0 {
		return
	}
	if from.id == limbo {
		w.notice(OnSpawn, 0, e, nil)
	}
	w.noticeRemoved(e, remove, add)
	w.noticeGiven(e, add)
}

// noticeRemoved records what is about to be removed from e and not given again.
func (w *World) noticeRemoved(e Entity, ids []ComponentID, add []Value) {
	for i, id := range ids {
		if w.components[id].watch&OnRemove == 0 || slices.Contains(ids[:i], id) || givesComponent(add, id) {
			continue
		}
		if p := w.pointer(e, id); p != nil {
			w.notice(OnRemove, id, e, p)
		}
	}
}

// noticeGiven records what is about to be written to e: one notice for each
// component, whatever number of values it gets.
func (w *World) noticeGiven(e Entity, values []Value) {
	for i := range values {
		id := values[i].of.id
		if w.components[id].watch&(OnAdd|OnSet) == 0 || givesComponent(values[:i], id) {
			continue
		}
		if w.has(e, id) {
			w.notice(OnSet, id, e, nil)
		} else {
			w.notice(OnAdd, id, e, nil)
		}
	}
}

// noticeDespawn records the removal of everything that a dying entity had.
func (w *World) noticeDespawn(a *archetype, e Entity) {
	if a.id == limbo {
		return // its coming was not reported
	}
	w.notice(OnDespawn, 0, e, nil)
	if a.removalObserved(&w.store) {
		w.noticeRemoved(e, a.ids, nil)
	}
	for _, p := range w.pools {
		if id := p.of().id; p.of().watch&OnRemove != 0 {
			if at := p.find(e); at != nil {
				w.notice(OnRemove, id, e, at)
			}
		}
	}
}

// write stores the values into an entity that has room for them.
func (w *World) write(e Entity, r *slots.Record, values []Value) {
	w.chunks[r.Chunk].overwrite(int(r.Row), values)
	for i := range values {
		v := &values[i]
		switch p := v.of.pool.(type) {
		case nil:
		case *arenaPool:
			p.put(e, v.data())
		default:
			p.put(e, v.ptr)
		}
	}
}

// overwrite stores those of the values that are columns of a row, and stamps
// them as changed.
func (c *Chunk) overwrite(row int, values []Value) {
	c.fill(row, values)
	for i := range values {
		if values[i].of.pool == nil {
			c.stamp(values[i].of.id)
		}
	}
}

// fill is overwrite for a row that has just come: its chunk is stamped already.
func (c *Chunk) fill(row int, values []Value) {
	offsets := c.layout.offsets
	for i := range values {
		v := &values[i]
		size := v.of.size
		if size == 0 || v.of.pool != nil {
			continue
		}
		copyBytes(unsafe.Add(c.base, uintptr(offsets[v.of.id])+uintptr(row)*size), v.data(), size)
	}
}

// Copy creates an entity with all that e has, and then the overrides. Values are
// copied as Go assigns them: strings are equal, slices and maps are shared. The
// copy has neither parent nor children, and no relations. It costs what spawning
// does. The error wraps ErrDead, for an entity that is dead or has no place, or
// what TrySpawn returns.
func (w *World) Copy(e Entity, overrides ...Value) (Entity, error) {
	switch {
	case !w.placed(e):
		return 0, w.deadError(e)
	case w.locks > 0:
		return 0, ErrIterating
	}
	copied, err := w.issue()
	if err != nil {
		return 0, err
	}
	if err := w.copyTo(copied, e, overrides); err != nil {
		w.slots.Release(uint64(copied))
		return 0, err
	}
	return copied, nil
}

// copyTo settles a reserved entity as a copy of e, which has a place.
//
// Room for the copy in e's own archetype is made first, as rows move when their
// archetype gets a longer chunk, and given back if the copy went elsewhere. If
// there is no room, nothing moves; the call that needs the room reports it.
func (w *World) copyTo(copied, e Entity, overrides []Value) error {
	a, _ := w.find(e)
	_, _ = a.reserve(&w.store)
	defer a.trim(&w.store)
	values := w.values.take()
	defer func() { w.values.give(values) }()
	for _, id := range a.ids {
		if c := w.components[id]; c.reserved == "" { // the copy of a prefab entity is an ordinary one
			values = append(values, c.valueAt(c.find(e)))
		}
	}
	for _, p := range w.pools {
		at := p.find(e)
		switch c := p.of(); {
		case at == nil || c.reserved != "":
		case c.group != nil: // whose rows change places as entities come
			values = append(values, c.copyOut(at))
		default:
			values = append(values, c.valueAt(at))
		}
	}
	values = append(values, overrides...)
	return w.settle(copied, w.slots.At(uint64(copied)), values)
}

// edit is Raw.Edit.
func (w *World) edit(e Entity, id ComponentID) unsafe.Pointer {
	p := w.pointer(e, id)
	if p != nil {
		w.stamp(e, id)
		w.notice(OnSet, id, e, nil)
		w.wrote(e, id, false)
	}
	return p
}
