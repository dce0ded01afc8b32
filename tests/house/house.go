package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A house is this module as it stands in the work tree.
type house struct {
	packages []*pkg
}

// A pkg is one package of the module.
type pkg struct {
	path      string // below the module: "ecs/internal/arena"
	files     int    // without tests
	code      int    // lines that hold more than a comment
	comments  int    // lines that hold a comment and nothing else
	testLines int    // of test files, blank lines and comments too

	syntax    []*ast.File
	functions []int                // how many lines each has
	mentions  map[types.Object]int // of what is declared anywhere

	types *types.Package
	uses  []use // between files, each once
}

// A use is a name that one file of a package declares and another one mentions.
type use struct{ from, to string }

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct{ Main bool }
}

// read type-checks every package of the module in a folder.
func read(root string) (*house, error) {
	list := exec.Command("go", "list", "-export", "-pgo=off", "-deps", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Module", "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main {
			own = append(own, p)
		}
	}
	fset := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	imports := importer.ForCompiler(fset, "gc", lookup)
	h := &house{}
	for _, l := range own {
		p, err := measure(fset, imports, l)
		if err != nil {
			return nil, err
		}
		h.packages = append(h.packages, p)
	}
	return h, nil
}

// measure reads one package.
func measure(fset *token.FileSet, imports types.Importer, l listed) (*pkg, error) {
	p := &pkg{path: below(l.ImportPath), files: len(l.GoFiles), mentions: map[types.Object]int{}}
	var files []*ast.File
	for _, name := range l.GoFiles {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		code, comments := lines(text)
		p.code, p.comments = p.code+code, p.comments+comments
		files = append(files, f)
	}
	for _, name := range slices.Concat(l.TestGoFiles, l.XTestGoFiles) {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		p.testLines += bytes.Count(text, []byte("\n"))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	checked, err := (&types.Config{Importer: imports}).Check(l.ImportPath, fset, files, info)
	if err != nil {
		return nil, err
	}
	p.types, p.syntax = checked, files
	for _, f := range files {
		p.functions = append(p.functions, lengths(fset, f)...)
	}
	for _, o := range info.Uses {
		p.mentions[o]++
	}
	seen := map[use]bool{}
	for id, o := range info.Uses {
		if !declared(o, checked) {
			continue
		}
		u := use{fset.Position(id.Pos()).Filename, fset.Position(o.Pos()).Filename}
		if u.from != u.to && !seen[u] {
			seen[u] = true
			p.uses = append(p.uses, u)
		}
	}
	slices.SortFunc(p.uses, func(a, b use) int { return strings.Compare(a.from+" "+a.to, b.from+" "+b.to) })
	return p, nil
}

// declared reports whether an object is declared at the top of a package, or is a
// method or a field of what is.
func declared(o types.Object, p *types.Package) bool {
	if o.Pkg() != p || !o.Pos().IsValid() {
		return false
	}
	switch o := o.(type) {
	case *types.Var:
		return o.IsField() || o.Parent() == p.Scope()
	case *types.Func:
		return true
	}
	return o.Parent() == p.Scope()
}

// lengths counts the lines of each function of a file, from its first to its last.
func lengths(fset *token.FileSet, f *ast.File) (all []int) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			all = append(all, fset.Position(fn.End()).Line-fset.Position(fn.Pos()).Line+1)
		}
	}
	return all
}

func below(path string) string {
	_, rest, _ := strings.Cut(path, "/perigee/")
	return rest
}

// lines counts the lines of code and those of comments alone. Lines of raw strings
// that look like comments count as such; there are few.
func lines(text []byte) (code, comments int) {
	within := false
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch {
		case within, bytes.HasPrefix(line, []byte("/*")):
			comments++
			within = !bytes.Contains(line, []byte("*/"))
		case bytes.HasPrefix(line, []byte("//")):
			comments++
		case len(line) > 0:
			code++
		}
	}
	return code, comments
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (100*part + whole/2) / whole
}

// find returns the package with a path.
func (h *house) find(path string) *pkg {
	for _, p := range h.packages {
		if p.path == path {
			return p
		}
	}
	return &pkg{path: path, types: types.NewPackage(path, "none")}
}

// methods counts the methods of a named type, exported ones only if so asked.
func (p *pkg) methods(name string, exported bool) (n int) {
	o := p.types.Scope().Lookup(name)
	if o == nil {
		return 0
	}
	named, ok := types.Unalias(o.Type()).(*types.Named)
	if !ok {
		return 0
	}
	for m := range named.Methods() {
		if m.Exported() || !exported {
			n++
		}
	}
	return n
}

// exported counts the exported names at the top of a package.
func (p *pkg) exported() (n int) {
	for _, name := range p.types.Scope().Names() {
		if token.IsExported(name) {
			n++
		}
	}
	return n
}

// callbacks counts the fields of a struct that are functions.
func (p *pkg) callbacks(name string) (n int) {
	o := p.types.Scope().Lookup(name)
	if o == nil {
		return 0
	}
	s, ok := o.Type().Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	for f := range s.Fields() {
		if _, ok := f.Type().Underlying().(*types.Signature); ok {
			n++
		}
	}
	return n
}

// top returns the first element of a path.
func top(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
