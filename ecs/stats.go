package ecs

import (
	"time"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Stats is a picture of a world at one moment. Print it for people; its
// Warnings say what looks wrong.
type Stats struct {
	Entities    int
	EntityLimit int
	Retired     int // slots that used up their generations
	Archetypes  []ArchetypeStats
	Components  []ComponentStats // by number
	Pools       []PoolStats
	Chunks      int
	Utilization float64 // rows used of rows available in the chunks, 0 to 1
	ArenaBytes  int     // handed out by the arena
	ArenaSpare  int     // free in the arena and not given back to the system yet
	ArenaLimit  int     // bytes that it can hand out, 0 once the world is closed
	Transitions uint64  // moves between archetypes since the world began
	TickMoves   uint64  // those of the last tick, and of what came between it and the one before
	Dropped     uint64  // events that were not read in time
	Events      []EventStats
	Systems     []SystemStats
}

// ArchetypeStats describes one set of components that have columns.
type ArchetypeStats struct {
	Components []string
	Entities   int
	Chunks     int
	Capacity   int // rows for which the chunks have room
	Bytes      int // of the chunks in the arena
}

// ComponentStats describes the memory of one component type.
type ComponentStats struct {
	Component string
	Entities  int
	Used      int // bytes of the values
	Reserved  int // bytes that the columns or the pool take, places and handles of a pool included
}

// PoolStats describes one sparse-set pool.
type PoolStats struct {
	Component string
	Entities  int
	Bytes     int // rows, places and handles; 0 when a storage of one's own does not say
}

// SystemStats describes one system and its runs.
type SystemStats struct {
	Name     string
	Phase    Phase
	Priority int
	Enabled  bool
	Health   Health
	Blocker  string // the required system that does not run, "" if all do
	Runs     uint64
	Failures uint64
	Last     time.Duration // of the last run, observers that it triggered included
	Total    time.Duration
	Reads    []string // components its queries read
	Writes   []string // components its queries write
}

// Stats takes the picture. It allocates; call it for people, not per entity.
// O(archetypes × components + chunks).
func (w *World) Stats() Stats {
	s := Stats{
		Entities: w.slots.Live(), EntityLimit: w.entityLimit(), Retired: w.slots.Retired(),
		ArenaBytes: w.arena.Used(), ArenaSpare: w.arena.Spare(), ArenaLimit: w.arena.Capacity(),
		Transitions: w.moves, TickMoves: w.clock.moves,
	}
	for _, c := range w.components {
		s.Components = append(s.Components, ComponentStats{Component: c.schema.Name})
	}
	rows, room := 0, 0
	for _, a := range w.archetypes[limbo+1:] {
		s.Archetypes = append(s.Archetypes, ArchetypeStats{w.nameAll(a.ids), a.count, len(a.chunks), a.room(), a.units * arena.Unit})
		s.Chunks += len(a.chunks)
		rows, room = rows+a.count, room+a.room()
		s.columns(w, a)
	}
	if room > 0 {
		s.Utilization = float64(rows) / float64(room)
	}
	for _, p := range w.pools {
		s.pool(p)
	}
	for _, t := range w.events.streams {
		s.Dropped += t.dropped
		s.Events = append(s.Events, t.stats())
	}
	s.Systems = w.schedule.Stats(nil)
	return s
}

// columns adds an archetype's share to the bytes of its components.
func (s *Stats) columns(w *World, a *archetype) {
	for _, id := range a.ids {
		c, size := &s.Components[id], int(w.components[id].size)
		c.Entities += a.count
		c.Used += a.count * size
		c.Reserved += a.room() * size
	}
}

// pool adds a pool to the pools, and to the bytes of its component.
func (s *Stats) pool(p pool) {
	of, bytes := p.of(), 0
	if p, ok := p.(interface{ bytes() int }); ok {
		bytes = p.bytes()
	}
	s.Pools = append(s.Pools, PoolStats{of.schema.Name, p.len(), bytes})
	c := &s.Components[of.id]
	c.Entities, c.Used, c.Reserved = p.len(), p.len()*int(of.size), bytes
}

// bytes counts the chunks of rows and the pages of places.
func (p *arenaPool) bytes() int {
	units := p.rows.units
	for _, unit := range p.sparse {
		units += min(int(unit), 1)
	}
	return units * arena.Unit
}

// bytes counts what the slices have room for, without what values point to.
func (p *heapPool[T]) bytes() int {
	return cap(p.data)*int(unsafe.Sizeof(*new(T))) + cap(p.handles)*8 + cap(p.sparse)*4
}

// entityLimit is how many entities can be alive at once.
func (w *World) entityLimit() int {
	if w.arena.Base() != nil || w.arena.Size() == 0 {
		return max(w.slots.Limit(), 0)
	}
	limit := min(w.arena.Slots(), slots.MaxSlots) - 1
	if w.options.MaxEntities > 0 {
		limit = min(limit, w.options.MaxEntities)
	}
	return limit
}

// Stats appends the systems in running order to dst.
func (s *Schedule) Stats(dst []SystemStats) []SystemStats {
	for _, o := range s.order {
		st := SystemStats{
			Name: o.Name, Phase: o.Phase, Priority: o.Priority, Enabled: !o.Disabled,
			Health: o.state(), Blocker: o.blocked, Runs: o.runs, Failures: o.health.total, Last: o.last, Total: o.total,
		}
		for _, q := range o.Queries {
			for _, t := range q.terms {
				name := s.world.components[t.id].schema.Name
				if t.write {
					st.Writes = append(st.Writes, name)
				} else {
					st.Reads = append(st.Reads, name)
				}
			}
		}
		dst = append(dst, st)
	}
	return dst
}

// room counts the rows that the chunks in use can hold.
func (a *archetype) room() int {
	n := 0
	for _, c := range a.chunks {
		n += c.layout.capacity
	}
	return n
}

func (w *World) nameAll(ids []ComponentID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = w.components[id].schema.Name
	}
	return names
}

// ChunkBytes is the size of an archetype's first chunks. Later ones are longer,
// up to 32 times as long, and so are those of rows wider than a kilobyte.
const ChunkBytes = arena.Unit
