package bindings

import (
	"log/slog"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// drawPrefix begins the names of the functions of ecs.draw.
const drawPrefix = "draw."

// drawFunctions are those of the table ecs.draw. What they read, check and charge does not depend on whether
// anybody looks: a game computes the same with a view and without one.
func drawFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"draw.line": func(a *args) int {
			return a.draw(5, &sketch.Stroke{Kind: sketch.Line, X1: a.number(1), Y1: a.number(2), X2: a.number(3), Y2: a.number(4)})
		},
		"draw.circle": func(a *args) int {
			return a.draw(4, &sketch.Stroke{Kind: sketch.Circle, X1: a.number(1), Y1: a.number(2), Radius: a.number(3)})
		},
		"draw.box": func(a *args) int {
			return a.draw(5, &sketch.Stroke{Kind: sketch.Box, X1: a.number(1), Y1: a.number(2), X2: a.number(3), Y2: a.number(4)})
		},
		"draw.text": func(a *args) int {
			return a.draw(4, &sketch.Stroke{Kind: sketch.Text, X1: a.number(1), Y1: a.number(2), Text: a.words(3)})
		},
	}
}

// words reads a text, or a number as one.
func (a *args) words(i int) string {
	if n, ok := a.L.Get(i).(lua.LNumber); ok {
		return n.String()
	}
	text := sketch.CutText(a.text(i))
	value.ChargeBytes(a.L, len(text))
	return text
}

// draw draws a stroke with the options that are the argument at. It is shown when the call has succeeded.
func (a *args) draw(at int, s *sketch.Stroke) int {
	c := a.acting()
	a.strokeOptions(at, s)
	board := sketch.Of(a.world)
	if !board.Shown() {
		return 0
	}
	strokes, texts := board.Left(c.Tick)
	if len(c.Drawn.List) < strokes && (s.Kind != sketch.Text || c.Drawn.Texts < texts) {
		c.Drawn.Add(s)
	} else if board.Drop(c.Tick.N) {
		line := diag.Format("ecs.draw: at a time %s lines, circles, boxes and texts are shown, of which %s may be texts: further ones are left out",
			diag.Grouped(sketch.Most), diag.Grouped(sketch.MostTexts))
		a.Log(a.L, slog.LevelWarn, line, len(line))
	}
	return 0
}

// strokeOptionNames are the keys of the options of ecs.draw's functions.
var strokeOptionNames = []string{"color", "seconds"}

// strokeOptions reads the options of a stroke.
func (a *args) strokeOptions(at int, s *sketch.Stroke) {
	if a.L.GetTop() < at || a.L.Get(at) == lua.LNil {
		return
	}
	options := a.table(at)
	for _, key := range holes.Keys(options) {
		a.failAt(fault.Key(at, key), "option %s", holes.Key(a.L, key))
	}
	proxy.Pairs(options, func(key, v lua.LValue) {
		value.Charge(a.L, value.StepsPerEntry)
		option := fault.Written(key)
		if !slices.Contains(strokeOptionNames, option) {
			a.failAt(fault.Key(at, option), "unknown option %q%s", diag.Cut(option), diag.OneOf(option, strokeOptionNames))
		}
		n, ok := v.(lua.LNumber)
		switch x := float64(n); {
		case v == Unknown:
		case option == "color" && (!ok || !(x >= 0 && x <= 0xffffff) || x != math.Trunc(x)):
			a.failAt(fault.ValueOf(at, option), "color: expected a number such as 0xff8800, from 0 to 0xffffff, got %s", value.Describe(v))
		case option == "seconds" && (!ok || !(x >= 0 && x <= sketch.MostSeconds)):
			a.failAt(fault.ValueOf(at, option), "seconds: expected a number from 0 to %s, got %s", diag.Grouped(sketch.MostSeconds), value.Describe(v))
		case option == "color":
			s.Color = uint32(x)
		default:
			s.Seconds = x
		}
	})
}

// LacksDrawing says that ecs.draw has no function of that name.
func LacksDrawing(name string) *diag.Error {
	return diag.New("ecs.draw has no %q%s", diag.Cut(name), diag.DidYouMean(name, []string{"line", "circle", "box", "text"}))
}

// fixedDrawing says that a field of ecs.draw cannot be assigned.
func fixedDrawing(name string) *diag.Error {
	return diag.New("ecs.draw.%s cannot be assigned: keep it in a local variable", diag.Cut(name))
}
