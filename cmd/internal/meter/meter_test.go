package meter

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// Every bucket begins where the one before it ends.
func TestBucketsAreGapless(t *testing.T) {
	for i := range bucket(1 << 62) {
		if end := upper(i); bucket(end) != i || bucket(end+1) != i+1 {
			t.Fatalf("bucket %d ends at %d, which is in %d; the next number is in %d", i, end, bucket(end), bucket(end+1))
		}
	}
}

func TestQuantilesAreClose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var h Histogram
	var all []time.Duration
	for range 10_000 {
		d := time.Duration(r.ExpFloat64() * float64(time.Millisecond))
		h.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0.01, 0.5, 0.9, 0.99} {
		got, want := h.Quantile(q), all[int(q*float64(len(all)))]
		if ratio := float64(got) / float64(want); ratio < 0.99 || ratio > 1.04 {
			t.Errorf("quantile %v is %v, should be %v", q, got, want)
		}
	}
	if h.Quantile(1) != all[len(all)-1] || h.Max() != all[len(all)-1] || h.Len() != 10_000 {
		t.Errorf("the maximum is %v and %v, should be %v", h.Quantile(1), h.Max(), all[len(all)-1])
	}
}

func TestEmptyHistogram(t *testing.T) {
	var h Histogram
	if h.Mean() != 0 || h.Quantile(0.5) != 0 || h.Max() != 0 {
		t.Error("an empty histogram has durations")
	}
	h.Add(-time.Second)
	if h.Len() != 1 || h.Max() != 0 {
		t.Error("a negative duration is not counted as zero")
	}
}

func TestMeterFollowsSystems(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	fails := errors.New("out of luck")
	systems := []ecs.System{
		{Name: "often", Run: func(*ecs.Tick) error { return nil }, Phase: ecs.Logic},
		{Name: "rare", Run: func(*ecs.Tick) error { return nil }, Phase: ecs.Logic, Every: 5},
		{Name: "bad", Run: func(*ecs.Tick) error { return fails }, Phase: ecs.Logic},
	}
	if err := w.Schedule().Add(systems...); err != nil {
		t.Fatal(err)
	}
	m := New(w)
	tick := func(n int) {
		for range n {
			_ = w.Step(1) // the bad system's error is not the matter here
			m.Tick(time.Millisecond, 0)
		}
	}
	tick(10)
	if err := w.Schedule().Change([]string{"often"}, nil); err != nil {
		t.Fatal(err)
	}
	tick(1)
	if err := w.Schedule().Add(systems[0]); err != nil {
		t.Fatal(err)
	}
	tick(10)
	runs := map[string]uint64{}
	for _, s := range m.Systems() {
		runs[s.Name] = s.Runs.Len()
	}
	if runs["often"] != 20 || runs["rare"] != 4 || m.Ticks.Len() != 21 {
		t.Errorf("runs: %v in %d ticks", runs, m.Ticks.Len())
	}
	if bad := m.Systems()[0]; bad.Failures == 0 || bad.Health == ecs.Healthy {
		t.Errorf("the bad system: %+v failures, %v", bad.Failures, bad.Health)
	}
}

// TestMeterIsOfThisRun: what a world has counted before, in a save for one, is in no figure, and a system
// that is put in anew goes on with what it had.
func TestMeterIsOfThisRun(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	bad := ecs.System{Name: "bad", Phase: ecs.Logic, Breaker: &ecs.Breaker{Failures: -1}, Run: func(*ecs.Tick) error {
		time.Sleep(100 * time.Microsecond)
		return errors.New("out of luck")
	}}
	if err := w.Schedule().Add(bad); err != nil {
		t.Fatal(err)
	}
	step := func(n int, m *Meter) {
		for range n {
			_ = w.Step(1) // it fails, as it should
			if m != nil {
				m.Tick(time.Millisecond, 0)
			}
		}
	}
	step(30, nil)
	s, err := snapshot.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Schedule().Change([]string{"bad"}, []ecs.System{bad}); err != nil {
		t.Fatal(err)
	}
	m := New(w)
	if err := snapshot.Restore(w, s); err != nil {
		t.Fatal(err)
	}
	step(2, m)
	if err := w.Schedule().Change([]string{"bad"}, []ecs.System{bad}); err != nil {
		t.Fatal(err)
	}
	step(2, m)
	one := m.Systems()[0]
	if one.Runs.Len() != 4 || one.Failures != 4 {
		t.Errorf("%d runs and %d failures of 4", one.Runs.Len(), one.Failures)
	}
	if one.Runs.Quantile(0) < 100*time.Microsecond {
		t.Errorf("a run has taken %v, and sleeps for longer", one.Runs.Quantile(0))
	}
}

