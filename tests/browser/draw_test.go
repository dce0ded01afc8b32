package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/chromedp"
)

// shownScript is a script with all that is drawn: shapes, sprites with frames, trails, and strokes.
const shownScript = `local ecs = require "ecs"
local Position, Velocity, Shape = ecs.native "Position", ecs.native "Velocity", ecs.native "Shape"
local Sprite, Trail = ecs.native "Sprite", ecs.native "Trail"
local ship, broken = ecs.asset "art/ship.png", ecs.asset "art/broken.png"
local draw = ecs.draw

ecs.on_start(function()
  for i = 1, 60 do
    local angle = i * 0.7
    ecs.spawn(Position { x = 500 + math.cos(angle) * 5 * i, y = 500 + math.sin(angle) * 5 * i },
      Velocity { x = math.cos(angle * 3) * 120, y = math.sin(angle * 3) * 120 },
      Sprite { image = ship, columns = 2, frame = i, size = 44, turns = true, layer = 2, color = i % 3 == 0 and 0xffb060 or 0xffffff },
      Trail { seconds = 0.8, width = 10, color = i % 3 == 0 and 0xff8040 or 0x60a0ff, alpha = 0.7 })
  end
  ecs.spawn(Position { x = 120, y = 880 }, Sprite { image = broken, size = 40 })
  ecs.spawn(Position { x = 500, y = 500 }, Shape { form = "star", size = 90, color = 0x66ddaa, glow = 0.5, layer = 3 })
  draw.box(60, 60, 300, 240, { color = 0xff5577, seconds = 3600 })
  draw.text(180, 150, "no landing", { color = 0xff5577, seconds = 3600 })
end)

ecs.system "aim" {
  query = { Position, Velocity },
  each = function(_, at, v)
    draw.line(at.x, at.y, at.x + v.x * 0.5, at.y + v.y * 0.5)
  end,
}
ecs.system "range" { run = function() draw.circle(500, 500, 200, { color = 0x66ddaa }) end }
`

// ship makes a picture of two frames: an arrow to the right, with and without a flame.
func ship(hull color.Color) []byte {
	p := image.NewNRGBA(image.Rect(0, 0, 128, 64))
	for y := range 64 {
		for x := range 128 {
			dx, dy := float64(x%64)-32, math.Abs(float64(y)-31.5)
			switch {
			case dx > -20 && dy < (28-dx)*0.42:
				p.Set(x, y, hull)
			case x >= 64 && dx > -31 && dy < (dx+31)*0.8:
				p.Set(x, y, color.NRGBA{255, 200, 80, 255})
			}
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, p)
	return b.Bytes()
}

// art is the game of shownScript.
func art() fstest.MapFS {
	return fstest.MapFS{
		"a.lua": {Data: []byte(shownScript)}, "art/broken.png": {Data: []byte("\x89PNG\r\n\x1a\n no picture")},
		"art/ship.png": {Data: ship(color.NRGBA{230, 240, 255, 255}), ModTime: time.Unix(1, 0)},
	}
}

// at opens the page with a renderer.
func (g *game) at(ctx context.Context, renderer, scheme string, phone bool) {
	g.Helper()
	size := screen(1280, 800, 1, false, scheme)
	if phone {
		size = screen(390, 844, 2, true, scheme)
	}
	address, token, _ := bytes.Cut([]byte(g.url), []byte("#"))
	g.do(ctx, size, chromedp.Navigate("about:blank"), chromedp.Navigate(fmt.Sprintf("%s?renderer=%s#%s", address, renderer, token)))
	g.until(ctx, `window.perigee && perigee.view && perigee.view.state.pictures > 12 && perigee.view.state.images === 2`)
}

// colored counts the pixels of the stage that have about a color.
func colored(p image.Image, want color.NRGBA, near int) (n int) {
	for y := 50; y < 780; y++ {
		for x := 0; x < 820; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			if abs(int(r>>8)-int(want.R)) <= near && abs(int(g>>8)-int(want.G)) <= near && abs(int(b>>8)-int(want.B)) <= near {
				n++
			}
		}
	}
	return n
}

func abs(n int) int { return max(n, -n) }

// crowded is a script with many sprites and trails that move.
const crowded = `local ecs = require "ecs"
local Position, Velocity, Sprite, Trail = ecs.native "Position", ecs.native "Velocity", ecs.native "Sprite", ecs.native "Trail"
local ship = ecs.asset "art/ship.png"
ecs.on_start(function()
  for i = 1, 10000 do
    local angle = i * 2.4
    local e = ecs.spawn(Position { x = ecs.random() * 1000, y = ecs.random() * 1000 }, Velocity { x = math.cos(angle) * 60, y = math.sin(angle) * 60 },
      Sprite { image = ship, columns = 2, frame = i, size = 14, turns = true })
    if i <= 1000 then ecs.add(e, Trail { seconds = 0.5, width = 4, color = 0x60a0ff }) end
  end
end)
`

