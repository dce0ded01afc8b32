package game

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkReload saves one file of the demo game after the other, each time with
// other numbers in it, while the game ticks without a pause with its full
// population. A goroutine stages the saves, as the watcher does. Reported are, in
// microseconds:
//
//   - reload: from the settled save to the end of the first tick on the new code;
//   - held: how much of that was in the tick that takes it over, beside its work;
//   - during: the ticks from the save to that tick, this one included;
//   - quiet: as many ticks in which nothing is staged, to compare.
//
// The longest ticks say more about the machine than about the reload: compare them
// with those of the quiet ticks.
func BenchmarkReload(b *testing.B) {
	texts, names := soakTexts(b)
	texts["director.lua"] = fullPopulation(texts["director.lua"])
	s := newSoaked(b, texts)
	for range 600 { // ten seconds, until the arena is full
		s.tick(b.Context(), 1.0/60)
	}
	var reload, held, during, quiet []time.Duration
	for i := 0; b.Loop(); i++ {
		name, verdicts, settled := names[i%len(names)], s.taken+s.refused, time.Now()
		go s.save(name, otherNumbers(texts[name], i))
		ticks := 0
		for ; s.taken+s.refused == verdicts; ticks++ {
			during = append(during, s.timed())
		}
		reload, held = append(reload, time.Since(settled)), append(held, s.last.Held)
		for range ticks {
			quiet = append(quiet, s.timed())
		}
	}
	if s.refused > 0 {
		b.Fatalf("%d reloads were refused, the last with %v", s.refused, s.last.Err)
	}
	for _, m := range []struct {
		name  string
		times []time.Duration
	}{{"reload", reload}, {"held", held}, {"during", during}, {"quiet", quiet}} {
		slices.Sort(m.times)
		for _, at := range []int{50, 99, 100} {
			d := m.times[(len(m.times)-1)*at/100]
			b.ReportMetric(float64(d.Nanoseconds())/1000, fmt.Sprintf("%s-p%d-us", m.name, at))
		}
	}
}

// timed runs a tick and returns how long it took.
func (s *soaked) timed() time.Duration {
	began := time.Now()
	s.tick(context.Background(), 1.0/60)
	return time.Since(began)
}

var fraction = regexp.MustCompile(`\b\d+\.\d+\b`)

// otherNumbers changes every number with a point a little, in another way for each
// n: so kernels are compiled anew, and the game goes on much as before.
func otherNumbers(text string, n int) string {
	return fraction.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x*(1+float64(n+1)*1e-6), 'f', -1, 64)
	}) + fmt.Sprintf("\n-- save %d", n)
}
