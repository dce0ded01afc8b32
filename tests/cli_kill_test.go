package tests_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

var kills = flag.Int("kills", 2, "how often each test of killed processes kills one")

// crowd is a game whose saves take long enough to be killed within.
const crowd = `local ecs = require "ecs"
local Place = ecs.component("Place", { x = ecs.f64(0), y = ecs.f64(0) })
local S = ecs.state("s", { n = 0 })
ecs.on_start(function() ecs.spawn_many(20000, Place) end)
ecs.system "move" { query = { Place }, each = function(_, place, ctx) place.x = place.x + ctx.dt end }
ecs.system "count" { run = function() S.n = S.n + 1 end }
`

// perigee runs the command, which must end well, and returns what it prints.
func perigee(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(buildCLI(t), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("perigee %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tickOf returns the tick that an output has, after a word.
func tickOf(t *testing.T, out, word string) int {
	t.Helper()
	m := regexp.MustCompile(word + `(\d+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no %q in\n%s", word, out)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// killWithin kills the command while files like a pattern are being written: when it has seen
// some of them, at once. A command that has ended before is one that was too fast.
func (s *session) killWithin(pattern string, files int) {
	s.t.Helper()
	seen := map[string]bool{}
	for len(seen) < files {
		found, err := filepath.Glob(pattern)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, name := range found {
			seen[name] = true
		}
		select {
		case _, runs := <-s.lines:
			if !runs {
				files = 0
			}
		default:
			runtime.Gosched()
		}
	}
	_ = s.cmd.Process.Kill() // it may have ended
	for range s.lines {
	}
	_ = s.cmd.Wait() // it was killed
}

// TestKilledWhileItSaves: the process is killed while it writes a save, again and again. The save of a slot is
// whole each time, never older than before, and the game goes on from it.
func TestKilledWhileItSaves(t *testing.T) {
	dir := t.TempDir()
	slots, first, last := filepath.Join(dir, "slots"), 0, 0
	auto := filepath.Join(slots, "auto.save")
	for range *kills {
		flags := []string{"--hz", "100", "--slots", slots, "--autosave", "10ms"}
		if last > 0 {
			flags = append(flags, "--load", auto)
		}
		s := startRun(t, map[string]string{"a.lua": crowd}, flags...)
		s.killWithin(filepath.Join(slots, ".auto.save.*.tmp"), 2+rand.IntN(3))
		now := tickOf(t, perigee(t, "save", "check", auto), "tick ")
		if now < last { // the first save may be of the tick that was loaded
			t.Fatalf("the slot has tick %d, and had %d", now, last)
		}
		if first == 0 {
			first = now
		}
		last = now
		perigee(t, "check", s.dir, "--against", auto)
	}
	if *kills >= 10 && last == first {
		t.Errorf("the game stays at tick %d", last)
	}
	if out := perigee(t, "save", "ls", slots); !strings.Contains(out, "auto ") || strings.Contains(out, "tmp") {
		t.Errorf("the slots are\n%s", out)
	}
}

// TestKilledAtItsEnd: the process is told to end, and killed while it writes the save of --save. There is the old
// save or the new one.
func TestKilledAtItsEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	file := filepath.Join(t.TempDir(), "end.save")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.lua"), []byte(crowd), 0o644); err != nil {
		t.Fatal(err)
	}
	perigee(t, "run", dir, "--headless", "--ticks", "2", "--save", file)
	for range *kills {
		s := startRun(t, map[string]string{"a.lua": crowd}, "--load", file, "--save", file)
		s.await("loaded end.save")
		before := tickOf(t, perigee(t, "save", "check", file), "tick ")
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		s.killWithin(filepath.Join(filepath.Dir(file), ".end.save.*.tmp"), 1)
		if now := tickOf(t, perigee(t, "save", "check", file), "tick "); now < before {
			t.Fatalf("the save has tick %d, and had %d", now, before)
		}
	}
}

// TestKilledWhileItRecords: what a killed process has recorded is good up to its last whole tick, and runs again
// to the same world; one that begins with a save, too.
func TestKilledWhileItRecords(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base.save")
	scripts := filepath.Join(dir, "game")
	if err := os.Mkdir(scripts, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scripts, "a.lua"), []byte(crowd), 0o644); err != nil {
		t.Fatal(err)
	}
	perigee(t, "run", scripts, "--headless", "--ticks", "5", "--save", base)
	for n := range *kills {
		file := filepath.Join(dir, strconv.Itoa(n)+".rec")
		flags := []string{"--hz", "500", "--record", file, "--keyframes", "20ms"}
		if n%2 == 1 {
			flags = append(flags, "--load", base)
		}
		s := startRun(t, map[string]string{"a.lua": crowd}, flags...)
		most := int64(400_000 * (2 + rand.IntN(6)))
		for size := int64(0); size < most; runtime.Gosched() {
			if info, err := os.Stat(file); err == nil {
				size = info.Size()
			}
		}
		s.killWithin(file, 1)
		out := perigee(t, "replay", file, "--verify")
		ticks, good := tickOf(t, out, ""), tickOf(t, out, "good up to tick ")
		if from := (n % 2) * 5; ticks < 2 || good != from+ticks || !strings.Contains(out, "each tick is what was recorded") {
			t.Fatalf("%d ticks, good up to %d:\n%s", ticks, good, out)
		}
		perigee(t, "replay", file, "--to", strconv.Itoa(good))
	}
}
