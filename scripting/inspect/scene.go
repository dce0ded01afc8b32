package inspect

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

const (
	mostSprites = 50_000 // in a picture; further ones are left out
	mostBars    = 4096
	mostLabels  = 512
	longestHud  = 200 // bytes of a label's text
)

// scene is a copy of what is to be drawn, as the tick has left it. It holds nothing of the world.
type scene struct {
	tick   uint64
	time   float64
	arena  kit.Arena
	camera kit.Camera
	eye    [2]float64 // where the camera is
	looks  bool       // there is a camera
	sprites
	bars   []barAt
	labels []labelAt
	more   bool // something was left out
}

// sprites are shapes and their places, column by column, as chunks have them: copying columns takes a
// third of the time that copying row by row does.
type sprites struct {
	parts      []chunkRows
	entities   []ecs.Entity
	shapes     []kit.Shape
	positions  []kit.Position
	velocities []kit.Velocity
	globals    []kit.GlobalTransform
}

// chunkRows is what one chunk has given: n rows from an index on, of the columns that it has.
type chunkRows struct {
	n                                   int
	row, position, velocity, global     int // where its rows begin in the columns
	hasPosition, hasVelocity, hasGlobal bool
}

// clear forgets all, and keeps the memory.
func (s *sprites) clear() {
	s.parts, s.entities, s.shapes = s.parts[:0], s.entities[:0], s.shapes[:0]
	s.positions, s.velocities, s.globals = s.positions[:0], s.velocities[:0], s.globals[:0]
}

// sprite is a shape and its place.
type sprite struct {
	e            ecs.Entity
	x, y         float64
	vx, vy       float64
	angle, scale float32
	shape        *kit.Shape
}

// at returns a row of a part.
func (s *sprites) at(p *chunkRows, k int) sprite {
	one := sprite{e: s.entities[p.row+k], shape: &s.shapes[p.row+k], scale: 1}
	if p.hasPosition {
		at := &s.positions[p.position+k]
		one.x, one.y = at.X, at.Y
	}
	if p.hasVelocity {
		v := &s.velocities[p.velocity+k]
		one.vx, one.vy = v.X, v.Y
	}
	if p.hasGlobal {
		g := &s.globals[p.global+k]
		one.x, one.y, one.angle, one.scale = g.X, g.Y, float32(g.Angle), float32(g.Scale)
	}
	return one
}

// barAt is a Bar and its place.
type barAt struct {
	e    ecs.Entity
	x, y float64
	kit.Bar
}

// labelAt is a Label and its place; hud is one without a place.
type labelAt struct {
	e    ecs.Entity
	x, y float64
	hud  bool
	kit.Label
}

// painter copies scenes. It belongs to the goroutine of the host.
type painter struct {
	world    *ecs.World
	shape    ecs.Component[kit.Shape]
	label    ecs.Component[kit.Label]
	bar      ecs.Component[kit.Bar]
	camera   ecs.Component[kit.Camera]
	position ecs.Component[kit.Position]
	velocity ecs.Component[kit.Velocity]
	global   ecs.Component[kit.GlobalTransform]

	shapes, labels, bars, cameras *ecs.Query
}

// newPainter makes the queries. Components that the world does not have yet are registered.
func newPainter(w *ecs.World) (p *painter, err error) {
	p = &painter{world: w}
	if p.shape, err = ecs.TryRegister[kit.Shape](w); err != nil {
		return nil, err
	}
	if p.label, err = ecs.TryRegister[kit.Label](w); err != nil {
		return nil, err
	}
	if p.bar, err = ecs.TryRegister[kit.Bar](w); err != nil {
		return nil, err
	}
	if p.camera, err = ecs.TryRegister[kit.Camera](w); err != nil {
		return nil, err
	}
	if p.position, err = ecs.TryRegister[kit.Position](w); err != nil {
		return nil, err
	}
	if p.velocity, err = ecs.TryRegister[kit.Velocity](w); err != nil {
		return nil, err
	}
	if p.global, err = ecs.TryRegister[kit.GlobalTransform](w); err != nil {
		return nil, err
	}
	place := []ecs.Term{ecs.Read(p.position), ecs.Read(p.global)}
	p.shapes = w.Query(ecs.Read(p.shape)).Optional(append(place, ecs.Read(p.velocity))...)
	p.labels = w.Query(ecs.Read(p.label)).Optional(place...)
	p.bars = w.Query(ecs.Read(p.bar)).Optional(place...)
	p.cameras = w.Query(ecs.Read(p.camera)).Optional(place...)
	return p, nil
}

