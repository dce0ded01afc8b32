package scripting_test

import (
	"fmt"
	"strings"
	"testing"
)

// What a row can change, and what it can look at afterwards. W is the entity.
var (
	changesOf = []string{
		"ecs.despawn(W)", "ecs.remove(W, Gear)", "ecs.remove(W, Alpha)", "ecs.remove(W, Heat)", "ecs.add(W, Red)", "ecs.add(W, Heat { t = 7 })",
		"ecs.add(W, Gear { a = 5, mate = e })", "ecs.set(W, Gear { a = a.u8 })", "ecs.set(W, Beta { f = a.i8 })", "ecs.spawn(Bolt)", "ecs.set_parent(W, nil)",
	}
	looksAt = []string{
		"ecs.alive(W) and 1 or 2", "ecs.has(W) and 1 or 2", "ecs.has(W, Gear) and 1 or 2", "ecs.has(W, Alpha, Red) and 1 or 2", "ecs.get(W, Gear) and 1 or 2",
		`(ecs.get(W, Gear, "a") or 3)`, `(ecs.get(W, Heat, "t") or 3)`, "(ecs.get(W, Red) and 1 or 2)", `(ecs.get(W, Beta, "f") or 3)`, "(ecs.parent(W) or 3)",
		"(oh and oh.t or 3)", "(red and 1 or 2)", "(og and og.a or 3)", "b.f",
	}
	someEntities = []string{"e", "(og and og.mate or e)"}
)

// TestLooksAfterChanges holds for every change that a row makes, of its own entity and
// of another, that every look which follows finds in a kernel what it finds on the Lua
// machine: in the same row, and in rows that come later.
func TestLooksAfterChanges(t *testing.T) {
	sideBySide(t)
	const together = 4 // programs in one script: each leaves fewer entities to the next
	var programs []string
	compiled := 0
	flush := func() {
		o, difference := languageSetting.compare(t, programs, 11)
		if compiled += o.compiled; difference != "" {
			for _, p := range programs {
				if _, alone := languageSetting.compare(t, []string{p}, 11); alone != "" {
					t.Errorf("%s\n%s", alone, p)
				}
			}
			if !t.Failed() {
				t.Errorf("together: %s\n%s", difference, strings.Join(programs, "\n"))
			}
		}
		programs = programs[:0]
	}
	n := 0
	for _, change := range changesOf {
		for _, changed := range someEntities {
			for _, look := range looksAt {
				for _, seen := range someEntities {
					if !strings.Contains(look, "W") && seen != "e" {
						continue
					}
					when := []string{"e % 5 == 2", "a.u8 % 16 > 13", "b.b and e % 3 == 0"}[n%3]
					text := "if %s then %s end count = count + (%s)"
					if n%2 == 1 {
						text = "if %s then %s end a.f = %s"
					}
					programs = append(programs, fmt.Sprintf("function(e, a, b, og, oh, red)\n  "+text+"\nend",
						when, strings.ReplaceAll(change, "W", changed), strings.ReplaceAll(look, "W", seen)))
					if n++; len(programs) == together {
						flush()
					}
				}
			}
		}
	}
	flush()
	t.Logf("%d pairs of a change and a look, %d compiled", n, compiled)
	if compiled < n*3/4 {
		t.Errorf("only %d of %d are compiled", compiled, n)
	}
}
