package ecs

import (
	"errors"
	"slices"
	"testing"
)

type score struct{ Points int }
type settings struct{ Volume float64 }

func TestResourcesByTypeAndByName(t *testing.T) {
	w := open(t, Options{})
	if Resource[score](w) != nil || w.ResourceNamed("score") != nil {
		t.Error("a resource that nobody provided")
	}
	s := Provide(w, &score{1})
	s.Points = 2
	if Resource[score](w) != s || w.ResourceNamed("score") != any(s) {
		t.Error("the world does not share the value that was provided")
	}
	newer := Provide(w, &score{3})
	if Resource[score](w) != newer {
		t.Error("a newer value does not replace the older")
	}
	must(t, w.ProvideNamed("music", &settings{1}))
	must(t, w.ProvideNamed("effects", &settings{2}))
	if got := w.ResourceNames(); !slices.Equal(got, []string{"effects", "music", "score"}) {
		t.Errorf("the names are %q", got)
	}
	if Resource[settings](w) != nil {
		t.Error("named resources are found by type")
	}
	n := 5
	Provide(w, &n)
	if *Resource[int](w) != 5 {
		t.Error("a resource that is no struct is not found")
	}
}

func TestProvideNamedRefuses(t *testing.T) {
	w := open(t, Options{})
	n := 1
	for name, err := range map[string]error{
		"no name":     w.ProvideNamed("", &score{}),
		"a value":     w.ProvideNamed("a", score{}),
		"nothing":     w.ProvideNamed("a", nil),
		"nil":         w.ProvideNamed("a", (*score)(nil)),
		"no struct":   w.ProvideNamed("a", &n),
		"a map":       w.ProvideNamed("a", map[string]int{}),
		"two pointer": w.ProvideNamed("a", new(*score)),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if len(w.ResourceNames()) != 0 {
		t.Errorf("refused resources are there: %q", w.ResourceNames())
	}
}
