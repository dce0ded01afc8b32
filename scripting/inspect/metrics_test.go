package inspect_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// line is a line of the text format that has a value.
var line = regexp.MustCompile(`^(perigee_[a-z_]+)((?:\{[a-z]+="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\n"])*")*\})?) (\S+)$`)

// scrape asks for the metrics, and returns the values by name and labels.
func (g *game) scrape() map[string]float64 {
	g.t.Helper()
	code, text := g.do(g.request("GET", "/metrics", ""))
	if code != 200 {
		g.t.Fatalf("%d: %s", code, text)
	}
	values := map[string]float64{}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(l, "# HELP ") || strings.HasPrefix(l, "# TYPE ") {
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			g.t.Fatalf("%q is no line of the format", l)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		must(g.t, err)
		if _, twice := values[m[1]+m[2]]; twice {
			g.t.Errorf("%s%s is there twice", m[1], m[2])
		}
		values[m[1]+m[2]] = v
	}
	return values
}

// ticks makes steps one by one, and waits for them.
func (g *game) ticks(n int) {
	g.t.Helper()
	tick := func() float64 { return at(g.get("/api/v1/status"), "tick").(float64) }
	g.call("POST", "/api/v1/time", `{"paused": true}`, 200)
	before := tick()
	g.call("POST", "/api/v1/time", fmt.Sprintf(`{"steps": %d}`, n), 200)
	for tick() != before+float64(n) {
	}
}

// TestMetrics: the sums are those of the ticks between two requests, and who has no token gets none.
func TestMetrics(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.ticks(1)
	first := g.scrape()
	g.ticks(10)
	second := g.scrape()
	for name, want := range map[string]float64{
		"perigee_ticks_total": 10, "perigee_tick_duration_seconds_count": 10,
		`perigee_system_runs_total{phase="logic",system="heal"}`: 10, `perigee_system_duration_seconds_count{phase="logic",system="heal"}`: 10,
		`perigee_system_rows_total{phase="logic",system="heal"}`: 3000,
	} {
		if got := second[name] - first[name]; got != want {
			t.Errorf("%s grew by %v in ten ticks, want %v", name, got, want)
		}
	}
	for name, want := range map[string]float64{"perigee_entities": 301, "perigee_faults_total": 1, `perigee_system_faults_total{system="faulty"}`: 1} {
		if second[name] != want {
			t.Errorf("%s is %v, want %v", name, second[name], want)
		}
	}
	for _, name := range []string{"perigee_tick_duration_seconds_sum", "perigee_arena_bytes", `perigee_script_held_bytes{script="game.lua"}`} {
		if !(second[name] > 0) {
			t.Errorf("%s is %v", name, second[name])
		}
	}
	for _, header := range []string{"", "Bearer wrong"} {
		r := g.request("GET", "/metrics", "")
		r.Header.Set("Authorization", header)
		if code, text := g.do(r); code != 401 {
			t.Errorf("with %q: %d %s", header, code, text)
		}
	}
}

// TestMetricsOfManySystems: scripts choose how many names there are, and what is in them.
func TestMetricsOfManySystems(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.ticks(1)
	g.scrape()
	g.call("POST", "/api/v1/stage", `{"texts": {"many.lua": "local ecs = require 'ecs' for i = 1, 900 do ecs.system(('s%d \\\"\\\\x %s'):format(i, ('y'):rep(i % 200))) { run = function() end } end"}}`, 200)
	g.ticks(3)
	values := g.scrape()
	n, runs := 0, 0.0
	for name, v := range values {
		if strings.HasPrefix(name, "perigee_system_runs_total{") {
			n++
			runs += v
		}
	}
	if n > 201 || runs < 1800 {
		t.Errorf("%d series, %v runs", n, runs)
	}
	if other := values[`perigee_system_runs_total{phase="",system="_other"}`]; other < 1400 {
		t.Errorf("the others have %v", other)
	}
}
