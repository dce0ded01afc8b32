package scripting_test

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestKernelsLeaveBranches holds that branches which have no translation are the
// VM's, that the outcome is the same, and what the status says. Much of
// what they do changes what the kernel was compiled for, in the middle of the rows.
func TestKernelsLeaveBranches(t *testing.T) {
	for _, c := range []struct{ name, body, why string }{
		{"a line in the log", `u.x = u.x + 1 if u.n == 3 then ecs.log("three", u.x) u.y = -1 end count = count + 1`, ""},
		{"a line in the log behind a return", `count = count + 1 if u.n ~= 3 then return end ecs.log(count) u.x = count`, ""},
		{"an error", `u.x = 1 if u.hp == 5 then error("five") end u.y = 2`, ""},
		{"an assertion", `u.x = 1 assert(u.hp < 6, "six") local m = assert(lib.maybe(u.n + 1)) u.y = m`, ""},
		{"print", `if u.n == 1 then print(u.x, u.on) end u.x = 2`, ""},
		{"a string", `if u.n == 2 then local s = "n" .. u.x if s == "n7" then u.on = false end u.hp = #s end u.y = u.x`,
			"string concatenation"},
		{"a table", `if u.n == 2 then local t = { u.x, u.y } table.sort(t) u.x = t[1] end u.y = 1`, "a table that is made here"},
		{"a field that only Lua writes", `if u.n == 2 then u.hp, u.mode = #tostring(u.x), "idle" end u.y = u.hp`, "# of anything but a list or an array field"},
		{"one constant is replaced", `u.on = u.mode == word if u.n == 1 then word = word == "run" and "walk" or "run" end`,
			`an assignment to "word", a local of the script that holds something else than a number,`},
		{"one function is replaced", `u.x = lib.one(u.x) if u.n == 1 then lib.one, lib.two = lib.two, lib.one end`,
			"an assignment to lib.two that holds something else than a number,"},
		{"a list grows", `u.x = #levels for _, v in ipairs(levels) do u.x = u.x + v end if u.n == 1 then levels[#levels + 1] = u.x end`,
			"an assignment into a table"},
		{"a list gets holes", `u.x = levels[u.n % 3 + 1] or -1 if u.x == 7 then levels[2] = nil end if u.n == 1 then levels[1] = "none" end`,
			"an assignment into a table"},
		{"a variable becomes a string", `u.x = later if u.n == 1 then later = later .. "" end`, "string concatenation"},
		{"a table is another", `u.x = tuning.speed if u.n == 1 then tuning = { speed = u.x + 1 } end`,
			`an assignment to "tuning", a local of the script that holds something else than a number,`},
		{"two names of a table part", `tuning.speed = tuning.speed + 1 u.x = alias.speed if u.n == 1 then alias = { speed = 2, on = true } end`,
			`an assignment to "alias", a local of the script that holds something else than a number,`},
		{"a global function is another", `u.x = Fresh(u.x) if u.n == 1 then function Fresh(v) return v - 1 end end`,
			"a function that is assigned"},
		{"entities that spawn", `u.on = ecs.alive(u.mate) if u.n == 1 then local s = ecs.spawn(Bolt) u.mate = s made = s end u.hp = ecs.alive(made) and 5 or 6`,
			"what ecs.spawn returns"},
		{"a parent", `u.on = ecs.parent(e) ~= nil if u.n == 1 and u.mate then ecs.set_parent(e, u.mate) end`, "a call of ecs.set_parent"},
		{"random numbers before", `u.x = ecs.random() if u.n == 1 then u.y = ecs.random() ecs.log(tostring(u.y)) end u.y = ecs.random()`, ""},
		{"changes before", `ecs.emit(Hit { amount = u.x }) if u.n == 1 then ecs.emit(Hit { amount = #tostring(u.x) }) end ecs.emit(Hit)`, "# of anything but a list or an array field"},
		{"every other row", `u.x = u.x + 1 if u.hp % 2 == 0 then u.y = #tostring(u.x) end`, "# of anything but a list or an array field"},
		{"nearly every row", `u.x = u.x + 1 if u.x > 5 then u.y = #tostring(u.x) end count = count + 1`, "# of anything but a list or an array field"},
		{"a branch in a function", `u.x = lib.again(u.n)`, "lib.lua:16:48: a function that calls itself"},
		{"a branch in a loop", `for i = 1, 3 do u.x = u.x + i if i == u.n then u.y = #tostring(i) break end end`, "# of anything but a list or an array field"},
		{"behind a goto", `for i = 1, 3 do if i ~= u.n then goto next end u.y = #tostring(i) ::next:: end u.x = 1`, "# of anything but a list or an array field"},
		{"behind a break", `while u.on do if u.n > 2 then break end u.x = #(u.x .. "") u.n = 3 end`, "# of anything but a list or an array field"},
		{"an else", `if u.n > 1 then u.x = 3 else u.x = select("#", 1, 2) end`, "a call of \"select\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bothWays(t, "function(e, u)\n  "+c.body+"\nend")
			want := ""
			if c.why != "" {
				want = c.why + unavailable
			}
			if !s.Compiled || !strings.HasPrefix(s.Reason, want) || (s.Reason != "") != (want != "") || (s.Line > 0) != (want != "") {
				t.Errorf("%s, want %q", s, want)
			}
		})
	}
}

