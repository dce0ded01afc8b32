package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestArgumentsTooMany: a function of ecs that gets more than it reads says so, and says
// how to write it. nil behind the last is nothing.
func TestArgumentsTooMany(t *testing.T) {
	const hit = `local Hit = ecs.event("Hit", { amount = ecs.f32(1) }) `
	for call, want := range map[string]string{
		`ecs.emit(Hit, { amount = 7 })`:        "ecs.emit: expected at most 1 argument, got 2: write ecs.emit(Hit { … }), with the fields in the braces",
		`ecs.children(e, e)`:                   "ecs.children: expected at most 1 argument",
		`ecs.count(P, V)`:                      "ecs.count: expected at most 1 argument, got 2: write ecs.count({ A, B })",
		`ecs.find(P, V)`:                       "ecs.find: expected at most 1 argument",
		`for x in ecs.entities(P, V) do end`:   "ecs.entities: expected at most 1 argument",
		`for x in ecs.events(Hit, 1) do end`:   "ecs.events: expected at most 1 argument",
		`ecs.set_parent(e, 0, 1)`:              "ecs.set_parent: expected at most 2 arguments",
		`ecs.despawn_all(P, V)`:                "ecs.despawn_all: expected at most 1 argument",
		`ecs.update(e, P, function(p) end, 1)`: "ecs.update: expected at most 3 arguments",
		`ecs.enable("s", true, 1)`:             "ecs.enable: expected at most 2 arguments",
		`ecs.after(1, "h", 1, 2)`:              "ecs.after: expected at most 3 arguments",
		`ecs.cancel(1, 2)`:                     "ecs.cancel: expected at most 1 argument",
		`ecs.emit(Hit { amount = 2 }, nil)`:    "",
		`ecs.alive(assert(e, "none"))`:         "", // kernels take the first result
		`ecs.get(e, P, "x", "y")`:              "",
		`ecs.despawn(e, nil, nil)`:             "",
		`ecs.set_parent(e, nil)`:               "",
		`ecs.get(e, P, "x")`:                   "",
		`ecs.random(1, 2)`:                     "",
	} {
		for form, text := range map[string]string{
			"each": `each = function(e) ` + call + ` end }`,
			"run":  `run = function() for e in ecs.entities { P, V } do ` + call + ` end end }`,
		} {
			query := `query = { P, V }, `
			if form == "run" {
				query = ""
			}
			r := loaded(t, "a.lua", hit+`ecs.handler("h", function() end) ecs.on_start(function() ecs.spawn(P, V) end)`+"\n"+`ecs.system "s" { `+query+text)
			r.step(1)
			if want == "" && len(r.errors) == 0 {
				continue
			}
			if want == "" || len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), want) || r.errors[0].Line != 3 {
				t.Errorf("%s in %s: %v, want %q", call, form, r.errors, want)
			}
		}
	}
}

// TestDeclarationsWithArgumentsTooMany: the same for what the top level declares. An
// observer and a kernel take one more when they have a name.
func TestDeclarationsWithArgumentsTooMany(t *testing.T) {
	for call, want := range map[string]string{
		`ecs.event("Posted", { id = ecs.u32() }, { was = "Sent" })`: "ecs.event: expected at most 2 arguments, got 3: write ecs.event(\"Name\", { fields }): an event has no options",
		`ecs.tag("T", {}, 1)`:                           "ecs.tag: expected at most 2 arguments",
		`ecs.component("C", {}, {}, 1)`:                 "ecs.component: expected at most 3 arguments",
		`ecs.state("st", {}, 1)`:                        "ecs.state: expected at most 2 arguments",
		`ecs.component("C", { x = ecs.f32(1, {}, 2) })`: "ecs.f32: expected at most 2 arguments, got 3: write ecs.f32(default, { min = …, max = … })",
		`ecs.on_add(P, function() end, 1)`:              "ecs.on_add: expected at most 2 arguments, got 3",
		`ecs.on_add("n", P, function() end, 1)`:         "ecs.on_add: expected at most 3 arguments, got 4",
		`ecs.on_add("n", P, function() end)`:            "",
		`ecs.on_spawn("n", function() end)`:             "",
		`ecs.on_spawn(P, function() end)`:               "ecs.on_spawn: expected at most 1 argument, got 2",
		`ecs.kernel("k", { P }, function() end, {}, 1)`: "ecs.kernel: expected at most 4 arguments, got 5",
		`ecs.kernel({ P }, function() end, {})`:         "",
		`ecs.handler("h", function() end, 1)`:           "ecs.handler: expected at most 2 arguments",
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", call)
		err := r.host.Load(r.folder)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", call, err)
			}
		} else if err == nil || !says(err.Error(), "a.lua:2: "+want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// TestMethodsOfBatchesWithArgumentsTooMany counts without the batch itself.
func TestMethodsOfBatchesWithArgumentsTooMany(t *testing.T) {
	for call, want := range map[string]string{
		`b:read(P, "x", "y")`: `b:read: expected at most 2 arguments, got 3: write b:read(Component, "field")`,
		`b:has(P, V)`:         "b:has: expected at most 1 argument, got 2",
		`b:write(P, "x")`:     "",
	} {
		r := loaded(t, "a.lua", `ecs.on_start(function() ecs.spawn(P, V) end)`+"\n"+`ecs.system "s" { query = { P, V }, batch = function(b) `+call+` end }`)
		r.step(1)
		if want == "" && len(r.errors) == 0 {
			continue
		}
		if want == "" || len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), want) {
			t.Errorf("%s: %v, want %q", call, r.errors, want)
		}
	}
}

