package soak

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// soakCrowds is how many operations TestSoakOfCrowds makes, unless PERIGEE_SOAK
// says otherwise.
const soakCrowds = 300

// TestSoakOfCrowds makes histories in worlds of thousands: hundreds of
// archetypes, some of them of several long chunks, pools of several pages, slots
// that are used again once 1,024 wait. In each class of populations all kinds of
// operations come in turn, shuffled. What an operation touches is compared after
// it, with some others; all that is held, every invariant included, now and then.
//
// The test fails when a kind of operation was not tried in one of the classes, or
// a state of the storage was not met; it prints what was reached. A long run, with
// up to 200,000 entities:
//
//	PERIGEE_SOAK=20000 go test -count=1 -run SoakOfCrowds -timeout 0 -v ./tests/soak
//
// PERIGEE_SEED repeats a run.
func TestSoakOfCrowds(t *testing.T) {
	n, seed := fromEnv(t, "PERIGEE_SOAK", soakCrowds), uint64(fromEnv(t, "PERIGEE_SEED", 20260402))
	t.Logf("%d operations, PERIGEE_SEED=%d", n, seed)
	long := n >= 10_000
	limits := [][2]int{{1_100, 6_000}, {11_000, 18_000}, {50_500, 60_000}}
	if long {
		limits = [][2]int{{1_100, 9_000}, {11_000, 45_000}, {50_500, 200_000}}
	}
	h := newCrowds(t, seed, ecs.Options{MaxBytes: 2 << 30})
	defer h.twin.Close()
	for h.done < n {
		for _, l := range limits {
			h.low, h.high = l[0], l[1]
			h.play(t)
		}
		h.compareAll(t)
	}
	t.Logf("%d operations\n%s", h.done, h.reach)
	for _, missing := range h.reach.Missing(1, long) {
		t.Errorf("not reached: %s", missing)
	}
}

// TestSoakOfFullWorlds makes all kinds of operations in worlds that have as many
// entities as they may: slots are used again though few wait, and what is refused
// leaves no trace.
func TestSoakOfFullWorlds(t *testing.T) {
	seed := uint64(fromEnv(t, "PERIGEE_SEED", 20260404))
	t.Logf("PERIGEE_SEED=%d", seed)
	h := newCrowds(t, seed, ecs.Options{MaxBytes: 256 << 20, MaxEntities: 3000})
	defer h.twin.Close()
	h.low, h.high = 2000, 4000
	for range 3 {
		h.play(t)
		h.compareAll(t)
	}
}

// crowds is a history of one world whose population comes and goes.
type crowds struct {
	twin      *twin.Twin
	reach     *twin.Reach
	random    *rand.Rand
	low, high int // how many are to live
	done      int
	popular   [][3]byte // sets of components that many have
}

func newCrowds(t *testing.T, seed uint64, options ecs.Options) *crowds {
	h := &crowds{random: rand.New(rand.NewPCG(seed, 1))}
	h.twin = twin.New(t, options)
	h.reach = twin.NewReach(h.twin)
	for range 6 {
		h.popular = append(h.popular, [3]byte{byte(h.random.Uint32()) & 0x3f, byte(h.random.Uint32()) &^ 0x40, byte(h.random.Uint32())})
	}
	return h
}

// play brings the population into its class and makes each kind of operation
// there, keeping it.
func (h *crowds) play(t *testing.T) {
	h.twin.Crowd(h.high)
	h.do(t, twin.Op{Kind: twin.Reset})
	for n := range byte(8) { // a chunk that grows as its rows come
		h.do(t, twin.Op{Kind: twin.SpawnRun, A: n + 1, C: 9})
	}
	h.calm(t)
	deck := h.random.Perm(int(twin.KindCount))
	for _, k := range deck {
		h.settle(t)
		op := h.op(twin.Kind(k))
		switch op.Kind { // those that happen
		case twin.Reset:
			op.A &^= 15
		case twin.Migrate:
			op.A, op.C = op.A&^3, op.C&^3
		}
		h.do(t, op)
		if h.done%500 == 0 {
			h.compareAll(t)
		}
	}
}

// settle spawns or despawns until as many live as there should be.
func (h *crowds) settle(t *testing.T) {
	for tries := 1; h.twin.World.Len() < h.low; tries++ {
		op := h.op(twin.SpawnRun)
		if tries%8 == 0 { // what the rules refuse fills nothing
			op.B, op.C, op.D = 0, 1, 1
		}
		h.do(t, op)
	}
}

// calm spawns, changes and ends thousands while nobody observes and no relation
// holds anybody: whole columns and whole archetypes go then.
func (h *crowds) calm(t *testing.T) {
	quiet := twin.Op{Kind: twin.Quiet}
	observed := h.twin.Observed()
	if observed {
		h.do(t, quiet)
	}
	for _, op := range []twin.Op{ // short rows in long chunks, a second column for all, and a tag
		{Kind: twin.SpawnRun, A: 200, C: 1, D: 1}, {Kind: twin.SpawnRun, A: 90, C: 3, D: 3},
		{Kind: twin.ExchangeAll, A: 1, C: 2}, {Kind: twin.SpawnRun, A: 100, C: 1}, {Kind: twin.ExchangeAll, A: 1, D: 6},
	} {
		h.do(t, op)
	}
	for range 3 {
		many := h.op(twin.SpawnRun)
		many.A |= 0x80
		h.do(t, many)
		h.do(t, twin.Op{Kind: twin.SpawnRun, A: many.D | 0x40, C: 0xB9}) // with pools
		for range 2 {
			change := h.op(twin.ExchangeAll)
			change.D -= change.D % 3
			h.do(t, change)
		}
		end := h.op(twin.DespawnAll)
		end.B = 0
		h.do(t, end)
	}
	if observed {
		h.do(t, quiet)
	}
}

// op draws an operation; in two of three cases it is about a popular set of
// components.
func (h *crowds) op(k twin.Kind) twin.Op {
	b := h.random.Uint64()
	op := twin.Op{Kind: k, A: byte(b), B: byte(b >> 8), C: byte(b >> 16), D: byte(b >> 24)}
	if b>>32%3 != 0 {
		p := h.popular[b>>40%uint64(len(h.popular))]
		op.B, op.C, op.D = p[0], p[1], p[2]
	}
	return op
}

func (h *crowds) do(t *testing.T, op twin.Op) {
	t.Helper()
	h.reach.Begin()
	h.twin.Do(t, op)
	h.reach.End(op)
	h.done++
	if err := h.twin.CompareSome(h.random, 20); err != nil {
		t.Fatalf("after operation %d, %v: %v", h.done, op, err)
	}
}

func (h *crowds) compareAll(t *testing.T) {
	t.Helper()
	if err := h.twin.Compare(); err != nil {
		t.Fatalf("after operation %d: %v", h.done, err)
	}
}
