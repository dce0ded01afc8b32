package analysis

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// TestFacts holds which facts the texts in testdata have, function by function.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden.Expect(t, strings.TrimSuffix(file, ".lua")+".facts", factsText(Of(parse(t, string(text)))))
	}
}

// factsText writes facts, each with its place.
func factsText(f *Facts) string {
	var b strings.Builder
	line := func(at syntax.Pos, format string, args ...any) {
		fmt.Fprintf(&b, "%d:%d\t%s\n", at.Line(), at.Column(), fmt.Sprintf(format, args...))
	}
	functions := map[syntax.FuncID]*syntax.Function{}
	syntax.WalkBlock(f.Tree.Body, func(node syntax.Node) bool {
		if fn, ok := node.(*syntax.Function); ok {
			functions[fn.ID] = fn
		}
		return true
	})
	for _, id := range slices.Sorted(maps.Keys(functions)) {
		fn := functions[id]
		line(fn.Pos, "function %d", id)
		if each := f.EachOf(id); each != nil {
			line(fn.Pos, "  over rows: %s", usesOf(each))
		}
		if options := f.OptionsOfFunction(id); options != nil {
			for _, key := range slices.Sorted(maps.Keys(options)) {
				line(options[key].Key, "  option %s, its value in %d:%d", key, options[key].Value.Line(), options[key].Value.Column())
			}
		}
	}
	for _, table := range slices.SortedFunc(maps.Keys(f.Absent), func(a, b *syntax.Table) int { return a.Line()*1000 + a.Column() - b.Line()*1000 - b.Column() }) {
		line(table.Pos, "may come to nil: %s", strings.Join(f.Absent[table], ", "))
	}
	for _, use := range f.Fields {
		line(use.Pos, "field %s of module %s%s, reach %d", use.Name, use.Module, map[bool]string{true: ", set"}[use.Set], use.Reach)
	}
	for _, use := range f.Globals {
		line(use.Pos, "global %s.%s, %s", use.Table, use.Name, map[Need]string{Anything: "used", Callable: "called", Numeric: "computed with"}[use.Need])
	}
	for _, use := range f.Rows {
		what := map[bool]string{true: "read", false: "set"}[!use.Set]
		if use.Value != nil {
			what = "stored"
		}
		line(use.Pos, "%s of row %d: %s, reach %d of %d, lost %v", use.Name, use.Kind, what, use.Reach, use.Sure, use.Lost)
	}
	for _, call := range f.Calls {
		name := nameOf(call.Func)
		if call.Func == nil {
			name = "the method " + call.Method
		}
		line(call.Pos, "call of %s in a function", name)
	}
	fmt.Fprintf(&b, "assigned in functions: %s\n", strings.Join(slices.Sorted(maps.Keys(f.ByFunctions.Names)), ", "))
	fmt.Fprintf(&b, "assigned by the top level: %s\n", strings.Join(slices.Sorted(maps.Keys(f.ByTop.Names)), ", "))
	return b.String()
}
