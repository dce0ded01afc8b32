package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestChangesOfManyBytesCount: what the end of entities, and components that come and go, moves and keeps
// for observers counts before it is done, compiled or not. What would be too much is not done.
func TestChangesOfManyBytesCount(t *testing.T) {
	const setup = `
		local Big = ecs.component("Big", { xs = ecs.array(ecs.f64(), 512) })
		local Pooled = ecs.component("Pooled", { xs = ecs.array(ecs.f64(), 512) }, { sparse = true })
		local G = ecs.component("G", { x = ecs.f64(1) })
		local Small = ecs.tag("Small")
		local told = ecs.state("told", { n = 0 })
		ecs.on_start(function() ecs.spawn_many(60, Big) ecs.spawn_many(60, Pooled) ecs.spawn_many(200, Small) end)
		`
	const observes = setup + `ecs.on_remove(Big, function() told.n = told.n + 1 end)
		ecs.on_remove(Pooled, function() told.n = told.n + 1 end)
		ecs.on_despawn(function() end)
		`
	bulk := func(name, text string) string {
		return fmt.Sprintf(`ecs.system "%s" { run = function(ctx) if ctx.tick == 2 then %s end end }`, name, text)
	}
	each := func(of, text string) string {
		return fmt.Sprintf(`ecs.system "t" { query = { %s }, when = function(ctx) return ctx.tick == 2 end, each = function(e) %s end }`, of, text)
	}
	for name, c := range map[string]struct {
		text  string
		wants bool // to be refused
	}{
		"all end, observed":             {observes + bulk("t", `ecs.despawn_all { Big }`), true},
		"all end":                       {setup + bulk("t", `ecs.despawn_all { Big }`), true},
		"small ones end":                {observes + bulk("t", `ecs.despawn_all { Small }`), false},
		"all in a pool end":             {observes + bulk("t", `ecs.despawn_all { Pooled }`), true},
		"all in a pool lose it":         {observes + bulk("t", `for e in ecs.entities { Pooled } do ecs.remove(e, Pooled) end`), true},
		"each loses it":                 {observes + each("Big", `ecs.remove(e, Big)`), true},
		"each ends":                     {observes + each("Big", `ecs.despawn(e)`), true},
		"each gets more":                {setup + each("Big", `ecs.add(e, G)`), true},
		"each small one gets more":      {setup + each("Small", `ecs.add(e, G)`), false},
		"each is set":                   {setup + each("Big", `ecs.set(e, G { x = 3 })`), true},
		"one that is new moves much":    {setup + bulk("t", `local e = ecs.spawn(Big) for i = 1, 60 do ecs.add(e, G) ecs.remove(e, G) end`), true},
		"one that is old moves much":    {setup + bulk("t", `local e = ecs.find { Small } ecs.add(e, Big) for i = 1, 60 do ecs.add(e, G) ecs.remove(e, G) end`), true},
		"one ends again and again":      {observes + bulk("t", `local e = ecs.find { Big } for i = 1, 60 do ecs.despawn(e) end`), false},
		"a pcall catches it":            {observes + bulk("t", `local ok, why = pcall(ecs.despawn_all, { Big }) if not ok then error(why) end`), true},
		"beside one that is very large": {observes + each("Small", `ecs.despawn(e)`), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := loadedWith(t, scripting.Limits{}, "a.lua", c.text)
			r.run(1)
			const before = 320
			if got := r.world.Len(); got != before {
				t.Fatalf("%d entities", got)
			}
			if err := r.host.SetLimits(scripting.Limits{CommandBytes: 160 << 10}); err != nil {
				t.Fatal(err)
			}
			r.step(1)
			if !c.wants {
				if len(r.errors) > 0 {
					t.Fatal(r.errors)
				}
				return
			}
			if len(r.errors) == 0 {
				t.Fatalf("it is not refused; %d entities", r.world.Len())
			}
			for _, e := range r.errors {
				if e.Limit != "CommandBytes" {
					t.Errorf("%v", e)
				}
			}
			if left := r.world.Len(); left < before-45 {
				t.Errorf("%d of %d entities are left", left, before)
			}
		})
	}
}

