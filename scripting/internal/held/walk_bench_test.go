package held_test

import (
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/held"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
)

// BenchmarkManyTables counts a million small tables at once.
func BenchmarkManyTables(b *testing.B) {
	m := newMachine(b)
	env := m.library.Env()
	m.run(env, `all = {} for i = 1, 10 do local t = {} for k = 1, 100000 do t[k] = {} end all[i] = t end`)
	w := held.Walk{Body: lualib.Body}
	for b.Loop() {
		w.Begin([]held.Owner{{Env: env}})
		for !w.Step(math.MaxInt) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/table")
}
