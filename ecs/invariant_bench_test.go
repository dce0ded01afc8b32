package ecs

import "testing"

// BenchmarkInvariants steps a world of 100,000 rows that a system writes, with one rule each.
func BenchmarkInvariants(b *testing.B) {
	const rows = 100_000
	for _, c := range []struct {
		name string
		list []ComponentOption
	}{
		{"none", nil},
		{"Range", []ComponentOption{Range("x", -1, 1e300)}},
		{"Finite", []ComponentOption{Finite("x")}},
		{"Constraint", []ComponentOption{Constraint("x >= y")}},
		{"Holds", []ComponentOption{Holds("x", "x", func(p *Position) bool { return p.X >= p.Y })}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := open(b, Options{})
			positions := Register[Position](w, c.list...)
			benchInvariants(b, w, rows, positions, positions.With(Position{}), func(p *Position) { p.X++ })
		})
	}
	for _, states := range []bool{false, true} {
		b.Run(map[bool]string{false: "fighter", true: "Transitions"}[states], func(b *testing.B) {
			w := open(b, Options{})
			var list []ComponentOption
			if states {
				list = append(list, Transitions("state", map[string][]string{"idle": {"walk"}}))
			}
			fighters := Register[fighter](w, list...)
			benchInvariants(b, w, rows, fighters, fighters.With(fighter{}), func(f *fighter) { f.HP++ })
		})
	}
	b.Run("a_world_without", func(b *testing.B) { // what its step pays
		w := open(b, Options{})
		for range b.N {
			w.checkInvariants()
		}
	})
	b.Run("unwritten", func(b *testing.B) {
		w := open(b, Options{})
		positions := Register[Position](w, Range("x", -1, 1e300), Constraint("x >= y"))
		must(b, w.SpawnMany(rows, nil, positions.With(Position{})))
		must(b, w.Step(1))
		b.ResetTimer()
		for range b.N {
			must(b, w.Step(1))
		}
	})
}

func benchInvariants[T any](b *testing.B, w *World, rows int, c Component[T], v Value, write func(*T)) {
	q := w.Query(Write(c))
	must(b, w.Schedule().Add(System{Name: "write", Queries: []*Query{q}, Run: func(*Tick) error {
		for k := range q.Chunks() {
			for i := range c.Mut(k) {
				write(&c.Mut(k)[i])
			}
		}
		return nil
	}}))
	must(b, w.SpawnMany(rows, nil, v))
	must(b, w.Step(1))
	b.ResetTimer()
	for range b.N {
		must(b, w.Step(1))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}
