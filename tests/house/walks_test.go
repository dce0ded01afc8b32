package main

import (
	"go/ast"
	"slices"
	"testing"
)

// TestWalkLines: what is read as a step.
func TestWalkLines(t *testing.T) {
	doc := &ast.CommentGroup{List: []*ast.Comment{{Text: "// Package p.\n"}, {Text: "//\n"}, {Text: "// # The walk of a row\n"}, {Text: "//\n"},
		{Text: "//\tecs  World.Spawn   makes it\n"}, {Text: "//\tecs  apply  ends it\n"}, {Text: "//\n"}, {Text: "// # Another section\n"}, {Text: "//\n"}, {Text: "//\tecs  f  is no step\n"}}}
	got := walksIn(doc)
	if want := []step{{"ecs", "World.Spawn", "makes it"}, {"ecs", "apply", "ends it"}}; len(got) != 1 || !slices.Equal(got["a row"], want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// TestEnter: walls are counted on the way back, too.
func TestEnter(t *testing.T) {
	a, b, c := step{"p", "A", ""}, step{"q", "T.B", ""}, step{"r", "C", ""}
	bodies := map[string]map[string]bool{"p A": {"B": true, "D": true}, "q T.B": {"C": true}, "r C": {}}
	for _, test := range []struct {
		callers []step
		next    step
		rest    int
		walls   int
		ok      bool
	}{
		{nil, a, 0, 0, true},
		{[]step{a}, b, 1, 1, true},
		{[]step{a, b}, c, 2, 1, true},
		{[]step{a, b, c}, step{"p", "D", ""}, 1, 2, true},
		{[]step{a, b, c}, step{"q", "D", ""}, 1, 3, true},
		{[]step{a, b, c}, step{"p", "E", ""}, 3, 2, false},
	} {
		rest, walls, ok := enter(test.callers, test.next, bodies)
		if len(rest) != test.rest || walls != test.walls || ok != test.ok {
			t.Errorf("%v after %v: back to %d, %d walls, %v", test.next, test.callers, len(rest), walls, ok)
		}
	}
}
