package kernel_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
)

// TestCompilingTakesTimeInProportion holds that a function of twice the size costs about
// twice as much to compile, by what the compiler allocates for it: a script must not be
// able to hold its host up. What grows with the square would be about 4.
func TestCompilingTakesTimeInProportion(t *testing.T) {
	for name, shape := range map[string]func(n int) string{
		"a call of many values": func(n int) string {
			list := []string{"p.x"}
			for i := range n / 8 {
				list = append(list, fmt.Sprintf("p.y - %d", i))
			}
			return "p.x = math.min(" + strings.Join(list, ", ") + ")"
		},
		"many locals of one name": func(n int) string {
			return "local a, c = p.x, p.y\n" + strings.Repeat("do local b = a local d = c a = b + d c = d * b end\n", n/4) + "p.x = a"
		},
		"many branches": func(n int) string {
			var b strings.Builder
			for i := range n / 4 {
				fmt.Fprintf(&b, "if p.x > %d then p.y = p.x - %d end\n", i, i)
			}
			return b.String()
		},
	} {
		allocated := func(n int) uint64 {
			var before, after runtime.MemStats
			text := "function(e, p, v, ctx)\n" + shape(n) + "\nend"
			runtime.ReadMemStats(&before)
			f, err := lowerOver(text, false, bodySchema, motionSchema)
			if err != nil {
				t.Fatal(name, err)
			}
			passes.Run(f, nil)
			plan, _ := vector.New(f, 0)
			wasm.New(f, plan).Encode(1)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		allocated(100) // what is made once
		once, twice := allocated(700), allocated(1400)
		if ratio := float64(twice) / float64(once); ratio > 2.8 {
			t.Errorf("%s: %d bytes, and %d for twice the size: %.1f times as many", name, once, twice, ratio)
		}
	}
}
