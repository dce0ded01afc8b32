package replica_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// BenchmarkReplica: a tick of the network, for worlds in which some of the rows have changed. It reports the bytes
// of a delta beside those of the full state, and how long the tick is held.
//
//	go test ./ecs/replica -run X -bench Replica
func BenchmarkReplica(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, part := range []int{0, 1, 10, 100} {
			b.Run(fmt.Sprintf("%d entities, %d %% changed", n, part), func(b *testing.B) { benchmark(b, n, part, replica.PrimaryOptions{}) })
		}
	}
	b.Run("10000 entities, 10 % changed, compressed", func(b *testing.B) { benchmark(b, 10_000, 10, replica.PrimaryOptions{Compress: true}) })
}

func benchmark(b *testing.B, n, percent int, options replica.PrimaryOptions) {
	w, err := ecs.Open(ecs.Options{Tag: 3})
	must(b, err)
	defer w.Close()
	other, err := ecs.Open(ecs.Options{Tag: 3})
	must(b, err)
	defer other.Close()
	c, v := ecs.Register[position](w), ecs.Register[velocity](w)
	ecs.Register[position](other)
	ecs.Register[velocity](other)
	es := make([]ecs.Entity, n)
	for i := range es {
		es[i] = w.Spawn(c.With(position{X: float32(i)}), v.With(velocity{X: 1}))
	}
	s, err := replica.NewPrimary(w, options)
	must(b, err)
	m, err := s.Next()
	must(b, err)
	full := len(m)
	r, err := replica.New(other, replica.Options{})
	must(b, err)
	must(b, r.Apply(m))
	var held, encoded, applied, bytes float64
	for b.Loop() {
		if percent > 0 {
			for i := 0; i < n; i += 100 / percent {
				c.Edit(es[i]).X += 0.25
			}
		}
		must(b, w.Step(1))
		m, err = s.Next()
		must(b, err)
		held, encoded, bytes = held+s.Stats().Capture.Seconds(), encoded+s.Stats().Encode.Seconds(), bytes+float64(len(m))
		began := now()
		must(b, r.Apply(m))
		applied += now() - began
	}
	rounds := float64(b.N)
	b.ReportMetric(held/rounds*1e6, "µs-held")
	b.ReportMetric(encoded/rounds*1e6, "µs-encode")
	b.ReportMetric(applied/rounds*1e6, "µs-apply")
	b.ReportMetric(bytes/rounds, "bytes")
	b.ReportMetric(float64(full), "bytes-full")
}

var start = time.Now()

// now returns seconds.
func now() float64 { return time.Since(start).Seconds() }
