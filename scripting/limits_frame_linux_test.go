package scripting_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// unending are two systems that use up what a tick has for all scripts, in each tick.
const unending = `for i = 1, 2 do ecs.system("endless " .. i, { phase = "input", run = function() while true do end end }) end
`

// inFrames steps a game in which scripts use up each tick, and one with the given texts, in turn. It
// returns how many times as long as the first one the second takes of the processor: the least of
// some ticks, for others may use the machine.
func inFrames(t *testing.T, ticks int, files ...string) (times float64, attacked *game) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector makes each call many times slower: what a step takes says nothing in its build")
	}
	var games [2]*game
	for i, files := range [][]string{{"a.lua", unending}, files} {
		games[i] = newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: -1}}, scripting.ReleaseLimits(60))
		games[i].write(files...)
		if err := games[i].host.Load(games[i].folder); err != nil {
			t.Fatal(err)
		}
	}
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for range ticks {
		for i, r := range games {
			r.reported, r.errors, r.logs = nil, nil, nil
			began := processTime()
			r.step(1)
			least[i] = min(least[i], processTime()-began)
		}
	}
	t.Logf("a tick takes %v, one that scripts use up %v", least[1], least[0])
	return float64(least[1]) / float64(least[0]), games[1]
}

// TestManySystemsInATickThatIsUsedUp: systems for which nothing is left are not called, which takes
// next to nothing. One fault says so for all of them, records count them, and they stay healthy.
func TestManySystemsInATickThatIsUsedUp(t *testing.T) {
	const systems, ticks = 1998, 10 // with the unending two as many as Limits.Systems allows
	for name, body := range map[string]string{
		"run":    `run = function() n = n + 1 end`,
		"batch":  `query = { P }, batch = function(b) n = n + 1 end`,
		"when":   `when = function() n = n + 1 return true end, run = function() end`,
		"events": `on = E, each = function(ev) n = n + 1 end`,
	} {
		t.Run(name, func(t *testing.T) {
			times, r := inFrames(t, ticks, "a.lua", unending+fmt.Sprintf(`local n, E = 0, ecs.event("E", { x = 0 })
ecs.on_start(function() ecs.spawn(P) ecs.emit(E) end)
for i = 1, %d do ecs.system("s" .. i, { phase = "physics", %s }) end`, systems, body))
			if times > 6 {
				t.Errorf("%d systems for which nothing is left cost %.1f times as much as all that a tick may use", systems, times)
			}
			if len(r.errors) != 3 { // those of the unending two, and one
				t.Fatalf("%d errors: %v", len(r.errors), r.errors)
			}
			e := r.errors[2]
			if e.System != "s1" || e.Line != 5 || e.Limit != "TickInstructions" || e.Others != systems-1 {
				t.Errorf("%v: system %q, line %d, limit %q, and %d others", e, e.System, e.Line, e.Limit, e.Others)
			}
			usage := r.host.Usage()[0]
			if usage.Refused != systems*ticks {
				t.Errorf("%d runs count as left out, of %d", usage.Refused, systems*ticks)
			}
			for _, call := range usage.ByCall {
				if call.Name[0] == 's' && (call.Ran.Refused != ticks || call.VM.Calls != 0) {
					t.Fatalf("%s was left out %d times and called %d times in %d ticks", call.Name, call.Ran.Refused, call.VM.Calls, ticks)
				}
			}
			for _, s := range []string{"s2", fmt.Sprint("s", systems)} {
				if h, _ := r.world.Schedule().Health(s); h != ecs.Healthy || len(r.world.Schedule().Failures(s)) > 0 {
					t.Errorf("%s is %v", s, h)
				}
			}
		})
	}
}

// scattered spawns entities of 1,024 archetypes, so many of each.
const scattered = `local tags = {}
for i = 1, 10 do tags[i] = ecs.tag("T" .. i) end
ecs.on_start(function()
  for i = 0, 1023 do
    local list = { P }
    for bit = 1, 10 do if math.floor(i / 2 ^ (bit - 1)) %% 2 == 1 then list[#list + 1] = tags[bit] end end
    for n = 1, %d do ecs.spawn(unpack(list)) end
  end
end)
`

// TestManySystemsOverManyArchetypes: coming to rows costs something for each chunk, whoever runs them
// and even if they are few, or none.
func TestManySystemsOverManyArchetypes(t *testing.T) {
	for name, c := range map[string]struct {
		body, limit string
	}{
		"kernel": {`query = { P }, kernel = "require", each = function(e, p) p.x = p.x + 1 end`, "TickRows"},
		"batch":  {`query = { P }, batch = function(b) end`, "TickInstructions"},
		"each":   {`query = { P }, kernel = "off", each = function(e, p) end`, "TickInstructions"},
	} {
		t.Run(name, func(t *testing.T) {
			times, r := inFrames(t, 6, "a.lua", fmt.Sprintf(scattered+`for i = 1, 600 do ecs.system("s" .. i, { %s }) end`, 1, c.body))
			if times > 10 {
				t.Errorf("600 systems over 1,024 archetypes take %.1f times as much as all that a tick may use", times)
			}
			last := ""
			for _, e := range r.errors {
				last = e.Limit
			}
			if last != c.limit {
				t.Errorf("the limit that is reached is %q, want %q: %v", last, c.limit, r.errors)
			}
		})
	}
}

