package soak

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// soakWorlds is how many worlds TestSoakOfRuns fills, unless PERIGEE_SOAK says otherwise.
const soakWorlds = 60

// TestSoakOfRuns makes random operations on runs of rows in small worlds, drawn with
// their limits: rows are so long that some dozens fill a chunk, and worlds are full after
// some hundred entities. So the ends of chunks and of worlds are met all the time: room
// for one row more than there is, chunks that change hands whole and come before one that
// is not full, runs of which the first handles are new and the others reused.
//
// PERIGEE_SEED repeats a run, and PERIGEE_SOAK=1000 fills so many worlds.
func TestSoakOfRuns(t *testing.T) {
	worlds, seed := fromEnv(t, "PERIGEE_SOAK", soakWorlds), uint64(fromEnv(t, "PERIGEE_SEED", 20260405))
	t.Logf("%d worlds, PERIGEE_SEED=%d", worlds, seed)
	random := rand.New(rand.NewPCG(seed, 3))
	for i := range worlds {
		h := newRuns(t, random)
		for op := range 60 {
			h.do(t)
			if err := h.world.Check(); err != nil {
				t.Fatalf("world %d: after operation %d: %v", i, op, err)
			}
			h.compare(t)
		}
		h.world.Close()
	}
}

// runs is a history of one world. Its model is a map: an entity has one of eight sets of
// components, a bit for each, and a number that its row begins and ends with.
type runs struct {
	world   *ecs.World
	random  *rand.Rand
	limit   int // of entities
	row     ecs.Component[longRow]
	red     ecs.Component[red]
	blue    ecs.Component[blue]
	queries [8]*ecs.Query // each yields the entities of one set
	model   map[ecs.Entity]held
}

type (
	longRow struct{ V [500]int64 }
	red     struct{}
	blue    struct{}
	held    struct {
		set    int
		number int64
	}
)

func newRuns(t *testing.T, random *rand.Rand) *runs {
	h := &runs{random: random, limit: 100 + random.IntN(1400), model: map[ecs.Entity]held{}}
	w, err := ecs.Open(ecs.Options{MaxBytes: 64 << 20, MaxEntities: h.limit, ReuseAfter: random.IntN(2000) - 1})
	if err != nil {
		t.Fatal(err)
	}
	h.world, h.row, h.red, h.blue = w, ecs.Register[longRow](w), ecs.Register[red](w), ecs.Register[blue](w)
	for set := range h.queries {
		var terms []ecs.Term
		for _, id := range h.of(set) {
			terms = append(terms, ecs.Read(id))
		}
		h.queries[set] = w.Query(terms...).Exact()
	}
	return h
}

