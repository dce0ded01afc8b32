package inspect_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// onWorld calls a function on the goroutine of the world.
func (d *drawn) onWorld(do func()) {
	done := make(chan struct{})
	d.pace.Do(func() { do(); close(done) })
	<-done
}

// parts are where the parts of a picture lie that come after its labels.
type parts struct {
	b                                []byte
	sheets, trails, strokes          int // how many
	sheetsAt, trailsAt, strokesAt, n int // n: where the next stroke is
}

func partsOf(b []byte) *parts {
	rest := u32(b, 60)
	p := &parts{b: b, sheets: u16(b, rest), trails: u16(b, rest+2), strokes: u16(b, rest+4), sheetsAt: rest + 8}
	p.trailsAt = p.sheetsAt + 8*p.sheets
	p.strokesAt = p.trailsAt + 20*p.trails
	p.n = p.strokesAt
	return p
}

// stroke reads the next stroke: its places from the corner of the box.
func (p *parts) stroke() string {
	length := u16(p.b, p.n+2)
	text := fmt.Sprintf("%d #%06x", p.b[p.n], u32(p.b, p.n+4))
	for i := range 4 {
		corner := 0.0
		if i < 2 || p.b[p.n] == byte(sketch.Line) || p.b[p.n] == byte(sketch.Box) {
			corner = f32(p.b, 16+4*(i%2))
		}
		text += fmt.Sprintf(" %.4g", f32(p.b, p.n+8+4*i)+corner)
	}
	text += " " + string(p.b[p.n+24:p.n+24+length])
	p.n += (24 + length + 3) &^ 3
	return text
}

// TestPicturesHaveSpritesTrailsAndStrokes, byte by byte; and what cannot be drawn is not in them.
func TestPicturesHaveSpritesTrailsAndStrokes(t *testing.T) {
	d := draw(t, false)
	d.onWorld(func() {
		sprite, trail, position := ecs.Register[kit.Sprite](d.w), ecs.Register[kit.Trail](d.w), ecs.Register[kit.Position](d.w)
		velocity := ecs.Register[kit.Velocity](d.w)
		at := position.With(kit.Position{X: 200, Y: 300})
		d.w.Spawn(at, velocity.With(kit.Velocity{Y: -1}), sprite.With(kit.Sprite{Image: 77, Frame: 9, Columns: 3, Rows: 2, Turns: true, Layer: 200, Color: 0x8040ff, Alpha: 0.5, Size: 12}),
			trail.With(kit.Trail{Seconds: 99, Width: 3, Color: 0xff112233, Alpha: 1}))
		d.w.Spawn(at, sprite.With(kit.Sprite{Image: 77, Alpha: 1, Size: float32(math.NaN()), Layer: 1}))
		d.w.Spawn(at, sprite.With(kit.Sprite{Alpha: 1, Size: 3})) // no image
		d.w.Spawn(at, sprite.With(kit.Sprite{Image: 7, Size: 3})) // nothing to see
		nan := float32(math.NaN())
		for _, odd := range []kit.Trail{{}, {Seconds: nan, Width: 1, Alpha: 1}, {Seconds: 1, Width: nan, Alpha: 1}, {Seconds: 1, Width: 1, Alpha: nan}} {
			d.w.Spawn(at, trail.With(odd))
		}
		d.w.Spawn(position.With(kit.Position{X: math.Inf(1)}), trail.With(kit.Trail{Seconds: 1, Width: 1, Alpha: 1}))
		sketch.Of(d.w).Draw(nil,
			sketch.Stroke{Kind: sketch.Line, X1: 1, Y1: 2, X2: 3000, Y2: 4, Color: 0x123456, Seconds: 50},
			sketch.Stroke{Kind: sketch.Circle, X1: 500, Y1: 600, Radius: 70},
			sketch.Stroke{Kind: sketch.Text, X1: 5, Y1: 6, Text: "hé\xff!" + strings.Repeat("ä", 300)},
			sketch.Stroke{Kind: sketch.Line, X1: -500, Y1: 1, X2: -400, Y2: 900},   // outside
			sketch.Stroke{Kind: sketch.Text, X1: 5000, Y1: 1, Text: "outside"},     // as well
			sketch.Stroke{Kind: sketch.Circle, X1: -500, Y1: 600, Radius: 470},     // reaches in
			sketch.Stroke{Kind: sketch.Box, X1: 700, Y1: 700, X2: -10, Y2: -10000}) // as well
	})
	b := d.picture(d.dial())
	p := partsOf(b)
	if p.sheets != 2 || p.trails != 1 || p.strokes != 5 || u32(b, 48) != 4 {
		t.Fatalf("%d sheets, %d trails, %d strokes, %d shapes and sprites", p.sheets, p.trails, p.strokes, u32(b, 48))
	}
	top := 64 + 3*12 // the last one: it has the highest layer
	style := 64 + 4*12 + 16*u16(b, top+10)
	if u16(b, top+8) != 0xc000 || f32(b, style) != 12 || u32(b, style+4) != 0x8040ff || b[style+8] != 255 || b[style+9] != 128 || b[style+10] != 200 || u16(b, style+14) != 3 {
		t.Errorf("sprite % x, style % x", b[top:top+12], b[style:style+16])
	}
	sheet := p.sheetsAt + 8*u16(b, style+12)
	if u32(b, sheet) != 77 || u16(b, sheet+4) != 0 || b[sheet+6] != 3 || b[sheet+7] != 2 {
		t.Errorf("sheet % x", b[sheet:sheet+8])
	}
	if f32(b, p.trailsAt+8) != 10 || f32(b, p.trailsAt+12) != 3 || u32(b, p.trailsAt+16) != 0xff112233 {
		t.Errorf("trail % x", b[p.trailsAt:p.trailsAt+20])
	}
	var got []string
	for range p.strokes {
		got = append(got, p.stroke())
	}
	want := []string{"0 #123456 1 2 3000 4 ", "1 #ffd866 500 600 70 0 ", "3 #ffd866 5 6 0 0 hé\uFFFD!" + strings.Repeat("ä", 96), "1 #ffd866 -500 600 470 0 ", "2 #ffd866 700 700 -10 -1e+04 "}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("%q, want %q", got[i], w)
		}
	}
	if p.n != len(b) {
		t.Errorf("%d bytes, %d read", len(b), p.n)
	}
}

