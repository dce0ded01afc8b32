package kernel_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
)

// TestCompilingTakesTimeInProportion holds that a function of twice the size costs about
// twice as much to compile, by what the compiler allocates for it: a script must not be
// able to hold its host up. What grows with the square would be about 4.
func TestCompilingTakesTimeInProportion(t *testing.T) {
	var kinds []any
	for i := range 720 {
		kinds = append(kinds, ecs.U8, fmt.Sprintf("f%d", i))
	}
	wide := layout("wide", kinds...)
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
		"rows that leave": func(n int) string {
			var b strings.Builder
			for i := range n / 3 {
				fmt.Fprintf(&b, "if p.x > %d then p.y = p.x - %d return end\n", i, i)
			}
			return b.String()
		},
		"fields that fall one after the other": func(n int) string {
			var b strings.Builder
			for i := range n / 2 {
				fmt.Fprintf(&b, "if v.f0 > %d then v.f%d = v.f%d end\n", i, i, i+1)
			}
			return b.String() + fmt.Sprintf("v.f%d = v.f0 + 1", n/2)
		},
		"loops that are written out": func(n int) string { return strings.Repeat("for i = 1, 2 do p.x = p.x + i end\n", n/6) },
	} {
		allocated := func(n int) uint64 {
			var before, after runtime.MemStats
			text := "function(e, p, v, ctx)\n" + shape(n) + "\nend"
			runtime.ReadMemStats(&before)
			second := motionSchema
			if strings.Contains(text, "v.f0") {
				second = wide
			}
			f, err := lowerOver(text, false, bodySchema, second)
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

// TestLocalsNamedManyTimes holds that a local is bounded once, also where each of them names
// the one before many times: 40 to the power of 30 ways lead from the last to the first.
func TestLocalsNamedManyTimes(t *testing.T) {
	text := "local a0 = p.n\n"
	for i := range 30 {
		text += fmt.Sprintf("local a%d = a%d%s\n", i+1, i, strings.Repeat(fmt.Sprintf(" + a%d", i), 39))
	}
	f := lowered(t, "function(e, p, v, ctx)\n"+text+"if a30 >= 0 then p.n = 1 else p.n = a1 end\nend")
	passes.Run(f, nil)
	if !strings.Contains(f.String(), "body.n = 1\n") {
		t.Error(f.String())
	}
}
