//go:build !machine

package heapsize_test

import (
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// BenchmarkManyTables counts a million small tables at once.
func BenchmarkManyTables(b *testing.B) {
	m := newMachine(b)
	env := m.library.Env()
	m.run(env, `all = {} for i = 1, 10 do local t = {} for k = 1, 100000 do t[k] = {} end all[i] = t end`)
	var w heapsize.Walk
	w.Body = stdlib.Body
	for b.Loop() {
		w.Begin([]heapsize.Owner{{Env: env}})
		for !w.Step(math.MaxInt) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/table")
}