// TestRewindShowsWhatWasDrawnThen: at an earlier tick there are the strokes of that tick.
func TestRewindShowsWhatWasDrawnThen(t *testing.T) {
	d := draw(t, true)
	d.onWorld(func() {
		must(t, d.w.Schedule().Add(ecs.System{Name: "draw", Run: func(tick *ecs.Tick) error {
			sketch.Of(d.w).Draw(tick, sketch.Stroke{Kind: sketch.Text, X1: 5, Y1: 6, Text: fmt.Sprint("tick ", tick.N)})
			return nil
		}}))
	})
	g := &game{t: t, view: d.view}
	g.call("POST", "/api/v1/rewind", `{"keep": true}`, 200)
	c := d.dial()
	d.picture(c)
	for range 8 {
		d.pace.Once()
		d.picture(c)
	}
	for _, tick := range []int{3, 6, 4} {
		g.call("POST", "/api/v1/rewind", fmt.Sprintf(`{"look": %d}`, tick), 200)
		b := d.picture(c)
		for u32(b, 4) != tick {
			b = d.picture(c)
		}
		if got := partsOf(b).stroke(); !strings.HasSuffix(got, fmt.Sprint(" tick ", tick)) {
			t.Errorf("tick %d shows %q", tick, got)
		}
	}
}

// TestImagesAreServed to those who have the token, as what they are, and nothing but what the game has loaded.
func TestImagesAreServed(t *testing.T) {
	var text bytes.Buffer
	must(t, png.Encode(&text, image.NewGray(image.Rect(0, 0, 9, 9))))
	g := newGame(t, inspect.Options{})
	g.call("GET", "/api/v1/images/1", "", 404) // a program without a view
	d := draw(t, false)
	ids := map[string]uint32{}
	d.onWorld(func() {
		files := fstest.MapFS{"a.png": {Data: text.Bytes()}, "bad.png": {Data: []byte("<script>")}, "secret.txt": {Data: []byte("secret")}}
		store, err := asset.Open(d.w, files)
		must(t, err)
		must(t, d.players.ShowImages(store, nil))
		_, err = asset.Register(store, func(fs.FS, string) (string, error) { return "secret", nil }, "*.txt")
		must(t, err)
		for name := range files {
			ids[name], err = store.LoadAny(name)
			must(t, err)
		}
	})
	get := func(path string, change func(*http.Request)) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := (&game{t: t, view: d.view}).request("GET", path, "")
		if change != nil {
			change(r)
		}
		d.view.ServeHTTP(w, r)
		return w
	}
	of := func(name string) string { return fmt.Sprint("/api/v1/images/", ids[name]) }
	if w := get(of("a.png"), nil); w.Code != 200 || !bytes.Equal(w.Body.Bytes(), text.Bytes()) || w.Header().Get("Content-Type") != "image/png" ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for path, code := range map[string]int{
		of("bad.png"): 422, of("secret.txt"): 404, "/api/v1/images/0": 404, "/api/v1/images/12345": 404, "/api/v1/images/-1": 400, "/api/v1/images/4294967296": 400, "/api/v1/images/": 404,
		"/api/v1/images/a.png": 400, "/api/v1/images/..%2f..%2fsecret.txt": 400, "/api/v1/images/%00": 400, of("a.png") + "/x": 404, of("a.png") + "?path=../secret.txt": 400,
	} {
		if w := get(path, nil); w.Code != code || strings.Contains(w.Body.String(), "<script>") || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d, want %d: %s", path, w.Code, code, w.Body.String())
		}
	}
	if w := get(of("a.png"), func(r *http.Request) { r.Header.Del("Authorization") }); w.Code != 401 {
		t.Errorf("without the token: %d", w.Code)
	}
	if w := get(of("a.png"), func(r *http.Request) { r.Header.Set("Origin", "https://evil.test") }); w.Code != 403 {
		t.Errorf("from a page of another origin: %d", w.Code)
	}
}
