package tests_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

// TestAttacks runs each script of the folder hostile/attacks in a perigee command
// of its own, with the limits and the memory that players have, between two sound
// scripts. Whatever it does:
//
//   - the process lives, within a ceiling that the system enforces;
//   - no tick takes longer than four seconds of the processor;
//   - the process never holds more memory than its limits add up to;
//   - the sound scripts run in every tick, and can spawn;
//   - a message names the script and the limit.
//
// A script says what else should be true of it, in lines of its own:
//
//	---: load             it is stopped while it is loaded, by run and by check
//	---: saved            it is also saved while a game runs, in place of a sound file
//	---: quiet            it may go without a message
//	---: names "regexp"   a message says this, instead of the name of a limit
//	---: never "regexp"   no output matches this
//	---: copies 20        so many files have this text; NAME is a text in each
//	---: ticks 40         so long it runs, instead of 6
//	---: clock            the clock or the heap may cut it, so that it cannot be repeated
//	---: peak 900         it holds at most so many MiB, instead of 1,600
//
// In its text, «@@9{x}@@» stands for nine x.
//
// All of them compute for some minutes, so a plain run takes none of them, and "today" takes
// one part in sixteen, another one each day:
//
//	go test ./tests -run Attacks -attacks all -timeout 0
func TestAttacks(t *testing.T) {
	if *attacksFlag == "none" || runtime.GOOS != "linux" {
		t.Skip("runs with -attacks only, and on systems that limit the memory of a process")
	}
	perigee := buildCLI(t)
	all := readAttacks(t)
	for _, a := range chosenAttacks(t, all) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel() // as many as there are cores: each computes on about one
			o := a.run(t, perigee)
			t.Logf("longest tick %.2f s (%.2f), peak %d MiB, %.1f s in all, %.1f of work, of %.1f a tick", o.stall().Seconds(), o.longest.Seconds(), o.peak>>20, o.took.Seconds(), o.computed.Seconds(), o.mostTick().Seconds())
			a.judge(t, o)
			if a.saved {
				a.save(t, perigee)
			}
		})
	}
}

var attacksFlag = flag.String("attacks", "none", `which attacks: "none", "today" (one part in sixteen), "all", or a regular expression`)

var attacksPatience = flag.Duration("attacks.patience", 5*time.Minute, "after which a process that an attack holds up is stopped")

// attack is a script and what it says of itself.
type attack struct {
	name, text    string
	load, quiet   bool
	saved, clock  bool
	names, never  []*regexp.Regexp
	copies, ticks int
	peak          int64
}

// readAttacks reads the folder.
func readAttacks(t *testing.T) (all []attack) {
	paths, err := filepath.Glob("hostile/attacks/*/*.lua")
	if err != nil || len(paths) < 200 {
		t.Fatalf("%d attacks, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := strings.CutPrefix(strings.TrimSuffix(filepath.ToSlash(path), ".lua"), "hostile/attacks/")
		a := attack{name: name, text: expand(t, string(text)), copies: 1, ticks: 6, peak: 1600 << 20}
		for _, m := range directive.FindAllStringSubmatch(string(text), -1) {
			a.directive(t, m[1], strings.TrimSpace(m[2]))
		}
		all = append(all, a)
	}
	return all
}

var directive = regexp.MustCompile(`(?m)^---: (\w+)(.*)$`)

func (a *attack) directive(t *testing.T, word, rest string) {
	number := func() int {
		n, err := strconv.Atoi(rest)
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		return n
	}
	pattern := func() *regexp.Regexp {
		text, err := strconv.Unquote("`" + strings.Trim(rest, `"`) + "`")
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		return regexp.MustCompile(text)
	}
	switch word {
	case "load":
		a.load = true
	case "saved":
		a.saved = true
	case "quiet":
		a.quiet = true
	case "names":
		a.names = append(a.names, pattern())
	case "never":
		a.never = append(a.never, pattern())
	case "copies":
		a.copies = number()
	case "ticks":
		a.ticks = number()
	case "clock":
		a.clock = true
	case "peak":
		a.peak = int64(number()) << 20
	default:
		t.Fatalf("%s: unknown line ---: %s", a.name, word)
	}
}

// chosenAttacks returns what the flag asks for.
func chosenAttacks(t *testing.T, all []attack) []attack {
	const parts = 16
	day := uint32(time.Now().Unix() / 86400)
	switch *attacksFlag {
	case "all":
		return all
	case "today":
		t.Logf("part %d of %d of %d attacks", day%parts+1, parts, len(all))
		return slices.DeleteFunc(all, func(a attack) bool {
			h := fnv.New32a()
			h.Write([]byte(a.name))
			return h.Sum32()%parts != day%parts
		})
	}
	which, err := regexp.Compile(*attacksFlag)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(a attack) bool { return !which.MatchString(a.name) })
}

