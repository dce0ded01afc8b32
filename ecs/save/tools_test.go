package save_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestOtherToolsReadTables: the npm package apache-arrow reads all tables of a save, and finds in them
// what is in the world. It needs node, and a folder in which "npm install apache-arrow" was run.
func TestOtherToolsReadTables(t *testing.T) {
	folder := os.Getenv("PERIGEE_APACHE_ARROW")
	if folder == "" {
		t.Skip("PERIGEE_APACHE_ARROW names no folder with the npm package apache-arrow")
	}
	s := declare(t, 3).fill(t, 20)
	text := s.text(t, save.Options{})
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	dir := t.TempDir()
	var files []string
	for _, p := range z.File {
		if !strings.HasSuffix(p.Name, ".arrow") {
			continue
		}
		r, err := p.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		path := filepath.Join(dir, strings.ReplaceAll(p.Name, "/", "_"))
		must(t, os.WriteFile(path, data, 0o666))
		files = append(files, path)
	}
	out, err := exec.Command("node", append([]string{filepath.Join("testdata", "read.mjs"), folder}, files...)...).Output()
	must(t, err)
	positions, souls, names := 0, 0, 0
	for line := range strings.Lines(string(out)) {
		var row struct {
			Entity   string
			Position *struct{ X, Y float32 }
			Soul     *struct {
				Alive bool
				Marks []bool
				Mood  int
				At    []struct{ Col, Row int }
			}
			Name string
		}
		must(t, json.Unmarshal([]byte(line), &row))
		if row.Position != nil {
			if positions++; row.Position.Y != -1 {
				t.Errorf("%s", line)
			}
		}
		if n := row.Soul; n != nil {
			i := int(row.Position.X)
			if souls++; n.Alive != (i%4 == 0) || fmt.Sprint(n.Marks) != fmt.Sprint([]bool{true, i%3 == 0, false}) || n.At[0].Col != i || n.At[1].Row != -4 {
				t.Errorf("%s", line)
			}
		}
		if row.Name != "" {
			names++
		}
	}
	if positions != 19 || souls != 10 || names != 7 {
		t.Errorf("%d positions, %d souls, %d names", positions, souls, names)
	}
}
