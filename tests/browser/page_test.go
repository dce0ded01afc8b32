// Package browser plays the demo game in a Chromium, on the page of scripting/inspect. It is a module
// of its own, for what it needs to drive a browser. Without a Chromium its tests are skipped.
package browser

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripts"
)

// pictures is where screenshots go; empty: nowhere.
var pictures = flag.String("pictures", "", "a folder for screenshots of the page")

// handbook has the pictures of the handbooks made anew; shown are those of the one for hosts, and "systems" is that of the one for designers.
var (
	handbook = flag.Bool("handbook", false, "make the pictures of the handbooks anew")
	shown    = []string{"rewind-look", "rewind-compare", "why", "systems-order", "systems-ticks", "console"}
)

// faulty is a script that fails a few times, so that there is something to see.
const faulty = `local ecs = require "ecs"

ecs.system "example.faulty" {
  every = 1,
  run = function(ctx)
    local target = nil
    if ctx.tick < 240 then
      ecs.log(target.name)
    end
  end,
}

local Leaked = ecs.tag "Leaked"
ecs.system "example.leak" {
  every = 0.5,
  run = function() ecs.spawn(Leaked) end,
}
`

// game is the demo, running, with its page open in a browser.
type game struct {
	*testing.T
	host  *scripting.Host
	store *asset.Store
	pace  *loop.Loop
	url   string

	mu     sync.Mutex
	errors []string // what the page has said to the console, or thrown
}

// play starts the demo and a browser.
func play(t *testing.T, edit bool) (*game, context.Context) {
	t.Helper()
	files := fstest.MapFS{"example.lua": {Data: []byte(faulty)}}
	must(t, fs.WalkDir(scripts.Demo(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scripts.Demo(), path)
		files[path] = &fstest.MapFile{Data: text}
		return err
	}))
	return start(t, edit, files, 900) // a battle, not its beginning
}

// start starts a game of some files, with some ticks behind it, and a browser with some flags.
func start(t *testing.T, edit bool, files fstest.MapFS, ticks int, flags ...chromedp.ExecAllocatorOption) (*game, context.Context) {
	t.Helper()
	browser := chromium(t)
	w, err := ecs.Open(ecs.Options{Seed: 7})
	must(t, err)
	stock, err := kit.Install(w, kit.Options{Warn: func(string) {}})
	must(t, err)
	view, err := kit.InstallView(w)
	must(t, err)
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}})
	must(t, err)
	must(t, stock.Expose(host.Expose))
	store, err := asset.Open(w, files)
	must(t, err)
	must(t, view.ShowImages(store, nil))
	must(t, host.Load(files))
	session, err := record.New(host)
	must(t, err)
	pace, err := loop.New(loop.Options{Hz: 60})
	must(t, err)
	page, err := inspect.New(host, inspect.Options{Loop: pace, View: view, Session: session, Control: true, Edit: edit, Name: "demo"})
	must(t, err)
	for range ticks {
		must(t, session.Step(1.0/60))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if err := page.Serve(l); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		if err := pace.Run(ctx, session.Step); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		must(t, page.Close())
		stop()
		all.Wait()
		must(t, session.Close())
		must(t, host.Close())
		must(t, w.Close())
	})
	g := &game{T: t, host: host, store: store, pace: pace, url: page.URL(l.Addr().String())}
	return g, g.open(ctx, browser, flags...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no chromium to open the page in")
	return ""
}

// open starts the browser, and notes what its console says.
func (g *game) open(ctx context.Context, browser string, flags ...chromedp.ExecAllocatorOption) context.Context {
	g.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(g.TempDir()))
	ctx, end := chromedp.NewExecAllocator(ctx, append(options, flags...)...)
	g.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	g.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 2*time.Minute)
	g.Cleanup(end)
	g.do(ctx, chromedp.Navigate("about:blank"))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if strings.Contains(m.Text, "Failed to load resource") {
				continue // an answer with an error, which the page shows
			}
			if m.IsException() || strings.Contains(string(m.Type), "error") {
				g.note(fmt.Sprintf("%v (%s:%d)", m, m.URL, m.Line+1))
			}
		}
	}()
	return ctx
}

