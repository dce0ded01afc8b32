package kernel_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

// TestProofs holds which fields of a cell need a check after a function, and that
// this is so: rows at the ends of things run with it and without.
func TestProofs(t *testing.T) {
	for _, c := range []struct{ body, checked string }{
		{"p.n = p.n - p.n", "n"}, // two names of one value are not looked for
		{"p.w = p.n - p.k", "w"},
		{"p.w = p.n - -p.n", "w"},
		{"p.w = p.n * p.n", ""},
		{"p.w = p.k * p.k", "w"}, // -128 * 127
		{"p.w = p.n * p.n * 2", "w"},
		{"p.n = (p.w - 7) % 256", ""},
		{"p.n = (p.w - 7) % 257", "n"},
		{"p.n = p.w % -256", "n"},
		{"p.n = p.w % p.n", "n"}, // by zero: not-a-number
		{"p.n = p.w % p.k", "n"},
		{"p.n = p.w % (p.n + 1)", ""},
		{"p.n = p.w % (p.n + 2)", "n"},
		{"p.n = p.x % 256", "n"},
		{"local v = floor(p.x + p.y) if v > 0 then p.n = v % 256 end", "n"}, // of the infinite: not-a-number
		{"local v = floor(p.x + p.y) if v > 0 then p.n = v * 0 end", "n"},
		{"local v = floor(p.x + p.y) if v > 0 and v < 9 then p.n = v * 0 end", ""},
		{"p.n = math.ceil(math.max(0, math.min(255, p.x)))", ""},
		{"p.n = math.ceil(math.max(0, math.min(255.5, p.x)))", "n"},
		{"p.n = floor(math.max(-0.5, math.min(255, p.x)))", "n"},
		{"p.n = floor(math.max(0, math.min(p.x, 255)))", ""},
		{"p.n = floor(math.max(math.min(p.x, 255), 0))", "n"}, // the first of them is not-a-number
		{"p.n = floor(math.min(255, math.max(p.x, 0)))", ""},
		{"p.n = floor(math.min(math.max(p.x, 0), 255))", "n"},
		{"p.n = floor(math.min(math.max(p.x + p.y, 0), 255))", "n"},
		{"p.n = floor(math.min(255, math.max(p.x + p.y, 0)))", ""},
		{"p.n = math.max(p.k, p.n)", ""},
		{"p.n = math.min(p.k, p.n)", "n"},
		{"p.n = math.min(p.w, p.n)", ""},
		{"p.k = math.min(p.k, p.w)", ""},
		{"p.n = p.w < p.n and p.w or p.n", ""},
		{"p.n = p.w > p.n and p.w or p.n", "n"},
		{"p.n = p.w <= p.n and p.w or p.n", "n"}, // true, and not looked for
		{"p.n = p.w ~= p.n and p.w or p.n", "n"},
		{"p.n = p.w < 256 and p.n or p.w", "n"},
		{"p.n = p.w < p.x and p.w or 3", "n"},
		{"p.n = p.x < p.w and p.w or 3", "n"},
		{"p.k = p.n < p.w and 3 or p.w", "k"},
		{"p.n = p.x == p.x and 5 or p.x", "n"},
		{"p.n = p.k == p.k and 5 or p.x", ""},
		{"if p.w < 256 then p.n = p.w end", ""},
		{"if p.w <= 256 then p.n = p.w end", "n"},
		{"if p.w <= 255.5 then p.n = p.w end", ""},
		{"if not (p.w > 255) then p.n = p.w end", ""},
		{"if not (p.w >= 257) then p.n = p.w end", "n"},
		{"if 256 > p.w then p.n = p.w end", ""},
		{"if 255 >= p.w then p.n = p.w end", ""},
		{"if p.k > -1 then p.n = p.k end", ""},
		{"if p.k >= -1 then p.n = p.k end", "n"},
		{"if p.w == 256 then p.n = p.w - 1 end", ""},
		{"if p.w ~= 256 then p.n = 1 else p.n = p.w end", "n"},
		{"if p.x < 0 or p.x > 255 then return end p.n = floor(p.x)", "n"}, // not-a-number
		{"if p.x >= 0 and p.x <= 255 then p.n = floor(p.x) end", ""},
		{"if p.x >= 0 and p.x <= 255 then p.n = p.x end", "n"},
		{"if p.w > 255 or p.ok then return end p.n = p.w", ""},
		{"if p.w > 255 and p.ok then return end p.n = p.w", "n"},
		{"local v = p.w if p.ok then v = 3 end if v < 256 then p.n = v end", "n"},
		{"local v = p.w if v < 256 then v = v + p.n p.n = v end", "n"},
		{"local v = p.w if v < 256 then p.w = 700 p.n = v end", ""},
		{"local v = p.w + 0 if p.w < 256 then p.n = v end", "n"},
		{"if p.w < 256 then p.w = p.n + p.n p.n = p.w end", "n w"},
		{"if p.w < 256 then for i = 1, 20 do p.n = p.w p.w = 300 end end", "n"},
		{"if p.ok then p.w = 7 else p.w = 9 end p.n = p.w", ""},
		{"if p.ok then p.w = 7 else p.w = 256 end p.n = p.w", "n"},
		{"if p.ok then p.w = 7 end p.n = p.w", "n"},
		{"for i = 1, 20 do p.w = p.n p.n = p.x end p.n = 0", "n w"}, // what n holds in between
		{"for i = 1, 20 do p.w = p.n p.n = p.k end p.n = 0", "n w"},
		{"for i = 1, 20 do p.w = p.n p.n = i end p.n = 0", ""},
		{"for i = 250, 256, 0.1 do p.n = i end", "n"},
		{"for i = 230, 255 do p.n = i end", ""},
		{"for i = 256, 230, -1 do p.n = i end", "n"},
	} {
		f, err := lowerOver("function(e, p, ctx)\n"+c.body+"\nend", false, cell)
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		k := keeper{f: f}
		k.begin(rand.New(rand.NewPCG(1, 4)), 2000)
		passes.Run(f, nil)
		if fault := k.compare(); fault != "" {
			t.Errorf("%s: %s\n%s", c.body, fault, f)
		}
		var checked []string
		for i := range f.Fields {
			if f.Fields[i].Checked() {
				checked = append(checked, strings.TrimPrefix(f.Locals[f.Fields[i].Local].Name, "cell."))
			}
		}
		slices.Sort(checked)
		if got := strings.Join(checked, " "); got != c.checked {
			t.Errorf("%s: checks of %q, want %q\n%s", c.body, got, c.checked, f)
		}
	}
}
