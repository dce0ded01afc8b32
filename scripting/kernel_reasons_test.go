package scripting_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// unavailable is in each reason. What to write instead may follow.
const unavailable = " is not available in kernels"

// TestKernelReasons holds what is said of each construct that does not fit, and
// that it points at the marked token however the text is laid out: one row for each. Those
// of the language alone are in internal/kernel.
func TestKernelReasons(t *testing.T) {
	rng := rand.New(rand.NewPCG(*kernelSeed, 0))
	blanks := []string{"", "\t", "  \t ", "--[[ näher ]] ", "\n\t", "\n-- zwölf\n  "}
	for _, c := range []struct{ body, why string }{
		{`local s = ecs.spawn(Bolt) u.mate = §s`, "what ecs.spawn returns"},
		{`u.mate = ecs.§spawn(Bolt)`, "what ecs.spawn returns"},
		{`u.on = ecs.§spawn(Bolt) ~= nil`, "what ecs.spawn returns"},
		{`ecs.spawn(Gear { a = bump(1) }, §{ 1 })`, "what ecs.spawn gets here"},
		{`ecs.§log(u.x)`, "a call of ecs.log"},
		{`for i = 1, 3 do if u.on then return end end ecs.§log(u.x)`, "a call of ecs.log"},
		{`do if u.on then return end end ecs.§log(u.x)`, "a call of ecs.log"},
		{`ecs.§count(Gear)`, "a call of ecs.count"},
		{`u.x = lib.§endless(3)`, "lib.lua:19:36: a function that calls itself"},
		{`lib.§none = 5`, "an assignment to lib.none that holds something else than a number,"},
		{`tuning.§name = "run"`, "an assignment to tuning.name that holds something else than a number,"},
		{`tuning.§none = 1`, "an assignment to tuning.none that holds something else than a number,"},
		{`levels§[1] = 2`, "an assignment into a table"},
		{`tuning§[u.n] = 2`, "an assignment into a table"},
		{`u.x = tuning.§none`, `"tuning.none", nil,`},
		{`u.x = §#tuning.name`, "# of anything but a list or an array field"},
		{`u.x = tuning§[u.n]`, `"tuning", a table without numbers,`},
		{`u.x = mixed§[u.n]`, `"mixed", a table of values of several kinds,`},
		{`u.x = words§[u.n]`, `"words", a table of other things than numbers,`},
		{`u.x = uneven[u.n].§x`, `"uneven[…].x", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = uneven[u.n].§z`, `"uneven[…].z", which is no number in the first item,`},
		{`local spot = uneven[1] u.x = spot.§x`, `"uneven[…].x", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = uneven[1].§x`, `"uneven[…].x", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = ragged[u.n]§[1]`, `"ragged[…][…]", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = §#ragged[u.n]`, `"ragged[…][…]", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = spots[u.n].§at`, "spots[…].at"},
		{`u.x = spots§[u.n]`, "spots[…]"},
		{`spots[u.n].§x = 1`, `an assignment to "spots[…].x", which is in a list,`},
		{`spots§[u.n] = 1`, "an assignment to spots[…] that holds something else than a number,"},
		{`u.x = grid[u.n][1]§[2]`, "a field of what is no table and no component here"},
		{`u.x = levels[u.§on]`, "an index that is a boolean"},
		{`for i, v in ipairs(u.§slots) do u.x = v end`, "ipairs of something else than a list of the script"},
		{`§for i, v, w in ipairs(levels) do u.x = v end`, "for … in"},
		{`§for k, v in pairs(levels) do u.x = v end`, "for … in"},
		{`§for k in next, levels do u.x = k end`, "for … in"},
		{`u.x = math.§randomseed(1)`, "a call of math.randomseed"},
		{`u.x = math.§nothing(1)`, "a call of math.nothing"},
		{`u.x = math.§ldexp(1)`, "math.ldexp with 1 arguments"},
		{`u.x = §tonumber("1")`, `a call of "tonumber"`},
		{`u.x = ("x"):§len()`, "a call of a method is not available in kernels: call a local function with what it needs"},
		{`u.x = (function() return 1 end§)()`, "a call of a function without a name"},
		{`u.x = spots[1].at.§none()`, "a call of a function in a table"},
		{`for i, v in ipairs(ragged§[u.n]) do end`, `"ragged[…][…]", which is not a number in all of the items, is not available in kernels: give each item a number there, such as 0`},
		{`u.x = words§[1]`, "a string"},
		{`local s = "a" §.. u.x`, "string concatenation is not available in kernels: emit an event with the numbers, and make the text where it is read"},
		{`local t = §{ u.x } u.x = t[1]`, "a table that is made here is not available in kernels: make it once outside of the function, or use locals for what is in it"},
		{`u.§slots = levels`, `the array "slots" as a whole`},
		{`u.mode = §"fly"`, `the unknown name "fly"`},
		{`§word = "y"`, `an assignment to "word", a local of the script that holds something else than a number,`},
		{`ecs.add(u.mate, Gear { [§1] = 2 })`, `a field of "Gear" like this`},
		{`ecs.add(u.mate, Gear { [u.§mode] = 2 })`, `a field of "Gear" like this`},
		{`ecs.add(u.mate, Gear { §nothing = 2 })`, `the unknown field "nothing" of "Gear"`},
		{`ecs.add(u.mate, Unit { §slots = levels })`, `a field of "Unit" like this`},
		{`ecs.add(u.mate, Frame { §at = levels })`, `a field of "Frame" like this`},
		{`ecs.add(u.mate, Gear { a = 1, §a = 2 })`, `the field "a" twice`},
		{`repeat u.x = u.x + 1 §::out:: until u.x > 3`, "a label at the end of repeat"},
		{`ecs.get(u.mate, Unit).§x = 1`, "a change of what ecs.get has returned"},
		{`uneven[1].§x = 5`, `an assignment to "uneven[…].x", which is in a list,`},
		{`u.mode = u.on §or "walk"`, `"mode" and a value of another kind`},
		{`§for i, v in levels do u.x = v end`, "for … in"},
		{`§for i, v in ipairs(levels, 1) do u.x = v end`, "for … in"},
		{`ecs.§despawn(u.mate, Gear)`, "ecs.despawn with 2 arguments"},
		{`ecs.§emit()`, "ecs.emit with 0 arguments"},
		{`ecs.§emit(Hit, Hit)`, "ecs.emit with 2 arguments"},
		{`u.x = ecs.get(u.mate, §5)`, "a component that is not named directly"},
		{`u.x = ecs.get(u.mate, Unit, u.§n)`, "the name of a field that is not written out"},
		{`u.on = ecs.has(u.mate, §Hit)`, "a component that is not named directly"},
		{`u.on = ecs.has(u.mate, §later)`, "a component that is not named directly"},
	} {
		before, after, _ := strings.Cut(c.body, "§")
		before = blanks[rng.IntN(len(blanks))] + before + blanks[rng.IntN(len(blanks))]
		r := explained(t, "Unit", "function(e, u, ctx)\n"+before+after+"\nend")
		line, column := strings.Count(stage+before, "\n")+4, len(before)-strings.LastIndex(before, "\n")
		want := c.why
		if !strings.Contains(want, unavailable) {
			want += unavailable
		}
		if r.Compiled || r.Reason != want || r.Line != line || r.Column != column {
			t.Errorf("%s\n  at %d:%d: %s, want %d:%d: %s", c.body, r.Line, r.Column, r.Reason, line, column, want)
		}
		inFront := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
		if lines := strings.Split(r.Obstacle, "\n"); len(lines) != 3 || utf8.RuneCountInString(lines[2]) != len("  67 | ")+inFront+1 || !strings.HasSuffix(lines[2], "^") {
			t.Errorf("the caret stands elsewhere:\n%s", r.Obstacle)
		}
	}
}

