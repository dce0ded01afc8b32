package scripting_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// rule is one thing that the VM does in a way of its own, and what comes out
// of it. Its expressions see n, which is not-a-number, z, which is 0, and m, which is
// -0, all of them read from fields, so that nothing is computed beforehand.
type rule struct {
	name, expr string
	want       float64
	why        string // it has no kernel; empty: it has one
}

var (
	nan, inf  = math.NaN(), math.Inf(1)
	minusZero = math.Copysign(0, -1)
)

// ruleRows are the rows of what is known about the VM's numbers and conditions.
var ruleRows = []rule{
	{"a%b: sign of the divisor", `(7 + z) % -3`, -2, ""},
	{"a%b: sign of the divisor", `(-7 + z) % 3`, 2, ""},
	{"a%b: by zero", `(5 + z) % z`, nan, ""},
	{"a%b: by infinity", `(5 + z) % (1 / z)`, 5, ""},
	{"a%b: below zero by infinity", `(-1 + z) % (1 / z)`, inf, ""},
	{"a%b: of infinity", `(1 / z) % 2`, nan, ""},
	{"a%b: of fractions", `(5.5 + z) % 2`, 1.5, ""},
	{"a^b: of a negative number", `(-8 + z) ^ (1 / 3)`, nan, ""},
	{"a^b: zero to zero", `z ^ z`, 1, ""},
	{"a^b: one to not-a-number", `(1 + z) ^ n`, 1, ""},
	{"a^b: a square", `(-3 + z) ^ 2`, 9, ""},
	{"a^b: to one", `(-3 + z) ^ (1 + z)`, -3, ""},
	{"a^b: a root", `(9 + z) ^ 0.5`, 3, ""},
	{"a^b: root of minus infinity", `(-1 / z) ^ 0.5`, inf, ""},
	{"/: one by zero", `1 / z`, inf, ""},
	{"/: zero by zero", `z / z`, nan, ""},
	{"/: by minus zero", `1 / m`, -inf, ""},
	{"/: results have no minus zero", `1 / (m * 1)`, inf, ""},
	{"/: nor have sums", `1 / (m + m)`, inf, ""},
	{"/: minus leaves it", `1 / -z`, -inf, ""},
	{"calls: get no minus zero that was computed", `math.atan2(m * 1, -1)`, math.Pi, ""},
	{"calls: get one that was read", `math.atan2(m, -1)`, -math.Pi, ""},
	{"compare: not-a-number is less than nothing", `n < z and 1 or 2`, 2, ""},
	{"compare: and no greater", `n > z and 1 or 2`, 2, ""},
	{"compare: and not at least", `n >= n and 1 or 2`, 2, ""},
	{"compare: and not itself", `n == n and 1 or 2`, 2, ""},
	{"compare: so it differs", `n ~= n and 1 or 2`, 1, ""},
	{"compare: not of an order is no other order", `not (n < z) and 1 or 2`, 1, ""},
	{"compare: zeros are equal", `m == z and 1 or 2`, 1, ""},
	{"compare: and none is less", `m < z and 1 or 2`, 2, ""},
	{"compare: values of two types", `(z == ok) and 1 or 2`, 2, ""},
	{"compare: nil and false", `(nil == false) and 1 or 2`, 2, ""},
	{"truth: zero", `z and 1 or 2`, 1, ""},
	{"truth: not-a-number", `n and 1 or 2`, 1, ""},
	{"truth: an empty string", `"" and 1 or 2`, 1, ""},
	{"truth: nil", `nil and 1 or 2`, 2, ""},
	{"truth: not of a number", `not z and 1 or 2`, 2, ""},
	{"truth: and gives the second", `not ok and z or 3`, 0, ""},
	{"truth: or gives the first", `z or 3`, 0, ""},
	{"truth: a choice with a number", `(z > 1) and n or 3`, 3, ""},
	{"truth: the second is not looked at", `z or nothing.at.all`, 0, "a field of what is no table and no component here"},
	{"literals: a leading zero", `010 + z`, 10, ""},
	{"literals: in sixteens", `0x1F + z`, 31, ""},
	{"literals: with an exponent", `1e3 + z`, 1000, ""},
	{"literals: minus zero in the text", `1 / (-1 * z)`, inf, ""},
	{"max: not-a-number comes second", `math.max(1, n)`, 1, ""},
	{"max: not-a-number comes first", `math.max(n, 1)`, nan, ""},
	{"min: not-a-number comes second", `math.min(1, n)`, 1, ""},
	{"min: not-a-number comes first", `math.min(n, 1)`, nan, ""},
	{"max: of zeros, the first", `1 / math.max(m, z)`, -inf, ""},
	{"min: of zeros, the first", `1 / math.min(z, m)`, inf, ""},
	{"huge", `math.huge`, 0, ""}, // see TestRules
	{"strings: in arithmetic", `"10" + z`, 10, "a string"},
	{"strings: and numbers are never equal", `("0" == z) and 1 or 2`, 2, ""},
	{"tostring: of a large number", `#tostring(1e15 + z)`, 5, "# of anything but a list or an array field"},
	{"tostring: of minus zero", `#tostring(m * 1)`, 1, "# of anything but a list or an array field"},
	{"table keys: a whole float is an index", `({ 7, 8 })[1.0 + z]`, 7, "a field of what is no table and no component here"},
}