// sound is a script that does its work beside an attack, in every tick, and
// fails if the world is not what it should be.
const sound = `
local ecs = require "ecs"
local Mark = ecs.component("SoundNAME", { n = ecs.f64(0) })
local Spark = ecs.tag("SparkNAME")
ecs.on_start(function() ecs.spawn(Mark) end)
ecs.system("sound.NAME.each", { query = { Mark }, each = function(e, m) m.n = m.n + 1 end })
ecs.system("sound.NAME", { phase = "debug", run = function(ctx)
  assert(ecs.count { Spark } == (ctx.tick > 1 and 1 or 0), "the spark of the last tick is gone")
  ecs.despawn_all { Spark }
  ecs.spawn(Spark)
  assert(ecs.get(ecs.find { Mark }, Mark, "n") == ctx.tick, "the mark was not counted")
  assert(#string.format("%5.2f", ctx.time) >= 5 and #table.concat { "a", "b" } == 2)
end })
`

// outcome is what became of a process.
type outcome struct {
	code          int
	signal        string
	stopped       bool   // it was held up for too long
	stdout, text  string // text is what people read
	written       int    // bytes of it, kept or not
	longest, took time.Duration
	busiest       time.Duration // the most that a tick has computed, all threads together
	computed      time.Duration // by all its threads
	peak          int64
	given         int64 // bytes of all pages that it was given, also again
	summary       attackSummary
}

// attackSummary is the part of perigee's summary that is judged.
type attackSummary struct {
	Ticks       uint64
	TickUS      struct{ Max float64 } `json:"tick_us"`
	ProcessorUS float64               `json:"tick_processor_max_us"`

	Unrepeatable int

	Systems []struct {
		Name           string
		Runs, Failures uint64
	}
}

// attackTime is the longest tick, beside what it takes the machine to give the process its memory: on some
// virtual machines a gibibyte takes seconds, whoever asks for it, and the process gives back and asks again.
const attackTime = 4 * time.Second

// mostTick returns how long a tick may take: beside attackTime, what its memory takes. A tick may ask for all that the process
// held at its peak, and it has had its share of all pages that were given.
func (o *outcome) mostTick() time.Duration {
	fresh := float64(o.peak)
	if o.computed > 0 {
		fresh = max(fresh, float64(o.given)*min(1, float64(o.stall())/float64(o.computed)))
	}
	return attackTime + time.Duration(fresh/float64(os.Getpagesize())*float64(testmain.PagePrice()))
}

// stall is how long a tick takes of a machine that has nothing else to do: no longer
// than all threads together have computed in one. What does not compute but waits is
// not excused for ever.
func (o *outcome) stall() time.Duration {
	return max(min(o.longest, o.busiest), o.longest/15)
}

// save saves the script in a game that runs, and lets that go on for a while.
func (a *attack) save(t *testing.T, perigee string) {
	dir := a.folder(t, "return {}")
	saved := make(chan error, 1)
	time.AfterFunc(time.Second, func() {
		saved <- os.WriteFile(filepath.Join(dir, "attack.lua"), []byte(a.text), 0o666)
	})
	all := *a
	all.ticks = 240
	o := execute(t, perigee, "run", dir, "--json", "--hz", "60", "--ticks", fmt.Sprint(all.ticks))
	if err := <-saved; err != nil {
		t.Fatal(err)
	}
	all.alive(t, o)
	if stall := o.stall(); stall > o.mostTick() {
		t.Errorf("saved: the longest tick took %v, on a machine of its own %v", o.longest, stall)
	}
	if o.peak > a.peak {
		t.Errorf("saved: the process held %d MiB of %d", o.peak>>20, a.peak>>20)
	}
	if !strings.Contains(o.text, "reload") {
		t.Logf("the run ended before the verdict over what was saved")
	}
	all.others(t, o)
}

func (a *attack) run(t *testing.T, perigee string) outcome {
	dir := a.folder(t, a.text)
	if a.load {
		o := execute(t, perigee, "check", dir)
		a.alive(t, o)
		if o.peak > a.peak {
			t.Errorf("check held %d MiB of %d", o.peak>>20, a.peak>>20)
		}
	}
	return execute(t, perigee, "run", dir, "--headless", "--json", "--ticks", fmt.Sprint(a.ticks))
}

