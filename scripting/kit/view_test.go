package kit_test

import (
	"errors"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// player is a world that somebody plays in.
type player struct {
	*testing.T
	w  *ecs.World
	v  *kit.Screen
	in *kit.Input
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	v, err := kit.InstallView(w)
	must(t, err)
	return &player{t, w, v, ecs.Resource[kit.Input](w)}
}

func (p *player) key(name string, down bool) {
	p.Helper()
	k, ok := kit.ParseKey(name)
	if !ok || !p.v.Feed(kit.Signal{Kind: kit.KeyMoved, Key: k, Down: down}) {
		p.Fatalf("%q is not taken", name)
	}
}

func (p *player) step() { p.Helper(); must(p, p.w.Step(0.1)) }

// TestInputLastsAsItSays: what is down stays, what was pressed lasts for one tick.
func TestInputLastsAsItSays(t *testing.T) {
	p := newPlayer(t)
	p.key("w", true)
	p.key("right", true)
	p.key("space", true)
	p.step()
	if in := p.in; !in.Down.W || !in.JustPressed.W || !in.Fire || !in.FirePressed || math.Abs(in.X-math.Sqrt(0.5)) > 1e-12 || in.X != in.Y {
		t.Errorf("%+v", in)
	}
	p.key("space", true) // again, as when a key repeats
	p.step()
	if in := p.in; !in.Down.W || in.JustPressed != (kit.KeyStates{}) || !in.Fire || in.FirePressed {
		t.Errorf("%+v", in)
	}
	p.key("space", false)
	p.key("a", true)
	p.key("a", false) // within one tick
	p.v.Feed(kit.Signal{Kind: kit.PointerMoved, X: 3, Y: -4, Down: true})
	p.v.Feed(kit.Signal{Kind: kit.WheelTurned, Y: 2})
	p.step()
	if in := p.in; in.Down.A || !in.JustPressed.A || in.PointerX != 3 || in.PointerY != -4 || !in.Pressed || !in.Fire || in.Wheel != 2 {
		t.Errorf("%+v", in)
	}
	p.v.Feed(kit.Signal{Kind: kit.StickMoved, X: -5})
	p.key("right", false)
	p.step()
	if in := p.in; math.Abs(in.X+math.Sqrt(0.5)) > 1e-12 || in.Wheel != 0 || in.Pressed || !in.Pointer {
		t.Errorf("%+v", in)
	}
	p.v.Feed(kit.Signal{Kind: kit.Released})
	p.step()
	if *p.in != (kit.Input{PointerX: 3, PointerY: -4}) {
		t.Errorf("%+v", p.in)
	}
}

// TestKeysAreInOrder: the fields, the names of the enum and those of ParseKey.
func TestKeysAreInOrder(t *testing.T) {
	code, _ := reflect.TypeFor[kit.Key]().FieldByName("Key")
	_, list, _ := strings.Cut(code.Tag.Get("ecs"), "enum=")
	names := strings.Split(list, "|")
	keys := reflect.TypeFor[kit.KeyStates]()
	if keys.NumField() != len(names) {
		t.Fatalf("%d fields, %d names", keys.NumField(), len(names))
	}
	for n, name := range names {
		p := newPlayer(t)
		p.key(name, true)
		p.step()
		if k, _ := kit.ParseKey(name); int(k) != n || !reflect.ValueOf(p.in.Down).Field(n).Bool() || strings.ToLower(keys.Field(n).Name) != name {
			t.Errorf("%s is %d, %s", name, k, keys.Field(n).Name)
		}
	}
	if _, ok := kit.ParseKey("none"); ok {
		t.Error("any name is a key")
	}
}

// TestNoKeyStaysDown: whatever waits, also while nothing is stepped, a key that goes up is up, and so is all when the
// player has left. A pointer that only moves takes one place.
func TestNoKeyStaysDown(t *testing.T) {
	up := kit.Signal{Kind: kit.KeyMoved, Key: 22} // w
	for name, last := range map[string]kit.Signal{"up": up, "released": {Kind: kit.Released}} {
		p := newPlayer(t)
		p.key("w", true)
		p.v.Feed(kit.Signal{Kind: kit.PointerMoved, Down: true})
		p.v.Feed(kit.Signal{Kind: kit.StickMoved, X: 1})
		p.step()
		for p.v.Feed(kit.Signal{Kind: kit.WheelTurned, Y: 1}) {
		}
		if !p.v.Feed(last) {
			t.Errorf("%s is not taken", name)
		}
		p.step()
		if p.in.Down.W || name == "released" && (p.in.Pointer || p.in.StickX != 0) {
			t.Errorf("%s: %+v", name, p.in)
		}
		for p.v.Feed(kit.Signal{Kind: kit.WheelTurned, Y: 1}) {
		}
		for _, s := range []kit.Signal{{Kind: kit.PointerMoved}, {Kind: kit.StickMoved}, up} {
			for range 100 {
				if !p.v.Feed(s) {
					t.Errorf("%+v is not taken", s)
				}
			}
		}
	}
	p := newPlayer(t)
	for n := range 5000 {
		if !p.v.Feed(kit.Signal{Kind: kit.PointerMoved, X: float64(n)}) || !p.v.Feed(kit.Signal{Kind: kit.PointerMoved, X: float64(n), Y: 1}) {
			t.Fatalf("move %d is not taken", n)
		}
	}
	p.step()
	if p.in.PointerX != 4999 || p.in.PointerY != 1 {
		t.Errorf("%+v", p.in)
	}
}

// TestFeedIsBounded, and takes nothing that cannot be; from any goroutine.
func TestFeedIsBounded(t *testing.T) {
	p := newPlayer(t)
	for _, s := range []kit.Signal{{Kind: 99}, {Key: 200}, {Kind: kit.PointerMoved, X: math.NaN()}, {Kind: kit.PointerMoved, Y: math.Inf(1)}} {
		if p.v.Feed(s) {
			t.Errorf("%+v is taken", s)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				p.v.Feed(kit.Signal{Kind: kit.WheelTurned, Y: 1})
			}
		})
	}
	all.Wait()
	p.step()
	if p.in.Wheel != 1024 {
		t.Errorf("%g were taken", p.in.Wheel)
	}
	if (*kit.Screen)(nil).Feed(kit.Signal{}) || (&kit.Screen{}).Feed(kit.Signal{}) {
		t.Error("no view takes signals")
	}
	if n := testing.AllocsPerRun(100, func() { p.step() }); n != 0 {
		t.Errorf("an idle step allocates %v times", n)
	}
}

