package bench

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestAllWorkloadsAreMeasured runs everything once. All ways agree, or there
// would be an error.
func TestAllWorkloadsAreMeasured(t *testing.T) {
	ways := map[string][]string{}
	var order []string
	err := Run(Options{N: []int{40}, Rounds: 1, Slot: time.Microsecond}, func(results []Result) error {
		order = append(order, results[0].Workload)
		for _, r := range results {
			ways[r.Workload] = append(ways[r.Workload], r.Who)
			if r.N != 40 || r.NsPerEntity <= 0 || r.Ticks < 3 || r.Sum != results[0].Sum || r.Sum == 0 {
				t.Errorf("%+v", r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, Workloads()) {
		t.Errorf("measured %q", order)
	}
	if !slices.Equal(ways["bounce"], Contenders()) {
		t.Errorf("bounce is written as %q", ways["bounce"])
	}
	for _, w := range order {
		if got := ways[w]; !slices.Contains(got, "go query") || !slices.Contains(got, "lua kernel") {
			t.Errorf("%s is written as %q", w, got)
		}
	}
}

// TestOnlyWhatIsAskedFor is measured, and what it is compared with.
func TestOnlyWhatIsAskedFor(t *testing.T) {
	var got []string
	o := Options{Workloads: []string{"nbody", "regen"}, Who: []string{"lua kernel"}, N: []int{5, 7}, Rounds: 1, Slot: 1}
	err := Run(o, func(results []Result) error {
		for _, r := range results {
			got = append(got, r.Workload+" "+r.Who)
		}
		return nil
	})
	want := "regen go slices,regen lua kernel,regen go slices,regen lua kernel," +
		"nbody go slices,nbody lua kernel,nbody go slices,nbody lua kernel"
	if err != nil || strings.Join(got, ",") != want {
		t.Errorf("%q, %v", got, err)
	}
}

// TestSizes: a workload with a largest number is measured with it once.
func TestSizes(t *testing.T) {
	if got := nbody().sizes([]int{10, 10_000, 100_000}); !slices.Equal(got, []int{10, 1000}) {
		t.Errorf("nbody: %v", got)
	}
	if got := bounce().sizes([]int{10, 10_000}); !slices.Equal(got, []int{10, 10_000}) {
		t.Errorf("bounce: %v", got)
	}
}

func TestALimitLeavesOut(t *testing.T) {
	for _, c := range contenders() {
		if c.limit == 0 {
			continue
		}
		entries, err := openAll(bounce(), c.limit+1, nil)
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

// A contender that cheats is found out before it is timed, in any workload.
func TestDisagreementIsAnError(t *testing.T) {
	for _, w := range workloads() {
		honest, err := slicesOnly(w, 50)
		if err != nil {
			t.Fatal(err)
		}
		lazy, err := slicesOnly(w, 50)
		if err != nil {
			t.Fatal(err)
		}
		honest.who, lazy.who = "honest", "lazy"
		lazy.tick = func() error { return nil }
		_, err = agree([]*competitor{honest, lazy}, 3)
		if err == nil || !strings.HasPrefix(err.Error(), "lazy differs from honest after 3 ticks: number ") {
			t.Errorf("%s: error is %v", w.name, err)
		}
	}
}

// What is not compiled has no figure under the name of kernels.
func TestKernelsAreDemanded(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	ecs.Register[Health](w)
	text := `local ecs = require "ecs"
ecs.system "talk" { query = { ecs.native("Health") }, each = function(e, h) h.hp = #tostring(h.hp) end }`
	h, err := host(w, fstest.MapFS{"talk.lua": {Data: []byte(text)}}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(h); err == nil || !strings.HasPrefix(err.Error(), "not compiled: talk.lua:2:84: ") {
		t.Errorf("error is %v", err)
	}
	if _, err := script(true, "nowhere")(bounce(), 3); err != errNotWritten {
		t.Errorf("error is %v", err)
	}
}

// A script that fails has no figure: Step does not return its faults.
func TestFaultsHaveNoFigure(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h, err := host(w, fstest.MapFS{"fails.lua": {Data: []byte(`local ecs = require "ecs" ecs.system "s" { run = function() error("no figure") end }`)}}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := strictly(h)(dt); err == nil || !strings.Contains(err.Error(), "no figure") {
		t.Errorf("error is %v", err)
	}
}

// The velocity turns where the position lies outside: without that the
// benchmark would measure an addition.
func TestBounceTurns(t *testing.T) {
	p := []Position{{X: -1, Y: 5}, {X: 5, Y: size}}
	v := []Velocity{{X: -60, Y: 60}, {X: 60, Y: 60}}
	bounceLoop(p, v, dt)
	if p[0] != (Position{-2, 6}) || v[0] != (Velocity{60, 60}) || p[1].Y != size+1 || v[1] != (Velocity{60, -60}) {
		t.Errorf("%v %v", p, v)
	}
}

// TestWorkloadsDoWhatTheySay: things die, are replaced, are told of, and change
// their state, at the rate that the workloads promise.
func TestWorkloadsDoWhatTheySay(t *testing.T) {
	const n, ticks = 2000, 240
	m := map[string]*model{}
	for _, w := range workloads() {
		if w.most == 0 {
			m[w.name] = w.plain(n)
		}
	}
	before := map[string][]float64{}
	for name, model := range m {
		before[name] = slices.Clone(model.state())
		for range ticks {
			model.loop()
			model.finish()
		}
	}
	if got := m["cooldown"].state(); len(got) != n || got[0] < -dt || got[n-1] > 3 || got[n-1] <= 2 {
		t.Errorf("fuses from %v to %v", got[0], got[n-1])
	}
	armor := m["damage"].state()
	if dead := armor[len(armor)-2] / ticks; dead < n/300 || dead > n/100 {
		t.Errorf("%v die each tick", dead)
	}
	moved := map[float64]int{}
	now := m["states"].state()
	for i := 0; i < len(now); i += 4 {
		if now[i] != before["states"][i] {
			moved[now[i]]++
		}
	}
	if len(moved) != 4 {
		t.Errorf("guards have come to the modes %v", moved)
	}
	for name, model := range m {
		for i, v := range model.state() {
			if math.IsNaN(v) || math.Abs(v) > 1e6 {
				t.Fatalf("%s: number %d is %v", name, i, v)
			}
		}
	}
}
