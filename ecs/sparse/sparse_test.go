package sparse

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// keys are drawn from a few that share pages, and from many. Why not from all? To compare
// takes a look at each place in the list of pages; TestHostileKeys has the largest.
var keys = rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32Range(perPage-3, perPage+3), rapid.Uint32Range(0, 1<<22))

// model is a set as a map, and the keys in their order.
type model struct {
	values map[uint32]int
	order  []uint32
}

// put, remove and the like do what the docs say, slowly.
func (m *model) put(key uint32, v int) (added bool) {
	_, had := m.values[key]
	if m.values[key] = v; !had {
		m.order = append(m.order, key)
	}
	return !had
}

func (m *model) remove(key uint32) bool {
	row := slices.Index(m.order, key)
	if row < 0 {
		return false
	}
	delete(m.values, key)
	end := len(m.order) - 1
	m.order[row] = m.order[end]
	m.order = m.order[:end]
	return true
}

// TestSetAgainstAMap draws operations and compares a set with the model after each.
func TestSetAgainstAMap(t *testing.T) { rapid.Check(t, compare) }

// FuzzSet is TestSetAgainstAMap for the fuzzer.
func FuzzSet(f *testing.F) { f.Fuzz(rapid.MakeFuzz(compare)) }

func compare(t *rapid.T) {
	var s Set[uint32, int]
	m := model{values: map[uint32]int{}}
	t.Repeat(map[string]func(*rapid.T){
		"put": func(t *rapid.T) {
			key, v := keys.Draw(t, "key"), rapid.IntRange(0, 9).Draw(t, "value")
			if got, want := s.Put(key, v), m.put(key, v); got != want {
				t.Fatalf("Put(%d) is %v", key, got)
			}
		},
		"remove": func(t *rapid.T) {
			key := keys.Draw(t, "key")
			if got, want := s.Remove(key), m.remove(key); got != want {
				t.Fatalf("Remove(%d) is %v", key, got)
			}
		},
		"write": func(t *rapid.T) {
			key := keys.Draw(t, "key")
			if p := s.At(key); p != nil {
				*p++
				m.values[key]++
			}
		},
		"swap": func(t *rapid.T) {
			if n := s.Len(); n > 0 {
				i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
				s.Swap(i, j)
				m.order[i], m.order[j] = m.order[j], m.order[i]
			}
		},
		"sort": func(t *rapid.T) {
			s.Sort(func(a, b *int) int { return cmp.Compare(*a, *b) })
			slices.SortStableFunc(m.order, func(a, b uint32) int { return cmp.Compare(m.values[a], m.values[b]) })
		},
		"sort keys": func(t *rapid.T) { s.SortKeys(); slices.Sort(m.order) },
		"remove some in a loop": func(t *rapid.T) {
			seen := map[uint32]int{}
			for key, p := range s.All() {
				if seen[key] = *p; *p%2 == 0 {
					s.Remove(key)
				}
			}
			if !maps.Equal(seen, m.values) {
				t.Fatalf("All yields %v, want %v", seen, m.values)
			}
			for _, key := range slices.Backward(slices.Clone(m.order)) {
				if m.values[key]%2 == 0 {
					m.remove(key)
				}
			}
		},
		"clear": func(t *rapid.T) { s.Clear(); m = model{values: map[uint32]int{}} },
		"trim":  func(t *rapid.T) { s.Trim() },
		"grow": func(t *rapid.T) {
			s.Grow(rapid.IntRange(0, 9).Draw(t, "n"), rapid.Uint32Range(0, 5*perPage).Draw(t, "last"))
		},
		"": func(t *rapid.T) {
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.Keys(), m.order) || s.Len() != len(m.order) || len(s.Values()) != s.Len() {
				t.Fatalf("keys %v, want %v", s.Keys(), m.order)
			}
			key := keys.Draw(t, "asked")
			want, has := m.values[key]
			if v, ok := s.Get(key); v != want || ok != has || s.Has(key) != has || (s.At(key) != nil) != has {
				t.Fatalf("Get(%d) is %d, %v, want %d, %v", key, v, ok, want, has)
			}
			for i, key := range s.Keys() {
				if s.Values()[i] != m.values[key] {
					t.Fatalf("value %d of key %d, want %d", s.Values()[i], key, m.values[key])
				}
			}
		},
	})
}

// TestCheckFindsWhatIsBroken breaks each invariant.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	for name, damage := range map[string]func(*Set[uint32, string]){
		"a value is missing": func(s *Set[uint32, string]) { s.values = s.values[:1] },
		"a row is another's": func(s *Set[uint32, string]) { s.index.Put(5, 1) },
		"a row is missing":   func(s *Set[uint32, string]) { s.index.Remove(5) },
		"a key has no row":   func(s *Set[uint32, string]) { s.keys[0] = 99 },
		"a row of nobody":    func(s *Set[uint32, string]) { s.index.Put(7, 0) },
	} {
		var s Set[uint32, string]
		s.Put(5, "a")
		s.Put(9, "b")
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if damage(&s); s.Check() == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
	if absent != (page{}) {
		t.Error("the page that stands for those that do not exist was written")
	}
}

// TestHostileKeysTakeBoundedMemory: a page for each, and the list of pages.
func TestHostileKeysTakeBoundedMemory(t *testing.T) {
	var s Set[uint32, struct{}]
	const n = 64
	for i := range uint32(n) {
		s.Put(math.MaxUint32-i<<26, struct{}{})
	}
	list := (math.MaxUint32>>pageBits + 1) * 8
	if got := s.index.Bytes(); got > n*perPage*4+2*list {
		t.Errorf("%d keys take %d bytes", n, got)
	}
	s.Clear()
	s.Trim()
	if got := s.index.Bytes(); got != 0 {
		t.Errorf("an empty set takes %d bytes", got)
	}
	if s.Has(math.MaxUint32) || s.Remove(3) || !s.Put(3, struct{}{}) {
		t.Error("a trimmed set does not work")
	}
}

// TestRemoveForgetsValues: what a value pointed to is not kept.
func TestRemoveForgetsValues(t *testing.T) {
	var s Set[uint32, *int]
	s.Put(1, new(int))
	s.Put(2, new(int))
	s.Remove(1)
	if s.values[:2][1] != nil {
		t.Error("Remove keeps a pointer")
	}
	s.Clear()
	if s.values[:1][0] != nil {
		t.Error("Clear keeps a pointer")
	}
}

// TestAWarmSetAllocatesNothing.
func TestAWarmSetAllocatesNothing(t *testing.T) {
	var s Set[uint32, float64]
	s.Grow(100, 10_000)
	if n := testing.AllocsPerRun(10, func() {
		for i := range uint32(100) {
			s.Put(i*100, 1)
		}
		for key, v := range s.All() {
			if *v++; key%200 == 0 {
				s.Remove(key)
			}
		}
		s.Clear()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestALoopThatRemovesAllStays inside of the set, whatever its body removes.
func TestALoopThatRemovesAllStays(t *testing.T) {
	var s Set[uint32, int]
	for i := range uint32(10) {
		s.Put(i, 0)
	}
	for range s.All() {
		s.Clear()
	}
	for i := range uint32(10) {
		s.Put(i, 0)
	}
	for range s.All() {
		break
	}
	if s.Len() != 10 {
		t.Errorf("%d keys are left", s.Len())
	}
}
