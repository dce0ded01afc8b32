package main

import (
	"slices"
	"strings"
	"testing"
)

// TestProgramsComeToTheSame runs each general program once in PUC Lua and in all that is
// ours: measureProgram fails when one comes to something else.
func TestProgramsComeToTheSame(t *testing.T) {
	dir := t.TempDir()
	list, missing, err := runners(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Logf("not compared with %q: not installed", missing)
	}
	list = slices.DeleteFunc(list, func(r runner) bool { return r.name == "gopher" || r.name == "lua5.4" || r.name == "luajit" })
	for _, name := range programNames() {
		r, err := measureProgram(dir, list, name, 1, 0)
		if err != nil {
			t.Error(err)
		}
		if len(r.nanos) != len(list) {
			t.Errorf("%s is measured in %v", name, r.nanos)
		}
	}
}

func TestProgramTable(t *testing.T) {
	list := []runner{{name: puc}, {name: "game"}}
	var b strings.Builder
	printResults(&b, list, []result{
		{"calls", map[string]float64{puc: 10, "game": 20}},
		{"queens", map[string]float64{puc: 10, "game": 5}},
		{"tree", map[string]float64{puc: 10, "game": 80}},
	})
	for _, want := range []string{
		"| calls | 10.0 | 2.00 |\n", "| **first 2, mean** | 1 | **1.00** |\n| first 2, worst | | 2.00 calls |\n",
		"| **all 3, mean** | 1 | **2.00** |\n| all 3, worst | | 8.00 tree |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}
