package game

import (
	"bytes"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripts"
)

// recorded plays a folder, with saves of its files in the middle, and returns its recording and its
// checksum.
func recorded(t testing.TB, folder fs.FS, ticks int) ([]byte, uint64) {
	t.Helper()
	files, names := fstest.MapFS{}, []string(nil)
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		files[name], names = &fstest.MapFile{Data: text}, append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	g := toRecord(t, Options{Seed: 3})
	if err := g.Load(files); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	r, err := g.Record(&file, nil, 60)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for tick := range ticks {
		if tick%50 == 30 {
			name := names[random.IntN(len(names))]
			files[name] = &fstest.MapFile{Data: append(bytes.Clone(files[name].Data), "\n"...)}
			g.host.Stage([]string{name}, nil)
		}
		g.tick(t.Context(), 1.0/60)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), g.world.Checksum()
}

func toRecord(t testing.TB, o Options) *Game {
	t.Helper()
	o.Tag, o.Log, o.OnError = 9, slog.New(slog.NewTextHandler(io.Discard, nil)), func(*scripting.Error) {}
	o.OnKernel, o.Limits = func(scripting.KernelStatus) {}, scripting.Limits{Time: -1}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestStockGamesAreReplayed: the demo and what a new project begins with, with reloads in the middle, are run
// again from their recordings, by other numbers of workers, with kernels and without.
func TestStockGamesAreReplayed(t *testing.T) {
	for name, folder := range map[string]fs.FS{"demo": scripts.Demo(), "starter": scripts.Starter()} {
		t.Run(name, func(t *testing.T) {
			data, sum := recorded(t, folder, 200)
			r, err := record.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil || r.Damage() != nil {
				t.Fatal(err, r.Damage())
			}
			for _, o := range []Options{{Seed: 3}, {Seed: 3, Workers: 4, NoKernels: true}} {
				g := toRecord(t, o)
				p, err := g.Replay(r, 0, nil)
				if err != nil {
					t.Fatal(err)
				}
				if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil {
					t.Fatal(d, err)
				}
				if got := g.world.Checksum(); got != sum || p.Tick() != 200 {
					t.Errorf("checksum %x, want %x, in tick %d", got, sum, p.Tick())
				}
			}
		})
	}
}

// BenchmarkRecordedTicksOfTheDemo measures a tick of the demo with its full population, and with it what a
// recorder takes for it. Compare the two.
func BenchmarkRecordedTicksOfTheDemo(b *testing.B) {
	for name, to := range map[string]io.Writer{"plain": nil, "recorded": &counter{}} {
		b.Run(name, func(b *testing.B) {
			g := toRecord(b, Options{Seed: 1})
			if err := g.Load(scripts.Demo()); err != nil {
				b.Fatal(err)
			}
			if to != nil {
				if _, err := g.Record(to, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
			for range 600 {
				g.tick(b.Context(), 1.0/60)
			}
			for b.Loop() {
				g.tick(b.Context(), 1.0/60)
			}
			if c, is := to.(*counter); is {
				b.ReportMetric(float64(c.bytes)/float64(c.writes), "bytes/tick")
			}
		})
	}
}

// counter counts what is written.
type counter struct{ bytes, writes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes, c.writes = c.bytes+len(p), c.writes+1
	return len(p), nil
}
