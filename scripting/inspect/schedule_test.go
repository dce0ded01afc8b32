package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// hit is an event.
type hit struct{ Damage int32 }

// TestTheScheduleAsAGraph: stages with their systems, what these touch and take, orders, the critical path, and why
// two systems do not run beside each other.
func TestTheScheduleAsAGraph(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	g.inside(func(w *ecs.World) {
		position, _ := w.Raw().ComponentNamed("Position")
		hits := ecs.RegisterEvent[hit](w)
		nothing := func(*ecs.Tick) error { return nil }
		parallel := func(name string, terms ...ecs.Term) ecs.System {
			return ecs.System{Name: name, Phase: ecs.Audio, Parallel: true, Queries: []*ecs.Query{w.Query(terms...)}, Run: nothing}
		}
		last := parallel("d.last", ecs.Write(position))
		last.After = []string{"a.writes", "nobody?"}
		first := parallel("a.writes", ecs.Write(position))
		first.Before = []string{"d.last?"} // both ask for it
		must(t, w.Schedule().Add(first, parallel("b.free"), parallel("c.reads", ecs.Read(position)), last,
			hits.Each(ecs.System{Name: "e.hits", Phase: ecs.Audio, Serial: "it plays sounds"}, func(*ecs.Tick, hit) error { return nil })))
	})
	g.call("POST", "/api/v1/time", `{"steps":3}`, 200)
	all := g.get("/api/v1/schedule")
	var audio []string
	total, critical := 0.0, 0.0
	for _, st := range at(all, "stages").([]any) {
		one, most, marked := []string{}, 0.0, 0
		for _, s := range at(st, "systems").([]any) {
			one = append(one, fmt.Sprint(at(s, "name")))
			us := at(s, "mean_us").(float64)
			total, most = total+us, max(most, us)
			if at(s, "critical") == true {
				marked++
				critical += us
			}
		}
		if marked != 1 {
			t.Errorf("%v: %d systems are on the critical path", one, marked)
		}
		if at(st, "phase") == "audio" {
			audio = append(audio, strings.Join(one, "|"))
		}
	}
	g.want(audio, "[a.writes|b.free c.reads d.last e.hits]")
	g.want(fmt.Sprintf("%.3f %.3f", at(all, "total_us"), at(all, "critical_us")), fmt.Sprintf("%.3f %.3f", total, critical))
	orders := at(all, "orders").([]any)
	g.want(at(find(orders, "second", "d.last"), "first"), "a.writes")
	for k, one := range orders {
		for _, other := range orders[:k] {
			if fmt.Sprint(one) == fmt.Sprint(other) {
				t.Errorf("%v is there twice", one)
			}
		}
	}
	g.want(at(all, "workers"), g.host.World().Raw().Workers())
	stages := at(all, "stages").([]any)
	hit := at(stages[len(stages)-1], "systems", 0)
	g.want([]any{at(hit, "event"), at(hit, "serial"), at(hit, "parallel")}, "[hit it plays sounds false]")

	why := at(g.get("/api/v1/schedule/a.writes"), "conflicts")
	c := find(why, "with", "c.reads")
	g.want([]any{at(c, "kind"), at(c, "by"), at(c, "component"), at(c, "text")}, `[read a.writes Position "a.writes" writes "Position", which "c.reads" reads]`)
	g.want(at(find(why, "with", "d.last"), "kind"), "order")
	g.want(at(find(why, "with", "e.hits"), "by"), "e.hits")
	if find(why, "with", "b.free") != nil || find(why, "with", "heal") != nil {
		t.Errorf("%v", why)
	}
	for _, name := range []string{"nobody", "%00", "a/b", strings.Repeat("x", 5000), "..%2f..", "%ff"} {
		g.call("GET", "/api/v1/schedule/"+name, "", 404)
	}
}

// TestAScheduleOfManySystems: the answer has all of them, and of conflicts a thousand.
func TestAScheduleOfManySystems(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	var many []ecs.System
	for n := range 1500 {
		many = append(many, ecs.System{Name: fmt.Sprintf("many.%04d", n), Phase: ecs.Debug, Run: func(*ecs.Tick) error { return nil }})
	}
	g.inside(func(w *ecs.World) { must(t, w.Schedule().Add(many...)) })
	if n := len(at(g.get("/api/v1/schedule"), "stages").([]any)); n < 1500 {
		t.Errorf("%d stages", n)
	}
	why := g.get("/api/v1/schedule/many.0007")
	g.want([]any{len(at(why, "conflicts").([]any)), at(why, "left_out")}, "[1000 499]")
}
