package nearest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"velocity", "position", "Health", "hp", "hpmax", "x", "Q", "z"}
	for name, want := range map[string]string{
		"positon":  ` (did you mean "position"?)`,
		"POSITION": ` (did you mean "position"?)`,
		"psoition": ` (did you mean "position"?)`,
		"health":   ` (did you mean "Health"?)`,
		"hpp":      ` (did you mean "hp"?)`,
		"y":        "",
		"q":        ` (did you mean "Q"?)`,
		"Z":        ` (did you mean "z"?)`,
		"xx":       ` (did you mean "x"?)`,
		"hp":       "",
		"":         "",
		"banana":   "",
		"rp":       ` (did you mean "hp"?)`,
		"hpma":     ` (did you mean "hpmax"?)`,
	} {
		if got := DidYouMean(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// An enum's names are handed over as they are: their order is their meaning.
func TestDidYouMeanLeavesTheOrder(t *testing.T) {
	names := []string{"walk", "run", "idle"}
	DidYouMean("wlak", names)
	if !slices.Equal(names, []string{"walk", "run", "idle"}) {
		t.Errorf("now %q", names)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xbc", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}} {
		if got := between(c.a, c.b, 100); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := between(c.b, c.a, 100); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// between is the distance of two names, looked for up to a bound.
func between(a, b string, most int) int {
	var w wanted
	w.read(a)
	return w.distance(b, most)
}

// TestDistanceIsThatOfTheTable: names of few letters, up to the longest, are as far from each other as the table of
// all beginnings says, and beyond a bound the bound is exceeded.
func TestDistanceIsThatOfTheTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = "aabcz_9"[r.IntN(2+r.IntN(6))]
		}
		return string(b)
	}
	for range 20_000 {
		most := []int{4, 12, longest}[r.IntN(3)]
		a, b, bound := word(most), word(most+6), r.IntN(most+6)
		want, got := table(a, b), between(a, b, bound)
		if got != want && (want <= bound || got <= bound) {
			t.Fatalf("%q to %q up to %d: %d, want %d", a, b, bound, got, want)
		}
	}
}

// table computes the distance of two names the long way.
func table(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// TestAQuotaIsSpent: of many mistakes among many long names only the first have a name proposed, and few letters are
// compared; where the names are few, all have one.
func TestAQuotaIsSpent(t *testing.T) {
	many := make([]string, 600)
	for i := range many {
		many[i] = fmt.Sprintf("%s%04d", strings.Repeat("n", 56), i)
	}
	asked := 0
	var q Quota
	before := Letters()
	for range 100 {
		q.DidYouMean(strings.Repeat("n", 60), func() []string { asked++; return many })
	}
	if n := Letters() - before; n > 2*mostLetters || asked != 2 {
		t.Errorf("%d letters were compared, and the candidates asked for %d times", n, asked)
	}
	q = Quota{}
	for range 100 {
		if q.DidYouMean("positon", func() []string { return []string{"position", "velocity", "health", "target"} }) == "" {
			t.Fatal("there is no proposal among four names")
		}
	}
}

// TestEquallyNear: of candidates as many edits away, the one that shares more of its ends is meant;
// where that says nothing either, all are named, and of many none.
func TestEquallyNear(t *testing.T) {
	for _, c := range []struct {
		name string
		of   []string
		want string
	}{
		{"maxhp", []string{"axhp", "maxhps", "minhp"}, ` (did you mean "maxhps"?)`},
		{"mp", []string{"xp", "hp"}, ` (did you mean "hp" or "xp"?)`},
		{"mp", []string{"xp", "xp"}, ` (did you mean "xp"?)`},
		{"nme", []string{"name", "Name"}, ` (did you mean "Name"?)`},
		{"mp", []string{"xp", "hp", "ap"}, ` (did you mean "ap", "hp" or "xp"?)`},
		{"mp", []string{"xp", "hp", "ap", "rp"}, ""},
		{"mp", []string{"xp", "hp", "ap", "rp", "mpp"}, ` (did you mean "mpp"?)`},
	} {
		if got := DidYouMean(c.name, c.of); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.name, c.of, got, c.want)
		}
	}
}

// TestLongListsAreNotLookedThrough: a name that is looked for among many long ones compares none of them.
func TestLongListsAreNotLookedThrough(t *testing.T) {
	many := make([]string, 1990)
	for i := range many {
		many[i] = fmt.Sprintf("%s%04d", strings.Repeat("n", 58), i)
	}
	before := Letters()
	DidYouMean(strings.Repeat("n", 62), many)
	if n := Letters() - before; n > mostLetters {
		t.Errorf("%d letters were compared", n)
	}
}