// TestPassingArchetypesIsCharged: a query of many archetypes without rows costs something in each run.
func TestPassingArchetypesIsCharged(t *testing.T) {
	const systems, perRun, perTest = 50, 1000, 15
	r := newGameOf(t, ecs.Options{MaxBytes: 64 << 20}, scripting.Limits{})
	r.write("a.lua", fmt.Sprintf(scattered+`ecs.system("end", { run = function(ctx) if ctx.tick == 2 then ecs.despawn_all { P } end end })
for i = 1, %d do ecs.system("s" .. i, { phase = "physics", query = { P }, kernel = "require", each = function(e, p) p.x = p.x + 1 end }) end`, 1, systems))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(3)
	if r.world.Len() != 0 {
		t.Fatalf("%d entities", r.world.Len())
	}
	if _, rows := r.host.Work(); rows < systems*(perRun+1024/4*perTest) || rows > 2*systems*(perRun+1024/4*perTest) {
		t.Errorf("%d systems that find no row count %d nanoseconds", systems, rows)
	}
}

// TestEnteringKernelsIsTheSameInParallel: what it takes to enter kernels uses up a tick at the same
// system, however many goroutines share the rows.
func TestEnteringKernelsIsTheSameInParallel(t *testing.T) {
	var logs [2]string
	for i, workers := range []int{1, 4} {
		r := newGameOf(t, ecs.Options{Workers: workers}, scripting.Limits{TickRows: 1_500_000, LogLines: -1})
		r.write("a.lua", fmt.Sprintf(scattered, 3)+`for i = 1, 12 do
  ecs.system(("s%02d"):format(i), { query = { P }, kernel = "require", each = function(e, p) for k = 1, 6 do p.x = p.x + math.sqrt(k + i) end end })
end`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(12)
		for _, e := range r.errors {
			logs[i] += byLine(e.Error()) + "\n"
		}
		logs[i] += fmt.Sprint(r.world.Checksum())
	}
	if logs[0] != logs[1] || len(logs[0]) < 100 {
		t.Errorf("in order\n%s\nin parallel\n%s", logs[0], logs[1])
	}
}

// TestListsOfKernelsCount: before its rows, a kernel copies the lists of the script that it reads. That counts for the
// limit of the tick, whatever the rows do; of a system without entities nothing is copied, and nothing fails.
func TestListsOfKernelsCount(t *testing.T) {
	const text = `local list = {}
for i = 1, 900 do list[i] = { a = i, b = i, c = i, d = i } end
ecs.on_start(function() ecs.spawn(P) end)
for k = 1, 600 do
  ecs.system("k" .. k, { query = { %s }, each = function(e, p) local r = list[k] p.x = r.a + r.b + r.c + r.d end })
end`
	for _, c := range []struct {
		query string
		cut   bool
	}{{"P", true}, {"Q", false}} { // nobody has Q
		query := c.query
		times, r := inFrames(t, 10, "a.lua", `local Q = ecs.component("Q", { x = 0 })
`+fmt.Sprintf(text, query))
		if times > 10 { // copying waits for memory: up to 6.5 where that is slow; 26 when copies do not count
			t.Errorf("%s: kernels with lists cost %.1f times as much as all that a tick may use", query, times)
		}
		if failed := len(r.errors) > 0; failed != c.cut || failed && r.errors[0].Limit != "TickRows" {
			t.Errorf("%s: %v", query, r.errors)
		}
		rows, compiled := 0, 0
		for _, s := range r.host.Kernels() {
			if s.Compiled {
				compiled++
			}
		}
		for _, u := range r.host.Usage() {
			rows += int(u.Rows)
		}
		if compiled < 600 || (rows > 0) != c.cut {
			t.Errorf("%s: %d kernels, %d rows", query, compiled, rows)
		}
	}
}

// TestManyEntitiesThatRest: passing over entities for which systems have failed takes what it counts. Each of them parts the rows of
// a kernel in two: uncharged, a thousand systems with thirty of them each take nineteen times as long as a tick that scripts use up, charged three to five.
func TestManyEntitiesThatRest(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes each call many times slower: what a step takes says nothing in its build")
	}
	const failing = `local C = ecs.component("C", { x = 1 })
for k = 1, 1000 do ecs.system("f" .. k, { query = { C }, each = function(e, c) if e % 3 == k % 3 then error "no" end end }) end
ecs.on_start(function() ecs.spawn_many(90, C) end)`
	shortest := func(text string, from, ticks int) time.Duration {
		r := newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: -1}}, scripting.ReleaseLimits(60))
		r.write("a.lua", text)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		least := time.Duration(math.MaxInt64)
		for tick := range from + ticks {
			r.reported, r.errors, r.logs = nil, nil, nil
			began := processTime()
			if r.step(1); tick >= from {
				least = min(least, processTime()-began)
			}
		}
		return least
	}
	whole := shortest(unending, 0, 2) // it is parked for what it does in three
	rests := shortest(failing, 80, 20)
	t.Logf("a tick with entities that rest takes %v, one that scripts use up %v", rests, whole)
	if rests > 10*whole {
		t.Errorf("a tick with entities that rest takes %v, one that scripts use up %v", rests, whole)
	}
}
