package inspect_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// drawn is a world with something to see, whose steps the test asks for.
type drawn struct {
	*testing.T
	w       *ecs.World
	players *kit.Screen
	pace    *loop.Loop
	view    *inspect.Inspector
	server  *httptest.Server
}

// draw starts a world that is paused.
func draw(t *testing.T, control bool) *drawn {
	t.Helper()
	w := ecs.NewWorld()
	_, err := kit.Install(w, kit.Options{})
	must(t, err)
	players, err := kit.InstallView(w)
	must(t, err)
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	must(t, host.Load(fstest.MapFS{}))
	shape, position, velocity := ecs.Register[kit.Shape](w), ecs.Register[kit.Position](w), ecs.Register[kit.Velocity](w)
	label, bar := ecs.Register[kit.Label](w), ecs.Register[kit.Bar](w)
	arrow := kit.Shape{Form: kit.Arrow, Turns: true, Size: 8, Color: 0xff8040, Alpha: 1, Layer: 3}
	w.Spawn(shape.With(arrow), position.With(kit.Position{X: 100, Y: 250}), velocity.With(kit.Velocity{Y: 2}))
	w.Spawn(shape.With(kit.Shape{Size: 50, Color: 0x112233, Alpha: 0.5, Glow: 1}), position.With(kit.Position{X: 500, Y: 500}), bar.With(kit.Bar{Value: 1, Max: 4, Width: 20, Height: 2, DY: 10}))
	w.Spawn(shape.With(kit.Shape{Size: 50, Alpha: 1}), position.With(kit.Position{X: math.NaN()}))     // nowhere
	w.Spawn(shape.With(kit.Shape{Size: 50, Alpha: 1}), position.With(kit.Position{X: 1e300}))          // far away
	w.Spawn(shape.With(kit.Shape{Size: 50, Alpha: 1}))                                                 // without a place
	w.Spawn(shape.With(kit.Shape{Size: 50}), position.With(kit.Position{X: 1}))                        // nothing to see
	w.Spawn(bar.With(kit.Bar{Value: 4, Max: 4}), position.With(kit.Position{X: 1}))                    // full
	w.Spawn(label.With(kit.Label{Text: "score \xff" + strings.Repeat("ä", 300), Size: 900, Color: 1})) // broken, and long
	session, err := record.New(host)
	must(t, err)
	pace, err := loop.New(loop.Options{Hz: 100})
	must(t, err)
	pace.Pause()
	page, err := inspect.New(host, inspect.Options{Loop: pace, View: players, Session: session, Control: control, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- pace.Run(ctx, session.Step) }()
	d := &drawn{t, w, players, pace, page, httptest.NewServer(page)}
	t.Cleanup(func() {
		must(t, page.Close())
		d.server.Close()
		stop()
		must(t, <-ended)
		must(t, session.Close())
		must(t, host.Close())
		must(t, w.Close())
	})
	return d
}

// dial opens a view.
func (d *drawn) dial() *websocket.Conn {
	d.Helper()
	c, answer, err := websocket.Dial(d.Context(), "ws"+strings.TrimPrefix(d.server.URL, "http")+"/api/v1/view", &websocket.DialOptions{
		Subprotocols: []string{"perigee.view.v1", "perigee.token." + d.view.Token()},
	})
	if err != nil {
		d.Fatalf("%v: %v", err, answer)
	}
	c.SetReadLimit(1 << 24)
	d.Cleanup(func() { c.CloseNow() })
	return c
}

// picture reads the next picture, and says so.
func (d *drawn) picture(c *websocket.Conn) []byte {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), 10*time.Second)
	defer cancel()
	_, b, err := c.Read(ctx)
	must(d, err)
	must(d, c.Write(ctx, websocket.MessageBinary, []byte{1}))
	return b
}

func u16(b []byte, at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
func u32(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
func f32(b []byte, at int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[at:])))
}

