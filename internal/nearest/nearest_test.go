package nearest

import (
	"slices"
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
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, got, c.want)
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