// ruleBlock is a rule that takes statements; they assign r.
type ruleBlock struct {
	name, body string
	want       float64
}

var ruleBlocks = []ruleBlock{
	{"for: the first value is rounded", `for i = 0.1, 3, 1 do r = i break end`, stepped(0.1, 1, 1)},
	{"for: sums add up", `for i = 0, 1, 0.1 do r = i end`, stepped(0, 0.1, 11)},
	{"for: the limit is one of them", `for i = 1, 3 do r = r + i end`, 6},
	{"for: no turn", `r = 5 for i = 3, 1 do r = 0 end`, 5},
	{"for: over zero, with squares", `for i = 3, -1, -1 do r = r + i ^ 2 end`, 15},
	{"for: over zero, with roots", `for i = 4, 0, -2 do r = r * 10 + i ^ 0.5 end`, (2*10 + math.Sqrt2) * 10},
	{"for: over zero, with extremes", `for i = 2, -2, -1 do r = r * 10 + math.max(i, -i ^ 2, 0) - math.min(i, 0, z) end`, 21012},
	{"for: down", `for i = 3, 1, -1 do r = r * 10 + i end`, 321},
	{"for: by zero, up to less", `r = 5 for i = 3, 1, z do r = r + 1 if r > 9 then break end end`, 10},
	{"for: up to not-a-number", `r = 5 for i = 1, n do r = 0 end`, 5},
	{"for: by not-a-number", `r = 5 for i = 1, 9, n do r = 0 end`, 5},
	{"for: the variable is a copy", `for i = 1, 3 do r = r + 1 i = i + 5 end`, 3},
	{"for: a limit that is assigned", `local k = 3 for i = 1, k do k = 1 r = r + 1 end`, 3},
	{"multi-assign: a swap", `local a, b = 1, 2 a, b = b, a r = a * 10 + b`, 21},
	{"multi-assign: from values of before", `local a, b = 3, 4 a, b = b, a + b r = a * 10 + b`, 47},
	{"multi-assign: stores go from right to left", `local a a, a = 1, 2 r = a`, 1},
	{"multi-assign: of fields", `x.f, x.g = 6, x.f r = x.f`, 6},
	{"multi-assign: too few values", `local a, b = 1 r = b == nil and 3 or 4`, 3},
	{"multi-assign: too many values", `local a = 1, 2, 3 r = a`, 1},
	{"calls: in the middle of a list give one value", `local function f() return 1, 2 end local a, b, c = f(), f() r = a * 100 + b * 10 + c`, 112},
	{"calls: a local beside one is read after it", `local v = 1 local function hit() v = 5 return 0 end r = v + hit()`, 5},
	{"calls: also behind a literal that is passed over", `local v = 1 local function hit() v = 5 return 0 end r = ((true and false) or v) + hit()`, 5},
	{"calls: or behind nil", `local v = 1 local function hit() v = 5 return 0 end r = ((true and nil) or v) + hit()`, 5},
	{"calls: or behind two", `local v = 1 local function hit() v = 5 return 0 end r = ((false or true) and v) + hit()`, 5},
	{"calls: not behind one that has decided", `local v = 1 local function hit() v = 5 return 0 end r = ((nil and 1) or v) + hit()`, 1},
	{"calls: nor where that is nested", `local v = 1 local function hit() v = 5 return 0 end r = ((true and (nil and 1)) or v) + hit()`, 1},
	{"calls: in brackets give one value", `local function f() return 1, 2 end local a, b = (f()) r = b == nil and 7 or 8`, 7},
	{"truth: and nothing, from a call that does something", `local function hit(v) r = v end if z == 0 and hit(3) then r = 9 end`, 3},
	{"truth: nothing after a number", `local q = 1 if ok then q = nil end local function hit(v) r = v end local v = q and hit(3) if v == nil then r = r + 1 end`, 4},
	{"truth: nothing after nothing", `local q if ok then q = 1 end local function hit(v) r = v end local v = q or hit(3) if v == nil then r = r + 1 end`, 4},
	{"truth: nothing, from a call, and a truth", `local function hit(v) r = v end local v = hit(3) and z == 0 if v == nil then r = r + 1 end`, 4},
	{"truth: nothing, from a call, and a text", `local function hit(v) r = v end local v = hit(3) and "a" if v == nil then r = r + 1 end`, 4},
	{"truth: a choice between numbers, by the second", `if z > 1 and 1 or z == 0 and 2 then r = 3 else r = 4 end`, 3},
	{"truth: a choice between numbers, by none", `if z > 1 and 1 or z > 2 and 2 then r = 3 else r = 4 end`, 4},
	{"calls: nothing is not alive", `r = ecs.alive(nil) and 1 or 2`, 2},
	{"nil: a name that gets nothing and is set to nil", `local q if ok then q = 1 end local v = q if z > 5 then v = nil end r = v == nil and 3 or 4`, 3},
	{"repeat: the condition sees its locals", `repeat local done = r >= 2 r = r + 1 until done`, 3},
	{"goto: continue", `for i = 1, 5 do if i % 2 == 0 then goto continue end r = r + i ::continue:: end`, 9},
	{"a local sees the one before it", `local x2 = 1 local x2 = x2 + 1 r = x2`, 2},
	{"a branch that is never taken", `if false then local q = 1 end r = 4`, 4},
}