func (g *game) note(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errors = append(g.errors, text)
}

// quiet holds that the page has reported no error.
func (g *game) quiet() {
	g.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.errors {
		g.Error(e)
	}
	g.errors = nil
}

// do runs actions in the browser.
func (g *game) do(ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	g.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		g.quiet()
		g.Fatal(err)
	}
}

// eval returns the value of an expression of the page; of a promise, what it comes to.
func eval[T any](g *game, ctx context.Context, expression string) T {
	g.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		g.quiet()
		g.Fatalf("%s: %v", expression, err)
	}
	return v
}

// js runs a piece of code in the page.
func (g *game) js(ctx context.Context, code string) {
	g.Helper()
	eval[bool](g, ctx, "(() => { "+code+"; return true })()")
}

// until waits for a condition of the page, which may be a promise.
func (g *game) until(ctx context.Context, condition string) {
	g.Helper()
	for end := time.Now().Add(20 * time.Second); !eval[bool](g, ctx, "Promise.resolve("+condition+").then(Boolean)"); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(end) {
			g.quiet()
			g.shot(ctx, "failed-"+g.Name())
			g.Fatalf("it does not come to: %s", condition)
		}
	}
}

// shot takes a picture of the page; it must not be of one color.
func (g *game) shot(ctx context.Context, name string) image.Image {
	g.Helper()
	text, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		g.Error(err)
		return nil
	}
	if *pictures != "" {
		must(g, os.WriteFile(filepath.Join(*pictures, name+".png"), text, 0o644))
	}
	picture, _, err := image.Decode(bytes.NewReader(text))
	must(g, err)
	if *handbook && name == "systems" {
		must(g, os.WriteFile(filepath.Join("..", "..", "scripts", "view.png"), text, 0o644))
	}
	if *handbook && slices.Contains(shown, name) {
		file, err := os.Create(filepath.Join("..", "..", "scripting", "inspect", "pictures", name+".jpg"))
		must(g, err)
		must(g, errors.Join(jpeg.Encode(file, picture, &jpeg.Options{Quality: 82}), file.Close()))
	}
	return picture
}

// colors counts the colors of a part of a picture.
func colors(p image.Image, part image.Rectangle) int {
	seen := map[[3]uint32]bool{}
	for y := part.Min.Y; y < part.Max.Y; y += 2 {
		for x := part.Min.X; x < part.Max.X; x += 2 {
			r, g, b, _ := p.At(x, y).RGBA()
			seen[[3]uint32{r >> 12, g >> 12, b >> 12}] = true
		}
	}
	return len(seen)
}

// screen gives the page the size of a screen, and a scheme of colors.
func screen(width, height int64, scale float64, phone bool, scheme string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: scale, Mobile: phone})
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: phone})
		}
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		}
		return none, err
	}
}

