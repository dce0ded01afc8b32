package main

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // the types of pictures that sprites show
	_ "image/png"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// frame is the part of the world that the window shows.
type frame struct {
	x, y   float64 // its middle, world units
	scale  float64 // pixels for each
	width  float64 // of the window, pixels
	height float64
}

// look returns what the first camera sees, or the whole arena where there is none.
func (g *game) look(width, height int) (f frame, ground color.Color) {
	f = frame{width: float64(width), height: float64(height)}
	x, y, tall := g.list.View(f.width / f.height)
	f.x, f.y, f.scale = x, y, f.height/tall
	if g.list.HasCamera {
		return f, rgb(g.list.Camera.Background)
	}
	return f, rgb(0x0a0e1a)
}

// screen returns where a point of the world is in the window.
func (f *frame) screen(x, y float64) (sx, sy float64) {
	return f.width/2 + (x-f.x)*f.scale, f.height/2 - (y-f.y)*f.scale
}

// point returns the point of the world at a pixel of the window.
func (f *frame) point(sx, sy float64) (x, y float64) {
	return f.x + (sx-f.width/2)/f.scale, f.y - (sy-f.height/2)/f.scale
}

// rgb makes a color of 0xRRGGBB.
func rgb(c uint32) color.RGBA { return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255} }

// painter draws pictures of a game. What follows each other and is cut out of the same image is one call: all shapes are, since one
// image has each form once.
type painter struct {
	forms    *ebiten.Image
	from     *ebiten.Image // of the vertices
	vertices []ebiten.Vertex
	indices  []uint32
	points   []trailPlace // of one trail
	images   map[uint32]loaded
	missing  *ebiten.Image // stands for what cannot be shown
	font     *text.GoTextFaceSource
}

// cell is how wide the picture of a form is, in pixels, with an empty border; reach is half of what the form fills.
const (
	cell   = 128
	border = 8
	reach  = cell/2 - border
)

// newPainter makes the image of forms.
func newPainter() (*painter, error) {
	font, err := text.NewGoTextFaceSource(bytes.NewReader(goregular.TTF))
	if err != nil {
		return nil, err
	}
	forms := image.NewNRGBA(image.Rect(0, 0, cell*int(kit.Dot+1), cell))
	for form := kit.Circle; form <= kit.Dot; form++ {
		for j := range cell {
			for i := range cell {
				x, y := (float64(i)+0.5-cell/2)/reach, (cell/2-float64(j)-0.5)/reach
				forms.SetNRGBA(int(form)*cell+i, j, color.NRGBA{255, 255, 255, uint8(255 * covers(form, x, y))})
			}
		}
	}
	return &painter{forms: ebiten.NewImageFromImage(forms), images: map[uint32]loaded{}, missing: ebiten.NewImageFromImage(missing()), font: font}, nil
}

// covers is how much of a pixel a form covers, 0 to 1. Forms reach from -1 to 1.
func covers(form kit.Figure, x, y float64) float64 {
	if form == kit.Dot {
		return math.Pow(max(0, 1-math.Hypot(x, y)), 1.6)
	}
	return min(1, max(0, 0.5-distance(form, x, y)*reach))
}

// distance is about how far a point is outside of a form, below zero inside of it.
func distance(form kit.Figure, x, y float64) float64 {
	switch form {
	case kit.Ring:
		return math.Abs(math.Hypot(x, y)-0.84) - 0.16
	case kit.Square:
		return max(math.Abs(x), math.Abs(y)) - 0.82
	case kit.Triangle:
		return corner(x, y, 1, 0, -0.7, 0.8, -0.7, -0.8)
	case kit.Diamond:
		return (math.Abs(x) + math.Abs(y) - 1) * 0.7
	case kit.Star:
		const fifth = 2 * math.Pi / 5
		a := math.Atan2(y, x) + fifth/2
		a -= math.Floor(a/fifth)*fifth + fifth/2
		return (math.Hypot(x, y)*(math.Cos(a)+1.2*math.Abs(math.Sin(a))) - 0.95) * 0.6
	case kit.Arrow:
		return max(corner(x, y, 1, 0, -0.85, 0.75, -0.85, -0.75), -corner(x, y, -0.35, 0, -1.2, 0.9, -1.2, -0.9))
	}
	return math.Hypot(x, y) - 1
}

// corner is the distance from a triangle, whose corners go around to the left.
func corner(x, y, ax, ay, bx, by, cx, cy float64) float64 {
	side := func(px, py, qx, qy float64) float64 {
		return ((x-px)*(qy-py) - (y-py)*(qx-px)) / math.Hypot(qx-px, qy-py)
	}
	return max(side(ax, ay, bx, by), side(bx, by, cx, cy), side(cx, cy, ax, ay))
}