// of returns the components of a set.
func (h *runs) of(set int) (ids []ecs.ComponentRef) {
	for i, id := range [3]ecs.ComponentRef{h.row, h.red, h.blue} {
		if set&(1<<i) != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// values returns the values of a set.
func (h *runs) values(set int, number int64) (values []ecs.Value) {
	for i, value := range [3]ecs.Value{h.row.With(rowOf(number)), h.red.With(red{}), h.blue.With(blue{})} {
		if set&(1<<i) != 0 {
			values = append(values, value)
		}
	}
	return values
}

func rowOf(number int64) longRow { return longRow{[500]int64{0: number, 499: -number}} }

// do makes one operation, three times out of four on sets that have rows.
func (h *runs) do(t *testing.T) {
	t.Helper()
	set, number := h.random.IntN(8)|min(h.random.IntN(4), 1), h.random.Int64N(1000)
	switch op := h.random.IntN(10); {
	case op < 3:
		h.spawn(t, set, h.amount(set), number)
	case op < 4:
		h.spawnIntoRoom(t, set, h.amount(set), number)
	case op < 7:
		h.exchange(t, set, h.random.IntN(8), h.random.IntN(8), number)
	case op < 8:
		h.despawnSome(t, 1+h.random.IntN(8))
	case op < 9:
		h.despawnAll(t, set)
	default:
		h.world.Raw().Compact()
	}
}

// amount draws how many entities come: some, as many as the world still takes, or one
// more than the chunks of the set have room for.
func (h *runs) amount(set int) int {
	left := h.limit - len(h.model)
	n := h.random.IntN(300)
	switch h.random.IntN(3) {
	case 0:
		n = left
	case 1:
		for _, a := range h.world.Stats().Archetypes {
			if len(a.Components) == len(h.of(set)) && h.queries[set].Count() == a.Entities {
				n = a.Capacity - a.Entities + 1
			}
		}
	}
	return min(n, left)
}

// spawn makes n entities at once.
func (h *runs) spawn(t *testing.T, set, n int, number int64) {
	t.Helper()
	keep := func(c *ecs.Chunk) {
		for _, e := range c.Entities() {
			h.model[e] = held{set, number}
		}
	}
	if err := h.world.SpawnMany(n, keep, h.values(set, number)...); err != nil {
		t.Fatalf("%d of set %d: %v", n, set, err)
	}
}

// spawnIntoRoom makes room for n entities and then the entities, one by one or at once:
// that must take no memory any more.
func (h *runs) spawnIntoRoom(t *testing.T, set, n int, number int64) {
	t.Helper()
	if err := h.world.Grow(n, h.of(set)...); err != nil {
		t.Fatal(err)
	}
	before := h.world.Stats().ArenaBytes
	if h.random.IntN(2) == 0 {
		h.spawn(t, set, n, number)
	} else {
		values := h.values(set, number)
		for range n {
			h.model[h.world.Spawn(values...)] = held{set, number}
		}
	}
	if after := h.world.Stats().ArenaBytes; after != before {
		t.Fatalf("%d entities of set %d took %d bytes after Grow had made room for them", n, set, after-before)
	}
}

// exchange takes some components from all entities of a set and gives them others.
func (h *runs) exchange(t *testing.T, set, less, more int, number int64) {
	t.Helper()
	n, err := h.world.ExchangeAll(h.queries[set], h.of(less), h.values(more, number)...)
	if err != nil {
		t.Fatal(err)
	}
	for e, was := range h.model {
		if was.set == set {
			n--
			is := held{set&^less | more, was.number}
			if more&1 != 0 {
				is.number = number
			}
			h.model[e] = is
		}
	}
	if n != 0 {
		t.Fatalf("the world counts %d entities more of set %d than the model", n, set)
	}
}

// despawnSome ends one of so many entities, drawn in the order of their slots.
func (h *runs) despawnSome(t *testing.T, of int) {
	t.Helper()
	for _, e := range slices.Collect(h.world.Entities()) {
		if h.random.IntN(of) != 0 {
			continue
		}
		if err := h.world.Despawn(e); err != nil {
			t.Fatal(err)
		}
		delete(h.model, e)
	}
}

func (h *runs) despawnAll(t *testing.T, set int) {
	t.Helper()
	if _, err := h.world.DespawnAll(h.queries[set]); err != nil {
		t.Fatal(err)
	}
	for e, was := range h.model {
		if was.set == set {
			delete(h.model, e)
		}
	}
}

// compare looks at each entity in its query and by its handle.
func (h *runs) compare(t *testing.T) {
	t.Helper()
	seen := 0
	for set, q := range h.queries {
		for c := range q.Chunks() {
			rows := h.row.Of(c)
			for i, e := range c.Entities() {
				is, alive := h.model[e]
				if seen++; !alive || is.set != set {
					t.Fatalf("%v is of set %d, the model says %v, %v", e, set, is, alive)
				}
				if set&1 != 0 && (rows[i] != rowOf(is.number) || h.row.Peek(e) != &rows[i]) {
					t.Fatalf("%v has another number than %d, or its handle leads to another row", e, is.number)
				}
			}
		}
	}
	if seen != len(h.model) || h.world.Len() != seen {
		t.Fatalf("queries yield %d entities, %d are alive, the model has %d", seen, h.world.Len(), len(h.model))
	}
}
