package scripting_test

import (
	"math"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// watched are systems that do the same in each of the ways in which limits watch
// them. What is counted cannot be proved to end, so every instruction is counted.
var watched = []struct {
	name, body string
	most       float64 // on/off that the test accepts, far above what is measured
}{
	{"each", `kernel = "off", each = function(e, p, v, ctx) ` + bounceRow + ` end`, 1.6},
	{"each counted", `kernel = "off", each = function(e, p, v, ctx) local i = 0 while i < 1 do i = i + 1 end ` + bounceRow + ` end`, 1.8},
	{"batch", `batch = function(b, ctx) ` + bounceBatch + ` end`, 1.6},
	{"batch counted", `batch = function(b, ctx) local i = 0 while i < 1 do i = i + 1 end ` + bounceBatch + ` end`, 1.8},
	{"kernel", `kernel = "require", each = function(e, p, v, ctx) ` + bounceRow + ` end`, 1.6},
	{"kernel with a loop", `kernel = "require", each = function(e, p, v, ctx) local i = 0 while i < 3 do i = i + 1 p.x = p.x + v.x * ctx.dt end end`, 1.6},
}

// contest is a system in two hosts of one process, one with the default limits and
// one with none.
type contest struct {
	testing.TB
	hosts [2]*game
	least [2]float64 // ns per entity
}

func newContest(t testing.TB, body string) *contest {
	none := scripting.Limits{
		Instructions: -1, TickInstructions: -1, Time: -1, Bytes: -1, Held: -1, HeldTotal: -1, String: -1, Table: -1,
		Commands: -1, TickCommands: -1, Spawned: -1, TickSpawned: -1, Timers: -1, LogLines: -1,
	}
	return &contest{t, [2]*game{bouncing(t, scripting.Limits{}, body), bouncing(t, none, body)}, [2]float64{math.Inf(1), math.Inf(1)}}
}

// turn lets both step, and keeps the least time of each, which a busy machine
// hardly changes.
func (c *contest) turn() {
	for i, r := range c.hosts {
		began := time.Now()
		if err := r.host.StepAll(1.0 / 60); err != nil {
			c.Fatal(err)
		}
		c.least[i] = min(c.least[i], float64(time.Since(began).Nanoseconds())/bouncers)
	}
}

// BenchmarkLimits measures what limits cost.
func BenchmarkLimits(b *testing.B) {
	for _, w := range watched {
		b.Run(w.name, func(b *testing.B) {
			c := newContest(b, w.body)
			for b.Loop() {
				c.turn()
			}
			b.ReportMetric(c.least[0], "ns/entity-on")
			b.ReportMetric(c.least[1], "ns/entity-off")
			b.ReportMetric(c.least[0]/c.least[1], "on/off")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestLimitsCostLittle finds a slip that makes everything that is watched slower,
// not a change by a hundredth: the bounds are wide, and only a ratio that stays
// above its bound for many turns fails.
func TestLimitsCostLittle(t *testing.T) {
	for _, w := range watched {
		t.Run(w.name, func(t *testing.T) {
			c := newContest(t, w.body)
			for turn := range 500 {
				if c.turn(); turn > 5 && c.least[0] < w.most*c.least[1] {
					return
				}
			}
			t.Errorf("with limits %.1f ns for an entity, without %.1f", c.least[0], c.least[1])
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
func bouncing(b testing.TB, limits scripting.Limits, body string) *game {
	b.Helper()
	r := newGame(b, limits)
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
