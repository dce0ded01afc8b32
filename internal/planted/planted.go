// Package planted judges judges: it builds packages with one mistake at a time and
// demands that tests notice each.
//
// There is one noun, the Fault. Faults are planted in an overlay, which leaves the tree
// as it is. Building takes seconds for each, so tests plant them on request; Stand is
// cheap and runs always, as a fault whose text has changed would judge nothing.
package planted

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Fault is a mistake that a hand could make: a piece of a file, which stands there
// once, and what stands there instead. File is a path below the module's root, with
// slashes.
type Fault struct{ Says, File, Old, New string }

// Stand demands that the file of each fault exists and has the fault's piece once.
func Stand(t *testing.T, faults []Fault) {
	for _, f := range faults {
		t.Run(f.Says, func(t *testing.T) { f.read(t) })
	}
}

// Find plants one fault after the other and runs go test with the arguments in the
// test's own folder: a test must fail, or the process must end in a panic. A build that
// fails has judged nothing, nor has a random test that was kept from what it must reach. The first test that
// fails is enough, and vet would find no fault of these.
func Find(t *testing.T, faults []Fault, args ...string) {
	dir := t.TempDir()
	for _, f := range faults {
		t.Run(f.Says, func(t *testing.T) {
			args := append([]string{"test", "-count=1", "-failfast", "-vet=off", "-overlay", f.plant(t, dir)}, args...)
			text, err := exec.Command("go", args...).CombinedOutput()
			out := string(text)
			switch {
			case err == nil:
				t.Fatal("it was not found")
			case strings.Contains(out, "[build failed]"), strings.Contains(out, "not reached"), firstOf(out, "--- FAIL: ", "panic: ", "fatal error: ", "SIG") == "":
				t.Fatalf("it was not judged:\n%s", out)
			}
			t.Log(firstOf(out, ": after ", "panic: ", ".go:"))
		})
	}
}

// firstOf returns the first line that contains the first text, or the next one if no
// line has it. A line that names the seed of a run says nothing of the fault.
func firstOf(out string, texts ...string) string {
	for _, text := range texts {
		for line := range strings.Lines(out) {
			if strings.Contains(line, text) && !strings.Contains(line, "PERIGEE_SEED") {
				return strings.TrimSpace(line[:min(len(line), 200)])
			}
		}
	}
	return ""
}

// read returns the path and the text of the fault's file.
func (f *Fault) read(t *testing.T) (path, text string) {
	path = filepath.Join(root(t), filepath.FromSlash(f.File))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), f.Old); n != 1 {
		t.Fatalf("%s has %q %d times", f.File, f.Old, n)
	}
	return path, string(content)
}

// plant writes the file with the fault and returns an overlay that puts it in its place.
func (f *Fault) plant(t *testing.T, dir string) (overlay string) {
	path, text := f.read(t)
	faulty := filepath.Join(dir, "faulty.go")
	places, err := json.Marshal(map[string]any{"Replace": map[string]string{path: faulty}})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	for name, content := range map[string]string{faulty: strings.Replace(text, f.Old, f.New, 1), overlay: string(places)} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}

// root returns the folder of the module that the test's folder is in.
func root(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		} else if dir == filepath.Dir(dir) {
			t.Fatal("the test runs outside of a module")
		}
	}
}
