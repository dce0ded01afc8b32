package kit_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// drawer is a game whose script draws.
type drawer struct {
	*player
	host *scripting.Host
	said bytes.Buffer
}

// begins is what the scripts of these tests begin with.
const begins = `local ecs = require "ecs"
local Position = ecs.native "Position"
local draw = ecs.draw
`

// draws loads a script; shown says whether somebody looks.
func draws(t *testing.T, script string, shown bool) *drawer {
	t.Helper()
	d := &drawer{player: newPlayer(t)}
	_, err := kit.Install(d.w, kit.Options{})
	must(t, err)
	d.host, err = scripting.New(d.w, scripting.Options{Logger: slog.New(slog.NewTextHandler(&d.said, nil)), OnError: func(*scripting.Error) {}})
	must(t, err)
	t.Cleanup(func() { d.host.Close() })
	must(t, d.host.Load(fstest.MapFS{"a.lua": {Data: []byte(begins + script)}}))
	if shown {
		sketch.Of(d.w).Show()
	}
	return d
}

func (d *drawer) step() { d.Helper(); must(d, d.host.Step(0.1)) }

// seen are the strokes that are seen, as text.
func (d *drawer) seen() string {
	var all []string
	for _, s := range sketch.Of(d.w).At(nil) {
		all = append(all, fmt.Sprintf("%d(%g %g %g %g %g %s)#%x", s.Kind, s.X1, s.Y1, s.X2, s.Y2, s.Radius, s.Text, s.Color))
	}
	return strings.Join(all, " ")
}

// TestScriptsDraw: each function, and its options.
func TestScriptsDraw(t *testing.T) {
	d := draws(t, `
ecs.system "draw" { run = function(ctx)
  if ctx.tick ~= 1 then return end
  draw.line(1, 2, 3, 4)
  ecs.draw.circle(1, 2, 3, { color = 0xff0000 })
  draw.box(1, 2, 3, 4, { seconds = 0.15, color = 0 })
  draw.text(5, 6, "hi", {})
  draw.text(5, 6, 7.5, nil)
end }`, true)
	d.step()
	if got := d.seen(); got != "0(1 2 3 4 0 )#0 1(1 2 0 0 3 )#ff0000 2(1 2 3 4 0 )#0 3(5 6 0 0 0 hi)#0 3(5 6 0 0 0 7.5)#0" {
		t.Error(got)
	}
	if d.step(); d.seen() != "2(1 2 3 4 0 )#0" {
		t.Error(d.seen())
	}
	if d.step(); d.seen() != "" || d.host.Faults().Total != 0 {
		t.Error(d.seen(), d.host.Faults().Recent)
	}
}

// TestFailedCallsDrawNothing: neither a run of a system, nor the turn of one entity, nor a timer.
func TestFailedCallsDrawNothing(t *testing.T) {
	d := draws(t, `
ecs.on_start(function() for i = 1, 4 do ecs.spawn(Position { x = i }) end ecs.after(0, "late") end)
ecs.handler("late", function() draw.text(0, 0, "timer") error("x") end)
ecs.system "run" { run = function() draw.text(0, 0, "run") error("x") end }
ecs.system "each" { query = { Position }, each = function(_, p)
  draw.text(p.x, 0, "e") draw.text(p.x, 1, "e")
  if p.x % 2 == 0 then error("x") end
end }`, true)
	d.step()
	d.step()
	if got := d.seen(); got != "3(1 0 0 0 0 e)#0 3(1 1 0 0 0 e)#0 3(3 0 0 0 0 e)#0 3(3 1 0 0 0 e)#0" {
		t.Error(got)
	}
	if d.host.Faults().Total == 0 {
		t.Error("nothing has failed")
	}
}

// TestDrawingIsNoPartOfTheGame: with somebody who looks and without, with more than can be shown, each tick has the
// same checksum, the same faults and the same use of instructions.
func TestDrawingIsNoPartOfTheGame(t *testing.T) {
	script := `
local huge, nan = "x" .. string.rep("ä", 100000), 0 / 0
ecs.on_start(function() for i = 1, 20 do ecs.spawn(Position { x = i }) end end)
ecs.system "each" { query = { Position }, each = function(_, p, ctx)
  for i = 1, 50 * ctx.tick do draw.line(p.x, i, nan, 1 / 0, { seconds = i % 3 }) draw.text(p.x, nan, huge) draw.circle(p.x, i, -1) draw.line(p.x, i, 7, 7) end
  p.x = p.x + ecs.random()
end }
ecs.system "much" { run = function() for i = 1, 1e6 do draw.line(i, i, i, i) end end }
ecs.system "bad" { run = function(ctx) draw.line(1, 2, 3, ctx.tick % 2 == 0 and 4 or "four") end }`
	var games [2]*drawer
	for i := range games {
		games[i] = draws(t, script, i == 0)
	}
	for range 3 {
		a, b := games[0], games[1]
		a.step()
		b.step()
		if a.w.Checksum() != b.w.Checksum() || a.host.Faults().Total != b.host.Faults().Total {
			t.Fatalf("%x and %x, %d faults and %d", a.w.Checksum(), b.w.Checksum(), a.host.Faults().Total, b.host.Faults().Total)
		}
	}
	a := games[0]
	list := sketch.Of(a.w).At(nil)
	if len(list) != sketch.Most || sketch.Of(a.w).Dropped() == 0 || sketch.Of(games[1].w).Dropped() != 0 || len(sketch.Of(games[1].w).At(nil)) != 0 {
		t.Errorf("%d are seen, %d left out", len(list), sketch.Of(a.w).Dropped())
	}
	if n := strings.Count(a.said.String(), "further ones are left out"); n != 1 || strings.Contains(games[1].said.String(), "left out") {
		t.Errorf("it is said %d times:\n%s", n, a.said.String())
	}
}

