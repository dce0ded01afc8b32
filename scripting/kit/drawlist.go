package kit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// The bounds of a DrawList: what is more is left out.
const (
	mostDrawables = 50_000 // shapes and sprites
	mostBars      = 4096
	mostTrails    = 4096
	mostLabels    = 512
)

// DrawList is a copy of what is to be drawn of a world, as the last tick has left it: what every view makes its pictures of. Use
// [NewDrawList].
//
//	list, err := kit.NewDrawList(world)
//	…
//	list.Update()                  // after a step
//	for k := range list.Len() {
//		one := list.At(k)          // the lower layers first
//	}
//
// Update belongs to the goroutine of the world. All else may be done on another one, until the next Update: a view that takes long holds no
// step. A list belongs to one goroutine at a time. It uses its memory again, so what it has is good until the next Update.
type DrawList struct {
	Tick uint64
	Time float64 // seconds of simulation

	Arena     Arena // zero where the world has none
	HasCamera bool
	Camera    Camera  // the first one that has a place
	EyeX      float64 // where the camera is, world units
	EyeY      float64

	Bars    []PlacedBar // those that are not full: a full one says nothing
	Trails  []PlacedTrail
	Labels  []PlacedLabel
	Strokes []sketch.Stroke // what was drawn with ecs.draw and Screen.Draw
	More    bool            // something was left out: there may be 50,000 shapes and sprites, 4,096 bars, trails and strokes each, and 512 labels

	drawables
	showing showing
	dropped uint64 // strokes that were left out up to the last Update
}

// Drawable is a shape or a sprite, and its place.
type Drawable struct {
	Entity ecs.Entity
	X, Y   float64 // world units
	Scale  float32 // of its GlobalTransform, by which its size is multiplied; 1 without one
	Shape  *Shape  // nil: it is a sprite
	Sprite *Sprite // nil: it is a shape

	angle  float32
	vx, vy float64
}

// Angle returns where the front of a shape leads, or the right side of a sprite, in radians: its angle, that of its
// GlobalTransform, and where its velocity leads, if it turns. 0 where that is no number, or beyond a billion.
func (d *Drawable) Angle() float64 {
	if d == nil {
		return 0
	}
	angle, turns := d.angle, false
	switch {
	case d.Sprite != nil:
		angle, turns = angle+d.Sprite.Angle, d.Sprite.Turns
	case d.Shape != nil:
		angle, turns = angle+d.Shape.Angle, d.Shape.Turns
	}
	whole := float64(angle)
	if turns && (d.vx != 0 || d.vy != 0) {
		whole += detmath.Atan2(d.vy, d.vx)
	}
	if !(math.Abs(whole) < far) {
		return 0
	}
	return whole
}

// PlacedBar is a Bar, and where its middle is.
type PlacedBar struct {
	Entity ecs.Entity
	X, Y   float64
	Bar
}

// PlacedTrail is a Trail, and where its entity is. A view keeps the places where it was.
type PlacedTrail struct {
	Entity ecs.Entity
	X, Y   float64
	Trail
}

// PlacedLabel is a Label, and where the middle of its text is. Size and Color have their defaults where they were 0.
type PlacedLabel struct {
	Entity ecs.Entity
	X, Y   float64
	Corner bool // its entity has no place: it stands in the corner of the view
	Label
}

// drawables are shapes and sprites with their places, chunk by chunk and column by column, as the world has them: copying columns takes a
// third of the time that copying row by row does. What has not changed since the last time is not copied again: most shapes never do. A restore
// gives all columns new versions.
//
// Invariant: a column that a part has is what its chunk had when the version of the world was copied.
type drawables struct {
	parts []drawnPart // the first used of them are of now, and what is behind them is memory for later
	used  int
	n     int // shapes and sprites

	ordered bool     // sorted has the order of layers
	sorted  []partAt // the lower layers first
	counts  [256]int
}

// drawnPart is what one chunk has given. Columns that it has not are empty.
type drawnPart struct {
	copied     uint64 // the version of the world at the last copy
	isSprite   bool
	entities   []ecs.Entity
	shapes     []Shape // or sprites
	sprites    []Sprite
	positions  []Position
	velocities []Velocity
	globals    []GlobalTransform
}

