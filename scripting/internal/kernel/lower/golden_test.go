package lower_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
)

var update = flag.Bool("update", false, "write the expected files anew")

// TestRules compares what each rule of this stage makes of a few lines with the file
// beside them. Each file of testdata is about one subject; a line that begins with ---
// names a case and the body of a function follows, over a Unit u and a Gear o that
// rows may lack. The answer is the kernel, or the reason why there is none with the
// line of the body; lines that begin with | repeat the text.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range kerneltest.Cases(string(text)) {
			fmt.Fprintf(&b, "--- %s\n| %s\n%s\n", c.Name, strings.ReplaceAll(c.Body, "\n", "\n| "), outcome(t, c))
		}
		expect(t, strings.TrimSuffix(file, ".lua")+".ir", b.String())
	}
}

// outcome says what becomes of a function.
func outcome(t *testing.T, c kerneltest.Case) string {
	s, err := kerneltest.Parse(c.Body)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	f, err := s.Lower(strings.HasSuffix(c.Name, "(f32)"))
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	if err := ir.Check(f); err != nil {
		t.Errorf("%s: %v\n%s", c.Name, err, f)
	}
	b := f.String()
	for _, left := range f.Fallbacks {
		b += fmt.Sprintf("fallback at line %d: %s\n", left.Line-1, left.Why)
	}
	return b
}

// expect holds that a file has this text, or gives it to it.
func expect(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is out of date (go test -update), first at:\n%s", file, difference(string(want), got))
	}
}

// difference shows the first line in which two texts differ, with the case that it is in.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	name := ""
	for i := range min(len(a), len(b)) {
		if strings.HasPrefix(b[i], "---") {
			name = b[i]
		}
		if a[i] != b[i] {
			return fmt.Sprintf("%s\nline %d: %s\n    want %s", name, i+1, b[i], a[i])
		}
	}
	return fmt.Sprintf("%s\n%d lines, want %d", name, len(b), len(a))
}
