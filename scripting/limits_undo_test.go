package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/scripting"
)

// wideRows makes a script with 40 entities of 4 KiB each, and what it is to do with them.
func wideRows(t *testing.T, limits scripting.Limits, text string) *game {
	t.Helper()
	r := newGame(t, limits)
	r.write("a.lua", `local W = ecs.component("Wide", { n = ecs.f64(), m = ecs.f64(), x = ecs.array(ecs.f64(), 510) })
local D = ecs.component("Deep", { n = ecs.f64() })
local made = 0
ecs.system "makes" { phase = "input", run = function() if made < 40 then ecs.spawn(W, D) made = made + 1 end end }
`+text)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(39)
	return r
}

// undoForms write one field of each of the 40 rows, which keeps 160 KiB for the undo.
var undoForms = map[string]string{
	"each":   `ecs.system "a" { query = { W }, kernel = "off", when = late, each = function(e, w) w.n = w.n + 1 end }`,
	"column": `ecs.system "a" { query = { W }, when = late, batch = function(b) b:col(W, "n"):add(1) end }`,
	"array":  `ecs.system "a" { query = { W }, when = late, batch = function(b) local n = b:write(W, "n") for i = 1, b.n do n[i] = n[i] + 1 end end }`,
	"caught": `ecs.system "a" { query = { W }, when = late, batch = function(b) pcall(function() b:col(W, "n"):add(1) end) for i = 1, 10 do end end }`,
	"coroutine": `ecs.system "a" { query = { W }, when = late, batch = function(b)
  coroutine.resume(coroutine.create(function() b:col(W, "n"):add(1) end))
  for i = 1, 10 do end
end }`,
	"inner coroutine": `ecs.system "a" { query = { W }, when = late, batch = function(b)
  coroutine.wrap(function() pcall(coroutine.wrap(function() b:col(W, "n"):add(1) end)) end)()
end }`,
	"called": `local k = ecs.kernel({ W }, function(e, w) w.n = w.n + 1 end) ecs.system "a" { when = late, run = function() k() end }`,
	"again":  `local k = ecs.kernel({ W }, function(e, w) w.n = w.n + 0.25 end) ecs.system "a" { when = late, run = function() for i = 1, 4 do k() end end }`,
	// Of a kernel that only might have written a column, nothing is kept of that.
	"unchanged": `local k = ecs.kernel({ W, D }, function(e, w, d) local q = w if d.n < 0 then q.m = 1 end d.n = d.n + 1 end)
ecs.system "a" { when = late, run = function() for i = 1, 50 do k() end end }
ecs.system "b" { when = late, query = { W }, kernel = "off", each = function(e, w) w.n = w.n + 1 end }`,
}

// TestUndoCounts: what a call keeps to take back what it writes counts before it is kept,
// together with its commands, whatever writes; and a call that is ended leaves no trace.
func TestUndoCounts(t *testing.T) {
	for name, text := range undoForms {
		t.Run(name, func(t *testing.T) {
			most := int64(200_000)
			if name == "again" {
				most *= 4
			}
			text = "local function late(ctx) return ctx.tick > 39 end\n" + text
			for _, limit := range []int64{most, 150_000} {
				r := wideRows(t, scripting.Limits{CommandBytes: limit}, text)
				r.step(3)
				want := 3.0
				if limit != most {
					want = 0
					if len(r.errors) == 0 {
						t.Fatal("no error")
					}
					for _, e := range r.errors {
						if !strings.HasPrefix(e.Error(), "a.lua:") || !strings.Contains(e.Error(), "of 150,000 bytes of changes in one tick of a system, with what must be kept to take them back (Limits.CommandBytes)") {
							t.Errorf("%v", e)
						}
					}
				} else if len(r.errors) > 0 {
					t.Fatal(r.errors[0])
				}
				if got := r.wides(); got != fmt.Sprint(40, " rows of ", want) {
					t.Errorf("%s with %d bytes, want %v", got, limit, want)
				}
			}
		})
	}
}

