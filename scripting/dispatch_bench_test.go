package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// ways are the ways in which a system moves what has a position and a velocity.
var ways = []struct{ name, body string }{
	{"kernel", `kernel = "require", each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end`},
	{"kernel that notes", `kernel = "require", each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt if p.x < 0 then ecs.despawn(e) end end`},
	{"kernel that may stop", `kernel = "require", each = function(e, p, v, ctx) while p.y > 0 do p.y = p.y - 1 end end`},
	{"each", `kernel = "off", each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end`},
	{"batch", `batch = function(b, ctx) b:col(P, "x"):madd(b:col(V, "x"), ctx.dt) end`},
}

// BenchmarkSmallSystems measures what one run of a system costs that has little to
// do: a hundred systems over 0 to 100 entities, and the same in Go.
func BenchmarkSmallSystems(b *testing.B) {
	const systems = 100
	for _, n := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("%d/go", n), func(b *testing.B) {
			r := small(b, n)
			for i := range systems {
				r.goSystem(fmt.Sprint("s", i))
			}
			benchSystems(b, r, systems)
		})
		for _, way := range ways {
			b.Run(fmt.Sprintf("%d/%s", n, way.name), func(b *testing.B) {
				r := small(b, n)
				var text strings.Builder
				for i := range systems {
					fmt.Fprintf(&text, "ecs.system \"s%d\" { query = { P, V }, %s }\n", i, way.body)
				}
				r.write("a.lua", text.String())
				if err := r.host.Load(r.folder); err != nil {
					b.Fatal(err)
				}
				benchSystems(b, r, systems)
			})
		}
	}
}

// small opens a host over a world of n entities that move.
func small(t testing.TB, n int) *game {
	r := newGame(t, scripting.Limits{})
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	for range n {
		r.world.Spawn(p.With(Position{X: 1}), v.With(Velocity{X: 1}))
	}
	return r
}

// goSystem adds a system of the host's that does what those in Lua do.
func (r *game) goSystem(name string) {
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	q := r.world.Query(ecs.Write(p), ecs.Read(v))
	err := r.world.Schedule().Add(ecs.System{Name: name, Queries: []*ecs.Query{q}, Run: func(t *ecs.Tick) error {
		for c := range q.Chunks() {
			ps, vs := p.Mut(c), v.Of(c)
			for i := range ps {
				ps[i].X += vs[i].X * t.DT
			}
		}
		return nil
	}})
	if err != nil {
		r.Fatal(err)
	}
}

func benchSystems(b *testing.B, r *game, systems int) {
	b.ReportAllocs()
	b.ReportMetric(float64(leastStep(b, r.host).Nanoseconds())/float64(systems), "ns/system")
}

// leastStep returns the least time that a step has taken, which a busy machine
// hardly changes.
func leastStep(b *testing.B, h *scripting.Host) time.Duration {
	least := time.Hour
	for b.Loop() {
		began := time.Now()
		if err := h.StepAll(1.0 / 64); err != nil {
			b.Fatal(err)
		}
		least = min(least, time.Since(began))
	}
	return least
}
