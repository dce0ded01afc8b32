package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// renewed is what becomes of a script in some ticks: the fields of its rows, and what has run
// where.
type renewed struct {
	rows    []point
	record  scripting.Ran
	kernels int // that were made
	loaded  int // of these, at the end
	status  scripting.KernelStatus
}

// playRenewed has a system work on rows whose x is a number from 0 up. head is what is outside
// of the function, and change what a system before it does in each tick.
func playRenewed(t testing.TB, mode string, n, ticks int, head, change, body string) (r renewed) {
	t.Helper()
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	var entities []ecs.Entity
	for i := range n {
		entities = append(entities, w.Spawn(p.With(point{X: float64(i)})))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	text := fmt.Sprintf("local ecs = require 'ecs'\nlocal P = ecs.native('P')\nlocal tick = 0\n%s\n"+
		"ecs.system 'a' { phase = 'input', run = function() tick = tick + 1 %s end }\n"+
		"ecs.system 's' { query = { P }, kernel = %q, each = function(e, p) %s end }", head, change, mode, body)
	if err := h.Load(fstest.MapFS{"r.lua": {Data: []byte(text)}}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for range ticks {
		if err := h.StepAll(1.0 / 60); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	for _, e := range entities {
		row, _ := p.Get(e)
		r.rows = append(r.rows, row)
	}
	for _, s := range h.Ran() {
		if s.System == "s" {
			r.record = s.Ran
		}
	}
	if mode != "off" {
		r.kernels, r.loaded, r.status = h.CompiledKernels(), h.LoadedKernels(), h.Kernels()[0]
	}
	return r
}

// TestKernelsOfWhatIsFilledLater holds that a function over lists that are filled when the
// script is loaded, or in the first tick, is run by a kernel, as it would be with the lists
// in its text; and so with values of other kinds.
func TestKernelsOfWhatIsFilledLater(t *testing.T) {
	fill := "for i = 1, 24 do gates[i] = { x = i, w = i % 3 } plain[i] = i * 2 end speed = 2"
	for _, body := range []string{
		"for i, g in ipairs(gates) do p.y = p.y + g.x * g.w end",
		"for i = 1, #gates do p.y = p.y + gates[i].x end",
		"for i = 1, #plain do p.y = p.y + plain[i] end",
		"for _, v in ipairs(plain) do p.y = p.y + v end",
		"p.y = p.y + (plain[p.x % 24 + 1] or 0)",
		"if p.x > 3 then p.y = p.y + gates[3].x end",
		"p.y = p.y + (speed or 0)",
		"local g = gates[7] if g then p.y = p.y + g.w end",
	} {
		for _, when := range []struct{ name, head, change string }{
			{"on start", "ecs.on_start(function() " + fill + " end)", ""},
			{"in the first tick", "", "if tick == 1 then " + fill + " end"},
		} {
			head := "local gates, plain, speed = {}, {}\n" + when.head
			want := playRenewed(t, "off", 300, 5, head, when.change, body)
			got := playRenewed(t, "auto", 300, 5, head, when.change, body)
			if fmt.Sprint(got.rows) != fmt.Sprint(want.rows) {
				t.Errorf("%s, %s: the rows differ", body, when.name)
			}
			if got.record.VM.Rows > 0 || got.record.Kernel.Rows != 1500 || !got.status.Compiled || got.status.Unready != "" {
				t.Errorf("%s, %s: %+v, %v", body, when.name, got.record, got.status)
			}
			if want.record.Kernel.Rows > 0 || want.record.VM.Rows != 1500 || want.record.VM.Calls != 1500 {
				t.Errorf("%s, %s, kernel off: %+v", body, when.name, want.record)
			}
		}
	}
}

// TestKernelsOfWhatChanges holds that values which change all the time are those of the VM,
// that lists of other lengths need few kernels and hardly any row of the VM, and that values
// which a kernel cannot have cost few kernels.
func TestKernelsOfWhatChanges(t *testing.T) {
	sideBySide(t)
	if raceEnabled {
		t.Skip("compiles hundreds of kernels in one goroutine")
	}
	const n, ticks = 100, 200
	for _, c := range []struct {
		name, head, change, body string
		vm                       int // runs by the VM, at most
		kernels                  int // made, at most
	}{
		{"a list that grows", "local l = { 1 }", "l[#l + 1] = tick", "for _, v in ipairs(l) do p.y = p.y + v end", 0, 8},
		{"a list of tables that grows", "local l = {}", "l[#l + 1] = { x = tick }", "for i = 1, #l do p.y = p.y + l[i].x end", 0, 8},
		{"a list of another length each time", "local l = {}", "l = {} for i = 1, tick * 7 % 11 do l[i] = i end", "for i, v in ipairs(l) do p.y = p.y + i * v end", 1, 4},
		{"an item of it", "local l = {}", "l = {} for i = 1, tick * 7 % 11 do l[i] = i end", "p.y = p.y + (l[p.x % 11 + 1] or 0) + (l[1] or 0)", ticks, 12},
		{"an item with a constant index", "local l = {}", "l = {} for i = 1, tick % 3 + 2 do l[i] = i end", "p.y = p.y + l[2] if #l > 2 then p.y = p.y + l[3] end", 1, 4},
		{"a list of lists that grows", "local l = {}", "l[#l + 1] = { tick, 2 }", "for i, row in ipairs(l) do for j, v in ipairs(row) do p.y = p.y + v * j end end", 0, 8},
		{"a list of lists that grow", "local l = { {}, {} }", "for i = 1, 2 do l[i][#l[i] + 1] = tick end", "for i, row in ipairs(l) do for j, v in ipairs(row) do p.y = p.y + v * j end end", ticks, 12},
		{"items of several kinds by turns", "local l = { 1, 2, 3 }", "l[2] = tick % 2 == 0 and 5 or true", "if l[2] == true then p.y = p.y + 1 end", ticks, 12},
		{"a function by turns", "local function f(x) return x end local function g(x) return -x end local h = f", "h = tick % 2 == 0 and f or g", "p.y = p.y + h(p.x)", ticks, 12},
		{"a function that is replaced now and then", "local h = function(x) return x end", "if tick % 50 == 0 then h = function(x) return tick + x end end", "p.y = p.y + h(p.x)", 0, 8},
		{"a hole", "local l = { 1, 2, 3, 4, 5 }", "l[3] = tick % 4 ~= 0 and tick or nil", "for i in ipairs(l) do p.y = p.y + i end", ticks, 12},
		{"a table by turns", "local l = { x = 1 }", "if tick % 2 == 0 then l = nil else l = { x = tick } end", "if l then p.y = p.y + l.x end", ticks, 12},
		{"a list that is too long", "local l = { 1 }", "if tick == 3 then for i = 1, 5000 do l[i] = i end elseif tick == 100 then l = { 2 } end", "for _, v in ipairs(l) do p.y = p.y + v end", 97, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := playRenewed(t, "off", n, ticks, c.head, c.change, c.body)
			got := playRenewed(t, "auto", n, ticks, c.head, c.change, c.body)
			if fmt.Sprint(got.rows) != fmt.Sprint(want.rows) {
				t.Error("the rows differ")
			}
			if all := got.record.VM.Rows + got.record.Kernel.Rows; all != n*ticks {
				t.Errorf("%d rows, want %d", all, n*ticks)
			}
			if got.loaded > 1 {
				t.Errorf("%d kernels are loaded", got.loaded)
			}
			if got.record.VM.Rows > uint64(c.vm)*n || got.kernels > c.kernels {
				t.Errorf("%d runs by the VM, want at most %d; %d kernels, at most %d; %v", got.record.VM.Rows/n, c.vm, got.kernels, c.kernels, got.status)
			}
		})
	}
}

// TestUnreadySaysWhy holds that a status says what keeps a kernel from running.
func TestUnreadySaysWhy(t *testing.T) {
	for _, c := range []struct{ head, change, body, want string }{
		{"local l = { 1, 2 }", "if tick == 1 then l[3] = 'three' end", "for i, v in ipairs(l) do if i < 3 then p.y = p.y + v end end", `"l" has another length`},
		{"local t = { x = 1 }", "t.x = {}", "p.y = p.y + (t.x == 5 and 1 or 2)", `"t.x" has become a value of another kind`},
	} {
		got := playRenewed(t, "auto", 3, 1, c.head, c.change, c.body)
		if got.status.Unready != c.want || !strings.Contains(got.status.String(), c.want) {
			t.Errorf("%s: %q, want %q; %v", c.body, got.status.Unready, c.want, got.status)
		}
	}
}
