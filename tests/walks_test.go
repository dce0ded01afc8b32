package tests_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// walks says how many walls between packages each walk may pass. A walk is a section
// of a package's doc that is headed "The walk of …" and follows one thing through the
// code; each of its indented lines names a package, a function or a method, and says
// what happens there:
//
//	hotreload  Watcher.settle  waits until the editor is done
//
// Walks that nothing limits are followed all the same.
var walks = map[string]int{}

// A step is one line of a walk.
type step struct{ pkg, function, text string }

var stepLine = regexp.MustCompile(`^\t(\S+) +(\S+)  +(\S.*)$`)

// TestWalks: what the docs say of ways through the code is so: every function is
// there, and each mentions the name of the next.
func TestWalks(t *testing.T) {
	bodies := map[string]map[string]bool{} // function: the names in its body
	found := map[string][]step{}
	goFiles(t, func(pkg, file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				bodies[pkg+" "+functionName(fn)] = namesIn(fn.Body)
			}
		}
		for title, steps := range walksIn(f.Doc) {
			if found[title] != nil {
				t.Errorf("%s: there are two walks of %s", file, title)
			}
			found[title] = steps
		}
	})
	for title, most := range walks {
		if found[title] == nil {
			t.Errorf("no doc describes the walk of %s (at most %d walls)", title, most)
		}
	}
	for title, steps := range found {
		walls := 0
		for i, s := range steps {
			names, ok := bodies[s.pkg+" "+s.function]
			if !ok {
				t.Errorf("the walk of %s: there is no function %s in package %s", title, s.function, s.pkg)
			}
			if i+1 == len(steps) {
				break
			}
			next := steps[i+1]
			if next.pkg != s.pkg {
				walls++
			}
			if short := next.function[strings.LastIndex(next.function, ".")+1:]; ok && !names[short] {
				t.Errorf("the walk of %s: %s in package %s does not mention %s", title, s.function, s.pkg, short)
			}
		}
		t.Logf("the walk of %s: %d steps, %d walls", title, len(steps), walls)
		if most := walks[title]; most > 0 && walls > most {
			t.Errorf("the walk of %s passes %d walls, more than %d", title, walls, most)
		}
	}
}

// walksIn reads the walks of a package's doc.
func walksIn(doc *ast.CommentGroup) map[string][]step {
	if doc == nil {
		return nil
	}
	all, title := map[string][]step{}, ""
	for line := range strings.Lines(doc.Text()) {
		line = strings.TrimRight(line, "\n")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			title, ok = strings.CutPrefix(heading, "The walk of ")
			if !ok {
				title = ""
			}
		}
		if m := stepLine.FindStringSubmatch(line); m != nil && title != "" {
			all[title] = append(all[title], step{m[1], m[2], m[3]})
		}
	}
	return all
}

// functionName is Type.Method for methods.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	recv := fn.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	switch generic := recv.(type) {
	case *ast.IndexExpr:
		recv = generic.X
	case *ast.IndexListExpr:
		recv = generic.X
	}
	return recv.(*ast.Ident).Name + "." + fn.Name.Name
}

// namesIn lists the identifiers of a function's body.
func namesIn(body *ast.BlockStmt) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// TestWalkLines: what is read as a step.
func TestWalkLines(t *testing.T) {
	doc := &ast.CommentGroup{List: []*ast.Comment{{Text: "// Package p.\n"}, {Text: "//\n"}, {Text: "// # The walk of a row\n"}, {Text: "//\n"},
		{Text: "//\tecs  World.Spawn   makes it\n"}, {Text: "//\tecs  apply  ends it\n"}, {Text: "//\n"}, {Text: "// # Another section\n"}, {Text: "//\n"}, {Text: "//\tecs  f  is no step\n"}}}
	got := walksIn(doc)
	if want := []step{{"ecs", "World.Spawn", "makes it"}, {"ecs", "apply", "ends it"}}; len(got) != 1 || !slices.Equal(got["a row"], want) {
		t.Errorf("read %v, want %v", got, want)
	}
}
