package soak

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// soakOps is how many operations the soak makes unless PERIGEE_SOAK says
// otherwise: enough to see that it works. Ten million take minutes, so they are
// made on request:
//
//	PERIGEE_SOAK=10000000 go test -count=1 -run Soak$ -timeout 0 -v ./tests/soak
const soakOps = 20_000

// TestSoak makes one long history of random operations in one world. Answers are
// compared with the slow model in each operation, everything that is held, and
// every invariant, once in a thousand. What the process and the arena hold must
// not grow: the most of the second half is near the most of the first.
//
// PERIGEE_SEED repeats a run.
func TestSoak(t *testing.T) {
	n, seed := fromEnv(t, "PERIGEE_SOAK", soakOps), uint64(fromEnv(t, "PERIGEE_SEED", 20260401))
	t.Logf("%d operations, PERIGEE_SEED=%d", n, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	tw := twin.New(t, ecs.Options{MaxBytes: 64 << 20, ReuseAfter: -1})
	defer tw.Close()
	m := meter{world: tw.World, every: max(n/40, 1000)}
	for i := range n {
		tw.Do(t, twin.Op{
			Kind: twin.Kind(random.IntN(int(twin.KindCount))),
			A:    uint8(random.Uint32()), B: uint8(random.Uint32()), C: uint8(random.Uint32()), D: uint8(random.Uint32()),
		})
		if i%1000 == 999 {
			if err := tw.Compare(); err != nil {
				t.Fatalf("after operation %d: %v", i, err)
			}
		}
		m.look(t, i, n)
	}
	m.judge(t)
}

// meter watches the memory of a run.
type meter struct {
	world       *ecs.World
	every       int
	heap, arena [2]int // the most of each half
}

// look measures now and then, after a collection.
func (m *meter) look(t *testing.T, i, n int) {
	if i%m.every != m.every-1 {
		return
	}
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	used := m.world.Stats().ArenaBytes
	half := min(2*i/n, 1)
	m.heap[half], m.arena[half] = max(m.heap[half], int(s.HeapAlloc)), max(m.arena[half], used)
	t.Logf("%d operations: %d KiB on the heap, %d KiB in the arena, %d entities", i+1, s.HeapAlloc>>10, used>>10, m.world.Len())
}

// judge allows a quarter more, and as much as a few more archetypes and tables
// take.
func (m *meter) judge(t *testing.T) {
	for name, most := range map[string][2]int{"heap": m.heap, "arena": m.arena} {
		if most[1] > most[0]+most[0]/4+1<<20 {
			t.Errorf("the %s grew from %d to %d bytes", name, most[0], most[1])
		}
	}
}

// fromEnv reads a number from the environment.
func fromEnv(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a number of operations", name, text)
	}
	return n
}
