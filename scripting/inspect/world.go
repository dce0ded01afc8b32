package inspect

import (
	"net/http"

	"github.com/perigee-ecs/perigee/ecs"
)

// componentJSON is a component of the world.
type componentJSON struct {
	Name     string      `json:"name"`
	Fields   []fieldJSON `json:"fields"` // none: a tag
	Size     int         `json:"size"`   // bytes of a value
	Version  int         `json:"version"`
	Pooled   bool        `json:"pooled"` // in a pool, not in columns
	Entities int         `json:"entities"`
	Used     int         `json:"used"`     // bytes of the values
	Reserved int         `json:"reserved"` // bytes that they take
}

// fieldJSON is a field of a component.
type fieldJSON struct {
	Name   string      `json:"name"`
	Kind   string      `json:"kind"`
	Len    int         `json:"len,omitempty"`
	Names  []string    `json:"names,omitempty"`
	Fields []fieldJSON `json:"fields,omitempty"`
}

// newFields makes the JSON of fields.
func newFields(list []ecs.Field) []fieldJSON {
	all := []fieldJSON{}
	for k := range list {
		f := &list[k]
		one := fieldJSON{Name: f.Name, Kind: f.Kind.String(), Len: f.Len, Names: f.Names}
		if f.Kind == ecs.Struct {
			one.Fields = newFields(f.Fields)
		}
		all = append(all, one)
	}
	return all
}

func (i *Inspector) getComponents(r *http.Request) (any, error) {
	all := []componentJSON{}
	err := i.ask(r.Context(), func() error {
		raw := i.world.Raw()
		for k, s := range i.world.Stats().Components {
			id := ecs.ComponentID(k)
			if found, ok := raw.ComponentNamed(s.Component); !ok || found != id {
				continue // it is another one's by now, or the world's own
			}
			schema := raw.Schema(id)
			all = append(all, componentJSON{
				Name: s.Component, Fields: newFields(schema.Fields), Size: int(schema.Size), Version: schema.Version,
				Pooled: raw.Pooled(id), Entities: s.Entities, Used: s.Used, Reserved: s.Reserved,
			})
		}
		return nil
	})
	return map[string]any{"components": all}, err
}

// worldJSON is what a world consists of.
type worldJSON struct {
	Entities       int             `json:"entities"`
	EntityLimit    int             `json:"entity_limit"`
	ArchetypeCount int             `json:"archetype_count"`
	Archetypes     []archetypeJSON `json:"archetypes"` // the largest
	Pools          []poolJSON      `json:"pools"`
	Events         []eventJSON     `json:"events"`
	Chunks         int             `json:"chunks"`
	Utilization    float64         `json:"utilization"` // 0 to 1
	ArenaBytes     int             `json:"arena_bytes"`
	ArenaLimit     int             `json:"arena_limit"`
	TickMoves      uint64          `json:"tick_moves"`
	Warnings       []string        `json:"warnings"`
	Resources      []string        `json:"resources"`
}

type archetypeJSON struct {
	Components []string `json:"components"`
	Entities   int      `json:"entities"`
	Chunks     int      `json:"chunks"`
	Capacity   int      `json:"capacity"`
	Bytes      int      `json:"bytes"`
	growthJSON
}

type poolJSON struct {
	Component string `json:"component"`
	Entities  int    `json:"entities"`
	Bytes     int    `json:"bytes"`
	growthJSON
}

// growthJSON is how many entities there were, while a stream was open.
type growthJSON struct {
	History  []int         `json:"history"`            // one for each second of simulation, the oldest first
	Grown    int           `json:"grown"`              // in the last minute, without coming back; 0: it has not
	Spawners []spawnerJSON `json:"spawners,omitempty"` // of what has grown: who has spawned the newest, as far as the journal knows
}

type eventJSON struct {
	Event   string `json:"event"`
	Waiting int    `json:"waiting"`
	Limit   int    `json:"limit"`
	Dropped uint64 `json:"dropped"`
	Slowest string `json:"slowest"`
}

// mostArchetypes bounds the archetypes in an answer.
const mostArchetypes = 200

func (i *Inspector) getWorld(r *http.Request) (any, error) {
	var s ecs.Stats
	all := worldJSON{Archetypes: []archetypeJSON{}, Pools: []poolJSON{}, Events: []eventJSON{}, Warnings: []string{}}
	err := i.ask(r.Context(), func() error {
		s, all.Resources = i.world.Stats(), i.world.Raw().ResourceNames()
		i.growing(&all, &s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all.Entities, all.EntityLimit, all.ArchetypeCount = s.Entities, s.EntityLimit, len(s.Archetypes)
	all.Chunks, all.Utilization, all.ArenaBytes, all.ArenaLimit, all.TickMoves = s.Chunks, s.Utilization, s.ArenaBytes, s.ArenaLimit, s.TickMoves
	for _, e := range s.Events {
		all.Events = append(all.Events, eventJSON{e.Event, e.Waiting, e.Limit, e.Dropped, e.Slowest})
	}
	return all, nil
}

// growing adds archetypes, pools and warnings, with what is known of their growth; for the goroutine
// of the host.
func (i *Inspector) growing(all *worldJSON, s *ecs.Stats) {
	of := func(components []string, pool bool) growthJSON {
		key := setKey(components, pool)
		counts, grown := i.growth.history(key)
		return growthJSON{counts, grown, i.growth.spawners[key]}
	}
	for _, a := range s.Largest(mostArchetypes) {
		all.Archetypes = append(all.Archetypes, archetypeJSON{a.Components, a.Entities, a.Chunks, a.Capacity, a.Bytes, of(a.Components, false)})
	}
	for _, p := range s.Pools {
		all.Pools = append(all.Pools, poolJSON{p.Component, p.Entities, p.Bytes, of([]string{p.Component}, true)})
	}
	for _, w := range s.Warnings() {
		all.Warnings = append(all.Warnings, w.Text)
	}
	all.Warnings = append(all.Warnings, i.growth.leaks(s)...)
}
