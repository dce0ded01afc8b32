package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A word is the name of a type, or a noun that a package doc defines: in its glossary, or
// in the list of nouns that it begins with. Each package that has it gives it a meaning,
// but for those that stand together in oneMeaning.
//
// No word has three meanings. A word may have two: then each is that of its packages, and
// a reader who comes from one to the other has the names of the packages to tell them
// apart by.
type word struct {
	name   string
	places []string // the packages that define it, by the last element of their paths
	senses int      // meanings, by oneMeaning
	shared []string // the places with the meaning of a glossary; empty: no glossary has it
}

func (w *word) String() string {
	return fmt.Sprintf("%-16s %d meanings in %s", w.name, w.senses, strings.Join(w.places, ", "))
}

// oneMeaning lists words with packages in which they have the same meaning, and says
// which. A package that stands in no line of a word has a meaning of its own.
const oneMeaning = `
arena        arena ecs engine: the range of memory in which a world keeps its data
index        ecs kit sparse: finds what belongs to a key: entities of a value, those at a place, a position
piece        ecs shadow save: some bytes of a value, side by side
batch        exec bindings: the rows that a batch function gets at a time
budget       tx library: how much a call may still use
breaker      ecs capture: the state of what is parked after failures, and when that is
call         scripting tx running: an entry from the host into a script
call         syntax analysis machine: a call that the text of a script writes
chunk        ecs capture: some entities of one archetype, with their columns
clock        ecs capture: the time of a world
column       ecs rows ir: the values of one component, row after row
component    ecs capture save decl ir: a registered type of data that entities may have
difference   schema save: what two of a sort do not have alike
componentref ecs kernel: a component, whatever its type
conversion   schema value save: how values of one schema become values of another
each         facts analysis: what a text says of an each function
effort       rows game: rows, calls and time of one of those that run a system
error        diag syntax bindings: what is wrong with a script, with its place
event        ecs decl: a type of data that is sent
frame        machine lua diag: a call on a thread of the VM
failure      ecs capture: a run of a system that has failed
fallback     ir scripting: a branch of a kernel at which the VM takes the row over
field        schema value ir syntax: one field of a component, an event, a struct or a table
function     syntax lower: a function of a script, as its text has it
ground       decl bindings scene: which types there are, in the world or in a copy of what it knows
handover     value scripting bindings: what an old version of a script leaves to the new one
hostcall     symbol bindings ir: a place in a function that asks the world, or changes it
invoker      engine kernel: what calls a module
kernel       rows exec kernel scripting: an each function that was compiled
keys         lua machine: text keys with which many tables are made
kind         schema diag symbol ir journal sketch: one of the sorts that the package lists
link         scene replica: where a relation leads from an entity
limits       tx scripting: what scripts may use at most
local        syntax ir: a variable of a function
keys         machine lua: text keys that many tables are made with
mark         ecs tx: how far the records of changes had come
migration    ecs bindings: the change of a type's fields in a running world
module       engine wasm kernel: a kernel as WebAssembly
notice       ecs capture: a change that an observer gets
observer     ecs bindings: a function that gets changes after they were made
optionplace  facts analysis: where the key of an option stands
options      ecs save replica bindings syntax machine library scripting bench hotreload kit loop game inspect journal record saves: what a caller may set; the zero value is the default
owner        heapsize scripting: a version of a script, as what holds memory
param        facts analysis: what a function does with one of its parameters
parked       scripting exec: not run for a while after failures
part         fault machine: a part of what stands at an instruction
part         symbol ir: what a host call names
pass         passes kernel: a step that rewrites a kernel
place        diag syntax: where something stands in a text
position     bench kit: the component
prefab       ecs decl: a template of entities
program      syntax scripting: the text of a script, read and compiled
proxy        value scripting: an empty table that stands for another one
query        ecs decl: which components entities have, may have and must not have
ran          rows game: what ran where, of one system
reader       ecs capture: who reads the events of one type, and how far
record       slots ecs: where the row of an entity is
relation     ecs capture: links between entities under a name
resources    ecs bindings: values of a world that are no entity's
row          ecs kernel: the place of one entity among others with its components
schema       schema ecs: the fields of a component or an event
slots        slots capture: the numbers of entities
storage      ecs capture: where values of a component lie
stream       ecs capture: the events of one type
signature    lower scripting: what a kernel is compiled for
source       facts fault machine: who knows the texts of the scripts
state        passes vector: what is known at a place of a kernel
system       ecs capture exec: a named function that the schedule runs
term         ecs lower: one component of a query
timers       tx bindings: calls that scripts have asked for at a time
use          facts analysis: what a function does with one field
value        ecs decl bindings: a component or an event with data
velocity     bench kit: the component
walk         heapsize machine: a way through all that values lead to
`

