package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// question is one comparison.
type question struct{ x, y int }

// sorted is Sort by recursion, as a book has it.
func sorted(items []int, before Comparison[int]) bool {
	var merge func(items []int)
	merge = func(items []int) {
		if len(items) < 2 {
			return
		}
		left, right := slices.Clone(items[:len(items)/2]), slices.Clone(items[len(items)/2:])
		merge(left)
		merge(right)
		for i := range items {
			if len(left) == 0 || len(right) > 0 && before(right[0], left[0]) {
				items[i], right = right[0], right[1:]
			} else {
				items[i], left = left[0], left[1:]
			}
		}
	}
	merge(items)
	for i := 1; i < len(items); i++ {
		if before(items[i], items[i-1]) && !before(items[i-1], items[i]) {
			return false
		}
	}
	return true
}

// TestSortAsks: the same questions as by recursion, with the same result, whether the answers are
// an order, are true for equal items, or are drawn.
func TestSortAsks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	wrong := 0
	for range 3000 {
		items := make([]int, r.IntN(40))
		for i := range items {
			items[i] = r.IntN(20)
		}
		kind, answers := r.IntN(3), r.Uint64()
		ask := func(asked *[]question) Comparison[int] {
			drawn := rand.New(rand.NewPCG(answers, 2))
			return func(x, y int) bool {
				*asked = append(*asked, question{x, y})
				switch kind {
				case 0:
					return x < y
				case 1:
					return x <= y
				}
				return drawn.IntN(2) == 0
			}
		}
		var asked, wanted []question
		got, want := slices.Clone(items), slices.Clone(items)
		passes, must := Sort(got, make([]int, len(got)), ask(&asked)), sorted(want, ask(&wanted))
		if passes != must || !slices.Equal(got, want) || !slices.Equal(asked, wanted) {
			t.Fatalf("%v, kind %d:\ngot  %v %v after %v\nwant %v %v after %v", items, kind, passes, got, asked, must, want, wanted)
		}
		if !must {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no answers were found to be no order")
	}
}