// draw draws a picture of the game, at a part of the time between two steps.
func (p *painter) draw(g *game, to *ebiten.Image, alpha float64) {
	size := to.Bounds().Size()
	f, ground := g.look(size.X, size.Y)
	to.Fill(ground)
	p.edge(g, &f, to)
	p.drawTrails(g, &f, to, alpha)
	p.drawAll(g, &f, to, alpha)
	p.drawBars(g, &f, to, alpha)
	p.drawStrokes(g, &f, to)
	p.drawLabels(g, &f, to, alpha)
}

// edge draws the outline of the arena.
func (p *painter) edge(g *game, f *frame, to *ebiten.Image) {
	arena := &g.list.Arena
	if !(arena.Width > 0 && arena.Height > 0) {
		return
	}
	x1, y1 := f.screen(0, arena.Height)
	x2, y2 := f.screen(arena.Width, 0)
	line := color.RGBA{40, 52, 84, 255}
	fill(to, x1, y1, x2-x1, 1, line)
	fill(to, x1, y2, x2-x1, 1, line)
	fill(to, x1, y1, 1, y2-y1, line)
	fill(to, x2, y1, 1, y2-y1, line)
}

// fill fills a rectangle.
func fill(to *ebiten.Image, x, y, w, h float64, c color.Color) {
	if b := to.Bounds(); w > 0 && h > 0 && x < float64(b.Max.X) && y < float64(b.Max.Y) && x+w > 0 && y+h > 0 {
		r := image.Rect(int(x), int(y), int(x+w+0.5), int(y+h+0.5)).Intersect(b)
		to.SubImage(r).(*ebiten.Image).Fill(c)
	}
}

// drawAll draws shapes and sprites, the lower layers first.
func (p *painter) drawAll(g *game, f *frame, to *ebiten.Image, alpha float64) {
	p.from = p.forms
	for k := range g.list.Len() {
		one := g.list.At(k)
		one.X, one.Y = g.between(one.Entity, one.X, one.Y, alpha)
		if one.Sprite != nil {
			p.sprite(g, f, to, &one)
		} else if s := one.Shape; s.Alpha > 0 {
			if s.Glow > 0 {
				p.form(f, to, &one, kit.Dot, 1+1.6*s.Glow, 0.5*s.Glow, true)
			}
			p.form(f, to, &one, min(s.Form, kit.Dot), 1, 1, false)
		}
	}
	p.flush(to)
}

// form adds a form. Light is added to what is behind it; all else covers that.
func (p *painter) form(f *frame, to *ebiten.Image, one *kit.Drawable, form kit.Figure, times, strength float32, light bool) {
	half := max(float64(one.Shape.Size*one.Scale*times)/2*f.scale, 1) * cell / 2 / reach
	p.quad(f, to, p.forms, image.Rect(int(form)*cell, 0, (int(form)+1)*cell, cell), one, half, half, one.Shape.Color, min(one.Shape.Alpha, 1)*strength, light)
}

// sprite adds a frame of an image.
func (p *painter) sprite(g *game, f *frame, to *ebiten.Image, one *kit.Drawable) {
	s := one.Sprite
	from := p.image(g, uint32(s.Image))
	if from == nil || !(s.Alpha > 0) {
		return
	}
	columns, rows := int(max(s.Columns, 1)), int(max(s.Rows, 1))
	size := from.Bounds().Size()
	w, h, n := max(size.X/columns, 1), max(size.Y/rows, 1), int(s.Frame)%(columns*rows)
	x, y := n%columns*w, n/columns*h
	longer := float64(max(w, h))
	half := max(float64(s.Size*one.Scale)/2*f.scale, 1)
	p.quad(f, to, from, image.Rect(x, y, x+w, y+h), one, half*float64(w)/longer, half*float64(h)/longer, s.Color, min(s.Alpha, 1), false)
}

// quad adds the four corners of a part of an image, which lies around the place of what is drawn.
func (p *painter) quad(f *frame, to, from *ebiten.Image, part image.Rectangle, one *kit.Drawable, halfX, halfY float64, c uint32, a float32, light bool) {
	x, y := f.screen(one.X, one.Y)
	if far := 2 * max(halfX, halfY); !(x+far > 0 && y+far > 0 && x-far < f.width && y-far < f.height) {
		return
	}
	if from != p.from {
		p.flush(to)
		p.from = from
	}
	sin, cos := math.Sincos(one.Angle())
	first := uint32(len(p.vertices))
	for k := range 4 {
		u, v := float64(k&1), float64(k>>1) // right is the front, down is down
		dx, dy := halfX*(2*u-1), halfY*(2*v-1)
		vertex := ebiten.Vertex{
			DstX: float32(x + dx*cos + dy*sin), DstY: float32(y - dx*sin + dy*cos),
			SrcX: float32(part.Min.X) + float32(u)*float32(part.Dx()), SrcY: float32(part.Min.Y) + float32(v)*float32(part.Dy()),
			ColorR: float32(c>>16&255) / 255 * a, ColorG: float32(c>>8&255) / 255 * a, ColorB: float32(c&255) / 255 * a, ColorA: a,
		}
		if light {
			vertex.ColorA = 0
		}
		p.vertices = append(p.vertices, vertex)
	}
	p.indices = append(p.indices, first, first+1, first+2, first+1, first+2, first+3)
}