// TestKernelsLeaveNotAll holds that a function of which each row would come to what
// has no translation is none for a kernel.
func TestKernelsLeaveNotAll(t *testing.T) {
	for body, why := range map[string]string{
		`if u.on then u.x = #tostring(u.x) else u.y = #tostring(u.y) end`:      "line 1: # of anything but a list or an array field",
		"do\nif u.on then u.x = 1 ecs.log(1) else u.y = 1 ecs.log(2) end\nend": "line 2: a call of ecs.log",
		"if u.on then u.x = 1 end\nu.y = #tostring(u.x)":                       "line 2: # of anything but a list or an array field",
		"u.x = u.x .. ''": "line 1: string concatenation",
	} {
		r := explained(t, "Unit", "function(e, u)\n"+body+"\nend")
		if got := fmt.Sprintf("line %d: %s", r.Line-strings.Count(stage, "\n")-3, r.Reason); r.Compiled || !strings.HasPrefix(got, why+unavailable) {
			t.Errorf("%s\n%v, want %s", body, r.KernelStatus, why)
		}
	}
}

// TestRequireIsWhole holds that kernel = "require" is about all of the function, but
// for lines in the log and errors.
func TestRequireIsWhole(t *testing.T) {
	for body, want := range map[string]string{
		`if a.f > 1 then ecs.log(a.f) end`:                       "",
		`if a.f > 1 then error("large") end`:                     "",
		"if a.f > 1 then\nlocal s = a.f .. '' a.f = #s end":      `k.lua:9:15: system "s": string concatenation is not available in kernels: emit an event with the numbers, and make the text where it is read`,
		"if a.f > 1 then\nerror('large: ' .. a.f) end a.f = 'x'": `k.lua:9:31: system "s": field "f" of "Alpha": expected a number, got the string "x"` + "\n" + `k.lua:9:35: system "s": a string is not available in kernels`,
	} {
		_, _, err := hostOf(t, system("s", "require", "function(e, a)\n"+body+"\nend"), scripting.Limits{})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%s\n%s, want %s", body, got, want)
		}
	}
}

// TestLeftIsTold holds what the log says, and that it says it once.
func TestLeftIsTold(t *testing.T) {
	var lines []string
	h := newHost(t, arrange(t, 3, 60), scripting.Options{Logger: slog.New(&logbook{lines: &lines})})
	defer h.Close()
	text := opening + system("s", "auto", "function(e, a)\nif a.f > 1e9 then\na.f = #tostring(a.f) end end")
	folder := fstest.MapFS{"k.lua": {Data: []byte(text)}}
	if err := errors.Join(h.Load(folder), h.Replace(folder)); err != nil {
		t.Fatal(err)
	}
	const want = `system "s" is compiled, but the VM runs rows that come here: # of anything but a list or an array field is not available in kernels`
	if all := strings.Join(lines, "\n"); strings.Count(all, want) != 1 {
		t.Errorf("%s", all)
	}
	if got := h.Kernels()[0].String(); got != `k.lua:9:7: system "s": compiled, but the VM runs rows that come here: # of anything but a list or an array field is not available in kernels` {
		t.Error(got)
	}
}

