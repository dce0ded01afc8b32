package meter

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
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
