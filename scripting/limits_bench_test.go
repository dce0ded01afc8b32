package scripting_test

import (
	"math"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// BenchmarkLimits measures what limits cost: the same systems in two hosts of
// one process, one with the default limits and one with none, in turns. It
// reports the least time of each and their ratio, which a busy machine hardly
// changes. "counted" does what cannot be proved to end, so that every instruction
// is counted.
func BenchmarkLimits(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"each", `kernel = "off", each = function(e, p, v, ctx) ` + bounceRow + ` end`},
		{"each counted", `kernel = "off", each = function(e, p, v, ctx) local i = 0 while i < 1 do i = i + 1 end ` + bounceRow + ` end`},
		{"batch", `batch = function(b, ctx) ` + bounceBatch + ` end`},
		{"batch counted", `batch = function(b, ctx) local i = 0 while i < 1 do i = i + 1 end ` + bounceBatch + ` end`},
		{"kernel", `kernel = "require", each = function(e, p, v, ctx) ` + bounceRow + ` end`},
		{"kernel with a loop", `kernel = "require", each = function(e, p, v, ctx) local i = 0 while i < 3 do i = i + 1 p.x = p.x + v.x * ctx.dt end end`},
	} {
		b.Run(c.name, func(b *testing.B) {
			none := scripting.Limits{
				Instructions: -1, TickInstructions: -1, Time: -1, Bytes: -1, Heap: -1, String: -1, Table: -1,
				Commands: -1, TickCommands: -1, Spawned: -1, TickSpawned: -1, Timers: -1, LogLines: -1,
			}
			on, off := bouncing(b, scripting.Limits{}, c.body), bouncing(b, none, c.body)
			least := [2]float64{math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for i, r := range [...]*rig{on, off} {
					began := time.Now()
					if err := r.host.Step(1.0 / 60); err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], float64(time.Since(began).Nanoseconds())/bouncers)
				}
			}
			b.ReportMetric(least[0], "ns/entity-on")
			b.ReportMetric(least[1], "ns/entity-off")
			b.ReportMetric(least[0]/least[1], "on/off")
			b.ReportMetric(0, "ns/op")
		})
	}
}

const (
	bouncers  = 10_000
	bounceRow = `
    local x, y = p.x + v.x * ctx.dt, p.y + v.y * ctx.dt
    if x < 0 or x > 1000 then v.x = -v.x end
    if y < 0 or y > 1000 then v.y = -v.y end
    p.x, p.y = x, y`
	bounceBatch = `
    local px, py = b:write(P, "x"), b:write(P, "y")
    local vx, vy = b:write(V, "x"), b:write(V, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      local dx, dy = vx[i], vy[i]
      local x, y = px[i] + dx * dt, py[i] + dy * dt
      if x < 0 or x > 1000 then vx[i] = -dx end
      if y < 0 or y > 1000 then vy[i] = -dy end
      px[i], py[i] = x, y
    end`
)

// bouncing opens a host with one system over entities that move.
func bouncing(b *testing.B, limits scripting.Limits, body string) *rig {
	b.Helper()
	r := newRig(b, limits)
	r.write("a.lua", `ecs.system "s" { query = { P, V }, `+body+` }`)
	if err := r.host.Load(r.folder); err != nil {
		b.Fatal(err)
	}
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	for i := range bouncers {
		r.world.Spawn(p.With(Position{float64(i % 1000), 5}), v.With(Velocity{1, 2}))
	}
	return r
}
