package main

import (
	"maps"
	"math"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// trailPlaces is how many places a trail keeps, beside the one of its entity: at least a part of its time lies between two.
const trailPlaces = 28

// trails are where entities with a Trail were. An entity that is no longer there leaves its trail to fade out.
type trails struct {
	all   map[ecs.Entity]*trail
	order []ecs.Entity // all of them: one that crosses another lies above it in each picture
	time  float64      // of the last step, seconds of simulation
}

// trail is a Trail as it was last, and the places that stay in it, the oldest first.
type trail struct {
	kit.Trail
	x, y   float64 // where the entity was last
	seen   float64 // when
	places []trailPlace
}

// trailPlace is where an entity was, and when.
type trailPlace struct{ x, y, time float64 }

// leave notes where the entities of a list are, after a step. Trails begin anew when time has gone back, and where an
// entity has moved farther than a step can take it.
func (t *trails) leave(list *kit.DrawList) {
	if t.all == nil || list.Time < t.time {
		t.all = map[ecs.Entity]*trail{}
	}
	t.time = list.Time
	for k := range list.Trails {
		t.at(&list.Trails[k])
	}
	for e, one := range t.all {
		if one.seen != t.time && !(t.time-one.seen < float64(one.Seconds)) {
			delete(t.all, e)
		}
	}
	t.order = slices.AppendSeq(t.order[:0], maps.Keys(t.all))
	slices.Sort(t.order)
}

// at notes where one entity is.
func (t *trails) at(p *kit.PlacedTrail) {
	one := t.all[p.Entity]
	if one == nil {
		one = &trail{}
		t.all[p.Entity] = one
	} else if dx, dy := p.X-one.x, p.Y-one.y; !(dx*dx+dy*dy < jump*jump) {
		one.places = one.places[:0]
	}
	one.Trail, one.x, one.y, one.seen = p.Trail, p.X, p.Y, t.time
	if n := len(one.places); n > 0 && t.time-one.places[n-1].time < float64(p.Seconds)/trailPlaces {
		return
	} else if n > trailPlaces {
		one.places = one.places[:copy(one.places, one.places[1:])]
	}
	one.places = append(one.places, trailPlace{p.X, p.Y, t.time})
}

// drawTrails draws what is behind moving entities: a band that gets narrower and fades out towards its end.
func (p *painter) drawTrails(g *game, f *frame, to *ebiten.Image, alpha float64) {
	p.from = p.forms
	for _, e := range g.trails.order {
		var now float64
		p.points, now = g.trailOf(e, p.points[:0], alpha)
		p.band(f, g.trails.all[e], p.points, now)
	}
	p.flush(to)
}

// trailOf adds the places of an entity's trail to an empty list, as they are seen at a part of the time between two steps: now.
func (g *game) trailOf(e ecs.Entity, list []trailPlace, alpha float64) (points []trailPlace, now float64) {
	now = g.trails.time - (1-alpha)/stepsPerSecond
	one := g.trails.all[e]
	x, y := one.x, one.y
	if one.seen == g.trails.time {
		x, y = g.between(e, x, y, alpha)
	}
	return one.points(list, x, y, now), now
}

// points adds the places of a trail that are seen at a time to an empty list, the newest first: that of its entity, x and y, begins.
func (t *trail) points(list []trailPlace, x, y, now float64) []trailPlace {
	list = append(list, trailPlace{x, y, min(now, t.seen)})
	for k := len(t.places) - 1; k >= 0; k-- {
		at := t.places[k]
		if at.time >= list[0].time {
			continue // it is in between, and not there yet
		}
		last := list[len(list)-1]
		if left := float64(t.Seconds) - (now - at.time); left < 0 { // the end lies between two places
			if part := (float64(t.Seconds) - (now - last.time)) / (last.time - at.time); part > 0 {
				list = append(list, trailPlace{last.x + (at.x-last.x)*part, last.y + (at.y-last.y)*part, last.time - (last.time-at.time)*part})
			}
			break
		}
		list = append(list, at)
	}
	return list
}

// band adds the triangles of a trail: two corners beside each point.
func (p *painter) band(f *frame, t *trail, points []trailPlace, now float64) {
	if len(points) < 2 || !(t.Width > 0 && t.Alpha > 0 && t.Seconds > 0) {
		return
	}
	first := uint32(len(p.vertices))
	for k, at := range points {
		behind, ahead := points[min(k+1, len(points)-1)], points[max(k-1, 0)]
		dx, dy := ahead.x-behind.x, ahead.y-behind.y
		if length := math.Hypot(dx, dy); length > 0 {
			dx, dy = dx/length, dy/length
		}
		left := max(0, min(1, 1-(now-at.time)/float64(t.Seconds)))
		half := float64(t.Width) / 2 * f.scale * (0.25 + 0.75*left)
		a, c := min(t.Alpha, 1)*float32(left), t.Color
		x, y := f.screen(at.x, at.y)
		for _, side := range [2]float64{half, -half} {
			p.vertices = append(p.vertices, ebiten.Vertex{
				DstX: float32(x + dy*side), DstY: float32(y + dx*side),
				SrcX: cell * (float32(kit.Square) + 0.5), SrcY: cell / 2, // the middle of a square is white
				ColorR: float32(c>>16&255) / 255 * a, ColorG: float32(c>>8&255) / 255 * a, ColorB: float32(c&255) / 255 * a, ColorA: a,
			})
		}
		if i := first + uint32(2*k); k > 0 {
			p.indices = append(p.indices, i-2, i-1, i, i-1, i, i+1)
		}
	}
}
