package game

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/journal"
)

// BenchmarkJournalOfTheDemo steps the demo with a journal, with one that watches eight ships, and without, in
// turns; medians of a tick in microseconds.
func BenchmarkJournalOfTheDemo(b *testing.B) {
	var games [3]*Game
	var ticks [3]meterings
	for i := range games {
		games[i] = openDemo(b)
	}
	step := func(i int) {
		if err := games[i].host.Step(1.0 / 60); err != nil {
			b.Fatal(err)
		}
	}
	for range 600 {
		for i := range games {
			step(i)
		}
	}
	for i := 1; i < len(games); i++ {
		j, err := journal.Open(games[i].world, journal.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer j.Close()
		if i == 2 {
			watch(b, games[i].world, j, 8)
		}
	}
	for n := 0; b.Loop(); n++ {
		for i := range games {
			at := (i + n) % len(games)
			ticks[at].time(func() { step(at) })
		}
	}
	b.ReportMetric(ticks[0].median(), "tick-us")
	b.ReportMetric(ticks[1].median(), "journal-us")
	b.ReportMetric(ticks[2].median(), "watching-us")
}

// watch has a journal watch some entities that move.
func watch(b *testing.B, w *ecs.World, j *journal.Journal, most int) {
	id, ok := w.Raw().ComponentNamed("Velocity")
	if !ok {
		b.Fatal("nothing moves")
	}
	for c := range w.Query().With(id).Chunks() {
		for _, e := range c.Entities() {
			if most--; most < 0 {
				return
			}
			if err := j.Watch(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}
