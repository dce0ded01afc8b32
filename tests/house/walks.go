package main

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// mostWalls says how many walls between packages each walk may pass. A walk is a section
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
var mostWalls = map[string]int{
	"a save":        16,
	"an error":      7,
	"a row's write": 10,
	"a kernel run":  12,
}

// A step is one line of a walk.
type step struct{ pkg, function, text string }

var stepLine = regexp.MustCompile(`^\t(\S+) +(\S+)  +(\S.*)$`)

// A walk is what the steps of one title come to.
type walk struct {
	title  string
	steps  int
	walls  int
	faults []string // what the doc says and the code does not
}

func (w *walk) String() string {
	text := fmt.Sprintf("%-48s %7d  in %d steps", "walls on the walk of "+w.title, w.walls, w.steps)
	if most, held := mostWalls[w.title]; held {
		text += fmt.Sprintf(", at most %d", most)
	}
	return text
}

// walks follows all walks that the docs of packages describe, in the order of their
// packages.
func (h *house) walks() []walk {
	bodies := map[string]map[string]bool{} // function: the names in its body
	for _, p := range h.packages {
		for _, f := range p.syntax {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					bodies[p.path+" "+functionName(fn)] = namesIn(fn.Body)
				}
			}
		}
	}
	var all []walk
	for _, p := range h.packages {
		for _, f := range p.syntax {
			for title, steps := range walksIn(f.Doc) {
				all = append(all, follow(title, steps, bodies))
			}
		}
	}
	slices.SortFunc(all, func(a, b walk) int { return strings.Compare(a.title, b.title) })
	return all
}

// follow counts the walls of one walk, and looks whether the code goes that way.
func follow(title string, steps []step, bodies map[string]map[string]bool) walk {
	w := walk{title: title, steps: len(steps)}
	var callers []step // of the step that the walk is at, the outermost first
	for _, s := range steps {
		if bodies[s.pkg+" "+s.function] == nil {
			w.faults = append(w.faults, fmt.Sprintf("there is no function %s in package %s", s.function, s.pkg))
		}
		if strings.HasPrefix(s.text, "later, ") && len(callers) > 0 {
			if callers[len(callers)-1].pkg != s.pkg {
				w.walls++
			}
			callers = nil
		}
		rest, crossed, ok := enter(callers, s, bodies)
		if !ok {
			w.faults = append(w.faults, fmt.Sprintf("no step before it mentions %s of package %s", s.function, s.pkg))
		}
		callers, w.walls = append(rest, s), w.walls+crossed
	}
	return w
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
