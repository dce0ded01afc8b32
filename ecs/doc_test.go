package ecs_test

import (
	"os"
	"strings"
	"testing"
)

// TestTheDocShowsTheExample: the code at the head of the package doc is that of Example,
// which the compiler and its output judge.
func TestTheDocShowsTheExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(doc), "// There are six nouns.")
	_, rest, _ := strings.Cut(string(example), "func Example() {")
	shown := 0
	for line := range strings.Lines(head) {
		code, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			continue
		}
		shown++
		at := strings.Index(rest, "\t"+code)
		if at < 0 {
			t.Fatalf("the doc shows %q, which Example does not have there", code)
		}
		rest = rest[at:]
	}
	if shown == 0 {
		t.Error("the doc shows no code")
	}
}
