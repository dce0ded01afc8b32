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
// A step is called by the one before it, or by one of those that led there: then the
// walk has returned to that one. Each change of package on the way counts, back and
// forth. A step that is said to be done later begins anew: another goroutine comes to
// it. Walks that nothing limits are followed all the same.
var walks = map[string]int{
	"a save": 16,
}

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
		var callers []step // of the step that the walk is at, the outermost first
		for _, s := range steps {
			if bodies[s.pkg+" "+s.function] == nil {
				t.Errorf("the walk of %s: there is no function %s in package %s", title, s.function, s.pkg)
			}
			if strings.HasPrefix(s.text, "later, ") && len(callers) > 0 {
				if callers[len(callers)-1].pkg != s.pkg {
					walls++
				}
				callers = nil
			}
			rest, crossed, ok := enter(callers, s, bodies)
			if !ok {
				t.Errorf("the walk of %s: no step before it mentions %s of package %s", title, s.function, s.pkg)
			}
			callers, walls = append(rest, s), walls+crossed
		}
		t.Logf("the walk of %s: %d steps, %d walls", title, len(steps), walls)
		if most := walks[title]; most > 0 && walls > most {
			t.Errorf("the walk of %s passes %d walls, more than %d", title, walls, most)
		}
	}
}

// enter returns from the innermost caller as far as to one that mentions the next step,
// and counts the walls on the way there and into the step. The first step has no caller.
func enter(callers []step, next step, bodies map[string]map[string]bool) (rest []step, walls int, ok bool) {
	name := next.function[strings.LastIndex(next.function, ".")+1:]
	for at := len(callers) - 1; at >= 0; at-- {
		if at+1 < len(callers) && callers[at].pkg != callers[at+1].pkg {
			walls++
		}
		if bodies[callers[at].pkg+" "+callers[at].function][name] {
			if callers[at].pkg != next.pkg {
				walls++
			}
			return callers[:at+1], walls, true
		}
	}
	return callers, walls, len(callers) == 0
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