// TestPicture reads one by its description: what is in it, and what is left out.
func TestPicture(t *testing.T) {
	d := draw(t, false)
	b := d.picture(d.dial())
	if string(b[:4]) != "PGV1" || u32(b, 48) != 2 || u16(b, 52) != 2 || u16(b, 54) != 1 || u16(b, 56) != 1 || u16(b, 58) != 0 {
		t.Fatalf("head % x", b[:64])
	}
	x := func(at int) float64 { return f32(b, 16) + float64(u16(b, at))/65535*f32(b, 24) }
	y := func(at int) float64 { return f32(b, 20) + float64(u16(b, at))/65535*f32(b, 28) }
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("the lower layer comes first", x(64+4), 500)
	near("x", x(76+4), 100)
	near("y", y(76+6), 250)
	near("its front is where its velocity leads", float64(u16(b, 76+8))/65536, 0.25)
	style := 64 + 2*12 + 16*u16(b, 76+10)
	near("size", f32(b, style), 8)
	if u32(b, style+4) != 0xff8040 || b[style+8] != byte(kit.Arrow) || b[style+9] != 255 || b[style+10] != 3 {
		t.Errorf("style % x", b[style:style+16])
	}
	other := 64 + 2*12 + 16*u16(b, 64+10)
	if u32(b, other+4) != 0xff112233 || b[other+9] != 128 {
		t.Errorf("style % x", b[other:other+16])
	}
	bar := 64 + 2*12 + 2*16
	near("bar", y(bar+6), 510)
	near("part", float64(b[bar+19])/255, 0.25)
	label := bar + 20
	if b[label+8] != 1 || b[label+9] != 255 || u16(b, label+10) > 200 || !strings.HasPrefix(string(b[label+16:]), "score \uFFFDää") {
		t.Errorf("label %q", b[label:])
	}
	if end := label + 16 + (u16(b, label+10)+3)&^3; end != u32(b, 60) || end+8 != len(b) {
		t.Errorf("%d bytes, %d read", len(b), end)
	}
}

// TestCredit: a viewer that does not draw gets two pictures, and nobody copies scenes for it; when it
// draws, it gets the newest.
func TestCredit(t *testing.T) {
	d := draw(t, false)
	c := d.dial()
	read := func() int {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, b, err := c.Read(ctx)
		must(t, err)
		return u32(b, 4)
	}
	first := read()
	d.pace.Once()
	second := read()
	if second != first+1 {
		t.Errorf("ticks %d and %d", first, second)
	}
	before := d.pace.Counts().Steps
	for range 5 {
		d.pace.Once()
	}
	for d.pace.Counts().Steps < before+5 {
		time.Sleep(time.Millisecond)
	}
	must(t, c.Write(t.Context(), websocket.MessageBinary, []byte{1}))
	d.pace.Resume()
	if third := read(); third < second+5 {
		t.Errorf("after tick %d comes %d: an old one", second, third)
	}
}

// TestPlayersAreHeard, when they may play, and their keys are up when they are gone.
func TestPlayersAreHeard(t *testing.T) {
	for _, control := range []bool{true, false} {
		d := draw(t, control)
		c := d.dial()
		send := func(m ...byte) { must(t, c.Write(t.Context(), websocket.MessageBinary, m)) }
		pointer := append([]byte{3, 1, 0, 0}, make([]byte, 8)...)
		binary.LittleEndian.PutUint32(pointer[4:], math.Float32bits(7))
		send(2, 1, 's', 'p', 'a', 'c', 'e')
		send(2, 1, 'w')
		send(pointer...)
		for _, odd := range [][]byte{{}, {2}, {2, 1}, {2, 1, 'n', 'o', 'n', 'e'}, {3, 1}, {4, 0}, {99, 1, 2}, {6, 6}} {
			send(odd...)
		}
		input := func() (in kit.Input) {
			done := make(chan struct{})
			d.pace.Do(func() { in = *ecs.Resource[kit.Input](d.w); close(done) })
			<-done
			return in
		}
		for n := 0; n < 200 && !input().Pointer; n++ {
			tick(d)
		}
		if in := input(); in.Down.Space != control || in.Down.W != control || in.Pointer != control || (in.PointerX == 7) != control {
			t.Errorf("control %v: %+v", control, in)
		}
		c.CloseNow()
		for n := 0; n < 2000 && input().Down.Space; n++ {
			tick(d)
		}
		if in := input(); in.Down.Space || in.Pointer {
			t.Errorf("keys stay down: %+v", in)
		}
	}
}