// TestEntitiesThatDieTogetherCount: one command that ends many counts as many, and so does each of a call
// that ends all. The first one is refused.
func TestEntitiesThatDieTogetherCount(t *testing.T) {
	const family = `
		local Root, Child = ecs.tag("Root"), ecs.tag("Child")
		local One = ecs.prefab("One", { Child })
		local Family = ecs.prefab("Family", { Root, children = { One, One, One, One, One, One, One, One, One, One } })
		ecs.on_start(function()
			local top = ecs.spawn(Root)
			for i = 1, 20 do ecs.set_parent(ecs.spawn(Family), top) end
		end)
		`
	const all = 1 + 20*11
	for name, c := range map[string]struct {
		text     string
		commands int
		left     int // entities, -1: it is refused
	}{
		"all children of one":  {`ecs.despawn(ecs.find { Root })`, all - 1, -1},
		"there is just room":   {`ecs.despawn(ecs.find { Root })`, all, 0},
		"children count once":  {`ecs.despawn_all { Child } ecs.despawn_all { Root }`, all + 21, 0},
		"all at once":          {`ecs.despawn_all { Child }`, 199, -1},
		"all have room":        {`ecs.despawn_all { Child }`, 200, 21},
		"a family that is new": {`local e = ecs.spawn() ecs.set_parent(ecs.find { Root }, e) ecs.despawn(e)`, all, -1},
		"and has room":         {`local e = ecs.spawn() ecs.set_parent(ecs.find { Root }, e) ecs.despawn(e)`, all + 3, 0},
		"pcall in a loop":      {`for i = 1, 100000 do pcall(ecs.despawn_all, { Child }) end`, 50, -1},
	} {
		t.Run(name, func(t *testing.T) {
			limits := scripting.Limits{Commands: c.commands, Instructions: 100_000, Load: 10_000_000}
			r := loadedWith(t, scripting.Limits{}, "a.lua", family+`ecs.system "t" { run = function(ctx) if ctx.tick == 2 then `+c.text+` end end }`)
			r.run(1)
			if got := r.world.Len(); got != all {
				t.Fatalf("%d entities", got)
			}
			if err := r.host.SetLimits(limits); err != nil {
				t.Fatal(err)
			}
			steps, _ := r.host.Work()
			r.step(1)
			now, _ := r.host.Work()
			left := c.left
			if left < 0 {
				left = all
				r.wantError("a.lua:", map[bool]string{true: "Limits.Instructions", false: "Limits.Commands"}[name == "pcall in a loop"])
			}
			if got := r.world.Len(); got != left {
				t.Errorf("%d entities are left, want %d: %v", got, left, r.errors)
			}
			if now-steps > 2*limits.Instructions {
				t.Errorf("%d instructions were used", now-steps)
			}
		})
	}
}

// TestEventsThatWaitHaveALimit: events that nobody reads are refused when too many bytes of them wait, compiled
// or not. The error says which wait, how many, and for whom. Other events go on.
func TestEventsThatWaitHaveALimit(t *testing.T) {
	for _, emits := range []string{`run = function() for i = 1, 10 do ecs.emit(Large) end end`, `query = { T }, each = function() ecs.emit(Large) end`} {
		r := loadedWith(t, scripting.Limits{EventBytes: 1 << 20}, "a.lua", `
			local Large, Small = ecs.event("Large", { xs = ecs.array(ecs.f64(), 512) }), ecs.event("Small", { x = ecs.f64() })
			local T, got = ecs.tag("T"), ecs.state("got", { n = 0 })
			ecs.on_start(function() ecs.spawn_many(10, T) end)
			ecs.system "late" { on = Large, every = 1000, each = function() end }
			ecs.system "soon" { on = Small, each = function() got.n = got.n + 1 end }
			ecs.system "tells" { run = function(ctx) ecs.emit(Small) if ctx.tick == 60 then ecs.log(got.n) end end }
			ecs.system "emits" { `+emits+` }`)
		r.step(60)
		if len(r.errors) == 0 {
			t.Fatal("nothing was refused")
		}
		for _, e := range r.errors {
			if e.System != "emits" || e.Limit != "EventBytes" || !says(e.Error(), `of 1,048,576 bytes`) || !says(e.Error(), `of them are "Large"`) || !says(e.Error(), `which "late" does not read`) {
				t.Errorf("%v", e)
			}
		}
		if n := r.world.Raw().EventBytes(); n > 1<<20+10*4096+100 {
			t.Errorf("%d bytes wait", n)
		}
		if got := r.logged(); got != "59" && got != "60" {
			t.Errorf("%q small events came", got)
		}
	}
}