// TestFieldOfABatchForgotten: whoever leaves out the field of a component that has
// several is told what is missing.
func TestFieldOfABatchForgotten(t *testing.T) {
	for call, want := range map[string]string{
		`b:read(P)`:       `expected the name of a field of "Position", got nil: write b:read(Position, "x")`,
		`b:write(P)`:      `expected the name of a field of "Position", got nil: write b:write(Position, "x")`,
		`b:col(P, 1)`:     `expected the name of a field of "Position", got the number 1: write b:col(Position, "x")`,
		`b:read(T)`:       `"T" is a tag, which has no fields`,
		`b:read(T, "x")`:  `unknown field "x" of "T"`,
		`b:read(P, "xx")`: `unknown field "xx" of "Position" (did you mean "x"?)`,
		`b:read(One)`:     "",
	} {
		r := loaded(t, "a.lua", `local T, One = ecs.tag("T"), ecs.component("One", { n = ecs.f32() }) ecs.on_start(function() ecs.spawn(P, T, One) end)`+"\n"+
			`ecs.system "s" { query = { P, T, One }, batch = function(b) `+call+` end }`)
		r.step(1)
		if want == "" && len(r.errors) == 0 {
			continue
		}
		if want == "" || len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), want) {
			t.Errorf("%s: %v, want %q", call, r.errors, want)
		}
	}
}

// TestSpawnManyWithAFunction: what the function returns is read as arguments are, whatever
// function it is, and an error names the call; a function that yields, or fails, ends it.
func TestSpawnManyWithAFunction(t *testing.T) {
	for fn, want := range map[string]string{
		`function(i) return P { x = i } end`:                       "sum 6 of 3",
		`function(...) return P { x = select("#", ...) } end`:      "sum 3 of 3",
		`function() return P { x = 2 }, V end`:                     "sum 6 of 3",
		`function(i, other) return P { x = other and 9 or i } end`: "sum 6 of 3",
		`function() end`:                                 "sum 0 of 0",
		`function() return V end`:                        "sum 0 of 0",
		`print`:                                          "sum 0 of 0",
		`function(i) ecs.spawn(P { x = 1 }) end`:         "sum 3 of 3",
		`function() return 5 end`:                        `3:20: system "on_start": ecs.spawn_many: result 1 of the function: expected a component, a value or a prefab, got the number 5`,
		`function() return P, {} end`:                    `3:20: system "on_start": ecs.spawn_many: result 2 of the function`,
		`function() return F end`:                        `3:6: system "on_start": ecs.spawn_many: the function must return values and components`,
		`function(i) if i == 2 then error("no") end end`: "3:",
		`function(i) coroutine.yield() end`:              "coroutine",
		`function(i) return (pcall(ecs.spawn_many, 2, function() return 1 end)) and P or P { x = 1 } end`: "sum 3 of 3",
	} {
		r := loaded(t, "a.lua", "local F = ecs.prefab(\"F\", {}) ecs.on_start(function()\n ecs.spawn_many(3, "+fn+
			")\n local n, sum = 0, 0 for e in ecs.entities(P) do n, sum = n + 1, sum + ecs.get(e, P, \"x\") end print(\"sum \" .. sum .. \" of \" .. n) end)")
		r.step(1)
		got := strings.Join(r.logs, "\n")
		for _, e := range r.errors {
			got += e.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", fn, got, want)
		}
	}
}
