package prometheus

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// TestTheInspectorHasTheSameNames: what package inspect shows at /metrics is in the format, and each metric is one of
// those of a collector, of the same kind, with the same labels and the same value; but durations have no buckets there, and what scripts have used is
// some seconds old.
func TestTheInspectorHasTheSameNames(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{OnError: func(*scripting.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
ecs.system 'a "quoted\\ name' { run = function() end }
ecs.system "bad" { run = function() error("no") end }`)}}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, w, Options{Host: host, Every: 1})
	view, err := inspect.New(host, inspect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	shown := func() map[string]*dto.MetricFamily {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+view.Token())
		answer, done := httptest.NewRecorder(), make(chan struct{})
		go func() { defer close(done); view.ServeHTTP(answer, r) }()
		for {
			select {
			case <-done:
				var parser expfmt.TextParser
				families, err := parser.TextToMetricFamilies(answer.Body)
				if err != nil || answer.Code != 200 {
					t.Fatal(answer.Code, err)
				}
				return families
			default:
				view.Answer()
			}
		}
	}
	shown()
	for range 5 {
		if err := host.Step(0.1); err != nil {
			t.Fatal(err)
		}
	}
	want, families := s.scrape(t), shown()
	n := 0
	for name, f := range families {
		for _, m := range f.Metric {
			for key, v := range map[string]float64{
				name + labels(m): m.GetCounter().GetValue() + m.GetGauge().GetValue(), name + "_count" + labels(m): float64(m.GetSummary().GetSampleCount()),
			} {
				if (m.Summary != nil) != (key == name+"_count"+labels(m)) {
					continue
				}
				n++
				if collected, ok := want[key]; !ok || f.GetHelp() == "" || v != collected && m.Counter != nil && !strings.Contains(key, "_seconds_") && !strings.HasPrefix(key, "perigee_script_") {
					t.Errorf("%s is %v, of the collector %v (it has it: %v)", key, v, collected, ok)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d values", n)
	}
}
