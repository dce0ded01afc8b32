//go:build !machine

package scripting_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestPlainRegistersEqualTheMachine runs random functions that are not compiled in the
// two ways in which they can run: on the VM alone, and with their numbers in
// plain registers. Memory, what was logged and the errors, word for word with their
// tracebacks, must be the same.
func TestPlainRegistersEqualTheMachine(t *testing.T) {
	const batch, rows, ticks = 20, 30, 2
	failed := 0
	for name, in := range map[string]setting{"rows": rowsSetting, "world": worldSetting, "language": languageSetting} {
		for seed := *kernelSeed; seed < *kernelSeed+uint64(max(*kernelPrograms/100, 1)); seed++ {
			r := rand.New(rand.NewPCG(seed, 2))
			text := in.opening
			for i := range batch {
				each, name := generate(r, cmp.Or(in.dialect, rowsDialect)), fmt.Sprintf("s%02d", i)
				if i%2 == 0 {
					text += in.system(name, "off", each)
				} else {
					text += in.whole(name, each)
				}
			}
			machine, err := playOn(t, text, seed, rows, ticks, (*scripting.Host).OnMachine)
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, text)
			}
			plain, err := playOn(t, text, seed, rows, ticks, func(*scripting.Host) {})
			if err != nil {
				t.Fatal(err)
			}
			if machine.cut() && plain.cut() {
				continue // some steps apart from each other: a function beside the VM counts as one
			}
			failed += len(plain.errors)
			if machine.memory != plain.memory {
				t.Fatalf("%s, seed %d: %s\n%s", name, seed, firstDifference(machine.memory, plain.memory), text)
			}
			if a, b := strings.Join(machine.errors, "\n"), strings.Join(plain.errors, "\n"); a != b {
				t.Fatalf("%s, seed %d: %s\n%s", name, seed, firstDifference(a, b), text)
			}
		}
	}
	t.Logf("seeds from %d on, %d errors equal", *kernelSeed, failed)
}
