package tests_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// A package doc may say where things happen, below the heading "Where it happens". Each
// line names an event, and after two spaces the functions in which it happens, after their
// files:
//
//	an entity dies    despawn: World.kill

// placesHeading is the heading of such a section.
const placesHeading = "Where it happens"

// declaredIn lists the functions and methods of a file: "New", "World.kill".
func declaredIn(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			name = receiver(fn.Recv.List[0].Type) + "." + name
		}
		names = append(names, name)
	}
	return names
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// TestPlacesInDocs: the functions exist in which a doc says that something happens.
func TestPlacesInDocs(t *testing.T) {
	declared, checked := map[string][]string{}, 0 // by the path of a file, without ".go"
	all := sources(t)
	for _, s := range all {
		declared[strings.TrimSuffix(s.path, ".go")] = declaredIn(s.File)
	}
	for _, s := range all {
		_, section, ok := strings.Cut(s.Doc.Text(), "# "+placesHeading+"\n")
		if !ok {
			continue
		}
		section, _, _ = strings.Cut(section, "\n# ")
		for line := range strings.Lines(section) {
			if !strings.HasPrefix(line, "\t") {
				continue
			}
			file := ""
			for _, name := range mapLine(strings.TrimRight(line, "\n")) {
				if f, ok := strings.CutSuffix(name, ":"); ok {
					file = path.Join(s.pkg, f)
					continue
				}
				checked++
				if !slices.Contains(declared[file], name) {
					t.Errorf("the doc of %s names %s: there is no such function in %q", s.pkg, name, file)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no doc says where things happen")
	}
}
