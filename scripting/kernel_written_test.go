package scripting_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestEqualWritesCountAlike holds that a field which is given what it holds, after
// rounding to its kind, counts as written on both paths or on neither: systems that ask
// for what has changed do the same.
func TestEqualWritesCountAlike(t *testing.T) {
	for _, c := range []struct{ fields, body string }{
		{`z = ecs.array(ecs.f32(), 2)`, `a.z[1] = ctx.tick < 3 and 0.1 or ctx.tick`},
		{`z = ecs.array(ecs.f32(), 2), x = ecs.f32()`, `a.x = ctx.tick < 3 and 0.1 or ctx.tick`},
		{`x = ecs.f32(0.1)`, `local b = a if ctx.tick % 3 > 0 then a.x = 0.1 else b.x = ctx.tick end`},
		{`x = ecs.f32(0.1)`, `local function set(v) a.x = v end set(ctx.tick < 4 and 0.1 or 1 / 3)`},
		{`x = ecs.f32(1e300)`, `local b = a a.x = 1e200 b.x = -b.x * 1e300`},
		{`x = ecs.f32()`, `local b = a a.x = ctx.tick % 2 == 0 and 0 / 0 or 1e-60`},
		{`x = ecs.f32(0.1)`, `a.x = 0.1`},
		{`z = ecs.array(ecs.i32(), 2)`, `a.z[1] = -(ctx.tick * 0)`}, // -0
		{`x = ecs.f64(0.1), y = ecs.i8(3)`, `local b = a a.x = 0.1 b.y = ctx.tick % 2 + 2`},
	} {
		var logs [2]string
		for i, mode := range []string{"off", "auto"} {
			r := loaded(t, "a.lua", fmt.Sprintf(`local A = ecs.component("A", { %s })
ecs.on_start(function() for i = 1, 40 do ecs.spawn(A) end end)
local seen = 0
ecs.system "s" { query = { A }, kernel = %q, each = function(e, a, ctx) %s end }
ecs.system "watch" { query = { A, changed = { A } }, priority = 1, each = function(e) seen = seen + 1 end }
ecs.system "show" { phase = "debug", run = function(ctx) ecs.log(ctx.tick, seen) end }`, c.fields, mode, c.body))
			for _, k := range r.host.Kernels() {
				if k.System == "s" && mode == "auto" && !k.Compiled {
					t.Fatalf("%s: not compiled: %s", c.body, k.Reason)
				}
			}
			r.run(6)
			logs[i] = r.logged()
		}
		if logs[0] != logs[1] {
			t.Errorf("%s\n%s\nlua\n%s\nkernel\n%s", c.fields, c.body, logs[0], logs[1])
		}
	}
}

// TestOneChangedRowOfManyCounts holds that a chunk counts as changed wherever the row lies that
// a kernel has changed, and does not where it has changed none.
func TestOneChangedRowOfManyCounts(t *testing.T) {
	const text = `local A = ecs.component("A", { n = ecs.f64(), x = ecs.f64() })
ecs.on_start(function() for i = 1, 900 do ecs.spawn(A { n = i }) end end)
local rows = { 1, 15, 16, 17, 48, 49, 500, 0, 899, 900, 5000 }
local seen = 0
ecs.system "s" { query = { A }, kernel = %q, each = function(e, a, ctx)
  local b = a
  if b.n == seen then b.x = b.x + 1 end
end }
ecs.system "next" { phase = "input", run = function(ctx) seen = rows[ctx.tick] end }
local found = 0
ecs.system "watch" { query = { A, changed = { A } }, priority = 1, each = function(e) found = found + 1 end }
ecs.system "show" { phase = "debug", run = function(ctx) ecs.log(ctx.tick, found) end }`
	var logs [2]string
	for i, mode := range []string{"off", "require"} {
		r := loaded(t, "a.lua", fmt.Sprintf(text, mode))
		r.run(11)
		logs[i] = r.logged()
	}
	if logs[0] != logs[1] {
		t.Errorf("lua\n%s\nkernel\n%s", logs[0], logs[1])
	}
}

// TestChangesAreComparedOnceSomebodyAsks: a kernel that nobody asks about stamps all that it
// writes. A query with Changed that is made after its first runs sees everything at its first
// look, and from then on just what has changed, as without kernels.
func TestChangesAreComparedOnceSomebodyAsks(t *testing.T) {
	const text = `local A = ecs.component("A", { n = ecs.f64(), x = ecs.f64() })
ecs.system "fill" { phase = "input", run = function(ctx)
  for i = 1, ctx.tick <= 6 and 900 or 0 do ecs.spawn(A { n = ctx.tick * 900 + i }) end
end }
ecs.system "s" { query = { A }, kernel = %q, each = function(e, a, ctx)
  if a.n == ctx.tick * 450 then a.x = a.x + 1 end
end }`
	var looks [2][]int
	for i, mode := range []string{"off", "require"} {
		r := loaded(t, "a.lua", fmt.Sprintf(text, mode))
		r.run(7)
		w := r.world
		id, ok := w.Raw().ComponentNamed("A")
		if !ok || w.Raw().ChangesAsked(id) || w.Raw().ChangesAsked(id+99) {
			t.Fatal("somebody has asked already")
		}
		q := w.Query(ecs.Read(id)).Changed(id)
		for range 9 {
			n := 0
			for c := range q.Chunks() {
				n += c.Len()
			}
			looks[i] = append(looks[i], n)
			r.run(1)
		}
		if !w.Raw().ChangesAsked(id) || looks[i][0] != 5400 {
			t.Errorf("%s: the first look yields %d", mode, looks[i][0])
		}
	}
	if !slices.Equal(looks[0], looks[1]) || looks[0][1] == 0 || looks[0][8] != 0 {
		t.Errorf("looks of the VM yield %v, of the kernel %v", looks[0], looks[1])
	}
}