// TestVariablesAcrossStops holds that captured variables are what the VM
// would make of them wherever a kernel stops: at rows that fail, and at rows that
// take longer than a kernel may, in several chunks and in the ticks after them.
func TestVariablesAcrossStops(t *testing.T) {
	const text = `
local total, last, odd, box = 0, 0, false, { n = 0 }
local store = ecs.state("store", { n = 0 })
ecs.system "a" { query = { P, optional = { V } }, kernel = %q, each = function(e, p, v)
  total = total + p.x
  odd = not odd
  box.n = box.n + total
  store.n = store.n + 1
  if p.x %% 97 == 5 then last = v.x end
  if p.x == 40 then
    local n = 0
    while n < 700000 do n = n + 1 end
    total = total + n
  end
  p.y = total + last
end }
ecs.system "b" { run = function() ecs.log(total .. " " .. last .. " " .. tostring(odd) .. " " .. box.n .. " " .. store.n) end }
`
	outcome := func(mode string) string {
		r := newGame(t, scripting.Limits{LogLines: -1})
		p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
		for i := range 1300 {
			if i%3 == 0 {
				r.world.Spawn(p.With(Position{X: float64(i)}), v.With(Velocity{X: float64(i) / 3}))
			} else {
				r.world.Spawn(p.With(Position{X: float64(i)}))
			}
		}
		r.write("a.lua", fmt.Sprintf(text, mode))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(4)
		if len(r.errors) == 0 {
			t.Fatal("no row has failed")
		}
		for _, e := range r.errors {
			r.logs = append(r.logs, e.Error())
		}
		return fmt.Sprint(strings.Join(r.logs, "\n"), r.world.Checksum())
	}
	want, got := outcome("off"), outcome("require")
	if want != got {
		t.Errorf("the Lua machine:\n%s\na kernel:\n%s", want, got)
	}
}

// TestFaultsOfTheCompilerEndNothing plants a panic in the compiler. A load, a save
// and an explanation tell of it at the function's place, and the VM runs
// the function.
func TestFaultsOfTheCompilerEndNothing(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.host.Plant(func(name string) {
		if name == "fault" {
			panic("planted")
		}
	})
	text := func(step string) string {
		return `local fault, fine = ` + step + `, 10
fault = fault
ecs.system "bad" { query = { P }, each = function(e, p) p.x = p.x + fault end }
ecs.system "good" { query = { P }, each = function(e, p) p.y = p.y + fine end }
ecs.on_start(function() ecs.spawn(P) end)
ecs.system "show" { phase = "debug", query = { P }, each = function(e, p) ecs.log(p.x, p.y) end }`
	}
	want := regexp.MustCompile(`^a\.lua:4:12: system "bad": not compiled: a fault of the compiler \(scripting/kernel_fallback_test\.go:\d+: planted\), please report it together with this function$`)
	judge := func(list []scripting.KernelStatus) {
		t.Helper()
		for _, s := range list {
			if s.System == "bad" && !want.MatchString(s.String()) {
				t.Error(s)
			}
			if s.System == "good" && !s.Compiled {
				t.Error(s)
			}
		}
	}
	r.write("a.lua", text("1"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	judge(r.host.Kernels())
	r.run(2)
	r.wantLog("1 10 2 20")
	r.save("a.lua", text("5"))
	r.run(1)
	r.wantLog("7 30")
	judge(r.host.Kernels())
	reports, err := r.host.Explain("a.lua", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range reports {
		judge([]scripting.KernelStatus{report.KernelStatus})
	}

	r.save("a.lua", strings.Replace(text("9"), "query", `kernel = "require", query`, 1))
	r.refused("a.lua:4", "a fault of the compiler")
	r.wantLog("12 40")
}
