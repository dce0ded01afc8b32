package scripting_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
)

// mixedFolder has 20 systems in 10 files, as a game has them: over rows, over batches, for each
// tick and for events, with a component, an event, a state and a helper among them.
func mixedFolder() fstest.MapFS {
	folder := fstest.MapFS{"parts.lua": {Data: []byte(`local ecs = require "ecs"
return {
  Place = ecs.component("Place", { x = 0, y = 0 }),
  Speed = ecs.component("Speed", { x = 1, y = 1 }),
  Hit = ecs.event("Hit", { target = ecs.entity(), amount = ecs.f32(1) }),
}`)}}
	kinds := [...]string{`ecs.system "second%[1]d" { query = { parts.Place, Value }, batch = function(b, ctx)
  local x, v = b:read(parts.Place, "x"), b:write(Value, "left")
  for i = 1, b.n do if x[i] > %[1]d then v[i] = v[i] - ctx.dt end end
end }`, `local seen = {}
ecs.system "second%[1]d" { run = function(ctx)
  seen[#seen %% 8 + 1] = string.format("%%d", ctx.tick)
  if ctx.tick == 1 then ecs.spawn(parts.Place { x = %[1]d }, parts.Speed, Value) end
  if #seen > 4 then table.remove(seen) end
end }`, `local state = ecs.state("told%[1]d", { n = 0 })
ecs.system "second%[1]d" { on = parts.Hit, each = function(hit)
  state.n = state.n + hit.amount
  if ecs.alive(hit.target) then ecs.set(hit.target, Value { left = state.n }) end
end }`}
	for i := range 10 {
		folder[fmt.Sprintf("s%02d.lua", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `-- What it moves, and what it tells.
local ecs = require "ecs"
local parts = require "parts"
local Value = ecs.component("Value%[1]d", { left = ecs.f32(10), kind = ecs.enum("a", "b", "c") })
local pull = 9.81
local function far(x, y) return math.sqrt(x * x + y * y) > 100 end
ecs.system "first%[1]d" {
  query = { parts.Place, parts.Speed, Value },
  each = function(entity, p, v, value, ctx)
    v.y = v.y - pull * ctx.dt
    p.x, p.y = p.x + v.x * ctx.dt, p.y + v.y * ctx.dt
    if far(p.x, p.y) then
      p.x, p.y, value.left = 0, 0, %[1]d
      ecs.emit(parts.Hit { target = entity, amount = %[1]d })
    end
  end,
}
`+kinds[i%3], i)}
	}
	return folder
}

// BenchmarkRooms opens rooms 1 to 200 of a program. It prints the median and the least
// time for one of the latter half, what each holds of Go's heap after some ticks, and of the arena.
func BenchmarkRooms(b *testing.B) {
	b.Run("20_systems", func(b *testing.B) { openMany(b, mixedFolder()) })
	b.Run("40_small", func(b *testing.B) { openMany(b, smallFolder()) })
}

func openMany(b *testing.B, folder fs.FS) {
	program, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	const rooms, ticks = 200, 3
	for b.Loop() {
		var open [rooms]*room
		var took []time.Duration
		before, arena := uint64(0), int64(0)
		for i := range open {
			if i == rooms/2 {
				before = liveHeap() // with what is made once
			}
			began := time.Now()
			r := openRoom(b, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
			if err := r.host.Load(program); err != nil {
				b.Fatal(err)
			}
			took, open[i] = append(took, time.Since(began)), r
			for range ticks {
				if err := cmp.Or(r.host.Step(1.0/60), r.fault); err != nil {
					b.Fatal(err)
				}
			}
			arena += int64(r.world.Stats().ArenaBytes)
		}
		b.ReportMetric(float64(liveHeap()-before)/(rooms/2)/1024, "KB/room")
		b.ReportMetric(float64(arena)/rooms/1024, "KB-arena/room")
		slices.Sort(took[rooms/2:])
		b.ReportMetric(float64(took[rooms*3/4].Microseconds())/1000, "ms/room")
		b.ReportMetric(float64(took[rooms/2].Microseconds())/1000, "ms-least/room")
		for _, r := range open {
			r.close(b)
		}
	}
}
