package scripting_test

import (
	"fmt"
	"github.com/perigee-ecs/perigee/scripting"
	"strings"
	"testing"
	"testing/fstest"
)

// TestKernelLists holds that long lists, lists of tables and lists of lists are what
// they are on the VM, while the script changes what is in them, makes them
// longer and puts other things into them.
func TestKernelLists(t *testing.T) {
	for _, c := range []struct{ name, query, head, body string }{
		{"a long list", "Unit", "e, u", `u.x = long[u.n] or -1 u.y = long[17] + #long if u.n > 0 then u.hp = long[u.n * 4] end`},
		{"a long list of booleans", "Unit", "e, u", `u.on = bits[u.n + 30] if bits[u.hp + 1] then u.x = 3 end`},
		{"a long list in a loop", "Unit", "e, u", `for i, v in ipairs(long) do u.x = u.x + v / i if v > 9 then break end end for i = 1, #long do u.y = u.y + long[i] end`},
		{"an index of all sorts", "Unit", "e, u", `local i = u.x if u.n == 1 then i = 0 / 0 elseif u.n == 2 then i = -u.x elseif u.n == 3 then i = 1e300 elseif u.n == 4 then i = 2.5 end u.y = long[i] or -3`},
		{"tables in a list", "Unit", "e, u", `local s = spots[u.n + 1] u.x = s.x + s.y u.hp = s.at.n u.on = s.on`},
		{"tables in a list that are not there", "Unit", "e, u", `local s = spots[u.n] if s then u.x = s.x else u.x = -1 end u.on = s ~= nil`},
		{"tables in a loop", "Unit", "e, u", `local best, at for i, s in ipairs(spots) do local dx, dy = s.x - u.x, s.y - u.y local d = dx * dx + dy * dy if not best or d < best then best, at = d, i end end u.x = best u.n = at`},
		{"tables by number", "Unit", "e, u", `for i = 1, #spots do u.x = u.x + spots[i].x * spots[i].at.n end u.y = spots[3].y`},
		{"a table handed on", "Unit", "e, u", `local function far(a, b) return a.x - b.x end u.y = far(u, spots[u.n + 1])`},
		{"lists in a list", "Unit", "e, u", `u.x = grid[u.n % 4 + 1][u.hp % 3 + 1] u.y = #grid[2] + #grid u.hp = grid[1][3]`},
		{"an index that does something", "Unit", "e, u", `u.x = grid[math.random(2)][math.random(3)] + grid[bump(1) % 4 + 1][2] u.y = math.random()`},
		{"an index that does something before a field", "Unit", "e, u", `u.x = spots[bump(1) % 5 + 1].at.row[math.random(3)] u.y = #grid[math.random(2)] + count u.hp = math.random(9)`},
		{"lists in a list that are not there", "Unit", "e, u", `u.x = grid[2][u.n] or 5`},
		{"lists in a list in loops", "Unit", "e, u", `for y, row in ipairs(grid) do for x, v in ipairs(row) do u.x = u.x + v * x / y end end for y = 1, #grid do for x = 1, #grid[y] do u.y = u.y + grid[y][x] end end`},
		{"lists in tables in a list", "Unit", "e, u", `local s = spots[u.n + 1] u.x = s.at.row[u.hp % 3 + 1] for _, v in ipairs(s.at.row) do u.y = u.y + v end`},
		{"lists of the state", "Unit", "e, u", `local g = course.gates[u.n % 3 + 1] u.x = g.x * g.w for _, gate in ipairs(course.gates) do u.y = u.y + gate.w end`},
		{"a list and changes", "Unit", "e, u", `for i = 1, 3 do ecs.emit(Hit { amount = long[i + u.n] }) end u.x = long[u.n + 1]`},
		{"a list that a branch changes", "Unit", "e, u", `u.x = long[u.n + 1] + spots[u.n + 1].x if u.x == 5 then long[u.n + 1] = u.y spots[u.n + 1] = { x = u.y } end`},
		{"a long array", "Frame", "e, f", `f.at.x = f.at.x + f.long[f.small[1] % 20 + 1] + (f.long[f.at.x] or 3) for i = 1, #f.long do f.at.y = f.at.y + f.long[i] * i end`},
		{"a long array that is assigned", "Frame", "e, f", `local i = f.small[1] % 20 + 1 f.long[i] = f.long[i] + 7 f.at.x = f.long[20 - i] or -1 f.small[1] = i f.long[20] = f.at.x`},
		{"a long array with an index outside", "Frame", "e, f", `f.at.x = f.at.x + 1 f.long[f.small[1] + f.at.x * 9] = f.at.x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			each := "function(" + c.head + ")\n  " + c.body + "\nend"
			vm, _ := show(t, c.query, each, "off")
			kernel, status := show(t, c.query, each, "auto")
			if vm != kernel {
				t.Errorf("%s\n%s", c.body, firstDifference(vm, kernel))
			}
			if s := status[0]; !s.Compiled {
				t.Error(s)
			}
			if growing, _ := show(t, c.query, each, "auto", (*scripting.Host).GrowLists); vm != growing {
				t.Errorf("lists that grow: %s\n%s", c.body, firstDifference(vm, growing))
			}
		})
	}
}

// TestKernelListsTogether runs two kernels with lists of their own, and one that
// notes changes, one after the other: they share the memory for them.
func TestKernelListsTogether(t *testing.T) {
	run := func(mode string) string {
		text := opening + `
local Hit = ecs.event("Hit", { v = ecs.f64(0) })
local up, down, sum = {}, {}, 0
for i = 1, 1500 do up[i], down[i] = i, -i end
` + system("s1", mode, "function(e, a, b) b.f = up[a.u8 * 5 + 1] a.f = a.f + #up end") +
			system("s2", mode, "function(e, a, b) b.h = down[a.u8 * 5 + 1] + up[a.u8 + 1] end") +
			system("s3", mode, "function(e, a, b) for i = 1, 9 do ecs.emit(Hit { v = i + b.f }) end end") +
			system("s4", mode, "function(e, a, b) b.f = b.f + up[b.u16 % 1500 + 1] + down[7] ecs.emit(Hit { v = b.f }) end") + `
ecs.system "hits" { phase = "render", on = Hit, each = function(h) sum = sum + h.v end }
ecs.system "report" { phase = "debug", run = function() up[7], down[7] = sum, up[7] ecs.log(string.format("%.17g", sum)) end }
`
		o, err := play(t, text, 3, 200, 4)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"off": 0, "require": 4}[mode]; o.compiled != want {
			t.Fatalf("%d are compiled: %v", o.compiled, o.reasons)
		}
		return o.memory + strings.Join(o.errors, "\n")
	}
	if vm, kernel := run("off"), run("require"); vm != kernel {
		t.Error(firstDifference(vm, kernel))
	}
}

// TestKernelListsTooLong holds how much a kernel copies, and what is said beyond.
func TestKernelListsTooLong(t *testing.T) {
	for n, want := range map[int]string{3840: "", 3841: `"long", with which there are more than 3840 items of lists, is not available in kernels`} {
		w := arrange(t, 3, 60)
		h := newHost(t, w, scripting.Options{})
		defer h.Close()
		text := opening + fmt.Sprintf("local long = {} for i = 1, %d do long[i] = i end\n", n) +
			system("s", "auto", "function(e, a) a.f = long[a.u8 + 1] end")
		if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
		if got := h.Kernels()[0].Reason; got != want {
			t.Errorf("%d items: %q, want %q", n, got, want)
		}
		if err := h.StepAll(0.1); err != nil {
			t.Error(err)
		}
	}
}
