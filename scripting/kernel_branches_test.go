package scripting_test

import (
	"fmt"
	"strings"
	"testing"
)

// asked are questions about the row's own entity, about others, and about what is
// simply in a field: what a branch may depend on. @ is for a handle.
var asked = []string{
	"ecs.has(@, Gear)", "ecs.has(@, Gear, Frame)", "ecs.has(@, Heat)", "ecs.get(@, Gear)", "ecs.get(@, Red)",
	"ecs.get(@, Heat, 't')", "ecs.alive(@)", "ecs.parent(@)", "og", "red", "a.b", "(lib.maybe(a.f))",
}

// joined are the ways in which a question Q can stand in a condition beside others,
// X and Y.
var joined = []string{
	"Q", "not Q", "not not Q",
	"Q and X", "Q or X", "not Q and X", "not Q or X",
	"X and Q", "X or Q", "X and not Q", "X or not Q",
	"not (Q and X)", "not (Q or X)", "not (not Q and X)", "not (not Q or X)",
	"Q and X or Y", "(Q or X) and Y", "not Q and X and Y", "not Q and (X or Y)", "not Q or X and Y", "(not Q and X) or Y",
	"Q and X and Q", "not Q and not Q", "X and not Q and Y",
}

// followed are the ways in which a branch with the condition C goes on.
var followed = []string{
	"if C then return end b.f = b.f + 1",
	"if C then return end if X then b.f = 3 end a.g = 7",
	"if C then b.f = 1 end",
	"if C then b.f = 1 else b.f = 2 end",
	"if C then return else b.f = 2 end b.g = 5",
	"if X then b.f = 4 elseif C then return end a.g = 7",
	"for i = 1, 4 do if C then break end b.f = b.f + i end",
	"for i = 1, 20 do if C then break end b.f = b.f + i end",
	"for i = 1, 4 do if C then goto next end b.f = b.f + i ::next:: end",
	"for i = 1, 4 do if C then return end b.f = b.f + i end",
	"local n = 0 while not (C) do n = n + 1 if n > 3 then break end b.f = b.f + n end",
	"local n = 0 while C do n = n + 1 if n > 3 then return end b.f = b.f + n end b.h = n",
	"local n = 0 repeat n = n + 1 b.f = b.f + n until C or n > 3",
	"do if C then goto out end b.f = 3 ::out:: end b.g = 1",
	"local t = C if t then return end a.g = 7",
	"b.b = (C) and true or false",
	"b.f = (C) and 3 or 4",
	"a.g = when(b.f) and ((C) and 1 or 2) or 3",
	"local function f() if C then return 1 end return 2 end b.f = f()",
	"if C then ecs.emit(Hit { amount = 1 }) return end ecs.emit(Hit { amount = 2 })",
}

// TestBranches runs all of these, each question joined in each way and followed in each
// way, on both paths. What a branch does depends on who asks, on the side of the
// operator, and on the arm that jumps; a translation that looks at one of these alone
// is wrong for another.
func TestBranches(t *testing.T) {
	sideBySide(t)
	const batch = 40
	var programs []string
	all, compiled := 0, 0
	run := func() {
		o, why := languageSetting.compare(t, programs, 7)
		if o.refused != nil {
			t.Fatal(o.refused)
		}
		all, compiled = all+len(programs), compiled+o.compiled
		for _, why := range o.reasons {
			// of local t = C
			if !strings.HasPrefix(why, "a value that is a number for some rows") && !strings.HasSuffix(why, "as a whole is not available in kernels") {
				t.Error(why)
			}
		}
		if why != "" {
			for _, p := range programs {
				if _, alone := languageSetting.compare(t, []string{p}, 7); alone != "" {
					t.Errorf("%s\n%s", alone, p)
				}
			}
		}
		programs = nil
	}
	for i, q := range asked {
		for j, c := range joined {
			for k, body := range followed {
				if *kernelPrograms < 10000 && (i+j+k)%(5*oneOf) != 0 {
					continue
				}
				handle := []string{"e", "(og and og.mate or e)", "e + 1"}[(i+j+k)%3]
				c := strings.ReplaceAll(c, "Q", strings.ReplaceAll(q, "@", handle))
				text := strings.ReplaceAll(body, "C", c)
				text = strings.NewReplacer("X", "a.i8 > 0", "Y", "b.b").Replace(text)
				programs = append(programs, fmt.Sprintf("function(e, a, b, of, og, oh, red, ctx)\n  %s\nend\n", text))
				if len(programs) == batch {
					run()
				}
			}
		}
	}
	if len(programs) > 0 {
		run()
	}
	if compiled < all*97/100 {
		t.Errorf("only %d of %d are compiled", compiled, all)
	}
}
