package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestSpawnsOfManyValuesCount: an entity counts with the values that it gets, also where one call
// spawns many of them.
func TestSpawnsOfManyValuesCount(t *testing.T) {
	work := func(values, children int) int64 {
		r := loadedWith(t, scripting.Limits{}, "a.lua", fmt.Sprintf(`
			local list = { children = {} }
			for i = 1, %d do list[i] = ecs.component("C" .. i, { on = ecs.bool() }) { on = true } end
			local Child = ecs.prefab("Child", list)
			for i = 1, %d do list.children[i] = Child end
			local Whole = ecs.prefab("Whole", list)
			ecs.system "s" { run = function() ecs.spawn_many(100, Whole) end }`, values, children))
		r.run(1)
		steps, _ := r.host.Work()
		return steps
	}
	few, many, family := work(1, 0), work(60, 0), work(60, 5)
	if more := many - few; more < 100*59*3 || more > 100*59*20 {
		t.Errorf("100 entities of 1 value count %d instructions, of 60 values %d", few, many)
	}
	if family < 5*many {
		t.Errorf("100 entities of 60 values count %d instructions, with five children like them %d", many, family)
	}
}

// TestAStormOfSpawnsEnds: one call spawns no more values in a tick than its instructions pay for.
func TestAStormOfSpawnsEnds(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	limits.InstructionTime, limits.TickInstructionTime = -1, -1 // what counts is enough
	r := newGame(t, limits)
	r.write("a.lua", `
		local list = {}
		for i = 1, 60 do list[i] = ecs.component("C" .. i, { on = ecs.bool() }) { on = true } end
		local Whole = ecs.prefab("Whole", list)
		ecs.system "s" { run = function() ecs.spawn_many(5000, Whole) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantError("a.lua:", "Limits.Instructions")
	if r.world.Len() != 0 {
		t.Errorf("%d entities are left of a call that was ended", r.world.Len())
	}
}

// TestFaultsOfManySystems: what is kept of faults is that of the last systems that have failed, in
// whatever order they fail, and sums are those of all.
func TestFaultsOfManySystems(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 1 << 30, TickInstructions: 1 << 40})
	r.write("a.lua", `for i = 1, 1500 do ecs.system(("s%04d"):format(i), { run = function(ctx) if i < 3 or ctx.tick == 1 then error("no") end end }) end`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(2)
	f := r.host.Faults()
	if f.Total != 1502 || len(f.Systems) != 1000 {
		t.Fatalf("%d faults, of %d systems", f.Total, len(f.Systems))
	}
	again := 0
	for _, s := range f.Systems {
		switch name := s.System; {
		case name == "s0001" || name == "s0002": // it was forgotten, and came again
			again++
		case name < "s0503" || s.Total != 1:
			t.Errorf("%s has %d faults", name, s.Total)
		}
	}
	if again != 2 {
		t.Errorf("%d of the two systems that have failed last are there", again)
	}
}
