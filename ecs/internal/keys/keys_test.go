package keys

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// fill makes a list of keys.
func fill(l *List[float64], keys []float64) {
	rows := l.Empty(len(keys))
	for i, k := range keys {
		rows[i] = Row[float64]{k, int32(i)}
	}
	l.Fill(rows)
}

// TestSortedOrNot a list finds the same rows in the same order, as a scan by Go's operators does.
func TestSortedOrNot(t *testing.T) {
	key := rapid.SampledFrom([]float64{-1, math.Copysign(0, -1), 0, 1, 2, math.Inf(1), math.NaN()})
	rapid.Check(t, func(rt *rapid.T) {
		var plain, sorted List[float64]
		for range 2 { // the second time into memory that was used
			keys, lo, hi := rapid.SliceOf(key).Draw(rt, "keys"), key.Draw(rt, "lo"), key.Draw(rt, "hi")
			fill(&plain, keys)
			fill(&sorted, keys)
			sorted.Sort()
			number := func(k float64) bool { return !math.IsNaN(k) }
			for name, c := range map[string]struct {
				part Interval[float64]
				has  func(k float64) bool
			}{
				"below": {Below(hi), func(k float64) bool { return k < hi }},
				"above": {Above(lo), func(k float64) bool { return k > lo }},
				"between": {Between(lo, hi), func(k float64) bool { // what is no number comes first
					return (k >= lo || !number(lo)) && (k <= hi || !number(k) && !number(lo))
				}},
			} {
				want := 0
				for _, k := range keys {
					if c.has(k) {
						want++
					}
				}
				same := func(a, b Row[float64]) bool { return compare(a, b) == 0 }
				if got := plain.Find(&c.part); len(got) != want || !slices.EqualFunc(got, sorted.Find(&c.part), same) || !slices.IsSortedFunc(got, compare) {
					rt.Fatalf("%s, %v to %v: %v, and %v sorted, want %d", name, lo, hi, got, sorted.Find(&c.part), want)
				}
				if n, m := plain.Count(&c.part), sorted.Count(&c.part); n != want || m != want {
					rt.Fatalf("%s, %v to %v: counted %d, and %d sorted, want %d", name, lo, hi, n, m, want)
				}
			}
		}
	})
}

// TestWhatIsNotFilledIsEmpty: rows that were not given back are not there.
func TestWhatIsNotFilledIsEmpty(t *testing.T) {
	var l List[float64]
	fill(&l, []float64{2, 1})
	l.Sort()
	l.Empty(3)[0].Key = 7
	if all := Between(math.Inf(-1), math.Inf(1)); l.Len() != 0 || l.Sorted() || l.Count(&all) != 0 {
		t.Errorf("%d rows, sorted: %v", l.Len(), l.Sorted())
	}
}
