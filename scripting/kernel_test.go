package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestKernelSemantics runs one function for each thing that Lua says about
// numbers, conditions and loops, over rows full of numbers that break things.
func TestKernelSemantics(t *testing.T) {
	sideBySide(t)
	for name, body := range map[string]string{
		"modulo":                   `b.f = a.f % b.h b.g = a.g % -3 b.h = -7 % a.u8 a.f = a.f % math.huge`,
		"modulo of whole numbers":  `b.f = b.u64 % 10 b.h = (b.i32 % 7) * (a.i8 % -4) a.f = -4 % 3`,
		"power":                    `b.f = a.f ^ 2 b.h = a.f ^ 0.5 a.f = (-8) ^ (1/3) b.g = 2 ^ a.i8`,
		"squares":                  `b.f = a.f ^ 2 b.h = (b.h * 1e-160) ^ 2 b.g = (a.u8 * 0) ^ 2 a.f = (a.i8 / 3) ^ 2`,
		"roots":                    `b.f = a.f ^ 0.5 b.h = (b.h + 1) ^ 0.5 b.g = a.g ^ 0.5 a.f = (a.u8 * -1) ^ 0.5`,
		"division by zero":         `b.f = 1 / (a.f * 0) b.h = 0 / (a.f * 0) b.g = -1 / (a.u8 * 0)`,
		"zero of arithmetic":       `b.f = 1 / (a.f * 0) b.h = 1 / -(a.u8 * 0) b.g = 1 / (0 - a.u8 * 0)`,
		"zero of a field":          `b.f = a.f b.h = -a.f b.g = 1 / a.g`,
		"zero of functions":        `b.f = math.floor(a.f) b.h = math.ceil(-0.5 * a.u8) b.g = math.abs(a.g) a.f = math.max(a.f, 0)`,
		"comparisons":              `b.b = a.f > b.f a.b = a.f >= b.f or a.f <= b.h`,
		"equality":                 `b.b = a.f == b.f a.b = a.f ~= a.f`,
		"equality of booleans":     `b.b = a.b == b.b a.b = (a.f < 1) ~= b.b`,
		"equality of other types":  `b.b = a.f == a.b a.b = a.b ~= 1`,
		"numbers are true":         `if 0 then b.f = 1 end if a.f then b.h = 2 else b.h = 3 end b.b = not a.f`,
		"and or":                   `b.f = a.b and a.f or b.h b.h = a.b and 1 or b.b and 2 or 3 b.b = a.b and b.b or a.f > 1`,
		"a flag that is off":       `b.f = off and a.f or 2 b.h = off or a.f a.b = off or b.b a.f = not off and 1 or 2`,
		"or gives its operand":     `b.f = a.f or 1 b.h = a.f and b.h`,
		"conditions of all types":  `if a.b and a.f or b.b then b.f = 1 elseif a.b or a.f then b.f = 2 end`,
		"maximum":                  `b.f = math.max(a.f, b.f) b.h = math.max(b.h, 1, a.f) b.g = math.min(a.g, b.g, 0)`,
		"maximum of one":           `b.f = math.max(a.f) b.h = math.min(a.f)`,
		"square root":              `b.f = math.sqrt(a.f) b.g = root(a.g)`,
		"signalling not-a-number":  `b.f = math.floor(a.f) b.h = math.ceil(-b.h) a.f = math.sqrt(math.abs(b.h)) b.g = math.floor(a.f + 0)`,
		"signalling through calls": `b.f = math.ceil(math.ldexp(a.f, a.i8)) b.h = math.floor(math.sin(b.h)) a.f = math.ceil((math.modf(a.f))) b.g = math.floor(math.log(a.f))`,
		"functions of the host":    `b.f = math.sin(a.f) b.h = math.atan2(a.f, b.h) b.g = math.fmod(a.f, 3) a.f = math.deg(math.log10(a.f))`,
		"swap":                     `a.f, b.f = b.f, a.f`,
		"several targets":          `local x = 1 x, x = a.f, b.f b.h = x a.f, b.f, a.f = 1, 2, 3`,
		"values beyond the names":  `local x, y = a.f, b.f, 3 b.h = x + y`,
		"scopes":                   `local x = 1 do local x = 2 a.f = x end b.f = x local x = x + 1 b.h = x`,
		"for":                      `local s = 0 for i = 1, 5 do s = s + i end b.f = s`,
		"for, rounded at first":    `local s = 0 for i = 0.1, 3, 1 do s = s + i * i end b.f = s`,
		"for, down":                `for i = 3, 1, -1 do b.f = b.f + i end`,
		"for, no turn":             `for i = 3, 1 do b.f = i end`,
		"for over anything":        `local n = 0 for i = a.f, b.h, b.g do n = n + 1 b.f = i if n > 3 then break end end`,
		"for, index is a copy":     `for i = 1, 3 do i = i * 2 b.f = i end`,
		"while":                    `local n = 0 while n < a.u8 do n = n + 1 if n == 20 then break end end b.f = n`,
		"repeat sees its locals":   `local n = 0 repeat n = n + 1 local done = n > 3 until done b.f = n`,
		"break of the inner loop":  `for i = 1, 3 do for k = 1, 3 do if k == 2 then break end b.f = i * k end end`,
		"continue":                 `for i = 1, 5 do if i % 2 == 0 then goto next end b.f = b.f + i ::next:: end`,
		"goto out of blocks":       `do if a.b then goto out end b.f = 1 ::out:: end b.h = 2`,
		"return":                   `b.f = 1 if a.b then return end b.f = 2`,
		"return with values":       `b.f = 1 if a.b then return a.f, b.f + 1 end b.h = 2`,
		"return in a loop":         `for i = 1, 3 do b.f = i if i == 2 then return end end`,
		"the context":              `b.f = ctx.dt b.h = ctx.time a.f = ctx.tick`,
		"captured values":          `b.f = speed * edge if on then b.h = floor(a.f) end`,
		"f32 rounds once":          `b.g = a.f a.g = a.g * 1.1`,
		"fields left alone":        `if false then a.i64 = 1 end b.f = a.i64 a.i64 = a.i64 b.u64 = b.u64`,
		"integers in range":        `a.i8 = -128 a.u8 = 255 a.i16 = -32768 b.u16 = 65535 b.i32 = -2147483648 b.u32 = 4294967295`,
		"wide integers":            `a.i64 = -9007199254740992 b.u64 = 9007199254740992`,
		"minus zero into integers": `a.i8 = -(a.u8 * 0) b.u32 = -(a.u8 * 0) b.u64 = -(a.u8 * 0)`,
		"an integer too large":     `b.f = 5 a.i8 = 128`,
		"an integer too small":     `b.f = 5 b.u32 = -1`,
		"a fraction":               "b.f = 5\n  a.u8 = 0.5",
		"not-a-number":             `b.f = 5 b.i32 = 0/0`,
		"infinity":                 `b.f = 5 b.u64 = math.huge`,
		"beyond 2^53":              `b.f = 5 a.i64 = 9007199254740994`,
		"two that do not fit":      `b.i32 = 0.5 a.u8 = 0.5`,
		"one row that does not":    `if b.u16 > 60000 then a.i16 = 40000 end b.f = 1`,
		"the last assignment":      "a.u8 = 1\n  if a.b then\n    a.u8 = 2.5\n  end\n  a.u8 = a.u8 + 0",
		"the same value twice":     `b.f = (a.f - b.h) * (a.f - b.h) + (b.h - a.f) b.g = (a.f - b.h)`,
		"shared and changed":       `local x = a.f * 2 a.f = 1 b.f = a.f * 2 + x`,
	} {
		for seed := range uint64(4) {
			each := "function(e, a, b, ctx)\n  " + body + "\nend"
			o, difference := compare(t, []string{each}, seed)
			if difference != "" {
				t.Errorf("%s, seed %d\n%s\n%s", name, seed, difference, each)
			}
			if o.compiled != 1 {
				t.Errorf("%s: %v", name, o.reasons)
			}
		}
	}
}

