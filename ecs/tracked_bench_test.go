package ecs

import (
	"fmt"
	"testing"
)

// BenchmarkTracked measures the price of the option Tracked: a comparison of columns that were
// stamped, in which all rows, one in a hundred or none have changed, and one of which nothing was
// stamped; then one in which a hundred rows have come and gone; and a spawn and a despawn.
func BenchmarkTracked(b *testing.B) {
	const rows = 10_000
	for _, options := range [][]ComponentOption{nil, {Tracked}} {
		w := open(b, Options{})
		position := Register[Position](w, options...)
		must(b, w.SpawnMany(rows, nil, position.With(Position{})))
		q := w.Query(Write(position))
		for _, every := range []int{1, 100, rows + 1} {
			b.Run(fmt.Sprintf("tracked=%v/one of %d", options != nil, every), func(b *testing.B) {
				for b.Loop() {
					for c := range q.Chunks() {
						p := position.Mut(c)
						for i := every - 1; i < len(p); i += every {
							p[i].X++
						}
					}
					w.compareTracked()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
		b.Run(fmt.Sprintf("tracked=%v/unwritten", options != nil), func(b *testing.B) {
			for b.Loop() {
				w.compareTracked()
			}
		})
		b.Run(fmt.Sprintf("tracked=%v/come and gone", options != nil), func(b *testing.B) {
			var es [100]Entity
			for b.Loop() {
				for i := range es {
					es[i] = w.Spawn(position.With(Position{}))
				}
				w.compareTracked()
				for _, e := range es {
					must(b, w.Despawn(e))
				}
				w.compareTracked()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
		b.Run(fmt.Sprintf("tracked=%v/spawn and despawn", options != nil), func(b *testing.B) {
			for b.Loop() {
				must(b, w.Despawn(w.Spawn(position.With(Position{}))))
			}
		})
		b.Logf("%d bytes for %d rows", w.Stats().Components[position.ID()].Tracked, rows)
	}
}