// click is a click on the element of a selector.
func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// TestThePage walks through the panels of the demo, plays, and takes pictures.
func TestThePage(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.view.state.sprites > 8000 && perigee.view.state.drawn > 30`)

	// Entities: a query, its answer, an entity, a change.
	g.until(ctx, `document.querySelectorAll('#panel .row').length === 40`)
	p := g.shot(ctx, "entities")
	if n := colors(p, image.Rect(0, 60, 800, 780)); n < 40 {
		t.Errorf("the view has %d colors", n)
	}
	g.js(ctx, `document.querySelector('.query input').value = 'Queeen'; document.querySelector('.query').requestSubmit()`)
	g.until(ctx, `document.querySelector('#panel .problem').textContent.includes('Queen')`)
	g.js(ctx, `document.querySelector('.query input').value = 'Carrier, Health.hp > 1'; document.querySelector('.query').requestSubmit()`)
	g.until(ctx, `document.querySelectorAll('#panel .row').length > 0 && document.querySelectorAll('#panel .row').length < 10`)
	g.js(ctx, `document.querySelector('#panel .row').click()`)
	g.until(ctx, `document.querySelectorAll('#panel .card').length > 4 && perigee.selected`)
	g.until(ctx, `document.querySelectorAll('#panel dd svg path[d]').length > 2`) // values move, and have histories
	g.until(ctx, `/^0x[0-9a-f]{6}$/.test(document.querySelector('input[aria-label="Shape.color"]').value) && getComputedStyle(document.querySelector('dd .patch')).backgroundColor.startsWith('rgb')`)
	g.shot(ctx, "entity")
	g.js(ctx, `const i = document.querySelector('input[aria-label="Health.max"]'); i.value = '1234'; i.onchange()`)
	g.until(ctx, `[...document.querySelectorAll('input[aria-label="Health.max"]')].some(i => i.value === '1234')`)

	// Systems, with times.
	g.do(ctx, click("#tab-systems"))
	g.until(ctx, `document.querySelectorAll('#panel tbody tr').length > 25 && document.querySelectorAll('#panel td svg path[d]').length > 30`)
	g.until(ctx, `[...document.querySelectorAll('#panel .tag.wasm')].length > 5 && perigee.series.mean.length > 12`)
	if *handbook {
		g.until(ctx, `perigee.series.mean.length > 55`) // lines of their whole length
	}
	g.shot(ctx, "systems")

	// Scripts, with the fault at its line.
	g.do(ctx, click("#tab-scripts"))
	g.until(ctx, `[...document.querySelectorAll('#panel .note')].some(n => n.textContent.includes('example.lua:8'))`)
	g.shot(ctx, "scripts")
	g.js(ctx, `document.querySelector('#panel .note:not(.warn)').click()`)
	g.until(ctx, `document.querySelector('#panel .code .fault') && document.querySelector('#panel .code .fault i').textContent === '8'`)
	g.shot(ctx, "script")

	// A text that a reload refuses is shown with what is wrong, and beside it the one that runs.
	must(t, g.host.StageTexts(ctx, map[string][]byte{"example.lua": []byte("-- a newer text\nlocal x = = 1\n")}))
	g.until(ctx, `document.querySelector('#panel .code .refused i') && document.querySelector('#panel .code .refused i').textContent === '2' && document.querySelector('#panel .code').textContent.includes('a newer text')`)
	g.shot(ctx, "refused")
	g.do(ctx, click(`#panel [data-key="runs"]`))
	g.until(ctx, `document.querySelector('#panel .code .fault i') && document.querySelector('#panel .code .fault i').textContent === '8'`)

	g.do(ctx, click("#tab-world"))
	g.until(ctx, `document.querySelectorAll('#panel table').length >= 3`)
	g.shot(ctx, "world")

	// Pause and step.
	g.do(ctx, click("#pause"))
	g.until(ctx, `perigee.pulse.paused && document.querySelector('#pause').matches('.on')`)
	tick := eval[float64](g, ctx, `perigee.pulse.tick`)
	g.do(ctx, click("#step"))
	g.until(ctx, fmt.Sprintf(`perigee.pulse.tick === %v`, tick+1))
	g.do(ctx, click("#pause"))
	g.until(ctx, `!perigee.pulse.paused`)
	g.quiet()
}

