package game

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/hotreload"
)

// TestAssetsStayInTheFolder: a link to a file beside the folder is refused, at the line that names it, by a game that runs and by one that is
// checked; a link within the folder is followed.
func TestAssetsStayInTheFolder(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "game")
	var picture bytes.Buffer
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 3))))
	must(os.MkdirAll(filepath.Join(dir, "art"), 0o755))
	must(os.WriteFile(filepath.Join(above, "secret.png"), picture.Bytes(), 0o644))
	must(os.WriteFile(filepath.Join(dir, "art", "own.png"), picture.Bytes(), 0o644))
	if err := os.Symlink(filepath.Join(above, "secret.png"), filepath.Join(dir, "art", "out.png")); err != nil {
		t.Skipf("this system makes no symbolic links here: %v", err)
	}
	must(os.Symlink("../../secret.png", filepath.Join(dir, "art", "up.png")))
	must(os.Symlink("own.png", filepath.Join(dir, "art", "in.png")))
	must(os.Symlink("nowhere.png", filepath.Join(dir, "art", "loose.png")))
	for name, want := range map[string]string{
		"own": "", "in": "", "out": "it is a link that leads out of the folder of the game: put the file itself into the folder", "up": "it is a link that leads out of the folder",
		"loose": "there is no file", "gone": "there is no file",
	} {
		must(os.WriteFile(filepath.Join(dir, "main.lua"), []byte("local ecs = require \"ecs\"\nlocal id = ecs.asset(\"art/"+name+".png\")\n"), 0o644))
		for way, open := range map[string]func(*Game) error{
			"follow": func(g *Game) error { return g.Follow(dir, true) },
			"load":   func(g *Game) error { return g.Load(hotreload.Folder(dir, hotreload.Options{})) },
		} {
			g, err := New(Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
			must(err)
			switch err := open(g); {
			case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "main.lua:2:")):
				t.Errorf("%s, %s: %v", way, name, err)
			}
			must(g.Close())
		}
	}
}