// TestRowsAfterConditionCount: a kernel that cannot fail keeps what it writes for the undo
// where the condition of its system has done something to a row: Lua runs that row, and
// ends the call when it changes too much.
func TestRowsAfterConditionCount(t *testing.T) {
	for _, mode := range []string{"auto", "off"} {
		for _, each := range []string{
			`function(e, d) d.n = d.n + 1 end`,
			`function(e, d) local q = d q.n = q.n + 1 end`,
		} {
			text := `local D = ecs.component("Wide", { n = ecs.f64() })
local Ev = ecs.event("Ev", { n = ecs.f64() })
local made = 0
ecs.system "makes" { phase = "input", run = function() if made < 40 then ecs.spawn(D{ n = 0 }) made = made + 1 end end }
local function sets(ctx)
  if ctx.tick <= 39 then return false end
  for i = 1, 830 do ecs.emit(Ev{ n = 1 }) end
  local last
  for e in ecs.entities { D } do last = e end
  ecs.set(last, D{ n = 5 })
  return true
end
ecs.system "a" { query = { D }, when = sets, kernel = "` + mode + `", each = ` + each + ` }`
			ended, done := 0, 0
			limits := []int64{30_000, 60_000}
			for limit := int64(39_800); limit < 40_600; limit += 16 { // where the commands fit, and little more
				limits = append(limits, limit)
			}
			for _, limit := range limits {
				r := newGame(t, scripting.Limits{CommandBytes: limit})
				r.write("a.lua", text)
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				r.run(39)
				r.step(1)
				got, undone := r.wides(), len(r.errors) > 0
				if undone {
					ended++
				} else {
					done++
				}
				if undone && got != "40 rows of 0" || !undone && got != "39 rows of 1, 1 rows of 6" && got != "1 rows of 6, 39 rows of 1" {
					t.Errorf("kernel = %q, %s, %d bytes: %s; %v", mode, each, limit, got, r.errors)
				}
			}
			if ended == 0 || done == 0 {
				t.Errorf("kernel = %q, %s: %d calls were ended, and %d not", mode, each, ended, done)
			}
		}
	}
}

// wides tells what the rows hold.
func (r *game) wides() string {
	wide, _ := r.world.Raw().ComponentNamed("Wide")
	schema, rows := r.world.Raw().Schema(wide), map[float64]int{}
	for c := range r.world.Query().Chunks() {
		for i := range c.Entities() {
			if p := c.Column(wide, false); p != nil {
				rows[*(*float64)(unsafe.Add(p, uintptr(i)*schema.Size+schema.Field("n").Offset))]++
			}
		}
	}
	var list []string
	for n, many := range rows {
		list = append(list, fmt.Sprint(many, " rows of ", n))
	}
	return strings.Join(list, ", ")
}

// TestForeseenBytesCount: a small change of a large component counts as large as what it
// takes to foresee its value, as often as the component is one of another entity; and so
// do changes that are made to rows that the run has already done something to.
func TestForeseenBytesCount(t *testing.T) {
	for name, text := range map[string]string{
		"set":      `for e in ecs.entities { W } do ecs.set(e, W { n = 1 }) end`,
		"update":   `for e in ecs.entities { W } do ecs.update(e, W, function(w) w.n = 1 end) end`,
		"compiled": `k()`,
	} {
		for _, limit := range []int64{1_000_000, 150_000} {
			r := wideRows(t, scripting.Limits{CommandBytes: limit}, `
local k = ecs.kernel({ D }, function(e, d) ecs.set(e, W { n = 1 }) end)
ecs.system "a" { run = function(ctx) if ctx.tick > 39 then `+text+` end end }`)
			r.step(1)
			want := fmt.Sprint(40, " rows of ", 1)
			if limit < 200_000 {
				want = fmt.Sprint(40, " rows of ", 0)
				r.wantError("a.lua:", "(Limits.CommandBytes)")
			}
			if got := r.wides(); len(r.errors) > 0 || got != want {
				t.Errorf("%s, %d bytes: %s, want %s; %v", name, limit, got, want, r.errors)
			}
		}
	}
	// One entity, however often.
	r := wideRows(t, scripting.Limits{CommandBytes: 150_000}, once("a", `local e = ecs.find { W } if e then for i = 1, 500 do ecs.set(e, W { n = i }) end end`))
	r.run(1)
}

// TestRowsWithoutRoomRunOnce: a kernel that may fail has no room to keep the columns which it
// might write. Lua, which keeps only what it does write, then runs the rows in its place.
func TestRowsWithoutRoomRunOnce(t *testing.T) {
	r := newGame(t, scripting.Limits{CommandBytes: 4_000})
	r.write("a.lua", `local W, M = ecs.component("Wide", { n = ecs.f64() }), ecs.component("M", { n = ecs.f64() })
ecs.system "makes" { phase = "input", run = function(ctx) if ctx.tick <= 10 then ecs.spawn_many(30, W, M) end end }
ecs.system "a" { query = { W, M }, when = function(ctx) return ctx.tick > 10 end, each = function(e, w, m)
  local q = m
  if w.n < 0 then q.n = 1 / w.n ecs.despawn(e) end
  w.n = w.n + 1
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(12)
	if got := r.wides(); got != "300 rows of 2" || !r.host.Kernels()[0].Compiled {
		t.Errorf("%s, %v", got, r.host.Kernels())
	}
}
