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
