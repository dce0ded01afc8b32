package scripting_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestFailingRunsLeaveNoChanges: what a run that fails has seen as changed is there for
// the next one, and what it has written counts as unchanged; of an each, an entity for
// which it fails alone gets its turn once its rest is over. With kernels and without.
func TestFailingRunsLeaveNoChanges(t *testing.T) {
	const counting = `
local seen, calls = 0, 0
ecs.system "told" { phase = "debug", run = function() ecs.log(seen) seen = 0 end }
`
	cases := map[string]struct {
		text string
		want []string // how many rows a system has seen, tick by tick
	}{
		"an each that fails as a whole": {counting + `
local broken = true
ecs.system "s" { query = { P, changed = { P } }, kernel = MODE, each = function(e, p)
  seen = seen + 1
  if broken and p.x >= 10 then error("no") end
end }
ecs.system "mend" { phase = "audio", run = function(ctx) broken = ctx.tick < 2 end }`,
			[]string{"42", "42", "100", "0", "0"}},
		"a limit": {counting + `
local turns = 1e9
ecs.system "s" { query = { P, changed = { P } }, kernel = MODE, each = function(e, p)
  seen = seen + 1
  local i = 0
  while i < turns do i = i + 1 end
end }
ecs.system "mend" { phase = "audio", run = function(ctx) if ctx.tick == 2 then turns = 1 end end }`,
			[]string{"1", "1", "99", "1", "0"}},
		"writes of an each that fails": {counting + `
ecs.system "s" { query = { V }, kernel = MODE, each = function(e, v)
  v.x = v.x + 1
  if v.x > 30 then error("no") end
end }
ecs.system "watch" { priority = 5, query = { V, changed = { V } }, kernel = MODE, each = function() seen = seen + 1 end }`,
			[]string{"100", "0", "0", "0", "0"}},
		"writes of an each that succeeds": {counting + `
ecs.system "s" { query = { V }, kernel = MODE, each = function(e, v, ctx) if v.y == 7 then v.x = v.x + 1 end end }
ecs.system "watch" { priority = 5, query = { V, changed = { V } }, kernel = MODE, each = function() seen = seen + 1 end }`,
			[]string{"100", "100", "100", "100", "100"}},
		"writes of a batch that fails": {counting + `
ecs.system "s" { query = { V }, batch = function(b, ctx)
  local xs = b:write(V, "x")
  for i = 1, b.n do xs[i] = xs[i] + 1 end
  calls = calls + 1
  if ctx.tick > 1 then xs[1] = "no" end
end }
ecs.system "watch" { priority = 5, query = { V, changed = { V } }, kernel = MODE, each = function() seen = seen + 1 end }`,
			[]string{"100", "0", "0", "0", "0"}},
		"a batch that fails": {counting + `
ecs.system "s" { query = { P, changed = { P } }, batch = function(b, ctx)
  seen = seen + b.n
  if ctx.tick < 3 then error("no") end
end }`,
			[]string{"100", "100", "100", "0", "0"}},
		"a loop of a run that fails": {counting + `
ecs.system "s" { run = function(ctx)
  for e in ecs.entities { P, changed = { P } } do seen = seen + 1 end
  for e in ecs.entities { P, changed = { P } } do seen = seen + 1000 end
  if ctx.tick < 3 then error("no") end
end }`,
			[]string{"100", "100", "100", "0", "0"}},
		"a kernel that a failing run calls": {counting + `
local k = ecs.kernel({ P, changed = { P } }, function(e, p) seen = seen + 1 p.x = p.x + 1 end, { kernel = MODE })
ecs.system "s" { run = function(ctx) k() if ctx.tick < 3 then error("no") end end }
ecs.system "watch" { priority = 5, query = { P, changed = { P } }, kernel = MODE, each = function() seen = seen + 1000 end }`,
			[]string{"100100", "100", "100100", "100100", "100100"}},
		"a row that fails alone": {counting + `
ecs.system "s" { query = { P, changed = { P } }, kernel = MODE, each = function(e, p, ctx)
  seen = seen + 1
  if p.x == 3 and ctx.tick < 3 then error("no") end
end }`,
			[]string{"100", "0", "1", "0", "0"}},
		"a row that fails alone and is let go": {counting + `
local E = ecs.native("ScriptError")
ecs.system "s" { query = { P, changed = { P } }, kernel = MODE, each = function(e, p, ctx)
  seen = seen + 1
  if p.x == 3 and ctx.tick < 5 then error("no") end
end }
ecs.system "free" { phase = "audio", run = function(ctx) for e in ecs.entities(E) do ecs.remove(e, E) end end }`,
			[]string{"100", "0", "1", "0", "1"}},
		"a look of a row that fails alone": {counting + `
ecs.system "s" { query = { P }, kernel = MODE, each = function(e, p, ctx)
  if p.x > 4 or p.x < 3 then return end
  for e in ecs.entities { V, changed = { V } } do seen = seen + 1 end
  if p.x == 3 then error("no") end
end }`,
			[]string{"200", "0", "0", "0", "0"}},
	}
	for name, c := range cases {
		for _, mode := range []string{"auto", "off"} {
			r := newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: 100}}, scripting.Limits{LogLines: -1, Instructions: 200_000})
			p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
			for i := range 100 {
				r.world.Spawn(p.With(Position{X: float64(i)}), v.With(Velocity{X: float64(i), Y: float64(i % 10)}))
			}
			r.write("a.lua", fmt.Sprintf("local MODE = %q\n", mode)+c.text)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				r.failed(r.host.StepAll(0.5))
			}
			if !slices.Equal(r.logs, c.want) {
				t.Errorf("%s, kernel %s: %v rows were seen, want %v; %v", name, mode, r.logs, c.want, r.errors)
			}
		}
	}
}
