package kernel_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

// TestUnroll shows which loops are written out, what becomes known in them, and
// which loops stay.
func TestUnroll(t *testing.T) {
	for _, c := range []struct{ body, want, not string }{
		{"for i = 1, 3 do p.x = p.x + i end", "body.x = (zero (add body.x 3))", "loop"},
		{"for i = 3, 1, -1 do p.x = p.x + i * i end", "body.x = (zero (add body.x 9))", "loop"},
		{"for i = 1, 2 do for j = 1, 2 do p.x = p.x + i * 10 + j end end", "(add (zero (add body.x 20)) 2)", "loop"},
		{"for i = 1, 4 do if i == 3 then break end p.x = i end", "body.x = 1\n  body.x = 2\n", "body.x = 3"},
		{"for i = 1, 2 do if p.ok then goto on end p.x = i ::on:: end", "body.x = 2", "loop"},
		{"for i = 1, 3 do i = i + p.x p.y = i end", "body.y", "loop"}, // the copy changes, the index does not
		{"for i = 1, 0 do p.x = i end", "row\n", "body.x ="},
		{"for i = 1, 3 do end p.x = 1", "body.x = 1", "loop"},
		{"for i = 1, 17 do p.x = p.x + i end", "loop", "17))\n    body"},
		{"for i = 1, p.n do p.x = p.x + i end", "loop", ""},
		{"for i = 1, 3 do local d = i * 2 if p.ok then d = d + p.x end p.y = p.y + d end", "= 6", "loop"},
		{"for i = 1, 3 do for j = 1, p.n do p.x = p.x + i * j end end", "(mul 3 ", ""},
		{"for i = 1, 2 do for j = 1, 2 do local d = j == 1 and i or p.x p.y = p.y + d end end", "add body.y 2))\n  d = body.x\n  body.y = (zero (add body.y d))", "loop"}, // the second d is of the row
		{"for i = 0.1, 0.5, 0.1 do p.x = p.x + i end", "0.30000000000000004", "loop"},
	} {
		f := lowered(t, "function(e, p, v, ctx)\n"+c.body+"\nend")
		for _, p := range passes.All() {
			if p.Name == "fold" || p.Name == "unroll" || p.Name == "dead" {
				p.Run(f)
				if err := ir.Check(f); err != nil {
					t.Errorf("%s, after %s: %v", c.body, p.Name, err)
				}
			}
		}
		got := f.String()
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s\nwant %q, not %q, in\n%s", c.body, c.want, c.not, got)
		}
	}
}
