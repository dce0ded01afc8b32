package prometheus

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	prom "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// served is a collector behind a real HTTP handler.
type served struct {
	*Collector
	url string
}

// serve makes a collector of a world, and its handler.
func serve(t *testing.T, w *ecs.World, o Options) served {
	t.Helper()
	c, err := New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	registry := prom.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	t.Cleanup(server.Close)
	return served{c, server.URL}
}

// scrape returns all series by "name{label=value,...}"; of histograms, the counts and sums.
func (s served) scrape(t *testing.T) map[string]float64 {
	t.Helper()
	answer, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		t.Fatalf("status %d: %s", answer.StatusCode, text)
	}
	var parser expfmt.TextParser
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			key := name + labels(m)
			switch {
			case m.Counter != nil:
				all[key] = m.Counter.GetValue()
			case m.Gauge != nil:
				all[key] = m.Gauge.GetValue()
			case m.Histogram != nil:
				all[name+"_count"+labels(m)] = float64(m.Histogram.GetSampleCount())
				all[name+"_sum"+labels(m)] = m.Histogram.GetSampleSum()
			}
		}
	}
	return all
}

func labels(m *dto.Metric) string {
	var list []string
	for _, l := range m.Label {
		list = append(list, l.GetName()+"="+l.GetValue())
	}
	if list == nil {
		return ""
	}
	return "{" + strings.Join(list, ",") + "}"
}

type position struct{ X, Y float64 }

