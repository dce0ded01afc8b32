package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"golang.org/x/image/font/gofont/goregular"

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
	f = frame{g.arena.Width / 2, g.arena.Height / 2, 1, float64(width), float64(height)}
	tall := 1.1 * max(g.arena.Height, g.arena.Width*f.height/f.width, 1)
	back := uint32(0x0a0e1a)
	for _, c := range g.eyes.Rows() {
		if x, y, ok := at(c.Position, c.Global); ok && c.Camera.Height > 0 {
			f.x, f.y, tall, back = x, y, float64(c.Camera.Height), c.Camera.Background
			break
		}
	}
	f.scale = f.height / tall
	return f, rgb(back)
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

// painter draws pictures of a game: all shapes in one call, cut out of one image that has each form once.
type painter struct {
	forms    *ebiten.Image
	vertices []ebiten.Vertex
	indices  []uint32
	shapes   []drawn
	font     *text.GoTextFaceSource
}

// drawn is a shape with its place.
type drawn struct {
	x, y, angle, size float64
	shape             *kit.Shape
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
	return &painter{forms: ebiten.NewImageFromImage(forms), font: font}, nil
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
	p.drawShapes(g, &f, to, alpha)
	p.drawBars(g, &f, to, alpha)
	p.drawLabels(g, &f, to, alpha)
}

// edge draws the outline of the arena.
func (p *painter) edge(g *game, f *frame, to *ebiten.Image) {
	if g.arena.Width <= 0 || g.arena.Height <= 0 {
		return
	}
	x1, y1 := f.screen(0, g.arena.Height)
	x2, y2 := f.screen(g.arena.Width, 0)
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

// drawShapes draws the shapes, the lower layers first.
func (p *painter) drawShapes(g *game, f *frame, to *ebiten.Image, alpha float64) {
	p.shapes = p.shapes[:0]
	for e, s := range g.shapes.Rows() {
		x, y, ok := at(s.Position, s.Global)
		if !ok || s.Shape.Alpha <= 0 {
			continue
		}
		x, y = g.between(e, x, y, alpha)
		d := drawn{x, y, float64(s.Shape.Angle), float64(s.Shape.Size), s.Shape}
		if s.Global != nil {
			d.angle += s.Global.Angle
			d.size *= s.Global.Scale
		}
		if v := s.Velocity; s.Shape.Turns && v != nil && (v.X != 0 || v.Y != 0) {
			d.angle = math.Atan2(v.Y, v.X)
		}
		p.shapes = append(p.shapes, d)
	}
	slices.SortStableFunc(p.shapes, func(a, b drawn) int { return cmp.Compare(a.shape.Layer, b.shape.Layer) })
	p.vertices, p.indices = p.vertices[:0], p.indices[:0]
	for i := range p.shapes {
		d := &p.shapes[i]
		if d.shape.Glow > 0 {
			p.quad(f, d, kit.Dot, d.size*(1+1.6*float64(d.shape.Glow)), 0.5*d.shape.Glow, true)
		}
		p.quad(f, d, min(d.shape.Form, kit.Dot), d.size, 1, false)
	}
	to.DrawTriangles32(p.vertices, p.indices, p.forms, &ebiten.DrawTrianglesOptions{
		ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha, Filter: ebiten.FilterLinear,
	})
}

// quad adds the four corners of a form. Light is added to what is behind it; all else covers that.
func (p *painter) quad(f *frame, d *drawn, form kit.Figure, size float64, strength float32, light bool) {
	half := max(size/2*f.scale, 1) * cell / 2 / reach
	x, y := f.screen(d.x, d.y)
	if !(x+2*half > 0 && y+2*half > 0 && x-2*half < f.width && y-2*half < f.height) {
		return
	}
	sin, cos := math.Sincos(d.angle)
	a := min(d.shape.Alpha, 1) * strength
	c, first := d.shape.Color, uint32(len(p.vertices))
	for k := range 4 {
		u, v := float64(k&1)*2-1, float64(k>>1)*2-1 // right is the front, down is down
		vertex := ebiten.Vertex{
			DstX: float32(x + half*(u*cos+v*sin)), DstY: float32(y - half*(u*sin-v*cos)),
			SrcX: float32(int(form)*cell) + float32(u+1)/2*cell, SrcY: float32(v+1) / 2 * cell,
			ColorR: float32(c>>16&255) / 255 * a, ColorG: float32(c>>8&255) / 255 * a, ColorB: float32(c&255) / 255 * a, ColorA: a,
		}
		if light {
			vertex.ColorA = 0
		}
		p.vertices = append(p.vertices, vertex)
	}
	p.indices = append(p.indices, first, first+1, first+2, first+1, first+2, first+3)
}

// drawBars draws the bars that are not full.
func (p *painter) drawBars(g *game, f *frame, to *ebiten.Image, alpha float64) {
	for e, b := range g.bars.Rows() {
		x, y, ok := at(b.Position, b.Global)
		if !ok || !(b.Bar.Value < b.Bar.Max) {
			continue
		}
		x, y = g.between(e, x, y, alpha)
		w, h := float64(b.Bar.Width), float64(b.Bar.Height)
		sx, sy := f.screen(x-w/2, y+float64(b.Bar.DY)+h/2)
		w, h = w*f.scale, max(h*f.scale, 2)
		fill(to, sx, sy, w, h, color.RGBA{0, 0, 0, 150})
		fill(to, sx, sy, w*float64(max(b.Bar.Value, 0)/b.Bar.Max), h, rgb(b.Bar.Color))
	}
}

// drawLabels writes the labels, those without a place below each other in the corner.
func (p *painter) drawLabels(g *game, f *frame, to *ebiten.Image, alpha float64) {
	corner := 14.0
	for e, l := range g.labels.Rows() {
		if l.Label.Text == "" {
			continue
		}
		size := float64(l.Label.Size)
		if !(size > 0) {
			size = 13
		}
		size = min(size, 100)
		c := rgb(l.Label.Color)
		if l.Label.Color == 0 {
			c = color.RGBA{255, 255, 255, 255}
		}
		x, y, ok := at(l.Position, l.Global)
		if !ok {
			p.write(to, l.Label.Text, 18, corner, size, c, text.AlignStart)
			corner += size * 1.4
			continue
		}
		x, y = g.between(e, x, y, alpha)
		sx, sy := f.screen(x+float64(l.Label.DX), y+float64(l.Label.DY))
		p.write(to, l.Label.Text, sx, sy-size/2, size, c, text.AlignCenter)
	}
}

// longest is how many bytes of a text are written.
const longest = 200

// write writes a text in one line.
func (p *painter) write(to *ebiten.Image, s string, x, y, size float64, c color.Color, align text.Align) {
	o := &text.DrawOptions{}
	o.GeoM.Translate(x, y)
	o.ColorScale.ScaleWithColor(c)
	o.PrimaryAlign = align
	text.Draw(to, s[:min(len(s), longest)], &text.GoTextFace{Source: p.font, Size: size}, o)
}
