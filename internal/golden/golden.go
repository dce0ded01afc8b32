// Package golden compares what a test has made with a file of expected text, which
// stands in testdata beside the input and is small enough to be read in a review.
//
// There is one noun, the golden file. go test -update writes the files of a package anew;
// the change is then to be read before it is committed.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected files in testdata anew")

// Expect holds that a file has this text, or with -update writes the text into the file.
func Expect(t *testing.T, file, got string) {
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
		t.Errorf("%s is out of date (go test -update), first at:\n%s", file, Difference(string(want), got))
	}
}

// Difference shows the first line in which two texts differ. If the texts have cases,
// which begin with a line ---, it names the case.
func Difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	name := ""
	for i := range min(len(a), len(b)) {
		if strings.HasPrefix(b[i], "---") {
			name = b[i] + "\n"
		}
		if a[i] != b[i] {
			return fmt.Sprintf("%sline %d: %s\n    want %s", name, i+1, b[i], a[i])
		}
	}
	return fmt.Sprintf("%s%d lines, want %d", name, len(b), len(a))
}