// stepped is the index of a loop in its n-th turn.
func stepped(first, step float64, n int) float64 {
	i := first - step
	for range n {
		i += step
	}
	return i
}

// TestRules holds what the VM does, and that kernels do the same.
func TestRules(t *testing.T) {
	check := func(name, body, why string, want float64) {
		vm, _ := ruled(t, name, "off", body)
		kernel, status := ruled(t, name, "auto", body)
		if name == "huge" {
			want = vm
		}
		if math.Float64bits(vm) != math.Float64bits(kernel) || vm != want && !(vm != vm && want != want) {
			t.Errorf("%s: %s: the VM says %v, the kernel %v, want %v", name, body, vm, kernel, want)
		}
		if why == "" && !status.Compiled || why != "" && !strings.Contains(status.Reason, why) {
			t.Errorf("%s: %s: %s, want %q", name, body, status, why)
		}
	}
	for _, r := range ruleRows {
		check(r.name, "r = "+r.expr, r.why, r.want)
	}
	for _, b := range ruleBlocks {
		check(b.name, b.body, "", b.want)
	}
}

// ruled runs a text for one row and returns its r.
func ruled(t *testing.T, name, mode, body string) (float64, scripting.KernelStatus) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	alpha, beta := ecs.Register[Alpha](w), ecs.Register[Beta](w)
	e := w.Spawn(alpha.With(Alpha{F: nan}), beta.With(Beta{H: minusZero}))
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	text := opening + system("s", mode, fmt.Sprintf(
		"function(e, x, y)\n  local n, z, m, ok, nothing, r = x.f, y.f, y.h, y.b, nil, 0\n  %s\n  y.f = r\nend", body))
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var status scripting.KernelStatus
	if list := h.Kernels(); len(list) > 0 {
		status = list[0]
	}
	if err := h.StepAll(0.1); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	y, _ := beta.Get(e)
	return y.F, status
}

// TestRulesOfFaults holds what raises an error, with the same words on both paths.
func TestRulesOfFaults(t *testing.T) {
	for name, body := range map[string]string{
		"a number is less than a string":       `if x.f < "a" then r = 1 end`,
		"arithmetic on nil":                    `local q if y.b then q = 1 end r = q + 1`,
		"arithmetic on a boolean":              `r = y.b + 1`,
		"a loop to a string":                   `for i = 1, "3" do r = i end`,
		"a loop to nil":                        `local q if y.b then q = 1 end for i = 1, q do r = i end`,
		"an order with nil":                    `local q if y.b then q = 1 end if q < 1 then r = 1 end`,
		"an index of nil":                      `local q = ecs.get(0, Alpha) r = q.f`,
		"a call of nil":                        `local q r = q()`,
		"a fraction into a whole number field": `x.u8 = 1.5`,
		"a number into a boolean field":        `y.b = 1`,
	} {
		each := "function(e, x, y)\n  local r = 0\n  " + body + "\n  y.f = r\nend"
		o, difference := compare(t, []string{each}, 3)
		if difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
		if len(o.errors) == 0 {
			t.Errorf("%s: no error", name)
		}
	}
}