// TestWrongDrawingIsSaid with what is wrong, and where.
func TestWrongDrawingIsSaid(t *testing.T) {
	for call, want := range map[string]string{
		`draw.line(1, 2, 3)`:                            `ecs.draw.line: argument 4: expected a number, got nil`,
		`draw.circle(1, 2, {})`:                         `ecs.draw.circle: argument 3: expected a number, got a table`,
		`draw.text(1, 2, true)`:                         `ecs.draw.text: argument 3: expected a string, got true`,
		`draw.line(1, 2, 3, 4, 5)`:                      `ecs.draw.line: argument 5: expected a table, got the number 5`,
		`draw.line(1, 2, 3, 4, { colour = 1 })`:         `ecs.draw.line: unknown option "colour" (did you mean "color"?)`,
		`draw.line(1, 2, 3, 4, { color = "red" })`:      `ecs.draw.line: color: expected a number such as 0xff8800, from 0 to 0xffffff, got`,
		`draw.line(1, 2, 3, 4, { color = 0x1000000 })`:  `ecs.draw.line: color: expected a number such as 0xff8800`,
		`draw.line(1, 2, 3, 4, { seconds = -1 })`:       `ecs.draw.line: seconds: expected a number from 0 to 3,600, got`,
		`draw.line(1, 2, 3, 4, { seconds = 0/0 })`:      `ecs.draw.line: seconds: expected a number from 0 to 3,600, got`,
		`draw.line(1, 2, 3, 4, { color = draw.color })`: `ecs.draw has no "color"`,
		`draw.lin(1, 2, 3, 4)`:                          `ecs.draw has no "lin" (did you mean "line"?)`,
		`draw:text(1, 2, "x")`:                          `ecs.draw.text: call it with a dot`,
		`draw.dot = 3`:                                  `ecs.draw.dot cannot be assigned`,
		`draw.text(1, 2, "x", {}, 5)`:                   `ecs.draw.text: expected at most 4 arguments, got 5: write ecs.draw.text(x, y, "text", { color = 0xff8800, seconds = 1 })`,
	} {
		d := draws(t, `local g = { f = function() `+call+` end }
ecs.system "s" { run = function() local ok, why = pcall(g.f) ecs.log("said", why) end }`, true)
		d.step()
		if !strings.Contains(strings.ReplaceAll(d.said.String(), `\"`, `"`), want) {
			t.Errorf("%s: want %s, got\n%s", call, want, d.said.String())
		}
	}
	d := newPlayer(t)
	_, err := kit.Install(d.w, kit.Options{})
	must(t, err)
	host, err := scripting.New(d.w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer host.Close()
	for script, want := range map[string]string{
		`draw.line(1, 2, 3, 4)`: `ecs.draw.line: cannot be used while a script is being loaded`,
		`ecs.system "k" { query = { Position }, kernel = "require", each = function(_, p) draw.line(p.x, 2, 3, 4) end }`: `a call of ecs.draw.line is not available in kernels`,
	} {
		if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(begins + script)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// TestProgramsDraw, between two steps and in systems.
func TestProgramsDraw(t *testing.T) {
	p := newPlayer(t)
	sketch.Of(p.w).Show()
	must(t, p.w.Schedule().Add(ecs.System{Name: "go", Run: func(tick *ecs.Tick) error {
		p.v.Draw(tick, sketch.Stroke{Kind: sketch.Text, Text: "go"})
		return nil
	}}))
	if p.v.Draw(nil, sketch.Stroke{}, sketch.Stroke{Kind: 77}) != 1 || (*kit.Screen)(nil).Draw(nil, sketch.Stroke{}) != 0 || (&kit.Screen{}).Draw(nil, sketch.Stroke{}) != 0 {
		t.Error("what was taken is not what was said")
	}
	p.step()
	if n := len(sketch.Of(p.w).At(nil)); n != 2 {
		t.Errorf("%d strokes", n)
	}
	p.step()
	if n := len(sketch.Of(p.w).At(nil)); n != 1 {
		t.Errorf("%d strokes", n)
	}
}
