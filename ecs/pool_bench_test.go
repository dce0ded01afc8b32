package ecs

import "testing"

// BenchmarkHeapPool is what the operations of a pool with Go pointers cost for 10,000 entities.
func BenchmarkHeapPool(b *testing.B) {
	const n = 10_000
	w := open(b, Options{})
	label := Register[Label](w)
	es := make([]Entity, n)
	for i := range es {
		es[i] = w.Spawn(label.With(Label{"x"}))
	}
	q := w.Query(Read(label))
	for name, run := range map[string]func(e Entity){
		"has": func(e Entity) { label.Has(e) },
		"get": func(e Entity) { label.Get(e) },
		"remove and add": func(e Entity) {
			must(b, w.Remove(e, label))
			must(b, w.Add(e, label.With(Label{"x"})))
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				run(es[i*7919%n])
			}
		})
	}
	b.Run("iterate", func(b *testing.B) {
		total := 0
		for b.Loop() {
			for c := range q.Chunks() {
				for _, l := range label.Of(c) {
					total += len(l.Text)
				}
			}
		}
		perEntity(b, n)
	})
}
