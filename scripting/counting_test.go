package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// bounces are the same system, written per entity and per chunk.
var bounces = [...]struct{ name, text string }{
	{"each", `
local size = 1000
ecs.system "bounce" {
  query = { P, V },
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x < 0 or p.x > size then v.x = -v.x end
    if p.y < 0 or p.y > size then v.y = -v.y end
  end,
}`},
	{"batch", `
local size = 1000
ecs.system "bounce" {
  query = { P, V },
  batch = function(b, ctx)
    local x, y = b:write(P, "x"), b:write(P, "y")
    local vx, vy = b:write(V, "x"), b:write(V, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      local px = x[i] + vx[i] * dt
      local py = y[i] + vy[i] * dt
      x[i], y[i] = px, py
      if px < 0 or px > size then vx[i] = -vx[i] end
      if py < 0 or py > size then vy[i] = -vy[i] end
    end
  end,
}`},
}

// BenchmarkCounting compares functions that are counted with the same ones that
// provably end. A ctx that is not as it was makes them counted.
func BenchmarkCounting(b *testing.B) {
	const n = 10_000
	for _, form := range bounces {
		for _, counted := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/counted=%v", form.name, counted), func(b *testing.B) {
				text := form.text
				if counted {
					text = strings.Replace(text, "query", `when = function(ctx) ctx.tick = "?" return true end, query`, 1)
				}
				r := newRig(b, scripting.Limits{})
				random := rand.New(rand.NewPCG(1, 2))
				p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
				for range n {
					r.world.Spawn(p.With(Position{random.Float64() * 1000, random.Float64() * 1000}), v.With(Velocity{1, 1}))
				}
				r.write("a.lua", text)
				if err := r.host.Load(r.folder); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := r.host.Step(1.0 / 60); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
			})
		}
	}
}
