package tests_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheFrontPageIsEnough: the examples that are whole hosts use no other names of ecs and scripting than those on
// the front pages of these packages, which stay short.
func TestTheFrontPageIsEnough(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
	}{{"ecs", 28}, {"scripting", 12}} {
		page := frontPage(t, c.name)
		if len(page) == 0 || len(page) > c.most {
			t.Errorf("%s: %d names on the front page, at most %d: %v", c.name, len(page), c.most, page)
		}
		exported := namesExported(t, "../"+c.name)
		for _, name := range page {
			if !exported[name] {
				t.Errorf("%s has no %s, which is on its front page", c.name, name)
			}
		}
		used := 0
		files, _ := filepath.Glob("../examples/[01]*/*.go")
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || filepath.Base(filepath.Dir(file)) >= "13" {
				continue
			}
			for _, name := range namesOf(t, file, c.name) {
				if used++; !slices.Contains(page, name) {
					t.Errorf("%s uses %s.%s, which is not on the front page", file, c.name, name)
				}
			}
		}
		if used < 20 {
			t.Errorf("the examples use %d names of %s", used, c.name)
		}
	}
}

// frontPage returns the names that the doc of a package lists below its heading.
func frontPage(t *testing.T, dir string) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../" + dir + "/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "// # The front page\n")
	page, _, _ = strings.Cut(page, "// # ")
	for _, row := range regexp.MustCompile(`(?m)^//\t[a-z ]*  +(.+)$`).FindAllStringSubmatch(page, -1) {
		names = append(names, strings.Split(row[1], ", ")...)
	}
	return names
}

// namesExported returns the types, functions, constants and variables of a package.
func namesExported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, _ := filepath.Glob(dir + "/*.go")
	for _, file := range files {
		for _, decl := range fileTree(t, file).Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = names[d.Name.Name] || d.Recv == nil
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// namesOf returns the names of a package that a file uses.
func namesOf(t *testing.T, file, pkg string) (names []string) {
	t.Helper()
	ast.Inspect(fileTree(t, file), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == pkg && id.Obj == nil {
				names = append(names, s.Sel.Name)
			}
		}
		return true
	})
	return names
}

func fileTree(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