// oneMeaningOf reads the table: by word and package, the line of it.
func oneMeaningOf(table string) map[string]map[string]int {
	lines := map[string]map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		said, _, _ := strings.Cut(line, ":")
		fields := strings.Fields(said)
		if lines[fields[0]] == nil {
			lines[fields[0]] = map[string]int{}
		}
		for _, pkg := range fields[1:] {
			lines[fields[0]][pkg] = i
		}
	}
	return lines
}

// words lists the words that more than one package defines, by name, and the entries of
// the table that nothing needs.
func (h *house) words(table string) (list []word, idle []string) {
	places, glossaries := map[string][]string{}, map[string]string{}
	for _, p := range h.runtime() {
		for _, f := range p.syntax {
			for _, name := range nounsOf(f.Doc, true) {
				glossaries[name] = path.Base(p.path)
			}
		}
		for _, name := range p.defines() {
			places[name] = append(places[name], path.Base(p.path))
		}
	}
	same := oneMeaningOf(table)
	for _, name := range slices.Sorted(maps.Keys(places)) {
		w := word{name: name, places: places[name]}
		seen := map[int]bool{}
		for _, pkg := range w.places {
			line, ok := same[name][pkg]
			if owner := glossaries[name]; owner != "" {
				if common, listed := same[name][owner]; pkg == owner || ok && listed && line == common {
					w.shared = append(w.shared, pkg)
				}
			}
			if !ok || !seen[line] {
				w.senses++
			}
			seen[line] = seen[line] || ok
		}
		if len(w.places) > 1 {
			list = append(list, w)
		}
	}
	for name, packages := range same {
		for pkg := range packages {
			if !slices.Contains(places[name], pkg) {
				idle = append(idle, name+" "+pkg)
			}
		}
	}
	slices.Sort(idle)
	return list, idle
}

// count returns how many words have so many meanings.
func count(words []word, senses int) (n int) {
	for _, w := range words {
		if w.senses == senses {
			n++
		}
	}
	return n
}

// defines lists what a package gives a meaning to, each word once. An alias that has the
// name of what it stands for gives none.
func (p *pkg) defines() []string {
	words := map[string]bool{}
	for _, name := range p.types.Scope().Names() {
		o, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if origin, named := types.Unalias(o.Type()).(*types.Named); o.IsAlias() && named && origin.Obj().Name() == name {
			continue
		}
		words[strings.ToLower(name)] = true
	}
	for _, f := range p.syntax {
		for _, name := range nounsOf(f.Doc, false) {
			words[name] = true
		}
	}
	return slices.Sorted(maps.Keys(words))
}

var (
	// A line of a glossary, which has the word in its first column.
	glossaryLine = regexp.MustCompile(`^\t(\w+)  `)
	// An item of a list of nouns: "  - A [View] is", "  - Rows are".
	nounLine = regexp.MustCompile(`^  - (?:An? \[?(\w+)\]?|\[?([A-Z]\w+)s\]? are) `)
)

// nounsOf reads the words that a package doc defines: those of its glossary and, unless
// only these are wanted, in lists before the first heading and below "The words".
func nounsOf(doc *ast.CommentGroup, glossary bool) (words []string) {
	heading := ""
	for line := range strings.Lines(doc.Text()) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			heading = title
			continue
		}
		if m := glossaryLine.FindStringSubmatch(line); m != nil && heading == "Glossary" {
			words = append(words, strings.ToLower(m[1]))
		}
		if m := nounLine.FindStringSubmatch(line); m != nil && !glossary && (heading == "" || heading == "The words") {
			words = append(words, strings.ToLower(m[1]+m[2]))
		}
	}
	return words
}

// unsaid lists the words that a package has in a meaning of its own while a glossary has
// another one, and that its doc does not mention.
func (h *house) unsaid(words []word) (list []string) {
	for _, p := range h.runtime() {
		doc := ""
		for _, f := range p.syntax {
			doc += strings.ToLower(f.Doc.Text())
		}
		for _, w := range words {
			pkg := path.Base(p.path)
			if len(w.shared) == 0 || slices.Contains(w.shared, pkg) || !slices.Contains(w.places, pkg) {
				continue
			}
			if !regexp.MustCompile(`\b` + w.name).MatchString(doc) {
				list = append(list, p.path+": "+w.name)
			}
		}
	}
	return list
}
