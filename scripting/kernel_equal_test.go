package scripting_test

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

var (
	kernelPrograms = flag.Int("kernel.programs", 2000/oneOf, "random kernels to run on both paths")
	kernelSeed     = flag.Uint64("kernel.seed", 1, "first seed of the random kernels")
	kernelShrink   = flag.Bool("kernel.shrink", true, "make programs that fail smaller before they are printed")
)

// Alpha and Beta have a field of every kind that kernels take.
type Alpha struct {
	F   float64
	I64 int64
	G   float32
	I16 int16
	I8  int8
	U8  uint8
	B   bool
}

type Beta struct {
	B    bool
	F, H float64
	U64  uint64
	G    float32
	I32  int32
	U32  uint32
	U16  uint16
}

// Gamma and Delta have fields of one kind side by side, as points have.
type Gamma struct{ X, Y float32 }

type Delta struct{ X, Y, Z float64 }

// Friend has entities: of every row some other, itself or nobody.
type Friend struct{ Mate, Home ecs.Entity }

// opening is the top of every script here.
const opening = `
local ecs = require "ecs"
local Alpha, Beta = ecs.native("Alpha"), ecs.native("Beta")
local speed, edge, on, off = 2.5, 100, true, false
local floor, root, highest = math.floor, math.sqrt, math.max
`

// setting is what random programs run in.
type setting struct {
	opening string
	system  func(name, mode, each string) string
	dialect *dialect
}

var rowsSetting = setting{dialect: rowsDialect, opening: opening, system: system}

// system wraps an each function.
func system(name, mode, each string) string {
	return fmt.Sprintf("ecs.system %q { query = { Alpha, Beta }, kernel = %q,\n  each = %s}\n", name, mode, each)
}

// knownWrong follows a value in a random program that may be one that a call does not take,
// and known without a run. Host.Check may report such a line, and no other.
const knownWrong = " --[[may be known to be wrong]]"

// outcome is what a script has left.
type outcome struct {
	memory   string
	errors   []string
	compiled int
	safe     int
	reasons  []string
	sums     []uint64        // of the world after each system
	refused  error           // why the script could not be loaded
	rows     []string        // of each kernel, how its rows go together
	whole    map[string]bool // the systems that are compiled with nothing left to Lua
}

// play runs a script for some ticks. The error is that of loading it.
func play(t testing.TB, text string, seed uint64, rows, ticks int) (outcome, error) {
	t.Helper()
	return playWith(t, text, seed, rows, ticks, 0)
}

// playWith is play with a choice among the plans of kernels.
func playWith(t testing.TB, text string, seed uint64, rows, ticks, vectors int) (outcome, error) {
	t.Helper()
	return playOn(t, text, seed, rows, ticks, func(h *scripting.Host) { h.ChooseVectors(vectors) })
}

// playOn is play on a host that prepare has set up before it loads.
func playOn(t testing.TB, text string, seed uint64, rows, ticks int, prepare func(*scripting.Host)) (outcome, error) {
	t.Helper()
	w := arrange(t, seed, rows)
	defer w.Close()
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{Instructions: mostInstructions(seed), LogLines: -1},
	})
	prepare(h)
	if err := h.Load(folderOf(text)); err != nil {
		return outcome{}, err
	}
	problems, err := h.Check()
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(text, "\n")
	reported := map[string]string{} // what is certain to fail, by the line
	for _, e := range problems {
		if strings.Contains(e.Message, "which it never is") {
			continue // a comparison that is always false fails nowhere
		}
		if e.Script != "k.lua" || e.Line < 1 || !strings.Contains(texts[e.Line-1], knownWrong) && !wrongValue.MatchString(e.Message) {
			t.Fatal(e.Detail())
		}
		reported[fmt.Sprintf("k.lua:%d:", e.Line)] = e.Message
	}
	o := outcome{rows: h.KernelRows()}
	systems := strings.Count(text, "ecs.system \"s")
	refresh(t, w, seed, systems, func(sum uint64) { o.sums = append(o.sums, sum) })
	o.whole = map[string]bool{}
	for _, k := range h.Kernels() {
		o.whole[k.System] = k.Compiled && k.Reason == ""
		if k.Compiled {
			o.compiled++
		} else {
			o.reasons = append(o.reasons, k.Reason)
		}
		if k.Safe {
			o.safe++
		}
	}
	for range ticks {
		o.errors = append(o.errors, split(h.StepAll(0.016))...)
	}
	for line, said := range reported {
		for _, e := range o.errors {
			if strings.HasPrefix(e, line) && wrongValue.MatchString(said) && wrongValue.MatchString(e) && !strings.Contains(e, said) {
				t.Fatalf("Check says %s, the row %s", said, e)
			}
		}
	}
	if signals(seed) {
		hush(w)
	}
	o.memory = dump(w) + fmt.Sprintf("checksum %x, %d alive\n%s", w.Checksum(), w.Len(), strings.Join(lines, "\n"))
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return o, nil
}

// wrongValue is how errors of values begin that a field cannot hold: random programs assign
// such on purpose.
var wrongValue = regexp.MustCompile(`field "\w+" of "\w+": (number out of range|expected)|unknown field "none"|^a batch has no|b\.\w+ cannot be assigned`)

// mostInstructions is the limit of a call: for some seeds so low that many programs
// come near it.
func mostInstructions(seed uint64) int64 {
	if seed%8 == 5 {
		return 20_000
	}
	return 1_000_000
}

// cut reports whether a limit of instructions has ended a run.
func (o *outcome) cut() bool { return strings.Contains(strings.Join(o.errors, ""), "ran too long") }

// counts holds that a kernel is never cut where the VM would not have been.
func counts(vm, kernel outcome) (difference string) {
	if kernel.cut() && !vm.cut() {
		return "cut as a kernel only: " + strings.Join(kernel.errors, "\n")
	}
	return ""
}