// partAt is where one stands: a part, and a row of it.
type partAt struct{ part, row int32 }

// at returns a row of a part.
func (p *drawnPart) at(k int) Drawable {
	one := Drawable{Entity: p.entities[k], Scale: 1}
	if p.isSprite {
		one.Sprite = &p.sprites[k]
	} else {
		one.Shape = &p.shapes[k]
	}
	if k < len(p.positions) {
		at := &p.positions[k]
		one.X, one.Y = at.X, at.Y
	}
	if k < len(p.velocities) {
		v := &p.velocities[k]
		one.vx, one.vy = v.X, v.Y
	}
	if k < len(p.globals) {
		g := &p.globals[k]
		one.X, one.Y, one.angle, one.Scale = g.X, g.Y, float32(g.Angle), float32(g.Scale)
	}
	return one
}

// order sorts by layer; those of one layer stay in order.
func (s *drawables) order() {
	s.counts, s.ordered = [256]int{}, true
	for n := range s.parts[:s.used] {
		p := &s.parts[n]
		for k := range p.shapes {
			s.counts[p.shapes[k].Layer]++
		}
		for k := range p.sprites {
			s.counts[p.sprites[k].Layer]++
		}
	}
	at := 0
	for l, n := range s.counts {
		s.counts[l] = at
		at += n
	}
	if cap(s.sorted) < s.n {
		s.sorted = make([]partAt, s.n)
	}
	s.sorted = s.sorted[:s.n]
	for n := range s.parts[:s.used] {
		p := &s.parts[n]
		for k := range p.shapes {
			s.place(p.shapes[k].Layer, n, k)
		}
		for k := range p.sprites {
			s.place(p.sprites[k].Layer, n, k)
		}
	}
}

// place puts a row of a part behind the others of its layer.
func (s *drawables) place(layer uint8, part, row int) {
	s.sorted[s.counts[layer]] = partAt{int32(part), int32(row)}
	s.counts[layer]++
}

// Len returns how many shapes and sprites there are.
func (l *DrawList) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// At returns one of the shapes and sprites, from 0 to Len()-1: those of lower layers first, and in one layer shapes before sprites. For
// another number it returns one that is neither. The first call after an Update sorts them, O(Len).
func (l *DrawList) At(k int) Drawable {
	if uint(k) >= uint(l.Len()) {
		return Drawable{}
	}
	if !l.ordered {
		l.order()
	}
	at := l.sorted[k]
	return l.parts[at.part].at(int(at.row))
}

// showing is how a list finds what is to be drawn.
type showing struct {
	world    *ecs.World
	sketch   *sketch.Sketch // nil: the world has none
	shape    ecs.Component[Shape]
	sprite   ecs.Component[Sprite]
	trail    ecs.Component[Trail]
	label    ecs.Component[Label]
	bar      ecs.Component[Bar]
	camera   ecs.Component[Camera]
	position ecs.Component[Position]
	velocity ecs.Component[Velocity]
	global   ecs.Component[GlobalTransform]

	shapes, sprites, trails, labels, bars, cameras *ecs.Query
}

// NewDrawList makes an empty list of a world. Components of this package that the world does not have yet are registered, and its sketch
// keeps strokes from now on. Call it on the goroutine of the world, between two steps. The error wraps [ecs.ErrConflict] for a nil world, for one that runs, and where
// the name of a component is taken, and [ecs.ErrClosed].
func NewDrawList(w *ecs.World) (*DrawList, error) {
	if w == nil {
		return nil, fmt.Errorf("kit: NewDrawList: %w: the world is nil", ecs.ErrConflict)
	}
	err := w.Raw().Ready()
	p := showing{world: w, sketch: sketch.Of(w)}
	p.shape, err = registered(w, p.shape, err)
	p.sprite, err = registered(w, p.sprite, err)
	p.trail, err = registered(w, p.trail, err)
	p.label, err = registered(w, p.label, err)
	p.bar, err = registered(w, p.bar, err)
	p.camera, err = registered(w, p.camera, err)
	p.position, err = registered(w, p.position, err)
	p.velocity, err = registered(w, p.velocity, err)
	p.global, err = registered(w, p.global, err)
	if err != nil {
		return nil, fmt.Errorf("kit: NewDrawList: %w", err)
	}
	place := []ecs.Term{ecs.Read(p.position), ecs.Read(p.global)}
	moved := append(place, ecs.Read(p.velocity))
	p.shapes = w.Query(ecs.Read(p.shape)).Optional(moved...)
	p.sprites = w.Query(ecs.Read(p.sprite)).Optional(moved...)
	p.trails = w.Query(ecs.Read(p.trail)).Optional(place...)
	p.labels = w.Query(ecs.Read(p.label)).Optional(place...)
	p.bars = w.Query(ecs.Read(p.bar)).Optional(place...)
	p.cameras = w.Query(ecs.Read(p.camera)).Optional(place...)
	p.sketch.Show()
	return &DrawList{showing: p}, nil
}

