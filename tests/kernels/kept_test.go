package kernels_test

import "testing"

// kept are programs that once showed a difference, cut down.
var kept = []struct {
	name, text string
	crowd      crowd
	ticks      int
}{
	{"not found and x", `
local Mind, Body, Pack = ecs.native("Mind"), ecs.native("Body"), ecs.native("Pack")
ecs.system "s" { query = { Pack, Body }, each = function(e, pack, body, ctx)
  if not ecs.get(e, Mind, "left") and not pack.flags[1] then return end
  body.vy = 0
end }`, crowd{383, 20, 20}, 1},
	{"the array of a row that has failed", `
local Path = ecs.component("Path", { xs = ecs.array(ecs.f64(), 5), turns = ecs.array(ecs.i32(), 3), done = ecs.bool(true) })
local Spark, Mind = ecs.native("Spark"), ecs.native("Mind")
local function help(a, b, c) end
ecs.system "s" { query = { Spark, Path, Mind }, each = function(e, spark, path, mind, ctx)
  if mind.angry then
    spark.heat = 0
    return
  end
  if spark then
    spark.heat = spark.heat + help(e, path, path.turns[0] ~= 0)
  end
end }`, crowd{210, 60, 19}, 1},
	{"changed, where a value was assigned that was there", `
local Tally, Body = ecs.native("Tally"), ecs.native("Body")
local Path = ecs.component("Path", { turns = ecs.array(ecs.i32(), 3) })
local hits = 0
ecs.on_start(function()
  ecs.spawn(Tally { byte = 0 }, Path)
  ecs.spawn(Tally { byte = 0 }, Path, Body)
  ecs.spawn(Tally { byte = 3 }, Path)
end)
ecs.system "s" { query = { Tally, Path, changed = { Tally } }, each = function(e, tally, path, ctx)
  path.turns[1] = 1
  tally.byte = 0
  hits = hits + 1
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`, crowd{1, 10, 4}, 4},
	{"nobody at the end of an array", `
local Path = ecs.component("Path", { at = ecs.u8(1), links = ecs.array(ecs.entity(), 2), all = ecs.array(ecs.entity(), 3) })
ecs.on_start(function()
  local other = ecs.spawn()
  ecs.spawn(Path { links = { other, other }, all = { other, other, other } })
end)
ecs.system "s" { query = { Path }, each = function(e, path, ctx)
  path.links[2] = nil
  path.all[2] = nil
end }
ecs.system "t" { query = { Path }, each = function(e, path, ctx)
  path.links[2], path.at = nil, 5
  path.all[3], path.all[1] = nil, nil
end }`, crowd{1, 0, 1}, 2},
	{"changed, where the row has failed", `
local Tally, Body = ecs.native("Tally"), ecs.native("Body")
local Path = ecs.component("Path", { turns = ecs.array(ecs.i32(), 3) })
local hits = 0
ecs.on_start(function()
  ecs.spawn(Tally { byte = 0 }, Path)
  ecs.spawn(Tally { byte = 0 }, Path, Body)
  ecs.spawn(Tally { byte = 3 }, Path)
end)
ecs.system "s" { query = { Tally, Path }, each = function(e, tally, path, ctx)
  path.turns[1] = ctx.tick
  tally.small = 7
  tally.byte = tally.byte + 100
end }
ecs.system "watch" { query = { Tally, changed = { Tally } }, batch = function(b, ctx)
  hits = hits + b.n * ctx.tick
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`, crowd{3, 10, 4}, 6},
}

func TestKeptPrograms(t *testing.T) {
	for _, k := range kept {
		t.Run(k.name, func(t *testing.T) {
			p := &program{root: body(line("local ecs = require \"ecs\"" + k.text)), crowd: k.crowd, ticks: k.ticks}
			with, d, err := p.parts()
			if err != nil {
				t.Fatal(err)
			}
			if d != nil {
				t.Errorf("%s\n%s", p.show(d), k.text)
			}
			compiled := false
			for _, s := range with.compiled {
				compiled = compiled || s.Compiled
			}
			if !with.loaded || !compiled {
				t.Errorf("loaded %v, compiled %v: %v", with.loaded, compiled, with.compiled)
			}
		})
	}
}
