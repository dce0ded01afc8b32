package ecs

import (
	"fmt"
	"testing"
)

// BenchmarkEvents sends events in a system and reads them in another one, which is a step behind: so many in each tick.
func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := open(b, Options{})
			hit := RegisterEvent[Position](w)
			reader := hit.Reader("hud")
			sum := 0.0
			must(b, w.Schedule().Add(System{Name: "send", Run: func(t *Tick) error {
				for i := range n {
					hit.Send(t.Commands, Position{X: float64(i)})
				}
				return nil
			}}))
			for b.Loop() {
				must(b, w.Step(0.01))
				for p := range hit.Read(reader) {
					sum += p.X
				}
			}
			if sum == 0 {
				b.Error("nothing was read")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
		})
	}
}
