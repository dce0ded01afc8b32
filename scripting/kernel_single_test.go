package scripting_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestPrecisionOption holds what the option takes, in words.
func TestPrecisionOption(t *testing.T) {
	for value, want := range map[string]string{
		`"f32"`: "",
		`"f64"`: "",
		`"f16"`: `k.lua:6: system "s": precision: expected "f64" or "f32", got the string "f16"`,
		`32`:    `k.lua:6: system "s": precision: expected "f64" or "f32", got the number 32`,
	} {
		text := fmt.Sprintf("ecs.system 's' { query = { Alpha }, precision = %s, each = function(e, a) a.g = a.g + 1 end }\n", value)
		_, _, err := hostOf(t, text, scripting.Limits{})
		if got := byLine(fmt.Sprint(err)); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// singles runs one system over points of float32 for some ticks, and returns them.
func singles(t *testing.T, options, body string, ticks int) []vec[float32] {
	t.Helper()
	return pointsAfter(t, fmt.Sprintf(
		"ecs.system 's' { query = { Gamma }, %s, each = function(e, c, ctx) %s end }\n", options, body), ticks)
}

// pointsAfter runs a script over points of float32 for some ticks.
func pointsAfter(t *testing.T, script string, ticks int) []vec[float32] {
	t.Helper()
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	gamma := ecs.Register[Gamma](w)
	for i := range 37 {
		w.Spawn(gamma.With(Gamma{X: float32(i)*1.7 - 20, Y: 50 / float32(i+1)}))
	}
	h := newHost(t, w, scripting.Options{})
	defer h.Close()
	text := "local ecs = require 'ecs'\nlocal Gamma = ecs.native('Gamma')\nlocal third = 1 / 3\n" + script
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	for range ticks {
		if err := h.StepAll(0.1); err != nil {
			t.Fatal(err)
		}
	}
	var out []vec[float32]
	for c := range w.Query(ecs.Read(gamma)).Chunks() {
		for _, p := range gamma.Of(c) {
			out = append(out, vec[float32](p))
		}
	}
	return out
}

// TestSingleIsGo holds that a system with precision = "f32" computes what Go does
// with float32, all digits of it; a zero has no sign in Lua. Conversions in Go keep
// it from joining operations.
func TestSingleIsGo(t *testing.T) {
	dt, third := float32(0.1), float32(1.0/3)
	for body, step := range map[string]func(p *vec[float32]){
		"c.x = c.x + c.y * ctx.dt c.y = c.y * third": func(p *vec[float32]) {
			p.X += float32(p.Y * dt)
			p.Y *= third
		},
		"if c.x > 5 then c.x = -c.x / 3 end if c.y > 5 then c.y = -c.y / 3 end": func(p *vec[float32]) {
			if p.X > 5 {
				p.X = -p.X / 3
			}
			if p.Y > 5 {
				p.Y = -p.Y / 3
			}
		},
		"local d = math.sqrt(c.x * c.x + c.y * c.y) c.x = c.x / d c.y = c.y / d": func(p *vec[float32]) {
			d := float32(math.Sqrt(float64(float32(p.X*p.X) + float32(p.Y*p.Y))))
			p.X, p.Y = p.X/d, p.Y/d
		},
		"c.x = math.sin(c.x) * 0.1 c.y = math.max(c.y - 0.1, 0)": func(p *vec[float32]) {
			p.X = float32(math.Sin(float64(p.X))) * 0.1
			p.Y = max(p.Y-0.1, 0)
		},
		"c.x = math.min(c.x, ctx.dt * 10) * math.min(c.x, ctx.dt * 10)": func(p *vec[float32]) {
			p.X = min(p.X, 1) * min(p.X, 1)
		},
		"local s = 0 for i = 1, 3 do s = s + c.x * i end c.y = s": func(p *vec[float32]) {
			s := float32(0)
			for i := range 3 {
				s += float32(p.X * float32(i+1))
			}
			p.Y = s
		},
	} {
		want := singles(t, `kernel = "off"`, "", 0)
		for i := range want {
			for range 3 {
				step(&want[i])
			}
		}
		got := singles(t, `kernel = "require", precision = "f32"`, body, 3)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: row %d is %v, want %v", body, i, got[i], want[i])
			}
		}
		lua := singles(t, `kernel = "off"`, body, 3)
		for i := range want {
			if !near(lua[i].X, got[i].X) || !near(lua[i].Y, got[i].Y) {
				t.Errorf("%s: row %d is %v, and %v on the Lua machine", body, i, got[i], lua[i])
			}
		}
	}
}

// TestCallableSingle holds that a kernel that scripts call has the option, too: it
// computes what the each of a system does with it, and not what it does without.
func TestCallableSingle(t *testing.T) {
	const body = "c.x = c.x + c.y * ctx.dt * third c.y = c.y * 0.9 - c.x / 7"
	called := func(options string) []vec[float32] {
		return pointsAfter(t, fmt.Sprintf("local k = ecs.kernel({ Gamma }, function(e, c, ctx) %s end, { %s })\n"+
			"ecs.system 's' { run = function() k() end }\n", body, options), 5)
	}
	single, double := called(`kernel = "require", precision = "f32"`), called(`kernel = "require"`)
	for options, got := range map[string][]vec[float32]{
		`kernel = "require", precision = "f32"`: single, `kernel = "require", precision = "f64"`: double,
	} {
		if want := singles(t, options, body, 5); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", options, got, want)
		}
	}
	if slices.Equal(single, double) {
		t.Error("the option changes nothing, so this test says nothing")
	}
}

// near reports whether two results differ by rounding alone, that of some
// operations.
func near(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= 1e-5*max(1, math.Abs(float64(a)))
}

// TestSinglesBesideFloat64 runs functions with precision = "f32" over fields of float64,
// row by row and by each plan. What meets no float32 has all digits, as the VM
// has it.
func TestSinglesBesideFloat64(t *testing.T) {
	for body, double := range map[string]bool{
		"d.x = d.x * 0.1 + b.h d.y = d.y * 0.1 + b.h":                         true,
		"b.f = b.f / 3 + 0.1":                                                 true,
		"d.x = a.b and 0.1 or d.x":                                            true,
		"if d.x > 0.1 then d.x = d.y - 0.1 end":                               true,
		"d.x = math.max(d.x, 0.1) d.y = math.min(d.y, 0.3)":                   true,
		"local n = 0.1 for i = 1, 5 do n = n + 0.1 d.x = d.x + n end":         true,
		"b.f = math.sin(b.h + 0.1)":                                           true,
		"c.x = d.x c.x = c.x + 1 c.y = d.y c.y = c.y + 1":                     false,
		"a.g = b.f * 0.1 b.g = a.g * a.g":                                     false,
		"c.x = c.x + d.x c.y = c.y + d.y":                                     false,
		"if d.x > 5 then c.x = c.x + 1 end if d.y > 5 then c.y = c.x + 1 end": false,
		"c.x = a.b and d.x or c.y c.x = c.x * c.x":                            false,
		"local v = c.x v = d.y v = v + 1 c.x = v c.y = v * v d.z = v * 0.1":   false,
	} {
		for seed := range uint64(10) {
			o, why := short.plans(t, []string{"function(e, a, b, c, d, m, ctx)\n" + body + "\nend"}, seed, 37, double)
			if o.refused != nil || o.compiled != 1 {
				t.Fatalf("%s: %v, %v", body, o.refused, o.reasons)
			}
			if why != "" {
				t.Errorf("seed %d: %s\n%s", seed, body, why)
				break
			}
		}
	}
}
