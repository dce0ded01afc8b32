package scripting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// BenchmarkBounce integrates and bounces 10,000 entities, as each and as batch.
func BenchmarkBounce(b *testing.B) {
	for name, body := range map[string]string{
		"each": `kernel = "off", each = function(e, p, v, ctx)
    local x, y = p.x + v.x * ctx.dt, p.y + v.y * ctx.dt
    if x < 0 or x > 1000 then v.x = -v.x end
    if y < 0 or y > 1000 then v.y = -v.y end
    p.x, p.y = x, y
  end`,
		"rows": `each = function(e, p, v, ctx)
    local q, u = p, v
    local x, y = q.x + u.x * ctx.dt, q.y + u.y * ctx.dt
    if x < 0 or x > 1000 then u.x = -u.x end
    if y < 0 or y > 1000 then u.y = -u.y end
    q.x, q.y = x, y
  end`,
		"batch": `batch = function(b, ctx)
    local px, py = b:write(P, "x"), b:write(P, "y")
    local vx, vy = b:write(V, "x"), b:write(V, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      local dx, dy = vx[i], vy[i]
      local x, y = px[i] + dx * dt, py[i] + dy * dt
      if x < 0 or x > 1000 then vx[i] = -dx end
      if y < 0 or y > 1000 then vy[i] = -dy end
      px[i], py[i] = x, y
    end
  end`,
		"bulk": `batch = function(b, ctx)
    b:col(P, "x"):madd(b:col(V, "x"), ctx.dt)
    b:col(P, "y"):madd(b:col(V, "y"), ctx.dt)
  end`,
	} {
		b.Run(name, func(b *testing.B) {
			r := newGame(b, scripting.Limits{})
			r.write("a.lua", `ecs.system "s" { query = { P, V }, `+body+` }`)
			if err := r.host.Load(r.folder); err != nil {
				b.Fatal(err)
			}
			p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
			for i := range 10_000 {
				r.world.Spawn(p.With(Position{float64(i % 1000), 5}), v.With(Velocity{1, 2}))
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := r.host.StepAll(1.0 / 60); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/entity")
		})
	}
}

// BenchmarkReload swaps one script of a running host: as it was, and with another
// number in one of its kernels. It gives the least time from the file to the end of
// the step that takes it over.
func BenchmarkReload(b *testing.B) {
	text := func(n int) string {
		return fmt.Sprintf(`local H = ecs.component("H", { hp = 1 })
ecs.system "a" { query = { P, V }, each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt + %d end }
ecs.system "b" { query = { H }, batch = function(b) b:col(H, "hp"):add(1) end }`, n)
	}
	for _, change := range []int{0, 1} {
		b.Run([]string{"same", "changed"}[change], func(b *testing.B) {
			r := loaded(b, "a.lua", text(0))
			least, n := time.Hour, 0
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				n += change
				r.save("a.lua", text(n))
				if err := r.host.StepAll(0); err != nil || r.reloads[0].Err != nil {
					b.Fatal(err, r.reloads[0].Err)
				}
				r.reloads = nil
				least = min(least, time.Since(began))
			}
			b.ReportMetric(least.Seconds()*1000, "ms/least")
		})
	}
}
