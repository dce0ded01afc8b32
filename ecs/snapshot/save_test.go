package snapshot_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// saved writes a snapshot, and opens what was written.
func saved(t testing.TB, s *snapshot.Snapshot) (*save.File, []byte) {
	t.Helper()
	var b bytes.Buffer
	must(t, save.Write(&b, s, save.Options{}))
	f, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	must(t, f.Verify())
	return f, b.Bytes()
}

// TestASavedWorldGoesOnAsIfItHadNeverStopped: what is saved and loaded into another world goes on as
// one that never stopped. A snapshot has one text, whoever writes it, whenever.
func TestASavedWorldGoesOnAsIfItHadNeverStopped(t *testing.T) {
	for _, workers := range []int{1, 4} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%d workers, seed %d", workers, seed), func(t *testing.T) {
				const before, after = 40, 30
				options := ecs.Options{Seed: seed, Workers: workers, ReuseAfter: 4}
				straight := newGame(t, options)
				straight.play(t, before)
				straight.trace = nil
				straight.play(t, after)

				g := newGame(t, options)
				g.play(t, before)
				s, err := snapshot.Capture(g.World)
				must(t, err)
				f, text := saved(t, s)
				if _, again := saved(t, s); !bytes.Equal(text, again) {
					t.Error("written again it is another one")
				}

				options.Tag, options.Seed = f.Tag(), 12345
				must(t, g.Close())
				other := newGame(t, options)
				other.inputs = 77
				other.play(t, int(seed)*5)
				other.inputs = 1
				report, err := f.Load(other.World, save.LoadOptions{})
				must(t, err)
				if len(report.Changes) > 0 {
					t.Errorf("changes: %s", report)
				}
				must(t, other.Check())
				other.trace = nil
				other.play(t, after)
				same(t, "loaded", other.trace, straight.trace)
			})
		}
	}
}
