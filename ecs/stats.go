package ecs

import (
	"time"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// Stats is a picture of a world at one moment.
type Stats struct {
	Entities    int
	Retired     int // slots that used up their generations
	Archetypes  []ArchetypeStats
	Pools       []PoolStats
	Chunks      int
	Utilization float64 // rows used of rows available in the chunks, 0 to 1
	ArenaBytes  int     // handed out by the arena
	ArenaLimit  int
	Transitions uint64 // moves between archetypes since the world began
	Dropped     uint64 // events that no reader fetched in time
	Systems     []SystemStats
}

// ArchetypeStats describes one set of components.
type ArchetypeStats struct {
	Components []string
	Entities   int
	Chunks     int
	Capacity   int // rows for which the chunks have room
}

// PoolStats describes one sparse-set pool.
type PoolStats struct {
	Component string
	Entities  int
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
func (w *World) Stats() Stats {
	s := Stats{
		Entities: w.slots.Live(), Retired: w.slots.Retired(),
		ArenaBytes: w.arena.Used(), ArenaLimit: w.arena.Size(), Transitions: w.moves,
	}
	rows, room := 0, 0
	for _, a := range w.archetypes[limbo+1:] {
		s.Archetypes = append(s.Archetypes, ArchetypeStats{w.nameAll(a.ids), a.count, len(a.chunks), a.room()})
		s.Chunks += len(a.chunks)
		rows, room = rows+a.count, room+a.room()
	}
	if room > 0 {
		s.Utilization = float64(rows) / float64(room)
	}
	for _, p := range w.pools {
		s.Pools = append(s.Pools, PoolStats{p.of().schema.Name, p.len()})
	}
	for _, t := range w.events.streams {
		s.Dropped += t.dropped
	}
	s.Systems = w.schedule.Stats(nil)
	return s
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
