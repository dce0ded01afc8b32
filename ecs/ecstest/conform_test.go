package ecstest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// The components of the cases.
type (
	position struct{ X, Y float64 }
	hue      struct{ V uint8 }
	frozen   struct{}
	wide     struct{ V [60]int64 }
	heat     struct {
		Left float32
		N    int16
	}
	marked struct{}
	bulk   struct{ V [500]int64 }
	team   struct {
		Captain ecs.Entity
		Names   []string
	}
)

func equal[C comparable](a, b C) bool { return a == b }

func newTeam(n int) team {
	return team{ecs.Entity(n), []string{strconv.Itoa(n), strconv.Itoa(n + 1)}}
}

func sameTeam(a, b team) bool { return a.Captain == b.Captain && slices.Equal(a.Names, b.Names) }

// TestStorages runs the cases over every storage that a world has by itself: archetype
// columns, pools in the arena and pools on the heap, each with small values, with values so
// large that chunks hold few, and, where there are such, of no bytes.
func TestStorages(t *testing.T) {
	for name, options := range map[string]ecs.Options{
		"defaults": {MaxBytes: 32 << 20}, "slots reused at once": {MaxBytes: 32 << 20, ReuseAfter: -1},
	} {
		t.Run(name, func(t *testing.T) { ofTheWorld(t, options) })
	}
}

func ofTheWorld(t *testing.T, options ecs.Options) {
	t.Run("column", func(t *testing.T) {
		suite(t, options, func(n int) position { return position{float64(n), 1} }, equal)
	})
	t.Run("wide column", func(t *testing.T) {
		suite(t, options, func(n int) wide { return wide{[60]int64{59: int64(n)}} }, equal)
	})
	t.Run("byte column", func(t *testing.T) {
		suite(t, options, func(n int) hue { return hue{uint8(n)} }, equal)
	})
	t.Run("arena pool", func(t *testing.T) {
		suite(t, options, func(n int) heat { return heat{float32(n), int16(n)} }, equal, ecs.Sparse)
	})
	t.Run("wide arena pool", func(t *testing.T) {
		suite(t, options, func(n int) bulk { return bulk{[500]int64{499: int64(n)}} }, equal, ecs.Sparse)
	})
	t.Run("heap pool", func(t *testing.T) { suite(t, options, newTeam, sameTeam) })
	t.Run("tag column", func(t *testing.T) { suite(t, options, func(int) frozen { return frozen{} }, equal) })
	t.Run("tag pool", func(t *testing.T) { suite(t, options, func(int) marked { return marked{} }, equal, ecs.Sparse) })
}

func TestAStorageOfOnesOwn(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		Conform(t, blocks[position], func(n int) position { return position{float64(n), 1} }, equal)
	})
	t.Run("values with pointers", func(t *testing.T) { Conform(t, blocks[team], newTeam, sameTeam) })
	t.Run("tags", func(t *testing.T) { Conform(t, blocks[marked], func(int) marked { return marked{} }, equal) })
}

// blocks is a storage of the program's own.
func blocks[C any]() ecs.Storage[C] { return twin.NewBlocks[C]() }

// wrong is a storage with one fault.
type wrong struct {
	*twin.Blocks[position]
	fault string
}

func (w *wrong) Len() int {
	if w.fault == "forgets to count" && w.Blocks.Len() > 0 {
		return w.Blocks.Len() - 1
	}
	return w.Blocks.Len()
}

func (w *wrong) At(i int) ecs.Entity {
	if w.fault == "lists one twice" && i > 0 {
		return w.Blocks.At(i - 1)
	}
	return w.Blocks.At(i)
}

func (w *wrong) Find(e ecs.Entity) *position {
	switch {
	case w.fault == "finds anybody" && w.Blocks.Len() > 0:
		return w.Blocks.Find(w.Blocks.At(0))
	case w.fault == "loses the third" && w.Blocks.Len() > 2 && e == w.Blocks.At(2):
		return nil
	}
	return w.Blocks.Find(e)
}

func (w *wrong) Put(e ecs.Entity, v position) {
	if w.fault == "keeps the first value" && w.Blocks.Find(e) != nil {
		return
	}
	w.Blocks.Put(e, v)
}

func (w *wrong) Remove(e ecs.Entity) {
	if w.fault != "removes nothing" {
		w.Blocks.Remove(e)
	}
}

// TestTheSuiteFindsWrongStorages: one that would let them pass would be none.
func TestTheSuiteFindsWrongStorages(t *testing.T) {
	of := func(n int) position { return position{float64(n), 1} }
	for _, fault := range []string{
		"forgets to count", "lists one twice", "finds anybody", "loses the third", "keeps the first value", "removes nothing",
	} {
		s := &wrong{twin.NewBlocks[position](), fault}
		if exercise[position](s, of, equal) == "" {
			t.Errorf("a storage that %s passes", fault)
		}
	}
	if err := exercise(twin.NewBlocks[position](), of, equal); err != "" {
		t.Errorf("a storage without fault: %s", err)
	}
}

// TestTheWorldFindsWrongStorages: what their faults do to a world, Check reports;
// the debugging build does not wait for it.
func TestTheWorldFindsWrongStorages(t *testing.T) {
	for _, fault := range []string{"forgets to count", "lists one twice", "finds anybody", "loses the third", "removes nothing"} {
		w := ecs.NewWorld()
		c := ecs.Register[position](w, ecs.Stored(func() ecs.Storage[position] {
			return &wrong{twin.NewBlocks[position](), fault}
		}))
		if lived(w, c) == nil {
			t.Errorf("a storage that %s goes unnoticed", fault)
		}
		w.Close()
	}
}

// lived has entities come and go in a world and returns what is wrong with it then,
// or what stopped them.
func lived(w *ecs.World, c ecs.Component[position]) (wrong error) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Errorf("%v", r)
		}
	}()
	var es []ecs.Entity
	for i := range 4 {
		es = append(es, w.Spawn(c.With(position{float64(i), 0})))
	}
	w.Despawn(es[0])
	w.Spawn()
	return w.Check()
}