// paint copies what is to be drawn.
func (p *painter) paint(s *scene) {
	s.time, s.tick = p.world.Time()
	s.sprites.clear()
	s.bars, s.labels, s.more, s.looks = s.bars[:0], s.labels[:0], false, false
	if a := ecs.Resource[kit.Arena](p.world); a != nil {
		s.arena = *a
	}
	for c := range p.cameras.Chunks() {
		if x, y, ok := p.placeOf(c, 0); ok {
			s.camera, s.eye, s.looks = p.camera.Of(c)[0], [2]float64{x, y}, true
			break
		}
	}
	for c := range p.shapes.Chunks() {
		if s.more = len(s.entities)+c.Len() > mostSprites; s.more {
			break
		}
		p.chunk(&s.sprites, c)
	}
	p.paintBars(s)
	p.paintLabels(s)
}

// chunk copies the shapes of a chunk.
func (p *painter) chunk(s *sprites, c *ecs.Chunk) {
	positions, velocities, globals := p.position.Of(c), p.velocity.Of(c), p.global.Of(c)
	if positions == nil && globals == nil {
		return
	}
	s.parts = append(s.parts, chunkRows{
		n: c.Len(), row: len(s.entities), position: len(s.positions), velocity: len(s.velocities), global: len(s.globals),
		hasPosition: positions != nil, hasVelocity: velocities != nil, hasGlobal: globals != nil,
	})
	s.entities, s.shapes = append(s.entities, c.Entities()...), append(s.shapes, p.shape.Of(c)...)
	s.positions, s.velocities, s.globals = append(s.positions, positions...), append(s.velocities, velocities...), append(s.globals, globals...)
}

// placeOf returns where a row of a chunk is.
func (p *painter) placeOf(c *ecs.Chunk, row int) (x, y float64, ok bool) {
	if g := p.global.Of(c); g != nil {
		return g[row].X, g[row].Y, true
	}
	if at := p.position.Of(c); at != nil {
		return at[row].X, at[row].Y, true
	}
	return 0, 0, false
}

// paintBars copies the bars that are not full: a full one says nothing.
func (p *painter) paintBars(s *scene) {
	for c := range p.bars.Chunks() {
		for k, b := range p.bar.Of(c) {
			x, y, ok := p.placeOf(c, k)
			if !ok || !(b.Value < b.Max) {
				continue
			}
			if len(s.bars) == mostBars {
				s.more = true
				return
			}
			s.bars = append(s.bars, barAt{c.Entities()[k], x, y + float64(b.DY), b})
		}
	}
}

// paintLabels copies the labels.
func (p *painter) paintLabels(s *scene) {
	for c := range p.labels.Chunks() {
		for k, l := range p.label.Of(c) {
			if len(s.labels) == mostLabels {
				s.more = true
				return
			}
			x, y, ok := p.placeOf(c, k)
			s.labels = append(s.labels, labelAt{c.Entities()[k], x + float64(l.DX), y + float64(l.DY), !ok, l})
		}
	}
}

// region is a part of the world.
type region struct{ x, y, width, height float64 }

// seen is the part of the world that a picture has: what the camera sees on a screen of any form, the
// arena with some room around it, or all shapes where there is neither.
func (s *scene) seen() region {
	h := float64(s.camera.Height)
	switch {
	case s.looks && h > 0 && h < 1e9:
		return region{s.eye[0] - 1.3*h, s.eye[1] - 1.3*h, 2.6 * h, 2.6 * h}
	case s.arena.Width > 0 && s.arena.Height > 0 && s.arena.Width < 1e9 && s.arena.Height < 1e9:
		return region{-0.05 * s.arena.Width, -0.05 * s.arena.Height, 1.1 * s.arena.Width, 1.1 * s.arena.Height}
	}
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for n := range s.parts {
		for k := range s.parts[n].n {
			if r := s.at(&s.parts[n], k); math.Abs(r.x) < 1e9 && math.Abs(r.y) < 1e9 {
				x1, y1, x2, y2 = min(x1, r.x), min(y1, r.y), max(x2, r.x), max(y2, r.y)
			}
		}
	}
	if x1 > x2 {
		return region{-500, -500, 1000, 1000}
	}
	return region{x1 - 50, y1 - 50, x2 - x1 + 100, y2 - y1 + 100}
}
