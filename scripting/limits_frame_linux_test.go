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
	const systems, ticks = 2000, 10
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
