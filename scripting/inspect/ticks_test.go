package inspect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// TestTicksRunByRun: whoever asks has them kept from then on: the last ones, and the slowest; each with its runs.
func TestTicksRunByRun(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	slow := time.Duration(0)
	g.inside(func(w *ecs.World) {
		must(t, w.Schedule().Add(ecs.System{Name: "sleeps", Phase: ecs.Debug, Run: func(t *ecs.Tick) error {
			time.Sleep(slow)
			t.Commands.Spawn()
			return nil
		}}))
	})
	none := g.get("/api/v1/ticks")
	g.want([]any{at(none, "since"), at(none, "ticks"), at(none, "slowest")}, "[0 [] []]")
	first := g.now() + 1
	g.inside(func(*ecs.World) { slow = 20 * time.Millisecond })
	g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
	for g.now() < first {
		time.Sleep(time.Millisecond)
	}
	g.inside(func(*ecs.World) { slow = 0 })
	for g.now() < first+140 {
		g.call("POST", "/api/v1/time", `{"steps":100}`, 200)
	}
	all := g.get("/api/v1/ticks")
	ticks, slowest := at(all, "ticks").([]any), at(all, "slowest").([]any)
	g.want([]any{len(ticks), len(slowest), at(all, "since"), at(slowest[0], "tick")}, []any{120, 16, first, first})
	for k := 1; k < len(ticks); k++ {
		g.want(at(ticks[k], "tick"), at(ticks[k-1], "tick").(float64)+1)
	}
	for k := 1; k < len(slowest); k++ {
		if at(slowest[k], "us").(float64) > at(slowest[k-1], "us").(float64) {
			t.Error("the slowest are not in order")
		}
	}
	one := g.get(fmt.Sprintf("/api/v1/ticks/%d", first))
	us := at(one, "us").(float64)
	sleeps, heal := find(at(one, "bars"), "system", "sleeps"), find(at(one, "bars"), "system", "heal")
	if at(sleeps, "us").(float64) < 20_000 || us < 20_000 || at(sleeps, "phase") != "debug" || at(sleeps, "commands_us").(float64) <= 0 ||
		at(heal, "rows").(float64) != 300 || at(heal, "at_us").(float64)+at(heal, "us").(float64) > at(sleeps, "at_us").(float64) {
		t.Errorf("%v\n%v", sleeps, heal)
	}
	for _, b := range at(one, "bars").([]any) {
		if end := at(b, "settled_us").(float64) + at(b, "commands_us").(float64) + at(b, "observers_us").(float64); end > us || at(b, "at_us").(float64) < 0 {
			t.Errorf("%v is not within the tick of %v", b, us)
		}
	}
	g.call("GET", fmt.Sprintf("/api/v1/ticks/%d", first+1000), "", 404)
	for _, bad := range []string{"x", "-1", "18446744073709551616", "1.5", "%00"} {
		g.call("GET", "/api/v1/ticks/"+bad, "", 400)
	}
}

// TestTicksOfARewoundGame: those that were given up go.
func TestTicksOfARewoundGame(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.get("/api/v1/ticks")
	kept := g.keep(40)
	g.stand()
	from := at(kept, 3).(float64)
	g.rewind(200, `{"run_from":%v}`, from)
	g.get("/api/v1/ticks")
	g.call("POST", "/api/v1/time", `{"steps":2}`, 200)
	for g.now() < uint64(from)+2 {
		time.Sleep(time.Millisecond)
	}
	all := g.get("/api/v1/ticks")
	for _, list := range []string{"ticks", "slowest"} {
		for _, one := range at(all, list).([]any) {
			if at(one, "tick").(float64) > from+2 {
				t.Errorf("%s: tick %v was given up", list, at(one, "tick"))
			}
		}
	}
	if n := len(at(all, "ticks").([]any)); n != 2 {
		t.Errorf("%d ticks are there since", n)
	}
}
