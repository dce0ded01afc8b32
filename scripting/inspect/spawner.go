package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/journal"
)

const (
	spawnsLooked = 500 // the newest spawns of the journal that are looked at, in a second
	mostSpawners = 3   // that are named of a set
)

// spawnerJSON says who has spawned entities of a set that grows.
type spawnerJSON struct {
	Prefab   string     `json:"prefab,omitempty"`
	System   string     `json:"system,omitempty"` // that was at work; without one it was the host, between two steps
	At       *placeJSON `json:"at,omitempty"`     // the line whose command it was
	Entities int        `json:"entities"`         // of the newest that live
}

// String says it in words: of the prefab Bullet, by "weapons" at weapons.lua:12.
func (o spawnerJSON) String() string {
	what, by := "", "by the host"
	if o.Prefab != "" {
		what = "of the prefab " + o.Prefab + ", "
	}
	if o.System != "" {
		by = fmt.Sprintf("by %q", o.System)
	}
	if o.At != nil {
		by += fmt.Sprintf(" at %s:%d", o.At.Script, o.At.Line)
	}
	return what + by
}

// said is the end of a warning: who has spawned the newest of a set.
func (g *growth) said(key string) string {
	if g.spawners == nil {
		return ". With a journal, this says who spawns them"
	}
	var list []string
	for _, o := range g.spawners[key] {
		list = append(list, fmt.Sprintf("%d %v", o.Entities, o))
	}
	if len(list) == 0 {
		return ""
	}
	return ". Of the newest " + strings.Join(list, "; ")
}

// findSpawners finds out who has spawned the newest entities of the sets that have grown. It looks into the journal only if
// there is such a set. For the goroutine of the host.
func (i *Inspector) findSpawners(s *ecs.Stats) {
	g := &i.growth
	if g.spawners = nil; i.journal == nil {
		return
	}
	g.spawners = map[string][]spawnerJSON{}
	var spawns []journal.Entry
	g.eachLeak(s, func(components []string, pool bool, _, _ int) {
		if spawns == nil {
			spawns = i.journal.Spawns(spawnsLooked)
		}
		g.spawners[setKey(components, pool)] = i.spawnersOf(spawns, components, pool)
	})
}

// spawnersOf groups the spawns of entities that are in a set, the largest group first.
func (i *Inspector) spawnersOf(spawns []journal.Entry, components []string, pool bool) (list []spawnerJSON) {
	ids := make([]ecs.ComponentID, 0, len(components))
	for _, name := range components {
		if id, ok := i.world.Raw().ComponentNamed(name); ok {
			ids = append(ids, id)
		}
	}
	at := map[spawner]int{} // in the list
	for k := range spawns {
		e := &spawns[k]
		if !i.inSet(e.Entity, ids, pool) {
			continue
		}
		p := i.host.PlaceOf(e.Caller)
		from := spawner{e.Caller.Prefab, e.System, p.Script, p.Line}
		n, known := at[from]
		if !known {
			n = len(list)
			at[from] = n
			list = append(list, from.json())
		}
		list[n].Entities++
	}
	slices.SortStableFunc(list, func(a, b spawnerJSON) int { return cmp.Compare(b.Entities, a.Entities) })
	return list[:min(len(list), mostSpawners)]
}

// spawner is where entities come from.
type spawner struct {
	prefab, system, script string
	line                   int // 0: no script has said so
}

func (o spawner) json() spawnerJSON {
	one := spawnerJSON{Prefab: short(o.prefab), System: o.system}
	if o.line > 0 {
		one.At = &placeJSON{Script: o.script, Line: o.line}
	}
	return one
}

// inSet reports whether an entity lives in the pool of a component, or has these columns and no others.
func (i *Inspector) inSet(e ecs.Entity, ids []ecs.ComponentID, pool bool) bool {
	raw := i.world.Raw()
	if !i.world.Alive(e) || slices.ContainsFunc(ids, func(id ecs.ComponentID) bool { return !raw.Has(e, id) }) {
		return false
	}
	columns := 0
	for _, id := range raw.Components(e, nil) {
		if !raw.Pooled(id) {
			columns++
		}
	}
	return pool && len(ids) > 0 || !pool && columns == len(ids)
}
