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
	if Resource[score](w) != nil || w.resourceNamed("score") != nil {
		t.Error("a resource that nobody provided")
	}
	s := Provide(w, &score{1})
	s.Points = 2
	if Resource[score](w) != s || w.resourceNamed("score") != any(s) {
		t.Error("the world does not share the value that was provided")
	}
	newer := Provide(w, &score{3})
	if Resource[score](w) != newer {
		t.Error("a newer value does not replace the older")
	}
	must(t, w.provideNamed("music", &settings{1}))
	must(t, w.provideNamed("effects", &settings{2}))
	if got := w.resourceNames(); !slices.Equal(got, []string{"effects", "music", "score"}) {
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

// TestProvideRefusesNil: the script that asked for the resource would find it and fail later.
func TestProvideRefusesNil(t *testing.T) {
	w := open(t, Options{})
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ErrConflict) || len(w.resourceNames()) != 0 {
			t.Errorf("answered %v, and there are %q", err, w.resourceNames())
		}
	}()
	Provide[score](w, nil)
}

func TestProvideNamedRefuses(t *testing.T) {
	w := open(t, Options{})
	n := 1
	for name, err := range map[string]error{
		"no name":     w.provideNamed("", &score{}),
		"a value":     w.provideNamed("a", score{}),
		"nothing":     w.provideNamed("a", nil),
		"nil":         w.provideNamed("a", (*score)(nil)),
		"no struct":   w.provideNamed("a", &n),
		"a map":       w.provideNamed("a", map[string]int{}),
		"two pointer": w.provideNamed("a", new(*score)),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if len(w.resourceNames()) != 0 {
		t.Errorf("refused resources are there: %q", w.resourceNames())
	}
}
