package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestWords: no word has three meanings, and the table of those that packages share says
// nothing about words that they do not have.
func TestWords(t *testing.T) {
	h, err := project()
	if err != nil {
		t.Fatal(err)
	}
	words, idle := h.words(oneMeaning)
	for _, w := range words {
		if w.senses > 2 {
			t.Errorf("%s: rename a type, or say in oneMeaning which of them mean the same", w.String())
		}
	}
	for _, entry := range h.unsaid(words) {
		t.Errorf("%s: a glossary defines the word, the package has it in another meaning, and its doc does not say which", entry)
	}
	for _, entry := range idle {
		t.Errorf("oneMeaning names %q, and the package does not define the word", entry)
	}
	for line := range strings.Lines(strings.TrimSpace(oneMeaning)) {
		said, meaning, _ := strings.Cut(line, ":")
		if len(strings.Fields(said)) < 3 || strings.TrimSpace(meaning) == "" {
			t.Errorf("oneMeaning: %q names less than two packages, or no meaning", strings.TrimSpace(line))
		}
	}
}

// TestMeanings: packages that stand in one line of the table give a word one meaning.
func TestMeanings(t *testing.T) {
	h := &house{}
	for _, path := range []string{"ecs/a", "ecs/b", "ecs/c", "tests/d"} {
		p := types.NewPackage(path, "p")
		p.Scope().Insert(types.NewTypeName(0, p, "Run", types.Typ[types.Int]))
		h.packages = append(h.packages, &pkg{path: path, types: p})
	}
	for table, want := range map[string]int{"other a: x": 3, "run a b: x": 2, "run a b c: x": 1, "run a b: x\nrun c: y": 2} {
		words, _ := h.words(table)
		if len(words) != 1 || words[0].senses != want || len(words[0].places) != 3 {
			t.Errorf("with %q: %v, want %d meanings", table, words, want)
		}
	}
	if _, idle := h.words("run a d: x"); !slices.Equal(idle, []string{"run d"}) {
		t.Errorf("entries that nothing needs: %q", idle)
	}
}

// TestNouns: what a package doc defines.
func TestNouns(t *testing.T) {
	doc := &ast.CommentGroup{List: []*ast.Comment{{Text: `/*
Package p has nouns.

  - A [Viewer] cuts.
  - Rows are many.
  - Where nothing is defined.

# Invariants

  - A column is no noun here.

# The words

  - A pass rewrites.

# Glossary

	hook          what is called
	stage of rows  no single word
*/`}}}
	if got, want := nounsOf(doc, false), []string{"viewer", "row", "pass", "hook"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := nounsOf(doc, true); !slices.Equal(got, []string{"hook"}) {
		t.Errorf("in the glossary %q", got)
	}
}
