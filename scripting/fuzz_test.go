package scripting_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// FuzzHost gives any text to a whole host with small limits, lets it run, and
// replaces it by something sound. Nothing may panic, hang or break the world, and
// a refused text must leave nothing behind. Seeds are the conformance scripts
// and the demo's.
func FuzzHost(f *testing.F) {
	for _, pattern := range []string{"../tests/lua/*.lua", "../scripts/demo/*.lua", "testdata/errors/*.lua"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ecs.Open(ecs.Options{MaxEntities: 2000, MaxBytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		h := fuzzHost(t, w)
		defer h.Close()
		folder := fstest.MapFS{"a.lua": newFile(string(text)), "lib.lua": newFile("return {}")}
		if err := h.Load(folder); err != nil {
			if len(h.Modules()) > 0 || len(w.Schedule().Names()) > 0 {
				t.Fatal("a refused text left something behind")
			}
		}
		for range 3 {
			_ = h.Step(0.5) // any error is the script's
		}
		folder["a.lua"] = newFile(`require("ecs").system "sound" { run = function() end }`)
		h.Stage([]string{"a.lua"}, nil)
		_ = h.Step(0.5)
		if names := w.Schedule().Names(); len(names) != 1 || names[0] != "sound" {
			t.Fatalf("systems %q after the reload", names)
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func fuzzHost(t *testing.T, w *ecs.World) *scripting.Host {
	t.Helper()
	position := ecs.Register[Position](w)
	ecs.Register[Velocity](w)
	ecs.Register[Mixed](w)
	ecs.Register[Label](w)
	ecs.Register[Extra](w, ecs.Sparse)
	ecs.Provide(w, &Rules{})
	w.Spawn(position.With(Position{1, 2}))
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Limits: scripting.Limits{Instructions: 20_000, Bytes: 4 << 20, Commands: 5000, Spawned: 1000, Time: 5 * time.Second},
	})
	return h
}
