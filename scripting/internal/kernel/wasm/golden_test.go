package wasm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
)

// TestInstructions compares the instructions of small kernels, written by hand in the
// intermediate form, with the files beside them, and what they leave with what the
// machine says. Each file is about one thing.
func TestInstructions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	b := newBench(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := kerneltest.Read(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		f.Memory = (&kerneltest.World{}).Map()
		p, err := kernel.Assemble(f, 0)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		golden.Expect(t, strings.TrimSuffix(file, ".ir")+".wat", p.Text())
		for n := range uint64(20) {
			b.compare(f, p, n)
		}
	}
}