// split gives each of joined errors in full.
func split(err error) []string {
	var list []string
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = append(list, split(e)...)
		}
		return list
	}
	var e *scripting.Error
	if errors.As(err, &e) {
		return []string{e.Detail()}
	}
	return nil
}

// firstDifference names the first line in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("lua    %s\nkernel %s", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// differentSums says after which of several systems two worlds differed first.
func differentSums(a, b outcome) string {
	for i := range min(len(a.sums), len(b.sums)) {
		if a.sums[i] != b.sums[i] {
			return fmt.Sprintf("first behind run %d of a system\n", i)
		}
	}
	return ""
}

// compare runs programs on both paths. A text that cannot be loaded makes no
// difference.
func compare(t testing.TB, programs []string, seed uint64) (kernel outcome, difference string) {
	t.Helper()
	return rowsSetting.compare(t, programs, seed)
}

func (in setting) compare(t testing.TB, programs []string, seed uint64) (kernel outcome, difference string) {
	t.Helper()
	const rows, ticks = 45, 2
	text := func(mode string) string {
		all := in.opening
		for i, p := range programs {
			all += in.system(fmt.Sprintf("s%02d", i), mode, p)
		}
		return all
	}
	vm, err := play(t, text("off"), seed, rows, ticks)
	if err != nil {
		return outcome{refused: err}, ""
	}
	// Every other time by some plan for vectors, whatever it costs.
	if kernel, err = playWith(t, text("auto"), seed, rows, ticks, int(seed%2*(1+seed%5))); err != nil {
		return kernel, err.Error()
	}
	if difference := counts(vm, kernel); difference != "" || vm.cut() {
		return kernel, difference // a kernel goes on where the VM was cut
	}
	vmErrors := strings.ReplaceAll(strings.Join(vm.errors, "\n"), `"off"`, `"auto"`)
	switch {
	case !slices.Equal(vm.sums, kernel.sums):
		return kernel, differentSums(vm, kernel) + firstDifference(vm.memory, kernel.memory)
	case vm.memory != kernel.memory:
		return kernel, firstDifference(vm.memory, kernel.memory)
	case vmErrors != strings.Join(kernel.errors, "\n"):
		return kernel, fmt.Sprintf("lua:\n%s\nkernel:\n%s", vmErrors, strings.Join(kernel.errors, "\n"))
	}
	return kernel, ""
}

// TestKernelsEqualLua runs random functions on the VM and as kernels,
// over worlds full of numbers that break things. Memory must be equal to the
// bit, and so must the errors be, word for word.
func TestKernelsEqualLua(t *testing.T) {
	sideBySide(t)
	rowsSetting.random(t, *kernelPrograms)
}

// random runs so many programs.
func (in setting) random(t *testing.T, programs int) {
	const batch = 20 // programs in one script: opening a host costs more than they do
	compiled, safe, failed, total := 0, 0, 0, 0
	reasons := map[string]int{}
	for seed := *kernelSeed; total < programs; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		texts := make([]string, batch)
		for i := range texts {
			texts[i] = generate(r, in.dialect)
		}
		o, difference := in.compare(t, texts, seed)
		if o.refused != nil {
			t.Fatalf("seed %d: %v\n%s", seed, o.refused, strings.Join(texts, "\n"))
		}
		total += batch
		compiled += o.compiled
		safe += o.safe
		failed += len(o.errors)
		for _, why := range o.reasons {
			if engineSays(why) {
				t.Errorf("seed %d: %s\n%s", seed, why, in.refused(t, texts, seed))
			}
			reasons[why]++
		}
		if difference == "" {
			continue
		}
		for _, p := range texts { // find the one
			if !*kernelShrink {
				break
			}
			if _, alone := in.compare(t, []string{p}, seed); alone != "" {
				p = shrink(p, func(p string) bool { _, d := in.compare(t, []string{p}, seed); return d != "" })
				_, alone = in.compare(t, []string{p}, seed)
				t.Fatalf("seed %d\n%s\n%s", seed, alone, p)
			}
		}
		t.Fatalf("seed %d: together\n%s", seed, difference)
	}
	t.Logf("%d programs from seed %d: %d compiled, %d of them safe, %d errors equal; not compiled: %v",
		total, *kernelSeed, compiled, safe, failed, reasons)
	if compiled < total*9/10 {
		t.Errorf("only %d of %d programs were compiled", compiled, total)
	}
}

// engineSays reports whether the engine has refused what lowering made, which is a fault
// of ours. What lowering itself refuses is told in other words.
func engineSays(why string) bool { return !strings.HasSuffix(why, "is not available in kernels") }

// refused returns the first of the programs that the engine refuses, made smaller.
func (in setting) refused(t *testing.T, texts []string, seed uint64) string {
	fails := func(p string) bool {
		o, _ := in.compare(t, []string{p}, seed)
		return slices.ContainsFunc(o.reasons, engineSays)
	}
	for _, p := range texts {
		if *kernelShrink && fails(p) {
			return shrink(p, fails)
		}
	}
	return strings.Join(texts, "\n")
}

// shrink leaves out lines as long as the rest fails.
func shrink(text string, fails func(string) bool) string {
	if !*kernelShrink {
		return text
	}
	lines := strings.Split(text, "\n")
	for n := len(lines) / 2; n > 0; {
		smaller := false
		for i := 0; i+n <= len(lines); i++ {
			rest := slices.Concat(lines[:i], lines[i+n:])
			if fails(strings.Join(rest, "\n")) {
				lines, smaller = rest, true
			}
		}
		if !smaller {
			n--
		}
	}
	return strings.Join(lines, "\n")
}
