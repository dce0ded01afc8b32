package tests_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the places in production code that look into the text of an error, and why
// they may: none of them decides anything by it.
var readers = map[string]string{
	"bindings/check.go:TrimPrefix":                "leaves the text of a sentinel out of what is printed",
	"cmd/internal/command/root.go:TrimPrefix":     "leaves the name of a package out of what is printed",
	"scripting/internal/scene/plan.go:TrimPrefix": "leaves the text of a sentinel out of what is printed",
}

// TestNoDecisionReadsAMessage finds calls of package strings, package regexp and the like
// on what an error says. An error is a value: what is to be decided about it is in a field.
func TestNoDecisionReadsAMessage(t *testing.T) {
	used := map[string]bool{}
	for _, root := range []string{"bindings", "scripting", "cmd", "hotreload", "ecs"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			for _, c := range messageReads(file) {
				key := name + ":" + c.name
				if used[key] = true; readers[key] == "" {
					t.Errorf("%s: strings.%s reads the text of an error: put what is decided by it into a field of diag.Error", fset.Position(c.pos), c.name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for key := range readers {
		if !used[key] {
			t.Errorf("%s does not read the text of an error any more: take it off the list", key)
		}
	}
}

// TestMessageReadsAreFound holds the search to programs that it must find something in.
func TestMessageReadsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		`strings.Contains(err.Error(), "x")`:               1,
		`strings.HasPrefix(e.Message, "x")`:                1,
		`strings.Cut(strings.ToLower(why.Error()), ":")`:   2,
		`names.FindStringSubmatch(e.Message)`:              1,
		`fmt.Sscanf(e.Error(), "%d", &n)`:                  1,
		`func() bool { return err.Error() == "x" }()`:      1,
		`strings.Split(api.StackTrace, "\n")`:              1,
		`strings.Contains(name, "x")`:                      0,
		`fmt.Sprintf("%s", err.Error())`:                   0,
		`strings.Contains(text, fmt.Sprint(len(e.Names)))`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() { _ = "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(messageReads(file)); got != want {
			t.Errorf("%s: %d reads found, want %d", body, got, want)
		}
	}
}

type messageRead struct {
	name string
	pos  token.Pos
}

// messageReads lists the calls that look into the text of an error, and comparisons of
// one with a constant.
func messageReads(file *ast.File) []messageRead {
	looks := []string{"Contains", "ContainsAny", "HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "Index", "LastIndex", "IndexByte",
		"Split", "SplitSeq", "SplitN", "Fields", "Lines", "TrimPrefix", "TrimSuffix", "EqualFold", "Count", "Map", "ToLower",
		"MatchString", "FindString", "FindStringSubmatch", "FindStringIndex", "ReplaceAllString", "Sscan", "Sscanf"}
	var found []messageRead
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(looks, f.Sel.Name) && slices.ContainsFunc(n.Args, saysMessage) {
				found = append(found, messageRead{f.Sel.Name, n.Pos()})
			}
		case *ast.BinaryExpr:
			_, left := n.X.(*ast.BasicLit)
			_, right := n.Y.(*ast.BasicLit)
			if (n.Op == token.EQL || n.Op == token.NEQ) && (left && saysMessage(n.Y) || right && saysMessage(n.X)) && !empty(n.X) && !empty(n.Y) {
				found = append(found, messageRead{fmt.Sprint(n.Op), n.Pos()})
			}
		}
		return true
	})
	return found
}

func empty(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `""`
}

// saysMessage reports whether an expression has the text of an error in it.
func saysMessage(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			switch s.Sel.Name {
			case "Message", "Error", "StackTrace", "GoStack":
				found = true
			}
		}
		return !found
	})
	return found
}