// flush draws what was added.
func (p *painter) flush(to *ebiten.Image) {
	to.DrawTriangles32(p.vertices, p.indices, p.from, &ebiten.DrawTrianglesOptions{
		ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha, Filter: ebiten.FilterLinear,
	})
	p.vertices, p.indices = p.vertices[:0], p.indices[:0]
}

// loaded is an image, made of one version of its file.
type loaded struct {
	image   *ebiten.Image
	version uint64
}

// image returns the image of a number that ecs.asset has returned, nil for 0. What cannot be shown is a pattern.
func (p *painter) image(g *game, id uint32) *ebiten.Image {
	if id == 0 {
		return nil
	}
	file, version := g.view.Image(id)
	was, known := p.images[id]
	if known && was.version == version {
		return was.image
	}
	if known && was.image != p.missing {
		was.image.Deallocate()
	}
	now := loaded{p.missing, version}
	if file == nil {
		g.view.ReportMissing(id)
	}
	if file != nil && file.Problem == "" {
		if picture, _, err := image.Decode(bytes.NewReader(file.Bytes)); err == nil {
			now.image = ebiten.NewImageFromImage(picture)
		}
	}
	p.images[id] = now
	return now.image
}

// missing is a pattern that nobody would draw.
func missing() image.Image {
	pattern := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for k := range 256 {
		c := color.NRGBA{36, 16, 40, 255}
		if (k/4+k/64)%2 == 1 {
			c = color.NRGBA{255, 79, 216, 255}
		}
		pattern.SetNRGBA(k%16, k/16, c)
	}
	return pattern
}

// drawBars draws the bars that are not full.
func (p *painter) drawBars(g *game, f *frame, to *ebiten.Image, alpha float64) {
	for k := range g.list.Bars {
		b := &g.list.Bars[k]
		x, y := g.between(b.Entity, b.X, b.Y-float64(b.DY), alpha)
		w, h := float64(b.Width), float64(b.Height)
		sx, sy := f.screen(x-w/2, y+float64(b.DY)+h/2)
		w, h = w*f.scale, max(h*f.scale, 2)
		fill(to, sx, sy, w, h, color.RGBA{0, 0, 0, 150})
		fill(to, sx, sy, w*float64(max(b.Value, 0)/b.Max), h, rgb(b.Color))
	}
}

// drawStrokes draws what scripts have drawn with ecs.draw.
func (p *painter) drawStrokes(g *game, f *frame, to *ebiten.Image) {
	for k := range g.list.Strokes {
		s := &g.list.Strokes[k]
		c := rgb(s.Color)
		if s.Color == 0 {
			c = rgb(0xffd866)
		}
		x1, y1 := f.screen(s.X1, s.Y1)
		x2, y2 := f.screen(s.X2, s.Y2)
		switch s.Kind {
		case sketch.Line:
			vector.StrokeLine(to, float32(x1), float32(y1), float32(x2), float32(y2), 1.6, c, true)
		case sketch.Circle:
			vector.StrokeCircle(to, float32(x1), float32(y1), float32(s.Radius*f.scale), 1.6, c, true)
		case sketch.Box:
			vector.StrokeRect(to, float32(min(x1, x2)), float32(min(y1, y2)), float32(math.Abs(x2-x1)), float32(math.Abs(y2-y1)), 1.6, c, true)
		case sketch.Text:
			p.write(to, s.Text, x1, y1-6, 12, c, text.AlignCenter)
		}
	}
}

// drawLabels writes the labels, those without a place below each other in the corner.
func (p *painter) drawLabels(g *game, f *frame, to *ebiten.Image, alpha float64) {
	corner := 14.0
	for k := range g.list.Labels {
		l := &g.list.Labels[k]
		size := min(float64(l.Size), 100)
		if l.Corner {
			p.write(to, l.Text, 18, corner, size, rgb(l.Color), text.AlignStart)
			corner += size * 1.4
			continue
		}
		dx, dy := float64(l.DX), float64(l.DY)
		x, y := g.between(l.Entity, l.X-dx, l.Y-dy, alpha)
		sx, sy := f.screen(x+dx, y+dy)
		p.write(to, l.Text, sx, sy-size/2, size, rgb(l.Color), text.AlignCenter)
	}
}

// write writes a text in one line.
func (p *painter) write(to *ebiten.Image, s string, x, y, size float64, c color.Color, align text.Align) {
	o := &text.DrawOptions{}
	o.GeoM.Translate(x, y)
	o.ColorScale.ScaleWithColor(c)
	o.PrimaryAlign = align
	text.Draw(to, sketch.CutText(s), &text.GoTextFace{Source: p.font, Size: size}, o)
}
