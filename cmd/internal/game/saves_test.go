package game

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripts"
)

// TestDemoGoesOnFromASave: the demo that is saved, and loaded in another game, is after as many ticks
// the demo that never stopped: with kernels, without, and with several workers. So is one that begins with a save
// that it has made on its own.
func TestDemoGoesOnFromASave(t *testing.T) {
	const before, after = 45, 45
	for _, o := range []Options{{Seed: 7}, {Seed: 7, NoKernels: true}, {Seed: 8, Workers: 4}} {
		t.Run(fmt.Sprintf("seed %d, no kernels %v, workers %d", o.Seed, o.NoKernels, o.Workers), func(t *testing.T) {
			o.Log = slog.New(slog.DiscardHandler)
			dir := t.TempDir()
			g := demo(t, o)
			must(t, g.Keep(filepath.Join(dir, "slots"), 0.2, false))
			run(g, before)
			path := filepath.Join(dir, "one.save")
			must(t, g.SaveTo(path))
			run(g, after)
			want := g.world.Checksum()
			must(t, g.Close())
			for _, path := range []string{path, filepath.Join(dir, "slots", "auto.save")} {
				f, err := save.OpenFile(path)
				must(t, err)
				o.Tag = f.Tag()
				other := demo(t, o)
				report, err := other.Against(f)
				must(t, err)
				loaded, err := other.Restore(f)
				must(t, err)
				if len(loaded.Changes)+len(loaded.Changed)+len(loaded.Notes)+len(report.Changes) > 0 {
					t.Errorf("%s: %+v", path, loaded)
				}
				n, _ := f.Tick()
				if n < before+after {
					run(other, int(before+after-n))
				}
				if other.world.Checksum() != want {
					t.Errorf("%s: another checksum after %d ticks more", path, before+after-n)
				}
				must(t, f.Close())
				must(t, other.Close())
			}
		})
	}
}

// demo makes the demo.
func demo(t *testing.T, o Options) *Game {
	t.Helper()
	g, err := New(o)
	must(t, err)
	t.Cleanup(func() { _ = g.Close() })
	must(t, g.Load(scripts.Demo()))
	return g
}

// run makes some ticks.
func run(g *Game, n int) {
	g.Run(context.Background(), Pace{Hz: 60, Ticks: uint64(n), Free: true}, func() {})
}

// TestSavesThatFail: a folder in the way leaves the game running, and the error says why.
func TestSavesThatFail(t *testing.T) {
	dir := t.TempDir()
	g := demo(t, Options{Log: slog.New(slog.DiscardHandler)})
	must(t, os.Mkdir(filepath.Join(dir, "taken"), 0o777))
	if err := g.SaveTo(filepath.Join(dir, "taken")); err == nil {
		t.Error("a save has taken the place of a folder")
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	if err := g.Keep(filepath.Join(dir, "file", "slots"), 1, false); err == nil {
		t.Error("a file became a folder")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
