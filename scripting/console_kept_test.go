package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// typed runs a text that has to run.
func typed(t *testing.T, c *scripting.Console, text string) scripting.ConsoleResult {
	t.Helper()
	r, err := c.RunUndoable(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// TestConsoleUndoAfterGoingBack: texts of ticks that were given up cannot be undone: that would go to a future that has not been. Those
// before can.
func TestConsoleUndoAfterGoingBack(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	ring, err := scripting.NewRing(host, snapshot.RingOptions{Ticks: 100})
	if err != nil {
		t.Fatal(err)
	}
	step := func(n int) {
		for range n {
			if err := errors.Join(host.Step(1.0/60), ring.Capture()); err != nil {
				t.Fatal(err)
			}
		}
	}
	step(3) // to tick 4
	first := typed(t, c, `ecs.spawn("Scout")`)
	step(6) // to tick 10
	typed(t, c, `ecs.spawn("Scout")`)
	with, err := host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	step(5)
	if _, err := ring.Restore(12); err != nil || fmt.Sprint(c.Undoable()) != "[1 2]" {
		t.Fatal(c.Undoable(), err)
	}
	if _, err := host.Restore(with); err != nil || fmt.Sprint(c.Undoable()) != "[1 2]" {
		t.Fatal(c.Undoable(), err) // the moment right after the text
	}
	if _, err := ring.Restore(10); err != nil || fmt.Sprint(c.Undoable()) != "[1]" {
		t.Fatal(c.Undoable(), err) // of the same tick, before the text
	}
	if _, err := c.Undo(2); !errors.Is(err, ecs.ErrUnknown) {
		t.Fatal(err)
	}
	if _, tick := host.World().Time(); tick != 10 {
		t.Fatal(tick)
	}
	if found, err := c.Undo(first.Run); err != nil || !strings.Contains(fmt.Sprint(found.Notes), "6 ticks since the text") {
		t.Fatal(found, err)
	}
	// A program may restore the world beside the host.
	before, err := snapshot.Capture(host.World())
	if err != nil {
		t.Fatal(err)
	}
	step(2)
	r := typed(t, c, `ecs.spawn("Scout")`)
	if err := snapshot.Restore(host.World(), before); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Undo(r.Run); !errors.Is(err, ecs.ErrUnknown) || len(c.Undoable()) != 0 {
		t.Fatal(err, c.Undoable())
	}
}

// TestConsoleSaysWhatIsBeyond: a text that reaches more values than are compared counts as a change that cannot be undone, whether it
// ends well or not.
func TestConsoleSaysWhatIsBeyond(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	if r := typed(t, c, `big = {} for i = 1, 100000 do big[i] = i end`); !r.Changed || !r.Undoable {
		t.Fatalf("%+v", r)
	}
	r := typed(t, c, `big[1] = 99`)
	if !r.Changed || r.Undoable || !errors.Is(r.NotUndoable, ecs.ErrRange) || !strings.Contains(r.NotUndoable.Error(), "more than 100,000 values") {
		t.Fatalf("%+v", r)
	}
	if r, err := c.RunUndoable(`big[1] = 77 error("x")`); err == nil || !r.Changed || r.NotUndoable == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := fmt.Sprint(c.Undoable()); got != "[1]" {
		t.Fatal(got)
	}
	if _, err := c.Undo(1); err != nil {
		t.Fatal(err)
	}
	if r := typed(t, c, `1 + 1`); r.Changed || r.NotUndoable != nil {
		t.Fatalf("%+v", r)
	}
}

// TestConsoleComparesNumbers: 0/0 is no change where it stays, and -0 in place of 0 is one.
func TestConsoleComparesNumbers(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	typed(t, c, `nan, zero, list = 0/0, 0, { 0/0, 0 }
		local inside = 0/0
		function get() return inside end
		function set(v) inside = v end`)
	if r := typed(t, c, `nan, list[1], get()`); r.Changed || r.Undoable {
		t.Error("0/0 that stays is a change")
	}
	for _, text := range []string{`list[2] = -list[2]`, `zero = -zero`, `nan = 0`, `set(-0.0)`} {
		if r := typed(t, c, text); !r.Changed || !r.Undoable {
			t.Errorf("%s: no change", text)
		} else if _, err := c.Undo(r.Run); err != nil {
			t.Error(err)
		}
		if _, err := c.Run(text + ` error "x"`); err == nil {
			t.Error("no error")
		}
	}
	if r := typed(t, c, `1 / zero, 1 / list[2], nan ~= nan, get() ~= get()`); said(r) != "inf\ninf\ntrue\ntrue" {
		t.Error(said(r))
	}
}

// TestConsoleUndoCountsOldValues: what points alone lead to counts among their 256 MiB: texts, tables, functions of the library, also what
// the game has dropped since.
func TestConsoleUndoCountsOldValues(t *testing.T) {
	limits := scripting.DevelopmentLimits()
	limits.Held, limits.HeldTotal = 1<<30, 1<<30
	for _, text := range []string{
		`G = {} for i = 1, 6 do G[i] = ("%d"):rep(10000000) end`,
		`g = {} for i = 1, 4 do g[i] = ("%d"):rep(15000000):gmatch(".") end`,
		`local list = {} for i = 1, 4 do list[i] = ("%d"):rep(15000000) end require("ships").list = list`,
	} {
		host := consoleHost(t, limits)
		c := host.Console()
		for i := range 8 {
			if r := typed(t, c, fmt.Sprintf(text, i)); !r.Undoable {
				t.Fatal(r.NotUndoable)
			}
		}
		if n := len(c.Undoable()); n < 2 || n > 5 {
			t.Errorf("%s: %d points of 60 MB each are kept in 256 MiB", text, n)
		}
		host.Close()
	}
	// A large value that stays costs nothing, as often as it is in reach.
	c := consoleHost(t, limits).Console()
	typed(t, c, `big = {} for i = 1, 10 do big[i] = ("x" .. i):rep(5000000) end`)
	for i := range 20 {
		typed(t, c, fmt.Sprintf(`x = %d`, i))
	}
	if n := len(c.Undoable()); n != 21 {
		t.Errorf("%d points are left of 21", n)
	}
	typed(t, c, `big = nil`) // the points alone hold it now, once
	typed(t, c, `big = {} for i = 1, 14 do big[i] = ("y" .. i):rep(5000000) end`)
	typed(t, c, `big = nil`)
	if n := len(c.Undoable()); n > 3 {
		t.Errorf("%d points are left, of 260 MB and more", n)
	}
}

// TestConsoleTextsAreReadBeside: a text is compiled on another goroutine while the host steps, runs as often as it is asked to, and can be undone.
func TestConsoleTextsAreReadBeside(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	texts := make(chan *scripting.ConsoleText)
	go func() {
		for _, text := range []string{`require("ships").speed = require("ships").speed + 1`, "\n1 +", strings.Repeat(" ", scripting.MostConsoleText+1)} {
			texts <- scripting.ReadConsoleText(text)
		}
	}()
	if err := host.Step(1.0 / 60); err != nil {
		t.Fatal(err)
	}
	good := <-texts
	for range 2 {
		if r, err := c.RunText(good); err != nil || !r.Undoable {
			t.Fatal(r, err)
		}
	}
	if r := typed(t, c, `require("ships").speed`); said(r) != "3" {
		t.Error(said(r))
	}
	for range 2 {
		if _, err := c.RunText(<-texts); err == nil {
			t.Error("no error")
		} else if e, ok := errors.AsType[*scripting.Error](err); ok && e.Line != 2 || !ok && !errors.Is(err, ecs.ErrRange) {
			t.Error(err)
		}
	}
	if _, err := c.RunText(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := c.RunText(&scripting.ConsoleText{}); err != nil {
		t.Error(err)
	}
}