// folder writes the script, or as many of it as it wants, between sound ones.
func (a *attack) folder(t *testing.T, text string) (dir string) {
	dir = t.TempDir()
	files := map[string]string{"a_sound.lua": strings.ReplaceAll(sound, "NAME", "first"), "z_sound.lua": strings.ReplaceAll(sound, "NAME", "last")}
	for i := range a.copies {
		name := "attack"
		if a.copies > 1 {
			name += fmt.Sprint(i + 1)
		}
		files[name+".lua"] = fmt.Sprintf("local NAME = %q ", name) + text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// execute runs the command with ceilings. Of addresses it gets 8 GB, of which the
// arena reserves 4 GiB, and of computing a minute.
func execute(t *testing.T, perigee string, args ...string) (o outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), *attacksPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 8000000; ulimit -t 60; exec "$@"`, "sh", perigee}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it says then how long its ticks took
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr extract
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	o.took, o.stopped = time.Since(began), ctx.Err() != nil
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Fatal(err)
	}
	o.code, o.stdout, o.text = cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	o.written = stderr.written
	o.computed = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	o.peak, o.given = memoryOf(cmd.ProcessState)
	if o.code < 0 {
		o.signal = cmd.ProcessState.String()
	}
	if args[0] == "run" && o.code == 0 {
		if err := json.Unmarshal(stdout.Bytes(), &o.summary); err != nil {
			t.Fatalf("the summary is %.200q: %v", stdout.String(), err)
		}
		o.longest = time.Duration(o.summary.TickUS.Max * float64(time.Microsecond))
		o.busiest = time.Duration(o.summary.ProcessorUS * float64(time.Microsecond))
	} else {
		o.longest, o.busiest = o.took, o.computed
	}
	return o
}

// extract keeps the first and the last mebibyte that is written to it. Why not
// all? A process that is begun inherits the peak of the one that begins it.
type extract struct {
	bytes.Buffer
	written int
	tail    []byte
}

const extractPart = 1 << 20

func (e *extract) Write(p []byte) (int, error) {
	e.written += len(p)
	n := min(max(extractPart-e.Len(), 0), len(p))
	e.Buffer.Write(p[:n])
	if e.tail = append(e.tail, p[n:]...); len(e.tail) > 2*extractPart {
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-extractPart:]...)
	}
	return len(p), nil
}

func (e *extract) String() string { return e.Buffer.String() + string(e.tail) }

// alive demands that the process ended by itself, and as it should.
func (a *attack) alive(t *testing.T, o outcome) {
	t.Helper()
	most := 0
	if a.load {
		most = 1
	}
	if o.stopped {
		t.Fatalf("the process was held up for %v, computed for %v\n%s", o.took, o.computed, headAndTail(o.text))
	}
	if o.signal != "" || o.code > most || strings.Contains(o.text, "fatal error:") || strings.Contains(o.text, "goroutine 1 [") {
		t.Fatalf("the process ended with code %d %s after %v\n%s", o.code, o.signal, o.took, headAndTail(o.text))
	}
}

func headAndTail(s string) string {
	if len(s) > 3000 {
		s = s[:1500] + "\n…\n" + s[len(s)-1500:]
	}
	return s
}

// cutByClock finds messages of the limit that is for faults of the host.
var cutByClock = regexp.MustCompile(`.*attack.*\(Limits\.Time\).*`)

// cutByHeld finds messages of limits for what scripts hold, which is looked at when the
// heap has grown.
var cutByHeld = regexp.MustCompile(`Limits\.Held`)

var namesLimit = regexp.MustCompile(`attack\d*\.lua.*Limits\.\w+`)

// judge demands what the test promises.
func (a *attack) judge(t *testing.T, o outcome) {
	a.alive(t, o)
	if stall := o.stall(); stall > o.mostTick() {
		t.Errorf("the longest tick took %v, on a machine of its own %v", o.longest, stall)
	}
	if o.peak > a.peak {
		t.Errorf("the process held %d MiB of %d", o.peak>>20, a.peak>>20)
	}
	wanted := a.names
	if len(wanted) == 0 && !a.quiet {
		wanted = []*regexp.Regexp{namesLimit}
	}
	for _, name := range wanted {
		if !name.MatchString(o.text) {
			t.Errorf("no message says %v in:\n%s", name, headAndTail(o.text))
		}
	}
	found, held := cutByClock.FindString(o.text), cutByHeld.MatchString(o.text)
	if found != "" && o.stall() <= o.mostTick() { // the machine was busy with something else
		found, held = "", true
	}
	if (found != "" || o.summary.Unrepeatable != 0 && !held) && !a.load && !a.clock {
		t.Errorf("%d calls were cut by the clock or what is held, which is not the same on every machine: %.300s", o.summary.Unrepeatable, found)
	}
	for _, never := range a.never {
		if found := never.FindString(o.text); found != "" {
			t.Errorf("the output has %q", found)
		}
	}
	if o.written > 8<<20 {
		t.Errorf("%d bytes of output", o.written)
	}
	if o.code == 0 {
		a.others(t, o)
	}
}

// others demands that the sound scripts did their work.
func (a *attack) others(t *testing.T, o outcome) {
	found := 0
	for _, s := range o.summary.Systems {
		if !strings.HasPrefix(s.Name, "sound.") {
			continue
		}
		found++
		if s.Runs != o.summary.Ticks || s.Failures != 0 {
			t.Errorf("%s: %d runs, %d failures in %d ticks\n%s", s.Name, s.Runs, s.Failures, o.summary.Ticks, soundFault.FindString(o.text))
		}
	}
	if found != 4 || o.summary.Ticks != uint64(a.ticks) {
		t.Errorf("%d sound systems, %d ticks of %d in %v", found, o.summary.Ticks, a.ticks, o.took)
	}
}

var soundFault = regexp.MustCompile(`.*_sound\.lua.*`)
