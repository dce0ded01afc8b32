// Package examples_test holds what is true of all examples.
package examples_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// block matches a fenced block: its language, then its text.
var block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// asserted are the languages whose blocks must be found in a file. Such a file
// is compiled, loaded or compared by the test of its own folder.
var asserted = map[string]bool{"go": true, "lua": true, "text": true}

func TestReadmesQuoteTheirFiles(t *testing.T) {
	readmes, err := fs.Glob(os.DirFS("."), "*/README.md")
	if err != nil || len(readmes) == 0 {
		t.Fatalf("no examples found: %v", err)
	}
	for _, readme := range readmes {
		t.Run(path.Dir(readme), func(t *testing.T) {
			quotes(t, readme, path.Dir(readme))
		})
	}
}

// The README of the repository shows code of the examples.
func TestTopReadmeQuotesTheExamples(t *testing.T) { quotes(t, "../README.md", ".") }

// quotes demands that each asserted block of a README is in a file of a folder.
func quotes(t *testing.T, readme, dir string) {
	t.Helper()
	files := readFolder(t, dir)
	for _, match := range block.FindAllStringSubmatch(read(t, readme), -1) {
		if asserted[match[1]] && !strings.Contains(files, match[2]) {
			t.Errorf("%s: no file of %q contains this:\n%s", readme, dir, match[2])
		}
	}
}

// TestEveryHostSurvivesAFault: a loop like that of the examples must not end at a mistake in a
// script. Each example with scripts tries it with one that fails in tick 3.
func TestEveryHostSurvivesAFault(t *testing.T) {
	scripts, err := fs.Glob(os.DirFS("."), "*/*.lua")
	if err != nil || len(scripts) < 8 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		if test := read(t, path.Join(path.Dir(script), "main_test.go")); !strings.Contains(test, "hosttest.Survives(t, scripts, run)") {
			t.Errorf("%s does not try what a fault does to its host", path.Dir(script))
		}
	}
}

// readFolder returns all files of a folder but its READMEs.
func readFolder(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS("."), dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Base(name) != "README.md" {
			all.WriteString(read(t, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
