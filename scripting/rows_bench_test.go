package scripting_test

import (
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// rowsOnVM are each functions as a designer writes them, with the same loop over slices in Go.
var rowsOnVM = []struct {
	name, body string
	inGo       func(ps []Position, vs []Velocity)
}{
	{"empty", `each = function(e, p, v, ctx) end`, nil},
	{"integrate", `each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
  end`, integrateInGo},
	{"bounce", `each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x < 0 or p.x > size then v.x = -v.x end
    if p.y < 0 or p.y > size then v.y = -v.y end
  end`, bounceInGo},
	{"calls", `each = function(e, p, v, ctx)
    p.x = math.min(p.x + v.x * ctx.dt, 1e9)
  end`, nil},
	{"rarely calls", `each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    if p.x < 0 then ecs.despawn(e) end
  end`, nil},
	{"reads others", `each = function(e, p, v, ctx)
    local other = ecs.get(e, P)
    if other then v.y = v.y + other.y * ctx.dt end
  end`, nil},
}

func integrateInGo(ps []Position, vs []Velocity) {
	for i := range ps {
		ps[i].X += vs[i].X / 64
		ps[i].Y += vs[i].Y / 64
	}
}

func bounceInGo(ps []Position, vs []Velocity) {
	for i := range ps {
		p, v := &ps[i], &vs[i]
		p.X += v.X / 64
		p.Y += v.Y / 64
		if p.X < 0 || p.X > 1000 {
			v.X = -v.X
		}
		if p.Y < 0 || p.Y > 1000 {
			v.Y = -v.Y
		}
	}
}

// BenchmarkRowsOnVM measures each functions that are not compiled, row by row, beside a loop
// over slices of Go: the least time of a step counts.
func BenchmarkRowsOnVM(b *testing.B) {
	const n = 10_000
	for _, c := range rowsOnVM {
		b.Run(c.name, func(b *testing.B) {
			r := newGame(b, scripting.Limits{})
			r.write("a.lua", `local size = 1000 ecs.system "s" { query = { P, V }, kernel = "off", `+c.body+` }`)
			if err := r.host.Load(r.folder); err != nil {
				b.Fatal(err)
			}
			p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
			ps, vs := make([]Position, n), make([]Velocity, n)
			for i := range n {
				ps[i], vs[i] = Position{float64(i % 1000), 5}, Velocity{1, 2}
				r.world.Spawn(p.With(ps[i]), v.With(vs[i]))
			}
			b.ReportAllocs()
			least := leastStep(b, r.host)
			b.ReportMetric(float64(least.Nanoseconds())/n, "ns/row")
			if c.inGo == nil {
				return
			}
			slices := time.Hour
			for range 1000 {
				began := time.Now()
				c.inGo(ps, vs)
				slices = min(slices, time.Since(began))
			}
			b.ReportMetric(float64(slices.Nanoseconds())/n, "ns/row-in-slices")
			b.ReportMetric(float64(least)/float64(slices), "of-slices")
		})
	}
}
