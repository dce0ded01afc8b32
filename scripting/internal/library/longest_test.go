package library_test

import (
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// timedHost is a host whose clock goes on by so much with each step, and by so much with each
// look at it. A call may take a millisecond.
func timedHost(step, look time.Duration) *host {
	m, looks := newHost(library.Options{}), time.Duration(0)
	m.budget.Watch = func() error { return nil }
	m.budget.Longest, m.budget.LongestName = time.Millisecond, "InstructionTime"
	m.budget.Now = func() time.Duration {
		looks++
		return time.Duration(m.vm.Steps())*step + looks*look
	}
	return m
}

// TestSlowStepsEndACall: steps that take 50 ns use up a millisecond after 20,000 of them, in
// loops, in callbacks and within one function of the library.
func TestSlowStepsEndACall(t *testing.T) {
	for name, script := range map[string]string{
		"loop":           `while true do end`,
		"callback":       `while true do ("abc"):gsub(".", function() end) end`,
		"caught":         `while true do pcall(function() while true do end end) end`,
		"coroutine":      `while true do coroutine.wrap(function() while true do coroutine.yield() end end)() end`,
		"within sort":    `local t = {} for i = 1, 1500 do t[i] = (i * 7919 % 10007) .. "" end table.sort(t) while true do end`,
		"within find":    `local _ = ("ab"):rep(2000):find(".-.-c") while true do end`,
		"within gsub":    `local _ = ("ab"):rep(90000):gsub("a", "b") while true do end`,
		"within compare": `local t = {} for i = 1, 5000 do t[i] = 5000 - i end table.sort(t, function(a, b) return a < b end)`,
	} {
		m := timedHost(50*time.Nanosecond, 0)
		out, used := m.run(script, 1_000_000, 0)
		if !strings.Contains(out, "ms of 1ms (Limits.InstructionTime)") {
			t.Errorf("%s: %q", name, out)
		}
		if used < 20_000 || used > 23_000 || !m.budget.Late() || m.budget.Took() < time.Millisecond {
			t.Errorf("%s: %d steps, %v", name, used, m.budget.Took())
		}
	}
}

// TestPausesEndNoCall: an hour that passes between two looks at the clock is no time of the
// script; it may take a tenth of its steps, whatever the machine does beside it.
func TestPausesEndNoCall(t *testing.T) {
	for turns, ends := range map[string]bool{"2400": false, "100000": true} {
		m := timedHost(0, time.Hour)
		out, used := m.run(`for i = 1, `+turns+` do local x = i end`, 1_000_000, 0)
		if (out != "") != ends || m.budget.Late() != ends {
			t.Errorf("%s turns, %d steps: %q", turns, used, out)
		}
	}
}

// TestTheClockCountsNoSteps: a script counts the same, timed or not.
func TestTheClockCountsNoSteps(t *testing.T) {
	const script = `local t = {} for i = 1, 900 do t[i] = ("x"):rep(i % 7) .. i end table.sort(t) print(#table.concat(t))`
	plain, slow := newHost(library.Options{}), timedHost(5*time.Nanosecond, 0)
	out, used := plain.run(script, 1_000_000, 0)
	timed, same := slow.run(script, 1_000_000, 0)
	if out != timed || used != same || used == 0 {
		t.Errorf("%q after %d steps; timed, %q after %d", out, used, timed, same)
	}
}

// TestEndTimesTheLastSteps: what no look has seen counts, too; few steps as what they are
// meant to take, for which nobody reads the clock.
func TestEndTimesTheLastSteps(t *testing.T) {
	m := timedHost(50*time.Nanosecond, 0)
	if _, used := m.run(`local x = 1 for i = 1, 100 do x = x + i end`, 1_000_000, 0); used < 100 || m.budget.Took() != 0 {
		t.Fatalf("%v after %d steps", m.budget.Took(), used)
	}
	if m.budget.End(); m.budget.Took() < 100*50 {
		t.Errorf("%v", m.budget.Took())
	}
	m.run(`local x = 1`, 1_000_000, 0)
	if m.budget.End(); m.budget.Took() <= 0 || m.budget.Took() > 320 {
		t.Errorf("few steps took %v", m.budget.Took())
	}
}