// TestManySprites shows ten thousand sprites and a thousand trails, and says how long a frame takes without a GPU: 50 frames
// in a second need less than 20 ms. It holds no time, since the machine may have other things to do.
func TestManySprites(t *testing.T) {
	files := art()
	files["a.lua"] = &fstest.MapFile{Data: []byte(crowded)}
	g, ctx := start(t, false, files, 30)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.view.state.sprites === 10000 && perigee.view.state.trails === 1000 && perigee.view.state.drawn > 40`)
	drawn := func() (n, at float64) {
		return eval[float64](g, ctx, `perigee.view.state.drawn`), eval[float64](g, ctx, `performance.now()`) / 1000
	}
	loaded, _ := drawn()
	g.until(ctx, fmt.Sprintf(`perigee.view.state.drawn > %v`, loaded+150)) // the first ones compile and load
	from, began := drawn()
	g.until(ctx, fmt.Sprintf(`perigee.view.state.drawn > %v`, from+150))
	to, ended := drawn()
	ms, fps := eval[float64](g, ctx, `perigee.view.state.ms`), (to-from)/(ended-began)
	t.Logf("%.1f ms a frame, %.0f frames a second, %.0f bytes a picture", ms, fps, eval[float64](g, ctx, `perigee.view.state.bytes`))
	g.shot(ctx, "draw-many")
	g.quiet()
}

// shows holds that all of shownScript is seen with a renderer.
func (g *game) shows(ctx context.Context, renderer string) {
	g.Helper()
	g.at(ctx, renderer, "dark", false)
	if name := eval[string](g, ctx, `perigee.view.state.renderer`); (name == "webgl2") != (renderer == "gl") {
		g.Errorf("%s: the page is drawn with %s", renderer, name)
	}
	g.until(ctx, `perigee.view.state.strokes === 63 && perigee.view.state.trails === 60`)
	p := g.shot(ctx, "draw-"+renderer)
	for name, of := range map[string]color.NRGBA{"hulls": {230, 240, 255, 255}, "flames": {255, 200, 80, 255}, "what is missing": {255, 79, 216, 255}, "lines": {232, 196, 94, 255}} {
		if n := colored(p, of, 16); n < 20 {
			g.Errorf("%s: %d pixels have the color of %s", renderer, n, name)
		}
	}
}

// TestDrawingWithWebGL is TestDrawing with WebGL, which is made in software: the page draws a few pictures in a second.
func TestDrawingWithWebGL(t *testing.T) {
	g, ctx := start(t, true, art(), 90, chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	g.shows(ctx, "gl")
	g.quiet()
}

// TestDrawing shows sprites, trails and strokes, and a picture that changes while the game runs.
func TestDrawing(t *testing.T) {
	files := art()
	g, ctx := start(t, true, files, 90)
	g.shows(ctx, "soft")
	// Another version of the file.
	files["art/ship.png"] = &fstest.MapFile{Data: ship(color.NRGBA{60, 255, 60, 255}), ModTime: time.Unix(2, 0)}
	done := make(chan error, 1)
	g.pace.Do(func() { _, err := g.store.Reload(); done <- err })
	must(t, <-done)
	for colored(g.shot(ctx, "draw-reloaded"), color.NRGBA{60, 255, 60, 255}, 16) < 200 {
		if time.Sleep(100 * time.Millisecond); ctx.Err() != nil {
			t.Fatal("the ships do not change")
		}
	}
	g.at(ctx, "soft", "light", false)
	g.shot(ctx, "draw-light")
	// The panel of entities names files, and says what a tree needs.
	g.until(ctx, `[...document.querySelectorAll('#panel .row span')].some(r => r.textContent.includes('Sprite art/ship.png'))`)
	g.js(ctx, `[...document.querySelectorAll('#panel .row')].find(r => r.textContent.includes('art/ship.png')).click()`)
	g.until(ctx, `[...document.querySelectorAll('#panel dd .file')].some(f => f.textContent === 'art/ship.png')`)
	g.shot(ctx, "draw-entity")
	g.js(ctx, `[...document.querySelectorAll('#panel button')].find(b => b.textContent.includes('all entities')).click(); document.querySelector('#panel [data-key="tree"]').click()`)
	g.until(ctx, `document.querySelector('#panel').textContent.includes('ecs.set_parent(child, parent)')`)
	g.at(ctx, "soft", "light", true)
	g.shot(ctx, "draw-phone")
	g.quiet()
}

// TestManyImages: more pixels than the atlas of the page has at first, and than it can have: all images are shown, some of them smaller.
func TestManyImages(t *testing.T) {
	files, script := fstest.MapFS{}, `local ecs = require "ecs"
local Position, Sprite = ecs.native "Position", ecs.native "Sprite"
local images = {`
	const images = 30
	for i := range images {
		p := image.NewNRGBA(image.Rect(0, 0, 1000, 900))
		for k := range p.Pix {
			p.Pix[k] = [4]byte{byte(40 + 7*i), byte(250 - 8*i), byte(60 * (i % 4)), 255}[k%4]
		}
		var b bytes.Buffer
		must(t, png.Encode(&b, p))
		name := fmt.Sprintf("art/%d.png", i)
		files[name] = &fstest.MapFile{Data: b.Bytes()}
		script += fmt.Sprintf("ecs.asset %q, ", name)
	}
	files["a.lua"] = &fstest.MapFile{Data: []byte(script + ` }
ecs.on_start(function()
  for i, image in ipairs(images) do ecs.spawn(Position { x = 100 + (i - 1) % 6 * 150, y = 100 + math.floor((i - 1) / 6) * 180 }, Sprite { image = image, size = 100 }) end
end)`)}
	g, ctx := start(t, false, files, 5)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	missed := []int{-1}
	for len(missed) > 0 {
		time.Sleep(500 * time.Millisecond)
		p := g.shot(ctx, "draw-images")
		missed = missed[:0]
		for i := range images {
			if colored(p, color.NRGBA{byte(40 + 7*i), byte(250 - 8*i), byte(60 * (i % 4)), 255}, 3) < 1500 {
				missed = append(missed, i)
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("images %v are not shown", missed)
		}
	}
	g.quiet()
}