// TestAScrapeSaysWhatTicksDid: a host with scripts and a Go system, by HTTP.
func TestAScrapeSaysWhatTicksDid(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[position](w)
	for range 30 {
		w.Spawn(p.With(position{}))
	}
	moving := w.Query(ecs.Write(p))
	if err := w.Schedule().Add(ecs.System{Name: "go.move", Phase: ecs.Physics, Queries: []*ecs.Query{moving}, Run: func(*ecs.Tick) error {
		for c := range moving.Chunks() {
			p.Mut(c)[0].X++
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	host, err := scripting.New(w, scripting.Options{OnError: func(*scripting.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local P = ecs.native("position")
ecs.system "lua.move" { query = { P }, each = function(_, p) p.x = p.x + 1 end }
ecs.system "lua.bad" { run = function() error("no") end }`)}}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, w, Options{Host: host, Every: 1, Labels: prom.Labels{"room": "7"}})
	const ticks = 5
	for range ticks {
		if err := host.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
	got := s.scrape(t)
	for key, want := range map[string]float64{
		"perigee_ticks_total{room=7}": ticks, "perigee_tick_duration_seconds_count{room=7}": ticks, "perigee_entities{room=7}": 30,
		"perigee_ticks_cut_total{room=7}": 0, "perigee_events_dropped_total{room=7}": 0,
		"perigee_system_runs_total{phase=physics,room=7,system=go.move}":            ticks,
		"perigee_system_rows_total{phase=physics,room=7,system=go.move}":            ticks * 30,
		"perigee_system_rows_total{phase=logic,room=7,system=lua.move}":             ticks * 30,
		"perigee_system_duration_seconds_count{phase=logic,room=7,system=lua.move}": ticks,
		"perigee_system_failures_total{phase=logic,room=7,system=lua.bad}":          3,
		"perigee_system_parked{phase=logic,room=7,system=lua.bad}":                  1,
		"perigee_system_parked{phase=logic,room=7,system=lua.move}":                 0,
		"perigee_script_rows_total{room=7,script=a.lua}":                            ticks * 30,
		"perigee_faults_total{room=7}":                                              3,
		"perigee_system_faults_total{room=7,system=lua.bad}":                        3,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s is %v, want %v", key, v, want)
		}
	}
	for _, key := range []string{
		"perigee_script_calls_total{room=7,script=a.lua}", "perigee_script_instructions_total{room=7,script=a.lua}",
		"perigee_arena_bytes{room=7}", "perigee_arena_limit_bytes{room=7}", "perigee_simulation_seconds{room=7}",
		"perigee_tick_duration_seconds_sum{room=7}", "perigee_system_duration_seconds_sum{phase=logic,room=7,system=lua.move}",
	} {
		if got[key] <= 0 {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	s.Close()
	if err := host.Step(0.1); err != nil {
		t.Fatal(err)
	}
	if n := s.scrape(t)["perigee_ticks_total{room=7}"]; n != ticks {
		t.Errorf("%v ticks after Close", n)
	}
}

// TestNamesAreBounded: systems beyond the bound share a series, those that are gone make room,
// and no name breaks a scrape.
func TestNamesAreBounded(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	s := serve(t, w, Options{MostNames: 3})
	idle := func(*ecs.Tick) error { return nil }
	change := func(remove []string, names ...string) {
		t.Helper()
		var list []ecs.System
		for _, name := range names {
			list = append(list, ecs.System{Name: name, Run: idle})
		}
		if err := w.Schedule().Change(remove, list); err != nil {
			t.Fatal(err)
		}
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("é", 200)
	bad := "bad name"
	change(nil, bad, long+"1", long+"2", "d", "e")
	runs := func() map[string]float64 {
		found := map[string]float64{}
		for key, v := range s.scrape(t) {
			if rest, ok := strings.CutPrefix(key, "perigee_system_runs_total{phase="); ok {
				_, name, _ := strings.Cut(strings.TrimSuffix(rest, "}"), ",system=")
				found[name] = v
			}
		}
		return found
	}
	if got, want := fmt.Sprint(runs()), fmt.Sprint(map[string]float64{"bad name": 1, "d": 1, "e": 1, other: 2}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	change([]string{"d", "e", bad}, "f")
	if got, want := fmt.Sprint(runs()), fmt.Sprint(map[string]float64{strings.Repeat("é", 50): 2, "f": 1, other: 2}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i := range 50 {
		name := fmt.Sprint("reload", i)
		change(w.Schedule().Names(), name)
		if got := runs(); got[name] != 1 || len(got) > 4 {
			t.Fatalf("after reload %d: %v", i, got)
		}
	}
}

// TestASystemNamedAsTheOthers: one with the name of the shared series is a system as any other.
func TestASystemNamedAsTheOthers(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	s := serve(t, w, Options{})
	fails := true
	if err := w.Schedule().Add(ecs.System{Name: other, Phase: ecs.Logic, Breaker: &ecs.Breaker{Failures: 1}, Run: func(*ecs.Tick) error {
		if fails {
			return errors.New("once")
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	_ = w.Step(1)
	key := "perigee_system_parked{phase=logic,system=" + other + "}"
	if got := s.scrape(t)[key]; got != 1 {
		t.Errorf("%s is %v after a failure", key, got)
	}
	fails = false
	for range 1000 {
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.scrape(t)[key]; got != 0 {
		t.Errorf("%s is %v, and it has run for long", key, got)
	}
}

// TestAClosedHostIsAskedNoMore: the world goes on, and so do its figures.
func TestAClosedHostIsAskedNoMore(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`require("ecs").system "s" { run = function() end }`)}}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, w, Options{Host: host, Every: 1})
	if err := host.Step(1); err != nil {
		t.Fatal(err)
	}
	before := s.scrape(t)
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	after := s.scrape(t)
	const calls = "perigee_script_calls_total{script=a.lua}"
	if _, still := after[calls]; before[calls] != 1 || still || after["perigee_ticks_total"] != 2 {
		t.Errorf("%v calls, after the end %v, in %v ticks", before[calls], after[calls], after["perigee_ticks_total"])
	}
}

// TestScriptsAreBounded adds up what is beyond the bound.
func TestScriptsAreBounded(t *testing.T) {
	h := newHostFigures(&Options{MostNames: 2})
	var usage []scripting.ScriptUsage
	for i := range 5 {
		usage = append(usage, scripting.ScriptUsage{Script: fmt.Sprint(i, "\xff.lua"), Held: 10})
	}
	h.take(usage, scripting.Faults{Total: 9, Systems: []scripting.SystemFaults{{System: "a", Total: 1}, {System: "b", Total: 2}, {System: "c", Total: 3}, {System: "d", Total: 3}}})
	if len(h.scripts) != 3 || h.scripts[other].held != 30 || len(h.systems) != 3 || h.systems[other] != 6 {
		t.Errorf("%v, %v", h.scripts, h.systems)
	}
}

// TestScrapesAndTicksAtTheSameTime is for the race detector.
func TestScrapesAndTicksAtTheSameTime(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	s := serve(t, w, Options{Host: host, Every: 1, MostNames: 2})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			answer, err := http.Get(s.url)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("%v, %v", answer, err)
				return
			}
			answer.Body.Close()
		}
	}()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		if err := w.Schedule().Change(w.Schedule().Names(), []ecs.System{{Name: fmt.Sprint(i), Run: func(*ecs.Tick) error { return nil }}}); err != nil {
			t.Fatal(err)
		}
		if err := host.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrongOptionsAreErrors.
func TestWrongOptionsAreErrors(t *testing.T) {
	w, other := ecs.NewWorld(), ecs.NewWorld()
	defer other.Close()
	host, err := scripting.New(other, scripting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for name, c := range map[string]struct {
		w    *ecs.World
		o    Options
		want error
	}{
		"no world":       {nil, Options{}, ecs.ErrConflict},
		"another's host": {w, Options{Host: host}, ecs.ErrConflict},
		"names":          {w, Options{MostNames: -1}, ecs.ErrRange},
		"every":          {w, Options{Every: -1}, ecs.ErrRange},
		"buckets":        {w, Options{Buckets: []float64{2, 1}}, ecs.ErrRange},
		"equal buckets":  {w, Options{Buckets: []float64{1, 1}}, ecs.ErrRange},
		"le":             {w, Options{Labels: prom.Labels{"le": "1"}}, ecs.ErrConflict},
		"a label twice":  {w, Options{Labels: prom.Labels{"system": "1"}}, ecs.ErrConflict},
		"a bad label":    {w, Options{Labels: prom.Labels{"a": "\xff"}}, ecs.ErrConflict},
		"a bad name":     {w, Options{Namespace: "a\xffb"}, ecs.ErrConflict},
	} {
		if _, err := New(c.w, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(w, Options{}); !errors.Is(err, ecs.ErrClosed) {
		t.Errorf("a closed world: %v", err)
	}
}

// BenchmarkTick is what the collector costs a tick of 20 systems.
func BenchmarkTick(b *testing.B) {
	for _, collect := range []bool{false, true} {
		b.Run(fmt.Sprint("collector=", collect), func(b *testing.B) {
			w := ecs.NewWorld()
			defer w.Close()
			for i := range 20 {
				if err := w.Schedule().Add(ecs.System{Name: fmt.Sprint(i), Run: func(*ecs.Tick) error { return nil }}); err != nil {
					b.Fatal(err)
				}
			}
			if collect {
				if _, err := New(w, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Step(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRefusedRunsAreShown: a system that uses up the tick has the others left out, and the figure of their
// script is that of the host.
func TestRefusedRunsAreShown(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	limits := scripting.Limits{Instructions: 1 << 20, TickInstructions: 50_000, Time: -1}
	host, err := scripting.New(w, scripting.Options{Limits: limits, OnError: func(*scripting.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	s := serve(t, w, Options{Host: host, Every: 1})
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
ecs.system("a", { run = function() while true do end end })
ecs.system("b", { run = function() end })`)}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = host.Step(1)
	}
	want := 0.0
	for _, u := range host.Usage() {
		if u.Script == "a.lua" {
			want = float64(u.Refused)
		}
	}
	if got := s.scrape(t)["perigee_script_refused_total{script=a.lua}"]; want == 0 || got != want {
		t.Errorf("%v runs were refused, want %v", got, want)
	}
}

// TestCallbacksAreShown: what scripts do between ticks, and what of it fails, has series by name and
// by script, and a bound on names holds.
func TestCallbacksAreShown(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{OnError: func(*scripting.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	s := serve(t, w, Options{Host: host, Every: 1, MostNames: 3})
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local T = ecs.tag("T")
ecs.handler("ring", function() end)
ecs.handler("broken", function() error("no") end)
ecs.on_add(T, function() error("never") end)
ecs.on_start(function() ecs.every(1, "ring") ecs.after(1, "broken") ecs.spawn(T) end)
for i = 1, 5 do ecs.handler("one" .. i, function() end) ecs.on_start(function() ecs.after(2, "one" .. i) end) end
`)}}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := host.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	got := s.scrape(t)
	failed := 0.0 // the timer, which is tried again, and the observer of what on_start has spawned
	for name, n := range got {
		if strings.HasPrefix(name, "perigee_run_failures_total{") {
			failed += n
		}
	}
	if failed < 3 || failed != got["perigee_faults_total"] || failed != got["perigee_script_failures_total{script=a.lua}"] {
		t.Errorf("%v runs have failed: %v", failed, got)
	}
	names, all := 0, 0.0
	for name, n := range got {
		if strings.HasPrefix(name, "perigee_runs_total{") {
			names++
			all += n
		}
	}
	if names != 4 || all < 10 {
		t.Errorf("%d names of runs, %v runs: %v", names, all, got)
	}
}
