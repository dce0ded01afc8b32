package game

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkReload saves one file of the demo game after the other while it runs
// with its full population, and reports, in microseconds: from the settled save to
// the end of the first tick on the new code (p50, p99), and how long the ticks are
// that take a reload over, beside those that do not (medians, and the p99 of both).
// Reading and compiling happen beside the tick, on the watcher's goroutine; what
// the tick does is to run the new files' top level and to swap.
func BenchmarkReload(b *testing.B) {
	texts, names := soakTexts(b)
	texts["director.lua"] = fullPopulation(texts["director.lua"])
	s := newSoaked(b, texts)
	for range 600 { // ten seconds, until the arena is full
		s.tick(1.0 / 60)
	}
	var reloads, taking, others []time.Duration
	for i := 0; b.Loop(); i++ {
		name := names[i%len(names)]
		settled := time.Now()
		s.save(name, texts[name]+"\n-- saved")
		staged := time.Now()
		s.tick(1.0 / 60)
		reloads, taking = append(reloads, time.Since(settled)), append(taking, time.Since(staged))
		for range 5 {
			began := time.Now()
			s.tick(1.0 / 60)
			others = append(others, time.Since(began))
		}
	}
	if s.refused > 0 {
		b.Fatalf("%d reloads were refused", s.refused)
	}
	for _, m := range []struct {
		name  string
		times []time.Duration
	}{{"reload", reloads}, {"tick-with-reload", taking}, {"tick", others}} {
		slices.Sort(m.times)
		b.ReportMetric(float64(m.times[len(m.times)/2].Nanoseconds())/1000, m.name+"-p50-us")
		b.ReportMetric(float64(m.times[len(m.times)*99/100].Nanoseconds())/1000, m.name+"-p99-us")
	}
}