// TestPlaying flies the ship with keys, and shoots with the pointer; on a phone and in the light, too.
func TestPlaying(t *testing.T) {
	g, ctx := play(t, false)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.view.state.sprites > 1000`)
	g.until(ctx, `document.querySelector('#hud').textContent.includes('click to launch')`)
	g.do(ctx, chromedp.MouseClickXY(500, 300))
	g.until(ctx, `document.querySelector('#hud').textContent.includes('WASD')`)
	place := func() float64 {
		return eval[float64](g, ctx, `import('/page/api.js').then(a => a.get('/entities?query=Pilot,Position')).then(p => p.entities.length ? p.entities[0].components.Position.x : -1)`)
	}
	before := place()
	g.js(ctx, `const o = document.querySelector('#overlay'); o.focus(); o.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }))`)
	for n := 0; place() < before+40; n++ {
		if n > 100 {
			t.Fatalf("the ship was at %g, and is at %g", before, place())
		}
	}
	g.do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, 640, 240, chromedp.ButtonLeft))
	g.until(ctx, `perigee.view.state.pictures > 60`)
	g.shot(ctx, "play")
	g.do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 640, 240, chromedp.ButtonLeft))
	g.js(ctx, `window.dispatchEvent(new Event('blur'))`)

	// A click on an entity selects it.
	g.do(ctx, click("#pause"))
	g.until(ctx, `perigee.pulse.paused`)
	g.do(ctx, click("#pick"))
	slot := eval[float64](g, ctx, `import('/page/api.js').then(a => a.get('/entities?query=Tower&limit=1')).then(p => p.entities[0].slot)`)
	at := eval[[]float64](g, ctx, fmt.Sprintf(`perigee.view.where(%v)`, slot))
	if len(at) == 2 && at[0] > 0 && at[0] < 820 && at[1] > 50 && at[1] < 780 {
		g.do(ctx, chromedp.MouseClickXY(at[0], at[1]))
		g.until(ctx, fmt.Sprintf(`perigee.selected %% 16777216 === %v && document.querySelector('#panel .card')`, slot))
	}

	// A phone, in the light.
	g.do(ctx, click("#pause"), screen(390, 844, 2, true, "light"), click("#tab-systems"))
	g.until(ctx, `document.documentElement.dataset.theme === 'light' && document.querySelectorAll('#panel td svg path[d]').length > 30`)
	if wide := eval[bool](g, ctx, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page is wider than the phone")
	}
	g.shot(ctx, "phone")
	g.do(ctx, click("#tab-entities"))
	g.until(ctx, `document.querySelector('#panel .row') || document.querySelector('#panel .card')`)
	g.shot(ctx, "phone-entities")
	for name, size := range map[string][2]int64{"phone-dark": {390, 844}, "phone-wide": {844, 390}, "tablet": {1010, 760}} {
		g.do(ctx, screen(size[0], size[1], 2, true, "dark"))
		g.until(ctx, `document.documentElement.dataset.theme === 'dark'`)
		if cut := eval[string](g, ctx, `document.querySelectorAll('.figures b')[0].textContent = '1,234,567', document.querySelectorAll('.figures b')[2].textContent = '99.9 ms', [...document.querySelectorAll('.figures > *')].filter(f => f.offsetWidth && f.getBoundingClientRect().right > document.querySelector('.figures').getBoundingClientRect().right + 1).map(f => f.textContent + ' by ' + (f.getBoundingClientRect().right - document.querySelector('.figures').getBoundingClientRect().right)).join()`); cut != "" {
			t.Errorf("%s: at the top, %q is cut", name, cut)
		}
		drawn := eval[float64](g, ctx, `perigee.view.state.drawn`)
		g.until(ctx, fmt.Sprintf(`perigee.view.state.drawn > %v`, drawn+20))
		g.shot(ctx, name)
	}
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.until(ctx, `perigee.view.state.drawn > 100`)
	g.shot(ctx, "light")
	g.quiet()
}

// TestWhatLeaks is named in the panel of the world, a minute of simulation after it began: what scripts
// spawn and never despawn.
func TestWhatLeaks(t *testing.T) {
	g, ctx := play(t, false)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse`)
	g.do(ctx, click("#tab-world"))
	must(t, g.pace.SetScale(20))
	g.until(ctx, `[...document.querySelectorAll('#panel .note')].some(n => n.textContent.includes('Leaked have become more for 60 s'))`)
	g.until(ctx, `[...document.querySelectorAll('#panel tr')].some(r => r.textContent.includes('Leaked') && r.querySelector('.tag.grown') && r.querySelector('svg path[d]'))`)
	g.until(ctx, `document.querySelector('#tab-world em.warn').textContent > 0`)
	g.shot(ctx, "world-leak")
	g.quiet()
}

// TestWithoutTheToken the page says so, and shows nothing.
func TestWithoutTheToken(t *testing.T) {
	g, ctx := play(t, false)
	address, _, _ := strings.Cut(g.url, "#")
	g.do(ctx, chromedp.Navigate(address))
	g.until(ctx, `document.querySelector('#veil').textContent.includes('token')`)
	g.until(ctx, `document.querySelector('#panel .problem').textContent.includes('token')`)
	if n := eval[int](g, ctx, `document.querySelectorAll('#panel .row').length`); n != 0 {
		t.Errorf("%d entities are shown", n)
	}
}
