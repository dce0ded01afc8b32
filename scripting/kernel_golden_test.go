package scripting_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting"
)

// instructions lists the scripts of which the instructions are kept, too: those of
// the others would say nothing new.
var instructions = []string{"counter", "optional", "handle", "lookups", "splits", "command", "list"}

// address is a number in instructions that says where the world keeps something.
var address = regexp.MustCompile(`\b\d{5,}\b`)

// TestKernelFiles compares what becomes of small systems with the files beside
// them: one script for each thing that a kernel can do, its form after all passes,
// and for some the instructions. go test -update writes them.
func TestKernelFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/kernels/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(file, ".lua")
		r := newGame(t, scripting.Limits{})
		ecs.Register[Frame](r.world)
		r.folder["system.lua"] = &fstest.MapFile{Data: text}
		if err := r.host.Load(r.folder); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		reports, err := r.host.Explain("system.lua", filepath.Base(base))
		if err != nil || len(reports) != 1 || !reports[0].Compiled {
			t.Errorf("%s: %v, %v", file, reports, err)
			continue
		}
		passes := reports[0].Passes
		golden.Expect(t, base+".ir", passes[len(passes)-1].Text)
		// The race detector's build has a world whose memory has another size: instructions
		// of look-ups hold addresses against it.
		if slices.Contains(instructions, filepath.Base(base)) && !raceEnabled {
			golden.Expect(t, base+".wat", address.ReplaceAllString(reports[0].Text, "…"))
		}
	}
}
