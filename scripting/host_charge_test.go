package scripting_test

import (
	"errors"
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// laborer has functions whose work grows with what a script asks for.
type laborer struct {
	*game
	done int // work that was done
	all  []ecs.Entity
}

func newLaborer(t *testing.T, limits scripting.Limits) *laborer {
	w := &laborer{game: newGame(t, limits)}
	for name, value := range map[string]any{
		"work": func(call *scripting.Call, n float64) error {
			if err := call.Charge(int(n)); err != nil {
				return err
			}
			w.done += int(n)
			return nil
		},
		"late": func(call *scripting.Call) bool { return errors.Is(call.Charge(math.MaxInt), scripting.ErrSpent) },
		"list": func(n int) (scripting.Entities, error) {
			for len(w.all) < n {
				w.all = append(w.all, 1<<32+ecs.Entity(len(w.all)))
			}
			return w.all[:n], nil
		},
	} {
		if err := w.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// run steps a system with a body, and returns its fault.
func (w *laborer) run(body string) *scripting.Error {
	w.Helper()
	w.write("a.lua", "local host = require 'host'\necs.system \"s\" { run = function() "+body+" end }")
	if err := w.host.Load(w.folder); err != nil {
		w.Fatal(err)
	}
	w.step(1)
	if len(w.errors) == 0 {
		return nil
	}
	return w.errors[0]
}

// TestWorkOfTheHostIsCharged: it counts as instructions, and what is too much is not begun.
func TestWorkOfTheHostIsCharged(t *testing.T) {
	w := newLaborer(t, scripting.Limits{Instructions: 100_000})
	if e := w.run("for i = 1, 5 do host.work(10000) end host.work(-5)"); e != nil || w.done != 50_000-5 {
		t.Fatalf("%d done: %v", w.done, e)
	}
	if used := w.host.Usage()[0].Instructions; used < 50_000 || used > 52_000 {
		t.Errorf("%d instructions count", used)
	}

	for _, body := range []string{
		"host.work(99000) host.work(1000)",
		"pcall(host.work, 1e9) host.work(5)",
		"while true do pcall(host.work, 50000) end",
		"if host.late() then host.work(7) end",
	} {
		w := newLaborer(t, scripting.Limits{Instructions: 100_000})
		e := w.run(body)
		if !errors.Is(e, scripting.ErrLimit) || e.Limit != "Instructions" || w.done > 100_000 {
			t.Errorf("%s: %d done, %v", body, w.done, e)
		}
	}
}

// TestListsOfEntitiesBecomeTables: the script may change its table, and the host its list.
func TestListsOfEntitiesBecomeTables(t *testing.T) {
	w := newLaborer(t, scripting.Limits{})
	if e := w.run(`
  local list, sum = host.list(3), 0
  for i, e in ipairs(list) do sum = sum + i assert(e == 2^32 + i - 1) end
  assert(sum == 6 and #list == 3 and type(list) == "table")
  list[1], list[5] = "mine", 7
  table.sort(host.list(3), function(a, b) return a > b end)
  assert(host.list(3)[1] == 2^32 and #host.list(0) == 0 and #list >= 3)`); e != nil {
		t.Fatal(e)
	}
}

// TestListsOfEntitiesAreCharged: they count against instructions and memory before they are made.
func TestListsOfEntitiesAreCharged(t *testing.T) {
	for _, limits := range []scripting.Limits{{Instructions: 100_000}, {Bytes: 1 << 20}} {
		w := newLaborer(t, limits)
		e := w.run("local kept = {} for i = 1, 1000 do kept[i] = host.list(1000) end")
		if !errors.Is(e, scripting.ErrLimit) {
			t.Errorf("%+v: %v", limits, e)
		}
	}
}