// TestTheWorstTickStandsBesideTheMean: a hitch now and then is seen.
func TestTheWorstTickStandsBesideTheMean(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	naps := []time.Duration{0, 0, 5 * time.Millisecond, 0}
	n := 0
	err := w.Schedule().Add(ecs.System{Name: "hitch", Phase: ecs.Logic, Run: func(*ecs.Tick) error { time.Sleep(naps[n%4]); n++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	m := New(w)
	for range 4 {
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	if s := m.Shares()[0]; s.Worst < 5*time.Millisecond || s.Took < s.Worst {
		t.Errorf("%+v", s)
	}
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	if s := m.Shares()[0]; s.Worst >= 5*time.Millisecond {
		t.Errorf("the hitch was before: %+v", s)
	}
}

func TestSharesSinceTheLastCall(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	nap := func(d time.Duration) func(*ecs.Tick) error {
		return func(*ecs.Tick) error { time.Sleep(d); return nil }
	}
	err := w.Schedule().Add(
		ecs.System{Name: "quick", Phase: ecs.Logic, Run: nap(0)},
		ecs.System{Name: "slow", Phase: ecs.Logic, Run: nap(2 * time.Millisecond)},
	)
	if err != nil {
		t.Fatal(err)
	}
	m := New(w)
	if len(m.Shares()) != 0 {
		t.Error("shares before the first tick")
	}
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	m.Tick(0, 0)
	if s := m.Shares(); len(s) != 2 || s[0].Name != "slow" || s[0].Took < 2*time.Millisecond {
		t.Errorf("shares: %v", s)
	}
	if s := m.Shares(); s[0].Took != 0 {
		t.Errorf("shares of no time: %v", s)
	}
}

// TestOnlyTheGoneAreForgotten: of a thousand systems and more that are gone the last keep their figures, and all that
// are there, however many they are. A system that comes back has what it had.
func TestOnlyTheGoneAreForgotten(t *testing.T) {
	m := &Meter{systems: map[string]*SystemTimes{}, Callbacks: map[string]*CallbackTimes{}}
	tick := func(names ...string) {
		list := make([]ecs.SystemReport, len(names))
		for i, name := range names {
			list[i].Name, list[i].Runs = name, 1
		}
		m.note(&ecs.TickReport{Systems: list})
	}
	named := func(word string, n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("%s%05d", word, i))
		}
		return names
	}
	runs := func(name string) uint64 {
		if s := m.systems[name]; s != nil {
			return s.Runs.Len()
		}
		return 0
	}
	staying := named("stays", 3*mostGone)
	for i := range mostGone {
		tick(append([]string{fmt.Sprintf("once%05d", i)}, staying...)...)
	}
	tick(staying...)
	if len(m.gone) != mostGone || runs("once00000") != 1 || runs("stays00000") != mostGone+1 || len(m.systems) != 4*mostGone {
		t.Fatalf("%d gone, %d in all", len(m.gone), len(m.systems))
	}
	tick(append([]string{"once00001", "more"}, staying...)...)
	tick(staying...)
	if len(m.gone) != mostGone || runs("once00000") != 0 || runs("once00002") != 1 || runs("once00001") != 2 || m.gone[mostGone-1].Name != "once00001" {
		t.Errorf("%d gone, the last is %+v", len(m.gone), m.gone[mostGone-1])
	}
}
