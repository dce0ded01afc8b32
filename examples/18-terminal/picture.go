package main

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// tall is how many times as tall as wide a cell of a terminal is.
const tall = 2

// frame is the part of the world that the terminal shows.
type frame struct {
	x, y          float64 // its middle, world units
	scale         float64 // rows of cells for each
	width, height int     // of the terminal, cells
	back          uint32
}

// look returns what the first camera sees, or the whole arena where there is none.
func (g *game) look(width, height int) frame {
	x, y, high := g.list.View(float64(width) / float64(max(height, 1)*tall))
	f := frame{x: x, y: y, scale: float64(height) / high, width: width, height: height, back: 0x0a0e1a}
	if g.list.HasCamera {
		f.back = g.list.Camera.Background
	}
	return f
}

// cell returns where a point of the world is in the terminal.
func (f *frame) cell(x, y float64) (column, row int) {
	return int(math.Floor(float64(f.width)/2 + (x-f.x)*f.scale*tall)), int(math.Floor(float64(f.height)/2 - (y-f.y)*f.scale))
}

// point returns the point of the world in the middle of a cell.
func (f *frame) point(column, row int) (x, y float64) {
	return f.x + (float64(column)+0.5-float64(f.width)/2)/f.scale/tall, f.y - (float64(row)+0.5-float64(f.height)/2)/f.scale
}

// cell is what stands in a cell: the shape of the highest layer, and how many there are.
type cell struct {
	sign  rune
	layer uint8
	n     int
	color uint32
}

// signs are the forms, those of a direction to the right, up, left and down.
var signs = map[kit.Figure][4]rune{
	kit.Circle: {'●', '●', '●', '●'}, kit.Ring: {'○', '○', '○', '○'}, kit.Square: {'■', '■', '■', '■'},
	kit.Triangle: {'▶', '▲', '◀', '▼'}, kit.Diamond: {'◆', '◆', '◆', '◆'}, kit.Star: {'★', '★', '★', '★'},
	kit.Arrow: {'→', '↑', '←', '↓'}, kit.Dot: {'·', '·', '·', '·'},
}

// draw draws the game, and what there is to say about it in the last line.
func (g *game) draw(screen tcell.Screen) {
	g.list.Update()
	width, height := screen.Size()
	f := g.look(width, height-1)
	ground := tcell.StyleDefault.Background(tcell.NewHexColor(int32(f.back)))
	screen.SetStyle(ground)
	screen.Clear()
	g.edge(screen, &f, ground.Foreground(tcell.NewHexColor(0x28345f)))
	g.fill(&f)
	for i := range g.cells {
		if c := &g.cells[i]; c.n > 0 {
			screen.SetContent(i%f.width, i/f.width, c.sign, nil, ground.Foreground(tcell.NewHexColor(int32(c.color&0xffffff))))
		}
	}
	g.labelsOf(screen, &f, ground)
	line := fmt.Sprintf(" %d entities · p pauses, . steps, Esc ends ", g.world.Len())
	if g.paced.Paused() {
		line = " paused ·" + line
	}
	if g.news != "" {
		line = " " + g.news
	}
	write(screen, 0, height-1, width, line+strings.Repeat(" ", width), tcell.StyleDefault.Reverse(true))
}

// edge draws the outline of the arena.
func (g *game) edge(screen tcell.Screen, f *frame, style tcell.Style) {
	arena := &g.list.Arena
	if !(arena.Width > 0 && arena.Height > 0 && arena.Width < 1e9 && arena.Height < 1e9) {
		return
	}
	left, bottom := f.cell(0, 0)
	right, top := f.cell(arena.Width, arena.Height)
	for column := max(left, 0); column <= min(right, f.width-1); column++ {
		put(screen, f, column, top, '─', style)
		put(screen, f, column, bottom, '─', style)
	}
	for row := max(top, 0); row <= min(bottom, f.height-1); row++ {
		put(screen, f, left, row, '│', style)
		put(screen, f, right, row, '│', style)
	}
	for _, c := range []struct {
		column, row int
		sign        rune
	}{{left, top, '┌'}, {right, top, '┐'}, {left, bottom, '└'}, {right, bottom, '┘'}} {
		put(screen, f, c.column, c.row, c.sign, style)
	}
}

// put writes a sign into a cell, if there is such a cell.
func put(screen tcell.Screen, f *frame, column, row int, sign rune, style tcell.Style) {
	if column >= 0 && row >= 0 && column < f.width && row < f.height {
		screen.SetContent(column, row, sign, nil, style)
	}
}

// fill puts shapes and sprites into cells. Of those of one cell, the highest layer is seen, and of one layer the first.
func (g *game) fill(f *frame) {
	n := max(f.width*f.height, 0)
	if len(g.cells) != n {
		g.cells = make([]cell, n)
	}
	clear(g.cells)
	for k := range g.list.Len() {
		one := g.list.At(k)
		column, row := f.cell(one.X, one.Y)
		if column < 0 || row < 0 || column >= f.width || row >= f.height {
			continue
		}
		sign, layer, color, alpha := '▣', uint8(0), uint32(0), float32(0)
		if s := one.Sprite; s != nil {
			layer, color, alpha = s.Layer, s.Color, s.Alpha
		} else {
			s := one.Shape
			sign, layer, color, alpha = signs[min(s.Form, kit.Dot)][direction(one.Angle())], s.Layer, s.Color, s.Alpha
		}
		if alpha <= 0.25 {
			continue // what can hardly be seen would hide what is below it
		}
		c := &g.cells[row*f.width+column]
		if c.n++; c.n == 1 || layer > c.layer {
			c.sign, c.layer, c.color = sign, layer, color
		}
	}
}

// direction says where an angle leads: 0 right, 1 up, 2 left, 3 down.
func direction(angle float64) int {
	quarters := math.Mod(math.Round(angle/(math.Pi/2)), 4)
	return (int(quarters) + 4) % 4
}

// labelsOf writes the labels, those without a place below each other in the corner.
func (g *game) labelsOf(screen tcell.Screen, f *frame, ground tcell.Style) {
	corner := 0
	for k := range g.list.Labels {
		l := &g.list.Labels[k]
		style := ground.Foreground(tcell.NewHexColor(int32(l.Color & 0xffffff))).Bold(true)
		if l.Corner {
			write(screen, 1, corner, f.width, l.Text, style)
			corner++
			continue
		}
		column, row := f.cell(l.X, l.Y)
		if row >= 0 && row < f.height {
			write(screen, column-len([]rune(l.Text))/2, row, f.width, l.Text, style)
		}
	}
}

// write writes a text in a row. Signs that are none, such as those that command a terminal, are left out.
func write(screen tcell.Screen, column, row, width int, text string, style tcell.Style) {
	for _, r := range strings.Map(printable, text) {
		if column >= width {
			return
		}
		if column >= 0 {
			screen.SetContent(column, row, r, nil, style)
		}
		column++
	}
}

// printable is a sign that may be written.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
