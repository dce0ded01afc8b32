package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// specimen has a place for every kind of mutant.
const specimen = `package sample

type op uint8

const (
	none op = iota
	some
)

func weigh(o op, name string, a, b int, on, off bool) (int, bool) {
	switch o {
	case none:
		a = a - b
	case some:
		a++
	}
	switch {
	case a < b && !on, off:
		return pair(a, b), true
	}
	for i := 0; i <= 3; i++ {
		if name == "x" || on {
			continue
		}
		if off {
			return a % 7, a&b != 0
		}
	}
	return a/2 + b*2, on
}

func pair(x, y int) int { return x<<1 | y }
`

// plantSpecimen plants mutants into the specimen.
func plantSpecimen(t *testing.T, skip map[int]bool) (*mutator, string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "sample.go", specimen, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := new(types.Config).Check("sample", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{file: "sample.go", source: []byte(specimen), lines: strings.Split(specimen, "\n"), fset: fset, info: info, pkg: pkg, skip: skip, seen: map[string]int{}}
	m.next = func() int { return len(m.mutants) + 1 }
	m.walk(f)
	return m, string(m.apply())
}

// TestPlantedTextIsGo type-checks the specimen with all of its mutants in it.
func TestPlantedTextIsGo(t *testing.T) {
	_, text := plantSpecimen(t, nil)
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{"sample.go": text, "switches.go": fmt.Sprintf(switches, "sample")} {
		f, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		files = append(files, f)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := config.Check("sample", fset, files, nil); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if got, want := strings.Count(text, "\n"), strings.Count(specimen, "\n"); got != want {
		t.Errorf("%d lines, want %d: places in messages would be wrong", got, want)
	}
}

func TestEveryKindIsPlanted(t *testing.T) {
	m, _ := plantSpecimen(t, nil)
	var kinds, keys []string
	for i, x := range m.mutants {
		kinds = append(kinds, x.Kind)
		keys = append(keys, x.Key)
		if x.ID != i+1 {
			t.Errorf("mutant %d has the number %d", i+1, x.ID)
		}
	}
	for _, want := range []string{
		"case left out", "statement left out", "- becomes +", "operands of - exchanged", "< becomes <=", "< becomes >=", "<= becomes <", "<= becomes >",
		"&& becomes ||", "|| becomes &&", "operand of && left out", "operand of || left out", "condition denied", "not left out", "== denied", "!= denied",
		"arguments a and b exchanged", "true denied", "0 becomes one more", "3 becomes one less", "% becomes /", "/ becomes *", "* becomes +", "+ becomes -",
		"& becomes |", "| becomes &",
	} {
		if !slices.Contains(kinds, want) {
			t.Errorf("no mutant %q among %q", want, kinds)
		}
	}
	slices.Sort(keys)
	if unique := slices.Compact(slices.Clone(keys)); len(unique) != len(keys) {
		t.Errorf("%d mutants have %d keys", len(keys), len(unique))
	}
}

func TestLinesAreLeftOut(t *testing.T) {
	all, _ := plantSpecimen(t, nil)
	line := all.mutants[0].Line
	less, _ := plantSpecimen(t, map[int]bool{line: true})
	if len(less.mutants) >= len(all.mutants) {
		t.Errorf("%d of %d mutants are left", len(less.mutants), len(all.mutants))
	}
	for _, m := range less.mutants {
		if m.Line == line {
			t.Errorf("a mutant on line %d: %v", line, m)
		}
	}
}

func TestReasons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "survivors.txt")
	text := "# comment\nreason: only time\nvector/cost\\.go: .*\nreason: the same\n.*: f: == denied: if a == b \\{\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := readReasons(file)
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]Mutant{
		"only time": {File: "vector/cost.go", Func: "any", Kind: "x", Text: "y"},
		"the same":  {File: "lower/a.go", Func: "f", Kind: "== denied", Text: "if a == b {"},
		"":          {File: "lower/a.go", Func: "f", Kind: "!= denied", Text: "if a == b {"},
	} {
		if got := list.of(m); got != want {
			t.Errorf("%v: %q, want %q", m, got, want)
		}
	}
	if err := os.WriteFile(file, []byte("stray\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readReasons(file); err == nil {
		t.Error("a pattern without a reason was taken")
	}
}

// TestVerdictsAreReadAgain: a run that was stopped in the middle of a line goes on.
func TestVerdictsAreReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "v.jsonl")
	text := `{"file":"a.go","key":"one","killed":true}` + "\n" + `{"file":"a.go","key":"two","killed":false}` + "\n" + `{"file":"a.g`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	known, err := readVerdicts(file)
	if err != nil || len(known) != 2 || !known["one"].Killed || known["two"].Killed {
		t.Errorf("%v, %v", known, err)
	}
}
