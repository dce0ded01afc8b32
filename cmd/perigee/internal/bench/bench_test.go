package bench

import (
	"strings"
	"testing"
	"time"
)

func TestAllContendersAreMeasured(t *testing.T) {
	var got []Result
	err := Run(Options{N: []int{10, 700}, Rounds: 2, Slot: time.Microsecond}, func(r []Result) error {
		got = append(got, r...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(contenders()); len(got) != want {
		t.Fatalf("%d results, want %d", len(got), want)
	}
	for i, r := range got {
		if r.Workload != "bounce" || r.Who != contenders()[i%len(contenders())].who || r.NsPerEntity <= 0 {
			t.Errorf("result %d: %+v", i, r)
		}
	}
}

func TestALimitLeavesOut(t *testing.T) {
	for _, c := range contenders() {
		if c.limit == 0 {
			continue
		}
		entries, err := openAll(c.limit + 1)
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(entries)
		for _, e := range entries {
			if e.who == c.who {
				t.Errorf("%s is measured with %d entities", c.who, c.limit+1)
			}
		}
	}
}

// A contender that cheats is found out before it is timed.
func TestDisagreementIsAnError(t *testing.T) {
	honest, err := slicesOnly(100)
	if err != nil {
		t.Fatal(err)
	}
	lazy, err := slicesOnly(100)
	if err != nil {
		t.Fatal(err)
	}
	honest.who, lazy.who = "honest", "lazy"
	lazy.tick = func() error { return nil }
	err = agree([]*entry{honest, lazy}, 3)
	if err == nil || !strings.HasPrefix(err.Error(), "lazy differs from honest after 3 ticks: entity 0 is at") {
		t.Errorf("error is %v", err)
	}
}

// The velocity turns where the position lies outside: without that the
// benchmark would measure an addition.
func TestBounceTurns(t *testing.T) {
	p := []Position{{X: -1, Y: 5}, {X: 5, Y: size}}
	v := []Velocity{{X: -60, Y: 60}, {X: 60, Y: 60}}
	bounce(p, v, dt)
	if p[0] != (Position{-2, 6}) || v[0] != (Velocity{60, 60}) || p[1].Y != size+1 || v[1] != (Velocity{60, -60}) {
		t.Errorf("%v %v", p, v)
	}
}