// TestTwoViewersHoldOneKey: when one lets it go, or leaves, the other one holds it still.
func TestTwoViewersHoldOneKey(t *testing.T) {
	d := draw(t, true)
	press := func(c *websocket.Conn, m ...byte) { must(t, c.Write(t.Context(), websocket.MessageBinary, m)) }
	input := func() (in kit.Input) {
		done := make(chan struct{})
		d.pace.Do(func() { in = *ecs.Resource[kit.Input](d.w); close(done) })
		<-done
		return in
	}
	until := func(what string, is func(kit.Input) bool) {
		t.Helper()
		for range 5000 {
			if is(input()) {
				return
			}
			tick(d)
		}
		t.Fatalf("%s: %+v", what, input())
	}
	stays, leaves := d.dial(), d.dial()
	defer stays.CloseNow()
	press(stays, 2, 1, 'w')
	until("w", func(in kit.Input) bool { return in.Down.W })
	press(leaves, 2, 1, 'w')
	press(leaves, 2, 1, 'e')
	until("e", func(in kit.Input) bool { return in.Down.E })
	press(leaves, 2, 0, 'w')
	press(leaves, 2, 1, 'r')
	until("r", func(in kit.Input) bool { return in.Down.R })
	if !input().Down.W {
		t.Error("one lets w go, and it is up for the other one")
	}
	leaves.CloseNow()
	until("one has left", func(in kit.Input) bool { return !in.Down.E && !in.Down.R })
	if !input().Down.W {
		t.Error("one leaves, and w is up for the other one")
	}
	press(stays, 2, 0, 'w')
	until("both let it go", func(in kit.Input) bool { return !in.Down.W })
}

// tick makes a step, and lets others work.
func tick(d *drawn) {
	d.pace.Once()
	time.Sleep(time.Millisecond)
}

// TestViewersAreBounded, and one that says too much at once is cut off.
func TestViewersAreBounded(t *testing.T) {
	d := draw(t, true)
	for range 32 {
		d.picture(d.dial())
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", d.server.URL+"/api/v1/view", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+d.view.Token())
	r.Header.Set("Upgrade", "websocket")
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	answer.Body.Close()
	if answer.StatusCode != 503 {
		t.Errorf("the 33rd gets %d", answer.StatusCode)
	}
	e := draw(t, true)
	c := e.dial()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_ = c.Write(ctx, websocket.MessageBinary, make([]byte, 1<<16)) // it may be cut off within it
	for err == nil {
		_, _, err = c.Read(ctx)
	}
	if ctx.Err() != nil {
		t.Error("the connection stays")
	}
	(&game{t: t, view: e.view}).call("GET", "/api/v1/view", "", 426)
	g := newGame(t, inspect.Options{})
	g.call("GET", "/api/v1/view", "", 404)
}

// TestThePageIsServed without a token, with its policy, and nothing else is.
func TestThePageIsServed(t *testing.T) {
	g := newGame(t, inspect.Options{})
	for path, kind := range map[string]string{"/": "text/html", "/page/main.js": "text/javascript", "/page/style.css": "text/css", "/page/icon.svg": "image/svg+xml"} {
		r := g.request("GET", path, "")
		r.Header.Del("Authorization")
		w := httptest.NewRecorder()
		g.view.ServeHTTP(w, r)
		if h := w.Header(); w.Code != 200 || !strings.HasPrefix(h.Get("Content-Type"), kind) || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
		if kind == "text/html" && (strings.Contains(w.Body.String(), "://") || strings.Contains(w.Body.String(), "style=")) {
			t.Error("the page loads something from elsewhere, or has styles that its policy forbids")
		}
	}
	for _, path := range []string{"/page/", "/page/none.js", "/page/..%2findex.html", "/index.html", "/page/page"} {
		g.call("GET", path, "", 404)
	}
}
