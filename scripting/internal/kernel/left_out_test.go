package kernel_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

// TestWhatPassesLeaveOut holds which zeros and which conditions are gone after all
// passes, and which stay because they can be seen; and that what is the same for all
// rows is computed once.
func TestWhatPassesLeaveOut(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"local s = 1 for i = 1, p.n do p.x = s - p.y * v.y s = s + 1 end", "body.x = (sub s (mul body.y motion.y))"},
		{"local s = 1 for i = 1, p.n do p.x = s + p.y * v.y s = s + 1 end", "body.x = (add s (mul body.y motion.y))"},
		{"p.x = p.y * v.y - v.x", "body.x = (sub (zero (mul body.y motion.y)) motion.x)"},
		{"p.x = p.n - p.y * v.y", "body.x = (sub body.n (mul body.y motion.y))"},
		{"p.x = p.n + p.y * v.y", "body.x = (add body.n (mul body.y motion.y))"},
		{"p.x = p.y * v.y + p.n", "body.x = (add (mul body.y motion.y) body.n)"},
		{"p.x = p.y * v.y - p.n", "body.x = (sub (zero (mul body.y motion.y)) body.n)"},
		{"p.x = 1 / (p.y * v.y)", "(zero (mul body.y motion.y))"},
		{"p.x = math.atan2(p.y * v.y, -1)", "(zero (mul body.y motion.y))"},
		{"p.x = math.abs(p.y * v.y)", "body.x = (abs (mul body.y motion.y))"},
		{"for i = 1, p.n do p.x = p.x + ctx.dt * 2 end v.x = v.x + ctx.dt * 2", "motion.x = (add motion.x once)\n"},
		{"local seen = false if p.ok then seen = true p.y = 3 if seen then p.x = 1 end end v.y = seen and 5 or 6", "body.y = 3\n    body.x = 1\n"},
		{"local seen = true if p.ok then seen = false p.y = 3 if seen then p.x = 1 else p.x = 2 end end v.y = seen and 5 or 6", "body.y = 3\n    body.x = 2\n"},
	} {
		f := lowered(t, "function(e, p, v, ctx)\n"+c.body+"\nend")
		passes.Run(f, nil)
		if got := f.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %q in\n%s", c.body, c.want, got)
		}
	}
}

// TestFirstLineIsNamed holds that what is said of rows names the line also where that
// is the first of the text.
func TestFirstLineIsNamed(t *testing.T) {
	text := strings.ReplaceAll(before, "\n", " ") + "function(e, p, v, ctx) v.x = math.random() end }"
	programs, err := translate(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := programs[0].Packing(), "not vectorised: line 1: a random number"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNameOfBranchThatWasGivenUp holds that a name leads to nothing where its value has no
// translation, also if a branch that was given up had one for it.
func TestNameOfBranchThatWasGivenUp(t *testing.T) {
	f := lowered(t, `function(e, p, v, ctx)
		local function count(by)
			local n = 0
			repeat local x = by + 1 n = n + x until x > 3
			return n
		end
		if p.x > 1 then local a, b, c = p.x, p.x, p.x p.y = count(1) ecs.log("x") end
		if p.x > 2 then p.y = count("s") end
		p.y = 2
	end`)
	if len(f.Fallbacks) != 2 || f.Fallbacks[1].What != "a string" {
		t.Errorf("%+v", f.Fallbacks)
	}
}
