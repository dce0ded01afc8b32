package main

import (
	"math"
	"strings"
	"testing"
)

// TestAllComeToTheSameNumbers plays every workload once in every program that is
// installed, briefly: measure fails when one differs from the others in a bit.
func TestAllComeToTheSameNumbers(t *testing.T) {
	players, missing, err := gather(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Logf("not compared with %q: not installed", missing)
	}
	for _, w := range workloads {
		l, err := measure(players, w, 150, 1, 1e-4)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.nanos) != len(ways)-len(missing) {
			t.Errorf("%s is measured in %v", w, l.nanos)
		}
		for way, v := range l.nanos {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Errorf("%s: %s takes %v", w, way, v)
			}
		}
	}
}

// TestADifferenceIsAnError, be it the last bit.
func TestADifferenceIsAnError(t *testing.T) {
	say := func(who string, sum float64) player {
		return player{who, func(string, int, int, float64) ([]score, error) {
			return []score{{who, 2, 3, sum}}, nil
		}}
	}
	if _, err := measure([]player{say("a", 1), say("b", 1)}, "bounce", 5, 2, 0); err != nil {
		t.Error(err)
	}
	_, err := measure([]player{say("a", 1), say("b", math.Nextafter(1, 2))}, "bounce", 5, 1, 0)
	if err == nil || !strings.HasPrefix(err.Error(), "bounce, 5 entities: b comes to 1.0000000000000002 after 3 ticks, a to 1") {
		t.Errorf("error is %v", err)
	}
}

func TestTable(t *testing.T) {
	lines := []line{
		{"bounce", 10, map[string]float64{"go slices": 2, "lua kernel": 3, "luajit": 4, "lua5.1": 123.4}},
		{"spring", 10, map[string]float64{"go slices": 2, "lua kernel": 5, "luajit": 4}},
		{"bounce", 20, map[string]float64{"go slices": 2, "lua kernel": 5, "luajit": 4}},
		{"nbody", 7, map[string]float64{"go slices": 2, "lua kernel": 1, "luajit": 4}},
	}
	got := table(lines)
	for _, want := range []string{
		"| bounce | 10 | 2.00 | 3.00 | 1.50 | 4.00 | – | 123 | yes, 1.33 times |",
		"| spring | 10 | 2.00 | 5.00 | 2.50 | 4.00 | – | – | no, 0.80 times |",
		"With 10 entities kernels are faster than LuaJIT in 2 of 3 workloads.\n" +
			"With 20 entities kernels are faster than LuaJIT in 1 of 2 workloads.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestNumbersAreNumbers(t *testing.T) {
	for _, bad := range []string{"", "0", "-1", "many", "1,"} {
		if _, err := numbers(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if got := sizesOf("nbody", []int{10_000, 100_000}); len(got) != 1 || got[0] != bodies {
		t.Errorf("nbody with %v", got)
	}
}
