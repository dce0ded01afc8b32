package tests_test

import (
	"go/ast"
	"go/doc/comment"
	"regexp"
	"strings"
	"testing"
)

// bracketed is a name in brackets as it stands in a doc, but for an index in Go or in Lua.
var bracketed = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])\[\*?[A-Za-z][A-Za-z0-9_./]*\]`)

// TestLinksInPackageDocs: a name in brackets in the doc of a package leads somewhere. go doc
// prints the brackets of others, and the reader looks for a name that is not there.
func TestLinksInPackageDocs(t *testing.T) {
	exported := map[string]map[string]bool{} // by package: Name, Type.Method
	imports := map[string]bool{}
	all := sources(t)
	for _, s := range all {
		if exported[s.pkg] == nil {
			exported[s.pkg] = map[string]bool{}
		}
		symbols(s.File, exported[s.pkg])
		for _, spec := range s.Imports {
			imports[strings.Trim(spec.Path.Value, `"`)] = true
		}
	}
	seen := 0
	for pkg, doc := range packageDocs(t) {
		parser := comment.Parser{
			LookupPackage: func(name string) (string, bool) {
				for path := range imports {
					if path == name || strings.HasSuffix(path, "/"+name) {
						return path, true
					}
				}
				return "", false
			},
			LookupSym: func(recv, name string) bool {
				if recv != "" {
					name = recv + "." + name
				}
				return exported[pkg][name]
			},
		}
		parsed := parser.Parse(doc.Text())
		for _, text := range textsOf(parsed.Content) {
			switch text := text.(type) {
			case comment.Plain:
				for _, link := range bracketed.FindAllString(string(text), -1) {
					t.Errorf("the doc of %s names %s, which is not there", pkg, strings.TrimSpace(link))
				}
			case *comment.DocLink:
				seen++
				at := strings.TrimPrefix(text.ImportPath, "github.com/perigee-ecs/perigee/")
				name := text.Name
				if text.Recv != "" {
					name = text.Recv + "." + name
				}
				if names := exported[at]; names != nil && name != "" && !names[name] {
					t.Errorf("the doc of %s names %s of %s, which is not there", pkg, name, at)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d links were seen", seen)
	}
}

// symbols adds the names that a file declares: types, functions, values, and methods as
// Type.Method.
func symbols(f *ast.File, to map[string]bool) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			to[name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					to[spec.Name.Name] = ast.IsExported(spec.Name.Name)
					if t, ok := spec.Type.(*ast.InterfaceType); ok {
						for _, method := range t.Methods.List {
							for _, name := range method.Names {
								to[spec.Name.Name+"."+name.Name] = true
							}
						}
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						to[name.Name] = ast.IsExported(name.Name)
					}
				}
			}
		}
	}
}

// textsOf returns the texts of blocks, those of lists included. Code is left out.
func textsOf(blocks []comment.Block) (all []comment.Text) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Paragraph:
			all = append(all, b.Text...)
		case *comment.Heading:
			all = append(all, b.Text...)
		case *comment.List:
			for _, item := range b.Items {
				all = append(all, textsOf(item.Content)...)
			}
		}
	}
	return all
}