// TestKernelAssignmentsBesideCopies: a field that is assigned may be the one of a table in a
// list of which the kernel has a copy; one that is only read may be so, too.
func TestKernelAssignmentsBesideCopies(t *testing.T) {
	for body, why := range map[string]string{
		"tuning.on = u.on u.on = spots[u.n].on":          `an assignment to "tuning.on" beside a look at "spots[…].on", which may be the same,`,
		"u.on = spots[u.n].on tuning.on = u.on":          `an assignment to "tuning.on" beside a look at "spots[…].on", which may be the same,`,
		"tuning.speed = u.x u.on = spots[u.n].on":        "",
		"u.on = tuning.on and spots[u.n].on":             "",
		"u.x = u.x + 1 flag = u.on u.on = spots[u.n].on": "",
	} {
		r := explained(t, "Unit", "function(e, u, ctx)\n"+body+"\nend")
		if r.Compiled != (why == "") || why != "" && r.Reason != why+" is not available in kernels" {
			t.Errorf("%s: compiled is %t, %s; want %q", body, r.Compiled, r.Reason, why)
		}
	}
}

// TestLoopsByAnotherFunction: ipairs is a global that a script may set, and a loop that
// another function of the library leads is not compiled as one over a list.
func TestLoopsByAnotherFunction(t *testing.T) {
	for name, compiled := range map[string]bool{"ipairs": true, "math.abs": false, "pairs": false, "math.floor": false} {
		set := "Unit }, after = { (function() ipairs = " + name + " end)()"
		r := explained(t, set, "function(e, u, ctx) for i, v in ipairs(levels) do u.x = u.x + v end end")
		if r.Compiled != compiled || !compiled && r.Reason != "for … in is not available in kernels" {
			t.Errorf("%s: compiled is %t: %s", name, r.Compiled, r.Reason)
		}
	}
}
