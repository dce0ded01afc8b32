package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/internal/hosttest"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripts"
)

// open makes a game of one script, which is closed with the test.
func open(t *testing.T, script string) *game {
	t.Helper()
	g, err := newGame("", fstest.MapFS{"game.lua": {Data: []byte(script)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// step makes a step as a frame does.
func (g *game) step(t *testing.T) {
	t.Helper()
	g.remember()
	if err := g.host.Step(1.0 / stepsPerSecond); err != nil {
		t.Fatal(err)
	}
	g.list.Update()
	g.trails.leave(g.list)
}

const mover = `local ecs = require "ecs"
local Position, Shape, Camera = ecs.native "Position", ecs.native "Shape", ecs.native "Camera"
ecs.on_start(function()
  ecs.spawn(Position { x = 100, y = 200 }, Shape { form = "circle", size = 40, color = 0xff0000 })
  ecs.spawn(Position { x = 500, y = 500 }, Camera { height = 400, background = 0x102030 })
end)
ecs.system "move" { query = { Position, Shape }, each = function(_, at, _, ctx) at.x = at.x + (ctx.tick == 4 and 5000 or 10) end }
`

// TestPlacesLieBetweenSteps: what moves is seen between its last two places, what comes out elsewhere only there, and
// what is new where it is.
func TestPlacesLieBetweenSteps(t *testing.T) {
	g := open(t, mover)
	for _, c := range []struct{ half, whole float64 }{{110, 110}, {115, 120}, {125, 130}, {5130, 5130}} {
		g.step(t)
		for k := range g.list.Len() {
			one := g.list.At(k)
			half, _ := g.between(one.Entity, one.X, one.Y, 0.5)
			if whole, y := g.between(one.Entity, one.X, one.Y, 1); half != c.half || whole != c.whole || y != 200 {
				t.Errorf("at half the time %v, at all of it %v, %v; want %v, %v", half, whole, y, c.half, c.whole)
			}
		}
	}
}

// TestTrailsFollow: a trail lies along the places where its entity was, ends where its time ends, begins anew where the entity
// jumps, and stays to fade out when the entity is gone.
func TestTrailsFollow(t *testing.T) {
	g := open(t, `local ecs = require "ecs"
local Position, Trail = ecs.native "Position", ecs.native "Trail"
ecs.on_start(function() ecs.spawn(Position { x = 0, y = 50 }, Trail { seconds = 0.1, width = 4 }) end)
ecs.system "move" { query = { Position, Trail }, each = function(e, at, _, ctx)
  at.x = at.x + (ctx.tick == 20 and 5000 or 6)
  if ctx.tick == 30 then ecs.despawn(e) end
end }`)
	length := func(alpha float64) (points int, from, to float64) {
		for e := range g.trails.all {
			list, _ := g.trailOf(e, nil, alpha)
			return len(list), list[0].x, list[len(list)-1].x
		}
		return 0, 0, 0
	}
	for tick := 1; tick <= 40; tick++ {
		g.step(t)
		for _, alpha := range []float64{0, 0.5, 1} {
			points, from, to := length(alpha)
			switch {
			case tick >= 10 && tick < 20: // a tenth of a second is six steps of 6 units
				if math.Abs(from-to-36) > 0.01 {
					t.Fatalf("tick %d and %v: a trail from %v to %v, want 36 units", tick, alpha, from, to)
				}
			case tick == 20:
				if points != 1 {
					t.Fatalf("%v: after a jump %d points from %v to %v", alpha, points, from, to)
				}
			case tick > 31 && tick < 34:
				if points < 2 || from-to >= 36 {
					t.Fatalf("tick %d: the trail of a dead entity has %d points from %v to %v", tick, points, from, to)
				}
			case tick > 38 && points != 0:
				t.Fatalf("tick %d: %d points of what has faded out", tick, points)
			}
		}
	}
}

// TestFrames: the camera's place is in the middle, and a pixel leads back to its point.
func TestFrames(t *testing.T) {
	g := open(t, mover)
	g.step(t)
	f, ground := g.look(800, 400)
	if x, y := f.screen(500, 500); x != 400 || y != 200 || f.scale != 1 || ground != rgb(0x102030) {
		t.Errorf("%v, %v, %v, %v", x, y, f.scale, ground)
	}
	if x, y := f.point(f.screen(123, 456)); math.Abs(x-123)+math.Abs(y-456) > 1e-9 {
		t.Errorf("%v, %v", x, y)
	}
}

// TestFormsAreWhatTheyAreCalled: each form covers its middle or does not, and nothing beyond its circle.
func TestFormsAreWhatTheyAreCalled(t *testing.T) {
	for form := kit.Circle; form <= kit.Dot; form++ {
		if middle := covers(form, 0, 0); (middle > 0.5) != (form != kit.Ring) {
			t.Errorf("form %d covers %v of its middle", form, middle)
		}
		for a := range 64 {
			sin, cos := math.Sincos(float64(a) * math.Pi / 32)
			if c := covers(form, 1.25*cos, 1.25*sin); c > 0.01 {
				t.Errorf("form %d covers %v outside of its circle", form, c)
			}
		}
	}
	if covers(kit.Arrow, 0.8, 0) < 0.9 || covers(kit.Arrow, -0.8, 0) > 0.1 {
		t.Error("an arrow does not point to the front")
	}
}

// TestAFaultIsShown: a script that fails is news, and the game goes on.
func TestAFaultIsShown(t *testing.T) {
	g := open(t, mover+`ecs.system "faulty" { run = function(ctx) if ctx.tick == 3 then error("a fault in tick 3") end end }`)
	for range 5 {
		g.step(t)
	}
	if !strings.Contains(g.news, "a fault in tick 3") {
		t.Errorf("the news: %q", g.news)
	}
	if err := hosttest.Step(g.host, 0.1); err != nil {
		t.Error(err)
	}
}

// TestWhatCannotBe: the command line.
func TestWhatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no folder": play(file, 1, ""), "nothing": play(file+"2", 1, ""), "no pictures": play("", 0, "x.png"), "fewer": play("", -1, ""),
	} {
		if err == nil {
			t.Error(name)
		}
	}
}

// TestWindow opens the window on a screen that is none, and looks at its picture: the demo is on it, and says how to begin.
func TestWindow(t *testing.T) {
	picture := shotOf(t, scripts.Demo(), 40)
	if b := picture.Bounds(); b.Dx() != 1280 || b.Dy() != 800 {
		t.Errorf("a picture of %v", b)
	}
	if n := colors(picture, picture.Bounds()); n < 100 {
		t.Errorf("the picture has %d colors", n)
	}
	if n := colors(picture, image.Rect(10, 765, 400, 795)); n < 4 {
		t.Errorf("the line at the bottom has %d colors: nothing is written there", n)
	}
}

// TestSprites shows the second frame of an image, turned by a quarter, between two layers of shapes, and a box of ecs.draw.
func TestSprites(t *testing.T) {
	sheet := image.NewNRGBA(image.Rect(0, 0, 40, 10)) // two frames, twice as wide as high
	for x := range 40 {
		for y := range 10 {
			sheet.Set(x, y, color.NRGBA{uint8(255 * (1 - x/20)), uint8(255 * (x / 20)), 0, 255})
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, sheet); err != nil {
		t.Fatal(err)
	}
	picture := shotOf(t, fstest.MapFS{"art/sheet.png": {Data: file.Bytes()}, "art/cut.png": {Data: file.Bytes()[:20]}, "game.lua": {Data: []byte(`local ecs = require "ecs"
local Position, Sprite, Shape, Camera = ecs.native "Position", ecs.native "Sprite", ecs.native "Shape", ecs.native "Camera"
local sheet, cut = ecs.asset "art/sheet.png", ecs.asset "art/cut.png"
ecs.on_start(function()
  ecs.spawn(Position { x = 0, y = 0 }, Camera { height = 800, background = 0x000000 })
  ecs.spawn(Position { x = 0, y = 0 }, Sprite { image = sheet, columns = 2, frame = 1, size = 200, angle = math.pi / 2, layer = 1 })
  ecs.spawn(Position { x = 0, y = 0 }, Shape { form = "square", size = 400, color = 0x0000ff })
  ecs.spawn(Position { x = 0, y = 0 }, Shape { form = "square", size = 20, color = 0xffffff, layer = 2 })
  ecs.spawn(Position { x = 300, y = 0 }, Sprite { image = cut, size = 40 })
  ecs.draw.box(-300, -60, -260, 60, { color = 0xff00ff, seconds = 60 })
end)`)}}, 8)
	for what, at := range map[string]struct {
		x, y int // from the middle
		want color.RGBA
	}{
		"the higher shape": {0, 0, rgb(0xffffff)}, "the upper end of the frame": {0, 90, rgb(0x00ff00)}, "the left of the frame": {-40, 0, rgb(0x00ff00)},
		"the lower shape beside it": {-90, 0, rgb(0x0000ff)}, "the pattern": {302, 2, rgb(0xff4fd8)}, "the box": {-300, 0, rgb(0xff00ff)},
	} {
		near := 255.0
		for dx := -6; dx <= 6; dx++ {
			r, g, b, _ := picture.At(640+at.x+dx, 400-at.y).RGBA()
			near = min(near, math.Hypot(math.Hypot(float64(r>>8)-float64(at.want.R), float64(g>>8)-float64(at.want.G)), float64(b>>8)-float64(at.want.B)))
		}
		if near > 110 {
			t.Errorf("%s is not there: the nearest color is %v from %v", what, near, at.want)
		}
	}
}

// shotOf plays the scripts of a folder in a window on a screen that is none, and returns a picture of it.
func shotOf(t *testing.T, folder fs.FS, frames int) image.Image {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the screen that nobody sees is that of Xvfb, of Linux")
	}
	if _, err := exec.LookPath("xvfb-run"); err != nil {
		t.Skip("there is no xvfb-run: apt-get install xvfb libgl1-mesa-dri libxcursor1 libxi6 libxinerama1 libxrandr2")
	}
	dir := t.TempDir()
	program, shot := filepath.Join(dir, "window"), filepath.Join(dir, "shot.png")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := os.CopyFS(filepath.Join(dir, "game"), folder); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("xvfb-run", "-a", "-s", "-screen 0 1280x800x24", program, "-frames", strconv.Itoa(frames), "-shot", shot, "-scripts", filepath.Join(dir, "game"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	file, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// colors counts the colors of a part of a picture.
func colors(picture image.Image, part image.Rectangle) int {
	known := map[[3]uint32]bool{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			known[[3]uint32{r, g, b}] = true
		}
	}
	return len(known)
}