// registered registers a component, unless there was an error before.
func registered[T any](w *ecs.World, none ecs.Component[T], before error) (ecs.Component[T], error) {
	if before != nil {
		return none, before
	}
	return ecs.TryRegister[T](w)
}

// Update copies what is to be drawn now; call it between two steps, or at the end of one (see [ecs.Schedule.OnTick]). It panics in a system that
// runs beside others, as each query does there. A list that NewDrawList has not made, or of a world that is closed, stays
// what it is. O(what is drawn): some 50 µs for 10,000 shapes that move.
func (l *DrawList) Update() {
	if l == nil || l.showing.world == nil || errors.Is(l.showing.world.Raw().Ready(), ecs.ErrClosed) {
		return
	}
	p := &l.showing
	l.Time, l.Tick = p.world.Time()
	l.used, l.n, l.ordered = 0, 0, false
	l.Bars, l.Trails, l.Labels, l.More = l.Bars[:0], l.Trails[:0], l.Labels[:0], false
	if a := ecs.Resource[Arena](p.world); a != nil {
		l.Arena = *a
	}
	l.HasCamera = false
	for c := range p.cameras.Chunks() {
		if x, y, ok := p.placeOf(c, 0); ok {
			l.Camera, l.EyeX, l.EyeY, l.HasCamera = p.camera.Of(c)[0], x, y, true
			break
		}
	}
	for _, q := range []*ecs.Query{p.shapes, p.sprites} {
		for c := range q.Chunks() {
			if l.n+c.Len() > mostDrawables {
				l.More = true
				break
			}
			p.chunk(&l.drawables, c, q == p.sprites)
		}
	}
	l.copyBars()
	l.copyTrails()
	l.copyLabels()
	l.Strokes = p.sketch.At(l.Strokes[:0])
	dropped := p.sketch.Dropped()
	l.More, l.dropped = l.More || dropped > l.dropped, dropped
}

// chunk copies the shapes or the sprites of a chunk.
func (p *showing) chunk(s *drawables, c *ecs.Chunk, isSprite bool) {
	positions, velocities, globals := p.position.Of(c), p.velocity.Of(c), p.global.Of(c)
	if positions == nil && globals == nil {
		return
	}
	if s.used == len(s.parts) {
		s.parts = append(s.parts, drawnPart{})
	}
	part := &s.parts[s.used]
	s.used, s.n = s.used+1, s.n+c.Len()
	since := part.copied
	if part.isSprite != isSprite || !slices.Equal(part.entities, c.Entities()) {
		since = 0 // other ones
		part.isSprite, part.entities = isSprite, append(part.entities[:0], c.Entities()...)
	}
	part.copied = p.world.Raw().Version()
	part.shapes = renewed(part.shapes, c, p.shape, since, !isSprite)
	part.sprites = renewed(part.sprites, c, p.sprite, since, isSprite)
	part.positions = renewed(part.positions, c, p.position, since, positions != nil)
	part.velocities = renewed(part.velocities, c, p.velocity, since, velocities != nil)
	part.globals = renewed(part.globals, c, p.global, since, globals != nil)
}

// renewed returns a column of a chunk, in the memory of what was copied of the same entities when the version of the world was since. What was
// written in that version may have been written after the copy.
func renewed[T any](had []T, c *ecs.Chunk, of ecs.Component[T], since uint64, has bool) []T {
	if !has {
		return had[:0]
	}
	if since > 0 && len(had) == c.Len() && c.Version(of.ID()) < since {
		return had
	}
	return append(had[:0], of.Of(c)...)
}