// TestInstallViewRefuses a second time, and worlds that cannot have it.
func TestInstallViewRefuses(t *testing.T) {
	p := newPlayer(t)
	if _, err := kit.InstallView(p.w); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := kit.InstallView(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	must(t, p.w.Close())
	if _, err := kit.InstallView(p.w); !errors.Is(err, ecs.ErrClosed) {
		t.Error(err)
	}
}

// TestScriptsDrawAndPlay: what the package's text says of Lua.
func TestScriptsDrawAndPlay(t *testing.T) {
	p := newPlayer(t)
	host, err := scripting.New(p.w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer host.Close()
	must(t, host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local Shape, Label, Bar, Camera = ecs.native("Shape"), ecs.native("Label"), ecs.native("Bar"), ecs.native("Camera")
local Key, input = ecs.native_event("Key"), ecs.resource("Input")
ecs.on_start(function()
  ecs.spawn(Shape { form = "star", color = 0xff8800 }, Label { text = "hi" }, Bar { value = 0.5 }, Camera)
end)
ecs.system "turn" { query = { Shape }, kernel = "require", each = function(_, s, ctx) s.angle = s.angle + 1 end }
ecs.system "keys" { on = Key, each = function(k) if k.key == "space" and k.down and input.down.space then ecs.spawn(Shape) end end }
ecs.system "move" { query = { Bar }, each = function(_, b) b.value = input.x end }
`)}}))
	p.key("space", true)
	p.key("d", true)
	must(t, host.Step(0.1))
	must(t, host.Step(0.1))
	if f := host.Faults(); f.Total != 0 {
		t.Fatal(f.Recent[0].Detail())
	}
	shape, bar := ecs.Register[kit.Shape](p.w), ecs.Register[kit.Bar](p.w)
	var shapes []kit.Shape
	for _, s := range ecs.Rows(p.w.Query(ecs.Read(shape)), shape) {
		shapes = append(shapes, *s)
	}
	if len(shapes) != 2 || shapes[0] != (kit.Shape{Color: 0xffffff, Alpha: 1, Size: 10, Angle: 2}) || shapes[1] != (kit.Shape{Form: kit.Star, Color: 0xff8800, Alpha: 1, Size: 10, Angle: 2}) {
		t.Errorf("%+v", shapes)
	}
	label := ecs.Register[kit.Label](p.w)
	for _, l := range ecs.Rows(p.w.Query(ecs.Read(label)), label) {
		if *l != (kit.Label{Text: "hi"}) {
			t.Errorf("%+v", *l)
		}
	}
	for _, b := range ecs.Rows(p.w.Query(ecs.Read(bar)), bar) {
		if b.Value != 1 || b.Max != 1 {
			t.Errorf("%+v", b)
		}
	}
}
