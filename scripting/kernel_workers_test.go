package scripting_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// laborious is a program that takes so long that its rows are surely shared out.
const laborious = "function(e, a, b, ctx) local v = a.f for i = 1, 9 do v = math.sin(v) * 10 + i end b.f = v end\n"

// crew plays a script over many rows with so many workers and returns what it
// leaves, and whether others have helped.
func crew(t *testing.T, text string, seed uint64, workers int) (left string, helped bool) {
	t.Helper()
	w := arrangeWith(t, seed, 1500, workers)
	defer w.Close()
	before := runtime.NumGoroutine()
	var lines []string
	h, err := scripting.New(w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{LogLines: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.ChooseVectors(int(seed % 3 * (1 + seed%5)))
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}, "lib.lua": {Data: []byte(helping)}}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for range 4 {
		lines = append(lines, split(h.Step(0.016))...)
		lines = append(lines, fmt.Sprintf("%016x, %d alive", checksum(w), w.Len()))
		helped = helped || runtime.NumGoroutine() > before
	}
	return dump(w) + strings.Join(lines, "\n"), helped
}

// TestRandomKernelsOfSeveralWorkers runs random programs with one worker and with
// three: memory, errors, what was changed and what is written back to the script
// are the same.
func TestRandomKernelsOfSeveralWorkers(t *testing.T) {
	const batch = 10
	shared, total := 0, 0
	for seed := *kernelSeed; total < *wildPrograms/6; seed++ {
		in := []setting{indoors, abroad}[seed%2]
		r := rand.New(rand.NewPCG(seed, 9))
		text := in.opening + in.system("a", "require", laborious)
		for i := range batch {
			text += in.system(fmt.Sprintf("s%02d", i), "auto", generate(r, in.dialect))
		}
		total += batch
		one, _ := crew(t, text, seed, 1)
		several, helped := crew(t, text, seed, 3)
		if one != several {
			t.Fatalf("seed %d: %s\n%s", seed, firstDifference(one, several), text)
		}
		if helped {
			shared++
		}
	}
	t.Logf("%d programs from seed %d, %d of %d worlds shared out", total, *kernelSeed, shared, total/batch)
	if shared == 0 {
		t.Error("no rows were shared out")
	}
}
