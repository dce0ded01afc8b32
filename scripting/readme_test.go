package scripting_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced    = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	linked    = regexp.MustCompile(`\]\(([^)]+)\)`)
	heading   = regexp.MustCompile(`(?m)^##+ (.*)$`)
	inFolders = []string{"example*_test.go", "saves/example_test.go", "inspect/example_test.go", "../examples/*/*.go", "../examples/*/*.lua"}
)

// TestHandbookQuotesPrograms: each piece of Go and Lua in the handbook for hosts is in an Example
// or in a program of examples, which tests run.
func TestHandbookQuotesPrograms(t *testing.T) {
	text := readText(t, "README.md")
	programs := programTexts(t)
	seen := 0
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		if block[1] != "go" && block[1] != "lua" {
			continue
		}
		if seen++; !strings.Contains(programs, block[2]) {
			t.Errorf("no program has this:\n%s", block[2])
		}
	}
	if seen < 25 {
		t.Errorf("only %d pieces were seen", seen)
	}
}

// TestHandbookLeadsSomewhere: links lead to files and headings that there are, and the list at the
// beginning has all headings.
func TestHandbookLeadsSomewhere(t *testing.T) {
	text := fenced.ReplaceAllString(readText(t, "README.md"), "") // an index of Go looks like a link
	anchors := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		anchors["#"+strings.ReplaceAll(strings.ToLower(h[1]), " ", "-")] = true
	}
	seen := 0
	for _, link := range linked.FindAllStringSubmatch(text, -1) {
		file, part, _ := strings.Cut(link[1], "#")
		switch seen++; {
		case strings.HasPrefix(file, "https://"):
		case file == "" && !anchors["#"+part]:
			t.Errorf("there is no heading %q", part)
		case file != "":
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
	for a := range anchors {
		if !strings.Contains(text, "("+a+")") {
			t.Errorf("the list at the beginning does not lead to %s", a)
		}
	}
	if seen < 20 {
		t.Errorf("only %d links were seen", seen)
	}
}

func programTexts(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range inFolders {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			all.WriteString(readText(t, file))
		}
	}
	return all.String()
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