// placeOf returns where a row of a chunk is.
func (p *showing) placeOf(c *ecs.Chunk, row int) (x, y float64, ok bool) {
	if g := p.global.Of(c); g != nil {
		return g[row].X, g[row].Y, true
	}
	if at := p.position.Of(c); at != nil {
		return at[row].X, at[row].Y, true
	}
	return 0, 0, false
}

// copyBars copies the bars that are not full.
func (l *DrawList) copyBars() {
	p := &l.showing
	for c := range p.bars.Chunks() {
		for k, b := range p.bar.Of(c) {
			x, y, ok := p.placeOf(c, k)
			if !ok || !(b.Value < b.Max) {
				continue
			}
			if len(l.Bars) == mostBars {
				l.More = true
				return
			}
			l.Bars = append(l.Bars, PlacedBar{c.Entities()[k], x, y + float64(b.DY), b})
		}
	}
}

// copyTrails copies the trails of which something is to be seen.
func (l *DrawList) copyTrails() {
	p := &l.showing
	for c := range p.trails.Chunks() {
		for k, t := range p.trail.Of(c) {
			x, y, ok := p.placeOf(c, k)
			if !ok || !(t.Seconds > 0 && t.Width > 0 && t.Alpha > 0) {
				continue
			}
			if len(l.Trails) == mostTrails {
				l.More = true
				return
			}
			l.Trails = append(l.Trails, PlacedTrail{c.Entities()[k], x, y, t})
		}
	}
}

// The defaults of a Label.
const (
	labelSize  = 13 // pixels
	labelColor = 0xffffff
)

// copyLabels copies the labels that have a text.
func (l *DrawList) copyLabels() {
	p := &l.showing
	for c := range p.labels.Chunks() {
		for k, one := range p.label.Of(c) {
			if one.Text == "" {
				continue
			}
			if len(l.Labels) == mostLabels {
				l.More = true
				return
			}
			if !(one.Size > 0) {
				one.Size = labelSize
			}
			if one.Color&0xffffff == 0 {
				one.Color = labelColor
			}
			x, y, ok := p.placeOf(c, k)
			l.Labels = append(l.Labels, PlacedLabel{c.Entities()[k], x + float64(one.DX), y + float64(one.DY), !ok, one})
		}
	}
}

// margin is how much more than the arena is seen, and empty how large a world is seen that has nothing in it.
const (
	margin = 0.05
	empty  = 1000
)

// Bounds returns the part of the world that is worth seeing: the arena with some room around it, or where that has no size, all
// shapes and sprites.
func (l *DrawList) Bounds() (x, y, width, height float64) {
	if l == nil {
		return -empty / 2, -empty / 2, empty, empty
	}
	if a := l.Arena; a.Width > 0 && a.Height > 0 && a.Width < far && a.Height < far {
		// Rounded one by one: an addition that is fused with them would differ from machine to machine.
		return float64(-margin * a.Width), float64(-margin * a.Height), float64((1 + 2*margin) * a.Width), float64((1 + 2*margin) * a.Height)
	}
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for n := range l.parts[:l.used] {
		for k := range l.parts[n].entities {
			if r := l.parts[n].at(k); math.Abs(r.X) < far && math.Abs(r.Y) < far {
				x1, y1, x2, y2 = min(x1, r.X), min(y1, r.Y), max(x2, r.X), max(y2, r.Y)
			}
		}
	}
	if x1 > x2 {
		return -empty / 2, -empty / 2, empty, empty
	}
	return x1 - margin*empty, y1 - margin*empty, x2 - x1 + 2*margin*empty, y2 - y1 + 2*margin*empty
}

// View returns what a screen shows that is aspect times as wide as high: the point in its middle, and how much of the world it is high. It is
// what the camera sees, or the Bounds as a whole. The height is above 0.
func (l *DrawList) View(aspect float64) (x, y, height float64) {
	if l != nil && l.HasCamera && l.Camera.Height > 0 && l.Camera.Height < far {
		return l.EyeX, l.EyeY, float64(l.Camera.Height)
	}
	if !(aspect > 0) {
		aspect = 1
	}
	x, y, width, height := l.Bounds()
	return x + float64(width/2), y + float64(height/2), max(height, width/aspect)
}
