package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestLongArraysAreChargedFor: to store a list in an array counts each item, and to send or to
// set the array its bytes. What is short counts nothing extra.
func TestLongArraysAreChargedFor(t *testing.T) {
	counted := func(n int, body string) int64 {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", fmt.Sprintf(`local Hit, C = ecs.event("Hit", { items = ecs.array(ecs.f32(), %d) }), ecs.component("C", { items = ecs.array(ecs.f32(), %d) })
			local list = {} for i = 1, %d do list[i] = i end local hit, c = Hit { items = list }, C { items = list } local e
			ecs.on_start(function() e = ecs.spawn(C) end)
			`, n, n, n)+once("s", body))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if r.step(1); len(r.errors) > 0 {
			t.Fatal(r.errors[0])
		}
		steps, _ := r.host.Work()
		return steps
	}
	for body, per := range map[string]int64{
		`local x = Hit { items = list }`:    5 * 1000,
		`local x = C { items = list }`:      5 * 1000,
		`ecs.emit(hit)`:                     4000 / 8,
		`ecs.set(e, c)`:                     4000 / 8,
		`ecs.add(e, c)`:                     4000 / 8,
		`ecs.emit(Hit { items = list })`:    5*1000 + 4000/8,
		`ecs.set(e, C { items = list })`:    5*1000 + 4000/8,
		`local x = #list list[1] = list[2]`: 0,
		`ecs.emit(hit) ecs.emit(hit)`:       2 * 4000 / 8,
	} {
		short, few, long := counted(1, body), counted(16, body), counted(1000, body)
		if short != few {
			t.Errorf("%s: %d steps for an item, %d for 16", body, short, few)
		}
		if made := long - short; made < per || made > per+per/5+4000/64*2 {
			t.Errorf("%s: %d steps more for 1,000 items, want about %d", body, made, per)
		}
	}
}
