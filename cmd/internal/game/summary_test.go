package game

import (
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestTheSummarySaysWhatRanWhere: kernels that systems and timers call are in it, and a system that a reload has given
// another name is one of Lua that is gone, with its rows.
func TestTheSummarySaysWhatRanWhere(t *testing.T) {
	g, err := New(Options{Log: slog.New(slog.DiscardHandler), OnKernel: func(scripting.KernelStatus) {}})
	must(t, err)
	defer g.Close()
	const text = `
local ecs = require "ecs"
local A = ecs.component("A", { v = ecs.f64(0) })
local k = ecs.kernel("k", { A }, function(e, a) a.v = a.v + 1 end)
ecs.on_start(function() ecs.spawn_many(100, A) ecs.after(0.1, "t") end)
ecs.handler("t", function() k() end)
ecs.system "calls" { run = function() k() end }
ecs.system "old" { query = { A }, each = function(e, a) a.v = a.v * 2 end }
`
	folder := fstest.MapFS{"a.lua": {Data: []byte(text)}}
	must(t, g.Load(folder))
	run(g, 10)
	folder["a.lua"] = &fstest.MapFile{Data: []byte(strings.Replace(text, `"old"`, `"new"`, 1))}
	g.host.Stage([]string{"a.lua"}, nil)
	run(g, 10)
	s := g.Summary(1)
	for _, y := range s.Systems {
		rows, gone, place := uint64(0), y.Gone, y.place
		if y.Ran != nil {
			rows = y.Ran.Kernel.Rows
		}
		switch y.Name {
		case "calls":
			if rows != 2000 || gone || place != "both" || y.Ran.VM.Calls != 20 {
				t.Errorf("%+v", y)
			}
		case "old":
			if rows != 1000 || !gone || place != "gone" {
				t.Errorf("%+v", y)
			}
		case "new":
			if rows != 1000 || gone || place != "kernel" {
				t.Errorf("%+v", y)
			}
		default:
			if y.Ran != nil || gone || place != "Go" {
				t.Errorf("%+v", y)
			}
		}
	}
	if s.Ran.Kernel.Rows != 4100 {
		t.Errorf("in all %+v", s.Ran)
	}
	if text := s.String(); !strings.Contains(text, "\ngone: ") || !strings.Contains(text, "kernels: 4,100 rows") {
		t.Error(text)
	}
}

// TestTheSummaryShowsConditions: the time of a condition that says no has a line of its own, where it is a part of
// the game's; that of a quick one has none.
func TestTheSummaryShowsConditions(t *testing.T) {
	g, err := New(Options{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer g.Close()
	const text = `
local ecs = require "ecs"
ecs.system "slow" { when = function() local n = 0 for i = 1, 200000 do n = n + i end return n < 0 end, run = function() end }
ecs.system "quick" { when = function() return false end, run = function() end }
`
	must(t, g.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}}))
	run(g, 10)
	s := g.Summary(1)
	for _, y := range s.Systems {
		if (y.Name == "slow" || y.Name == "quick") && (y.Runs != 0 || y.Passed != 10 || y.PassedMeanUS <= 0) {
			t.Errorf("%+v", y)
		}
	}
	if text := s.String(); !strings.Contains(text, "\npassed: slow ") || strings.Contains(text, "passed: quick") {
		t.Error(text)
	}
}
