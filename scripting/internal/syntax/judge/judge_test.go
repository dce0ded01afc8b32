package judge

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every script of the repository, and every text between back quotes in its tests, is
// the same program as before.
func TestSameScripts(t *testing.T) {
	files, texts, compiled := 0, 0, 0
	quoted := regexp.MustCompile("(?s)`[^`]+`")
	check := func(name string, text []byte) {
		ok, err := Same(text)
		if err != nil {
			t.Errorf("%s: %v\n%.300s", name, err, text)
		}
		if texts++; ok {
			compiled++
		}
	}
	err := filepath.WalkDir("../../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		script, test := strings.HasSuffix(path, ".lua"), strings.HasSuffix(path, ".go")
		txtar := strings.HasSuffix(path, ".txtar") || strings.HasSuffix(path, ".txt") || strings.HasSuffix(path, ".md")
		if !script && !test && !txtar {
			return nil
		}
		text, err := os.ReadFile(path)
		files++
		switch {
		case script:
			check(path, text)
		case test:
			for _, part := range quoted.FindAll(text, -1) {
				check(path, bytes.Trim(part, "`"))
			}
		case txtar:
			for _, part := range regexp.MustCompile("(?m)^(?:-- .* --|```.*)\n").Split(string(text), -1) {
				check(path, []byte(part))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d texts, %d of them programs", files, texts, compiled)
}
