package twin

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// The component types under test: each storage, and sizes that make its
// arithmetic work: no bytes, one byte, and so many that few rows fill a chunk.
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
	label  struct{ Text string }
	team   struct {
		Captain ecs.Entity
		Names   []string
	}
	perch struct{ X, Y int32 }
	tint  struct{ V uint16 }
	moor  struct{}
	mood  struct{ V int8 } // of another world
)

// bulkKind is the number of the kind with the longest values.
const bulkKind = 6

// kind is a component type under test. Values are made from numbers and
// recognised by them, so that the model can be a map of numbers.
type kind struct {
	id     ecs.ComponentID
	size   uintptr
	pooled bool
	heap   bool // values are copied by type only
	// defined is the name of a type defined at run time; form is the index of its layout
	// now.
	defined string
	form    int
	value   func(n int) ecs.Value
	// holds reports whether the value at p is the one made from n.
	holds   func(p unsafe.Pointer, n int) bool
	write   func(p unsafe.Pointer, n int)
	tracked bool
	key     func(p unsafe.Pointer) any // the value itself; nil: its bytes are
	// get is holds for the typed accessor; ok says whether e has the component.
	get func(e ecs.Entity, n int) (same, ok bool)

	// Of some kinds whose numbers can be read back: see read.
	test   func(q *ecs.Query) // adds the test that the number is not divisible by three
	sorted func(q *ecs.Query, sign int) iter.Seq[*ecs.Chunk]
	sort   func(sign int) error
}

// at returns the i-th value of a column that begins at p.
func (k *kind) at(p unsafe.Pointer, i int) unsafe.Pointer { return unsafe.Add(p, uintptr(i)*k.size) }

// kinds registers the types without rules.
func kinds(w *ecs.World) []kind {
	return []kind{
		typed(w, func(n int) position { return position{float64(n), -float64(n)} }, equal, ecs.Tracked),
		typed(w, func(n int) hue { return hue{uint8(n)} }, equal, ecs.Tracked),
		typed(w, func(int) frozen { return frozen{} }, equal, ecs.Tracked),
		typed(w, func(n int) wide { return wide{[60]int64{0: int64(n), 59: int64(-n)}} }, equal),
		typed(w, func(n int) heat { return heat{float32(n) / 2, int16(n)} }, equal, ecs.Sparse, ecs.Tracked),
		typed(w, func(int) marked { return marked{} }, equal, ecs.Sparse, ecs.Tracked),
		typed(w, func(n int) bulk { return bulk{[500]int64{0: int64(n), 499: int64(-n)}} }, equal, ecs.Sparse),
		typed(w, func(n int) label { return label{strconv.Itoa(n)} }, equal),
		typed(w, newTeam, sameTeam),
		defined(w, "Health", false),
		defined(w, "Mana", true),
		typed(w, func(n int) perch { return perch{int32(n), 1} }, equal, ecs.Stored(func() ecs.Storage[perch] { return NewBlocks[perch]() })),
	}
}

// finish adds the numbers and sizes that the world gave the kinds.
func finish(w *ecs.World, all []kind) []kind {
	pools := []int{4, 5, 6, 10, 11, 12}
	for i := range all {
		k := &all[i]
		read(w, k, i)
		k.size = w.Raw().Schema(k.id).Size
		k.heap = w.Raw().OnHeap(k.id)
		k.pooled = k.heap || slices.Contains(pools, i)
	}
	return all
}

// read gives kinds 0, 4 and 7 the functions that need their numbers.
func read(w *ecs.World, k *kind, i int) {
	switch i {
	case 0:
		readable(k, ecs.Register[position](w), func(p *position) int { return int(p.X) })
	case 4:
		readable(k, ecs.Register[heat](w), func(h *heat) int { return int(h.N) })
	case 7:
		readable(k, ecs.Register[label](w), func(l *label) int {
			n, _ := strconv.Atoi(l.Text) // a removed or default label counts as 0
			return n
		})
	}
}

func readable[C any](k *kind, c ecs.Component[C], number func(*C) int) {
	compare := func(sign int) func(a, b *C) int {
		return func(a, b *C) int { return sign * cmp.Compare(number(a), number(b)) }
	}
	k.test = func(q *ecs.Query) { ecs.Where(q, c, func(v *C) bool { return number(v)%3 != 0 }) }
	k.sorted = func(q *ecs.Query, sign int) iter.Seq[*ecs.Chunk] { return ecs.Sorted(q, c, compare(sign)) }
	k.sort = func(sign int) error { return c.Sort(compare(sign)) }
}

func equal[C comparable](a, b C) bool { return a == b }

func newTeam(n int) team {
	return team{ecs.Entity(n), []string{strconv.Itoa(n), strconv.Itoa(n + 1)}}
}

func sameTeam(a, b team) bool { return a.Captain == b.Captain && slices.Equal(a.Names, b.Names) }

// typed registers a Go type.
func typed[C any](w *ecs.World, of func(int) C, same func(a, b C) bool, options ...ecs.ComponentOption) kind {
	c := ecs.Register[C](w, options...)
	return kind{
		id:      c.ID(),
		tracked: slices.Contains(options, ecs.ComponentOption(ecs.Tracked)),
		key:     func(p unsafe.Pointer) any { return *(*C)(p) },
		value:   func(n int) ecs.Value { return c.With(of(n)) },
		holds:   func(p unsafe.Pointer, n int) bool { return same(*(*C)(p), of(n)) },
		write:   func(p unsafe.Pointer, n int) { *(*C)(p) = of(n) },
		get: func(e ecs.Entity, n int) (bool, bool) {
			v, ok := c.Get(e)
			p := c.Peek(e)
			agree := (p != nil) == (ok && !w.Raw().Pooled(c.ID())) && (p == nil || same(*p, v))
			return agree && same(v, of(n)), ok
		},
	}
}
