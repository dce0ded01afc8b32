package ecs

import (
	"fmt"
	"slices"
)

// reserve is Raw.Reserve.
func (w *World) reserve() (Entity, error) {
	if w.locks > 0 {
		return 0, ErrIterating
	}
	return w.issue()
}

// Grow makes room for n more entities of exactly these components: spawning
// them allocates nothing and cannot fail. The room is theirs until it is used or
// Raw.Compact is called. The error wraps ErrEntityLimit, ErrArenaFull,
// ErrRange, ErrUnknown, ErrConflict or ErrIterating, and no room was made then.
func (w *World) Grow(n int, components ...ComponentRef) error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("%w: room for %d entities", ErrRange, n)
	}
	if err := w.reserveArena(); err != nil {
		return err
	}
	r := w.newReservation(w.slots.Highest(n))
	if r.entities(n); r.err != nil {
		return r.err
	}
	a := w.empty()
	for _, h := range components {
		c, err := w.resolve(h)
		if err != nil {
			return r.undo(err)
		}
		if c.pool != nil {
			r.pool(c.pool, n)
		} else if a, err = w.archetypeWith(a, c.id); err != nil {
			return r.undo(err)
		}
	}
	r.rows(a, n)
	return r.undo(r.err)
}

// Reserve makes room for n more values of the component, so that giving it takes no memory:
// in its pool; or for a component in columns in the sets of components that entities with it
// have now, shared by their numbers, and in that of the component alone when there are none.
// For one set, there is World.Grow. A [Storage] makes its own room. The errors are those of
// Grow, and no room was made then. O(archetypes + chunks made).
func (c Component[T]) Reserve(n int) error {
	if c.info == nil {
		return c.zeroError()
	}
	return c.info.world.growComponent(c.info, n)
}

// growComponent is Component.Reserve.
func (w *World) growComponent(c *component, n int) error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("%w: room for %d values of %q", ErrRange, n, c.schema.Name)
	}
	if err := w.reserveArena(); err != nil {
		return err
	}
	if limit := w.entityLimit(); n > limit {
		return fmt.Errorf("%w: room for %d values of %q: %d entities can be alive", ErrEntityLimit, n, c.schema.Name, limit)
	}
	r := w.newReservation(w.slots.Highest(n))
	if c.pool != nil {
		r.pool(c.pool, n)
		if p, ok := c.pool.(*arenaPool); ok && r.err != nil {
			p.shrinkPlaces()
		}
		return r.undo(r.err)
	}
	alone, err := w.archetypeWith(w.empty(), c.id)
	if err != nil {
		return err
	}
	sets := slices.DeleteFunc(slices.Clone(w.archetypes), func(a *archetype) bool { return !a.has(c.id) || a.count == 0 })
	total := countRows(sets)
	if total == 0 {
		r.rows(alone, n)
	}
	for _, a := range sets {
		r.rows(a, int((int64(n)*int64(a.count)+int64(total)-1)/int64(total)))
	}
	return r.undo(r.err)
}

// reservation makes room in several places, or in none: undo takes back what was made
// when the last of them is full.
type reservation struct {
	world *World
	last  uint32 // the highest slot number that may need a place in a pool
	made  []reservedIn
	err   error
}

// reservedIn is a place in which room was made, and how many chunks it had to spare
// before.
type reservedIn struct {
	in    *archetype
	spare int
}

// grower is a pool that can make room for many rows at once. Those that cannot
// are asked for each entity.
type grower interface {
	grow(n int, last uint32) error
}

// newReservation has made none yet. There is one at a time: no batch runs in another.
func (w *World) newReservation(last uint32) reservation {
	return reservation{world: w, last: last, made: w.reservedIn[:0]}
}

// note remembers room that is about to be made.
func (r *reservation) note(a *archetype) {
	r.made = append(r.made, reservedIn{a, len(a.spare)})
	r.world.reservedIn = r.made
}

// entities checks that n more entities may live.
func (r *reservation) entities(n int) {
	if r.err == nil && n > r.world.slots.Room() {
		r.err = r.world.entityLimitError(fmt.Sprintf(", %d more do not fit", n))
	}
}

// rows makes room for n more rows of an archetype.
func (r *reservation) rows(a *archetype, n int) {
	if r.err == nil {
		r.note(a)
		r.err = a.grow(&r.world.store, n)
	}
}

// rowsOfOne is rows for new entities: an archetype that is one chunk stays one chunk as
// long as it may.
func (r *reservation) rowsOfOne(a *archetype, n int) {
	if r.err == nil && a.room() < a.count+n {
		a.widen(&r.world.store, n)
	}
	r.rows(a, n)
}

// pool makes room for n more values of a pool, as far as the pool can do that.
func (r *reservation) pool(p pool, n int) {
	if r.err != nil {
		return
	}
	if p, ok := p.(*arenaPool); ok {
		r.note(p.rows)
	}
	if p, ok := p.(grower); ok {
		r.err = p.grow(n, r.last)
	}
}

// undo takes back what was made if there is an error, which it returns.
func (r *reservation) undo(err error) error {
	if err != nil {
		r.close()
	}
	return err
}

// close takes back what of the room is left.
func (r *reservation) close() {
	for _, m := range r.made {
		m.in.shrink(&r.world.store, m.spare)
	}
}

// compact is Raw.Compact.
func (w *World) compact() {
	if w.locks == 0 {
		for _, a := range w.archetypes[limbo+1:] {
			a.shrink(&w.store, 0)
			a.shorten(&w.store)
		}
		for _, p := range w.pools {
			if p, ok := p.(shrinker); ok {
				p.shrink()
			}
		}
		w.forgetChunks()
	}
	w.arena.Trim()
	w.committed("compacting", 0)
}

// shrinker is a pool that can hold less.
type shrinker interface{ shrink() }

// forgetChunks lets the collector have the Go side of chunks that do not exist
// any more.
func (w *World) forgetChunks() {
	used := w.units()
	for unit := range w.chunks {
		if used[uint32(unit)] == 0 {
			w.chunks[unit] = nil
		}
	}
	end := len(w.chunks)
	for end > 0 && w.chunks[end-1] == nil {
		end--
	}
	w.chunks = slices.Clone(w.chunks[:end])
}

// units returns the arena's spans in use, by their first units.
func (w *World) units() map[uint32]int {
	used := map[uint32]int{}
	for _, a := range w.archetypes {
		a.claim(used)
	}
	for _, p := range w.pools {
		if p, ok := p.(*arenaPool); ok {
			p.rows.claim(used)
			for _, unit := range p.sparse {
				used[unit] = 1
			}
		}
	}
	delete(used, 0) // stands for sparse pages that do not exist
	return used
}

// claim adds the units of the archetype's chunks to those in use.
func (a *archetype) claim(used map[uint32]int) {
	for _, list := range [...][]*Chunk{a.chunks, a.spare} {
		for _, c := range list {
			used[c.unit] += c.layout.units
		}
	}
}
