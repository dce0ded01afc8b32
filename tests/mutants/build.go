package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const module = "github.com/perigee-ecs/perigee"

// build holds the mutants and where their binaries are.
type build struct {
	part
	root    string // of the module
	dir     string // of what is built
	mutants []Mutant
	skip    map[string]map[int]bool // file → lines
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Export string
	GoFiles            []string
}

func (b *build) list() (map[string]listed, error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Export,GoFiles"}
	for _, name := range b.packages {
		args = append(args, "./"+path.Join(b.below, name))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

// plant writes the mutated sources and returns the overlay that puts them in place.
func (b *build) plant() (overlay string, err error) {
	packages, err := b.list()
	if err != nil {
		return "", err
	}
	b.mutants = nil
	replace := map[string]string{}
	for _, name := range b.packages {
		p := packages[path.Join(module, b.below, name)]
		if err := b.plantPackage(name, p, packages, replace); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(b.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o666)
}

func (b *build) plantPackage(name string, p listed, packages map[string]listed, replace map[string]string) error {
	folder := filepath.Join(b.root, filepath.FromSlash(b.below), name)
	fset := token.NewFileSet()
	var files []*ast.File
	sources := map[*ast.File][]byte{}
	for _, file := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, file, source, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
		sources[f] = source
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })}
	pkg, err := config.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return err
	}
	for i, f := range files {
		m := &mutator{file: name + "/" + p.GoFiles[i], source: sources[f], lines: strings.Split(string(sources[f]), "\n"), fset: fset, info: info, pkg: pkg,
			imports: map[string]string{}, skip: b.skip[name+"/"+p.GoFiles[i]], seen: map[string]int{}}
		m.next = func() int { return len(b.mutants) + len(m.mutants) + 1 }
		for _, spec := range f.Imports {
			at, _ := strconv.Unquote(spec.Path.Value)
			m.imports[at] = path.Base(at)
			if spec.Name != nil {
				m.imports[at] = spec.Name.Name
			}
		}
		m.walk(f)
		b.mutants = append(b.mutants, m.mutants...)
		to := filepath.Join(b.dir, name+"_"+p.GoFiles[i])
		if err := os.WriteFile(to, m.apply(), 0o666); err != nil {
			return err
		}
		replace[filepath.Join(folder, p.GoFiles[i])] = to
	}
	to := filepath.Join(b.dir, name+"_switches.go")
	replace[filepath.Join(folder, "mutant_switches.go")] = to
	return os.WriteFile(to, fmt.Appendf(nil, switches, name), 0o666)
}

var complaint = regexp.MustCompile(`([a-z]+)_(\w+\.go):(\d+):(\d+): (.*)`)

// compile builds all judges. Lines on which something does not compile lose their
// mutants, and it is tried again.
func (b *build) compile(list []Judge) error {
	b.skip = map[string]map[int]bool{}
	for range 30 {
		overlay, err := b.plant()
		if err != nil {
			return err
		}
		cmd := exec.Command("go", "build", "-gcflags=-e", "-overlay", overlay, "./"+path.Join(b.below, "..."))
		cmd.Dir = b.root
		out, err := cmd.CombinedOutput()
		if err == nil {
			return b.buildJudges(overlay, list)
		}
		found := false
		for _, c := range complaint.FindAllStringSubmatch(string(out), -1) {
			file := c[1] + "/" + c[2]
			line, _ := strconv.Atoi(c[3])
			if b.skip[file] == nil {
				b.skip[file] = map[int]bool{}
			}
			if !b.skip[file][line] {
				found = true
				fmt.Fprintf(os.Stderr, "no mutants at %s:%d: %s\n", file, line, c[5])
			}
			b.skip[file][line] = true
		}
		if !found {
			return fmt.Errorf("the mutants do not compile: %w\n%s", err, out)
		}
	}
	return errors.New("the mutants do not compile after 30 attempts")
}

func (b *build) buildJudges(overlay string, list []Judge) error {
	done := map[string]bool{}
	for _, j := range list {
		if done[j.Pkg] {
			continue
		}
		done[j.Pkg] = true
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.binary(j), "./"+j.Pkg)
		cmd.Dir, cmd.Stderr = b.root, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("building the judge %s: %w", j.Pkg, err)
		}
	}
	return nil
}

// binary is where the judge's tests are.
func (b *build) binary(j Judge) string {
	return filepath.Join(b.dir, strings.ReplaceAll(j.Pkg, "/", "_")+".test")
}
