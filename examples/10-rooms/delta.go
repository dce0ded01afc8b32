package main

import (
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// Look is what clients see of an entity, beside its place.
type Look struct {
	Kind   uint8 // a player or a coin
	Points uint32
}

// The kinds of entities that clients see.
const (
	kindPlayer = 1
	kindCoin   = 2
)

// row is an entity as it is sent: its number, its kind, its place in hundredths of a unit, its
// points. An entity's number is below 2^53, so JavaScript reads it exactly.
type row [5]int64

// update is what a client gets: the rows that are new or changed, and the entities that are
// gone. A full one has all rows that there are, and is the first that a client gets.
type update struct {
	Tick uint64       `json:"tick"`
	Full bool         `json:"full,omitempty"`
	You  ecs.Entity   `json:"you,omitempty"` // the client's own entity, in its full update
	Rows []row        `json:"rows,omitempty"`
	Gone []ecs.Entity `json:"gone,omitempty"` // before the rows: an entity may come back
}

// deltas finds what has changed in a world since it was asked last. The world says which
// chunks were written; the values sent last say which rows of them differ.
//
// Invariant: sent holds what a client has that got a full update and all that followed.
type deltas struct {
	position ecs.Component[kit.Position]
	look     ecs.Component[Look]
	written  *ecs.Query
	sent     map[ecs.Entity]row
	gone     []ecs.Entity
}

func newDeltas(w *ecs.World) (*deltas, error) {
	d := &deltas{position: ecs.Register[kit.Position](w), look: ecs.Register[Look](w), sent: map[ecs.Entity]row{}}
	d.written = w.Query(ecs.Read(d.position), ecs.Read(d.look)).Changed(d.position, d.look)
	return d, w.Observe(ecs.Observer{
		Name: "deltas.gone", On: ecs.OnRemove, Component: d.look,
		Run: func(_ *ecs.Tick, n ecs.Notice) error { d.forget(n.Entity); return nil },
	})
}

func (d *deltas) forget(e ecs.Entity) {
	if _, ok := d.sent[e]; ok {
		delete(d.sent, e)
		d.gone = append(d.gone, e)
	}
}

// next returns what has changed since the last call. Call it after each step.
func (d *deltas) next(tick uint64) update {
	u := update{Tick: tick, Gone: d.gone}
	d.gone = nil
	for c := range d.written.Chunks() {
		positions, looks := d.position.Of(c), d.look.Of(c)
		for i, e := range c.Entities() {
			if r := rowOf(e, positions[i], looks[i]); d.sent[e] != r {
				d.sent[e] = r
				u.Rows = append(u.Rows, r)
			}
		}
	}
	return u
}

// full returns all that the last update left a client with, in order of the entities.
func (d *deltas) full(tick uint64) update {
	u := update{Tick: tick, Full: true}
	for _, e := range slices.Sorted(maps.Keys(d.sent)) {
		u.Rows = append(u.Rows, d.sent[e])
	}
	return u
}

func (u update) empty() bool { return len(u.Rows) == 0 && len(u.Gone) == 0 }

func rowOf(e ecs.Entity, p kit.Position, l Look) row {
	return row{int64(e), int64(l.Kind), hundredths(p.X), hundredths(p.Y), int64(l.Points)}
}

// hundredths rounds a coordinate to what is sent. A script may have made it anything: what is
// no number is 0, and what is out of sight stays there.
func hundredths(x float64) int64 {
	const far = 1e12
	if x != x {
		return 0
	}
	return int64(math.Round(math.Max(-far, math.Min(far, x*100))))
}