// hostOf loads a script over a world with one component of the host's.
func hostOf(t *testing.T, text string, limits scripting.Limits) (*scripting.Host, *ecs.World, error) {
	t.Helper()
	w := arrange(t, 3, 60)
	h := newHost(t, w, scripting.Options{
		OnError: func(*scripting.Error) {}, Limits: limits,
	})
	t.Cleanup(func() { h.Close() })
	return h, w, h.Load(fstest.MapFS{"k.lua": {Data: []byte(opening + text)}})
}

// TestKernelModes holds what the option does, in words.
func TestKernelModes(t *testing.T) {
	good, bad := "function(e, a) a.f = 1 end", "function(e, a)\n  a.f = #'x'\nend"
	reason := "line 8: # of anything but a list or an array field is not available in kernels"
	for _, c := range []struct{ mode, each, status, refused string }{
		{"auto", good, "compiled", ""},
		{"require", good, "compiled", ""},
		{"off", good, "none", ""},
		{"auto", bad, reason, ""},
		{"require", bad, "", `k.lua:8: system "s": # of anything but a list or an array field is not available in kernels`},
		{"never", good, "", `k.lua:6: system "s": kernel: expected "auto", "require" or "off", got the string "never"`},
	} {
		h, _, err := hostOf(t, system("s", c.mode, c.each), scripting.Limits{})
		if c.refused != "" {
			if err == nil || byLine(err.Error()) != c.refused {
				t.Errorf("%s: %v, want %s", c.mode, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		status := "none"
		for _, k := range h.Kernels() {
			if status = fmt.Sprintf("line %d: %s", k.Line, k.Reason); k.Compiled {
				status = "compiled"
			}
		}
		if status != c.status {
			t.Errorf("%s: %s, want %s", c.mode, status, c.status)
		}
	}
	_, _, err := hostOf(t, `ecs.system "s" { kernel = "require", run = function() end }`, scripting.Limits{})
	if err == nil || !strings.Contains(err.Error(), `kernel = "require" goes with each and a query`) {
		t.Error(err)
	}
}

// TestKernelLimits holds that a kernel cannot hang the game, and that what only
// takes long gets its time.
func TestKernelLimits(t *testing.T) {
	each := "function(e, a)\n  a.f = 1\n  while a.g == a.g do\n    a.b = not a.b\n  end\nend"
	h, w, err := hostOf(t, system("s", "require", each), scripting.Limits{Instructions: 5_000_000, Time: -1})
	if err != nil {
		t.Fatal(err)
	}
	before := dump(w)
	failed := split(h.StepAll(0.1))
	if len(failed) != 1 || !strings.Contains(failed[0], `system "s": tick 1: entity `) || !strings.Contains(failed[0], "of 5,000,000 instructions (Limits.Instructions)") ||
		!strings.HasPrefix(failed[0], "k.lua:8") && !strings.HasPrefix(failed[0], "k.lua:9") && !strings.HasPrefix(failed[0], "k.lua:10") {
		t.Errorf("%q", failed)
	}
	if after := dump(w); after != before {
		t.Error(firstDifference(before, after))
	}

	long := "function(e, a)\n  local n = 0\n  while n < 300000 do\n    n = n + 1\n  end\n  a.f = n\nend"
	h, w, err = hostOf(t, system("s", "require", long), scripting.Limits{Instructions: -1, Time: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.StepAll(0.1); err != nil { // a row needs more than a portion of fuel
		t.Fatal(err)
	}
	alpha := ecs.Register[Alpha](w)
	for c := range w.Query(ecs.Read(alpha)).Chunks() {
		for i, a := range alpha.Of(c) {
			if a.F != 300000 {
				t.Fatalf("row %d: %v", i, a.F)
			}
		}
	}
}

// TestKernelPools runs over components in pools, alone and beside columns, and
// over many small archetypes, on both paths.
func TestKernelPools(t *testing.T) {
	text := `
local ecs = require "ecs"
local Heat = ecs.component("Heat", { t = ecs.f32(1), n = ecs.u16(0) }, { sparse = true })
local Place = ecs.component("Place", { x = ecs.f64(0) })
local Red, Blue, Green = ecs.tag("Red"), ecs.tag("Blue"), ecs.tag("Green")
ecs.on_start(function()
  for i = 1, 200 do
    local e = ecs.spawn(Place { x = i })
    if i %% 2 == 0 then ecs.add(e, Heat { t = i }) end
    if i %% 3 == 0 then ecs.add(e, Red) end
    if i %% 5 == 0 then ecs.add(e, Blue) end
    if i %% 7 == 0 then ecs.add(e, Green) end
  end
end)
ecs.system "alone" { query = { Heat }, kernel = %[1]q, each = function(e, h, ctx) h.t = h.t * 1.5 + ctx.dt end }
ecs.system "both" { query = { Place, Heat }, kernel = %[1]q, each = function(e, p, h) p.x = p.x + h.t h.n = h.n + 1 end }
ecs.system "columns" { query = { Place, without = { Blue } }, kernel = %[1]q, each = function(e, p) p.x = p.x * 1.25 end }
ecs.system "fails" { query = { Place, Heat }, kernel = %[1]q,
  each = function(e, p, h)
    h.t = 0
    if p.x > 150 then h.n = 70000 end
  end }
`
	run := func(mode string) (sum uint64, errs []string) {
		w, err := ecs.Open(ecs.Options{Tag: 9})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		h := newHost(t, w, scripting.Options{OnError: func(*scripting.Error) {}})
		defer h.Close()
		if err := h.Load(fstest.MapFS{"k.lua": {Data: fmt.Appendf(nil, text, mode)}}); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			errs = append(errs, split(h.StepAll(0.5))...)
		}
		return checksum(w), errs
	}
	vm, vmErrors := run("off")
	kernel, kernelErrors := run("require")
	if vm != kernel || fmt.Sprint(vmErrors) != strings.ReplaceAll(fmt.Sprint(kernelErrors), `"require"`, `"off"`) || len(vmErrors) == 0 {
		t.Errorf("sums %x and %x, errors\n%v\n%v", vm, kernel, vmErrors, kernelErrors)
	}
}

// TestKernelReloads swaps a kernel while the world ticks: each version runs from
// its tick on, and the old ones are given back.
func TestKernelReloads(t *testing.T) {
	h, w, err := hostOf(t, system("s", "require", "function(e, a) a.f = 0 end"), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	alpha := ecs.Register[Alpha](w)
	first := w.Query(ecs.Read(alpha)).First()
	for i := range 200 {
		each := fmt.Sprintf("function(e, a) a.f = %d end", i)
		if i%10 == 9 {
			each = "function(e, a) a.f = end" // refused: the one before runs on
		}
		err := h.Replace(fstest.MapFS{"k.lua": {Data: []byte(opening + system("s", "require", each))}})
		if (err == nil) != (i%10 != 9) {
			t.Fatal(err)
		}
		if err := h.StepAll(0.1); err != nil {
			t.Fatal(err)
		}
		want := float64(i)
		if i%10 == 9 {
			want--
		}
		if a, _ := alpha.Get(first); a.F != want {
			t.Fatalf("version %d left %v", i, a.F)
		}
	}
	if n := h.LoadedKernels(); n != 1 {
		t.Errorf("%d kernels are loaded", n)
	}
}

// TestKernelsOfOneText holds that functions made in a loop each have their own
// captured values.
func TestKernelsOfOneText(t *testing.T) {
	h, w, err := hostOf(t, `
for i = 1, 3 do
  ecs.system("s" .. i) { query = { Alpha, Beta }, kernel = "require",
    each = function(e, a, b) b.f = b.f * i + i end }
end
ecs.system "zero" { query = { Alpha, Beta }, phase = "input", kernel = "require", each = function(e, a, b) b.f = 0 end }
`, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.StepAll(0.1); err != nil {
		t.Fatal(err)
	}
	beta := ecs.Register[Beta](w)
	if b, _ := beta.Get(w.Query(ecs.Read(beta)).First()); b.F != (1*2+2)*3+3 {
		t.Error(b.F)
	}
}
