package main

import (
	"slices"
	"sync"
	"testing"
)

// project is what the figures and the walks are read from, once for both.
var project = sync.OnceValues(func() (*house, error) { return read("../..") })

// TestFigures: the structure does not get worse than the bounds say.
func TestFigures(t *testing.T) {
	h, err := project()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range h.figures() {
		t.Log(f.String())
		if !f.good() {
			t.Errorf("%s; a figure is not 0, either", f.String())
		}
	}
}

// TestWalks holds that the docs describe the walks that have a bound, that every function
// of a walk is there, and that each is mentioned by one before it.
func TestWalks(t *testing.T) {
	h, err := project()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, w := range h.walks() {
		if found[w.title] {
			t.Errorf("there are two walks of %s", w.title)
		}
		found[w.title] = true
		t.Log(w.String())
		if most, held := mostWalls[w.title]; held && w.walls > most {
			t.Errorf("%s", w.String())
		}
		for _, fault := range w.faults {
			t.Errorf("the walk of %s: %s", w.title, fault)
		}
	}
	for title := range mostWalls {
		if !found[title] {
			t.Errorf("no doc describes the walk of %s ", title)
		}
	}
}

// TestOrder: layers have no arrow that runs backwards, a ring of files has one, and
// two files that lean on each other have one.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name     string
		uses     []use
		backward int
	}{
		{"layers", []use{{"a", "b"}, {"a", "c"}, {"b", "c"}, {"b", "d"}, {"c", "d"}}, 0},
		{"ring", []use{{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}}, 1},
		{"pair", []use{{"a", "b"}, {"b", "a"}}, 1},
		{"two rings", []use{{"a", "b"}, {"b", "a"}, {"b", "c"}, {"c", "d"}, {"d", "c"}}, 2},
	} {
		for range 2 { // in whatever order the uses are found
			if _, backward := (&pkg{uses: c.uses}).arrows(); backward != c.backward {
				t.Errorf("%s: %d arrows run backwards, want %d", c.name, backward, c.backward)
			}
			slices.Reverse(c.uses)
		}
	}
}

// TestLines: what a line counts as.
func TestLines(t *testing.T) {
	code, comments := lines([]byte("package p\n\n// A comment.\nvar x = 1 // and one beside code\n/* two\nlines */\n"))
	if code != 2 || comments != 3 {
		t.Errorf("%d lines of code and %d of comments, want 2 and 3", code, comments)
	}
}
