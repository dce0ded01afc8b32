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
	Gone []ecs.Entity `json:"gone,omitempty"`
}

// deltas finds what has changed in a world since it was asked last. The world compares the
// values of both components itself, see [ecs.Tracked]. What was sent last is kept beside that:
// clients need not hear of less than a hundredth, nor that somebody is gone whom they never saw.
//
// Invariant: sent holds what a client has that got a full update and all that followed.
type deltas struct {
	position      ecs.Component[kit.Position]
	look          ecs.Component[Look]
	placed, shown uint64 // versions of position and look up to which clients know them
	sent          map[ecs.Entity]row
}

func newDeltas(w *ecs.World) *deltas {
	return &deltas{
		position: ecs.Register[kit.Position](w, ecs.Tracked), look: ecs.Register[Look](w, ecs.Tracked),
		sent: map[ecs.Entity]row{},
	}
}

// next returns what has changed since the last call. Call it after each step.
func (d *deltas) next(tick uint64) (update, error) {
	u := update{Tick: tick}
	places, err := d.position.Since(d.placed)
	if err != nil {
		return u, err
	}
	looks, err := d.look.Since(d.shown)
	if err != nil {
		return u, err
	}
	if places.Whole || looks.Whole { // nobody knows who has gone since
		for e := range d.sent {
			d.note(&u, e)
		}
	}
	for e := range places.Changed() {
		d.note(&u, e)
	}
	for e := range looks.Changed() {
		d.note(&u, e)
	}
	for _, e := range slices.Concat(places.Removed(), looks.Removed()) {
		d.note(&u, e)
	}
	d.placed, d.shown = places.Version, looks.Version
	return u, nil
}

// note puts an entity into an update if clients see another one than was sent last.
func (d *deltas) note(u *update, e ecs.Entity) {
	p, placed := d.position.Get(e)
	l, looks := d.look.Get(e)
	before, was := d.sent[e]
	switch now := rowOf(e, p, l); {
	case !placed || !looks:
		if was {
			delete(d.sent, e)
			u.Gone = append(u.Gone, e)
		}
	case now != before:
		d.sent[e] = now
		u.Rows = append(u.Rows, now)
	}
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
