package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A figure is one measure of the structure, and the bound that it is held to: the most
// that it may be, or with least the fewest.
type figure struct {
	name         string
	value, bound int
	least        bool
}

func (f *figure) String() string {
	return fmt.Sprintf("%-48s %7d  at %s %d", f.name, f.value, map[bool]string{true: "least", false: "most"}[f.least], f.bound)
}

// good reports whether a figure keeps its bound. Where the bound is not 0, the value is
// not, either: that would be a measure that finds nothing any more.
func (f *figure) good() bool {
	if f.least {
		return f.value >= f.bound
	}
	return (f.value > 0 || f.bound == 0) && f.value <= f.bound
}

// figures lists what the tests hold. A bound is lowered when the structure gets
// better; it is raised only with a reason.
func (h *house) figures() []figure {
	ecs, bindings := h.find("ecs"), h.find("bindings")
	median, most90, longest := h.lengths()
	words, _ := h.words(oneMeaning)
	return []figure{
		{name: "files of ecs", value: ecs.files, bound: 54},                                                          // changes are reported to tools; events that wait stand in pages; snapshots are composed of the content of saves; invariants; what commands cost; why systems do not run beside each other
		{name: "files of bindings", value: bindings.files, bound: 31},                                                // what scripts keep in a snapshot, the slots that they ask for, scenes, what is kept though no script declares it, the console, drawing, what a reload may convert
		{name: "backward arrows of ecs, in %", value: backward(ecs), bound: 15},                                      // subscribers of events have the breaker of the schedule, which reads events; what has changed is asked of the store
		{name: "comment lines per 100 of code, ecs", value: percent(ecs.comments, ecs.code), bound: 23, least: true}, // checking what a save says is many short lines
		{name: "backward arrows of bindings, in %", value: backward(bindings), bound: 16},                            // what scripts keep is of all parts; scenes make entities of prefabs
		{name: "places that parse a script", value: h.places("scripting/internal/syntax", "Parse"), bound: 3},        // the third reads tables of data, and runs nothing
		{name: "packages that resolve names", value: h.declare("scope", "resolver"), bound: 3},
		{name: "packages that know the VM's instructions", value: h.opcodes(), bound: 8}, // fault finds the column of an error; ours executes them
		{name: "shapes of rows", value: h.rowShapes(), bound: 2},
		{name: "exported names of bindings", value: bindings.exported(), bound: 32},                 // Identities: the numbers in texts of values; Keeper, Kept, KeptReader and Handover: what a snapshot has of scripts; Unloaded: what a version hands over; Template: what a scene makes; Compilation: a kernel that is compiled beside the ticks; Unseen: what no script declares any more; Made: what a text of the console has done
		{name: "methods of bindings.Binding", value: bindings.methods("Binding", false), bound: 70}, // what begins anew with a tick, scenes, slots, records of what is gone, and what a save asks of migrate functions; the console asks what there is
		{name: "callbacks of bindings.Options", value: bindings.callbacks("Options"), bound: 4},
		{name: "exported methods of ecs.World", value: ecs.methods("World", true), bound: 44},
		{name: "words with two meanings", value: count(words, 2), bound: 170}, // saves, replicas, recordings, scenes and the inspector have words of their own
		{name: "words with three meanings or more", value: len(words) - count(words, 1) - count(words, 2), bound: 0},
		{name: "lines of code without tests", value: h.code(), bound: 120_423}, // 2,300 of them are generated; invariants are checked within a limit, and go on in the next step; any goroutine asks for figures; rooms lower a function once, and swap in another program; records of what ran say whose it was; messages for newcomers look into texts before they run; saves, scenes, recordings, replicas and the inspector with its way back in time, its watch over growth its pictures of the schedule and of ticks, its console and the command for assistants are 19,600: files may come from anybody; what kernels copy and store is charged before it is done
		{name: "lines of comment for 100 of code", value: h.comments(), bound: 21, least: true},
		{name: "lines of a function, median", value: median, bound: 10},
		{name: "lines of a function, nine of ten have at most", value: most90, bound: 30},
		{name: "lines of a function, longest", value: longest, bound: 930}, // the loop of our machine: one switch over its operations
	}
}

func backward(p *pkg) int {
	forward, back := p.arrows()
	return percent(back, forward+back)
}

// runtime yields the packages of the runtime and its command; examples and what is there
// for tests alone do not count.
func (h *house) runtime() (list []*pkg) {
	for _, p := range h.packages {
		if strings.HasSuffix(p.path, "test") {
			continue
		}
		switch top(p.path) {
		case "ecs", "bindings", "scripting", "hotreload", "scripts", "cmd":
			list = append(list, p)
		}
	}
	return list
}

// code counts the lines of code.
func (h *house) code() (n int) {
	for _, p := range h.runtime() {
		n += p.code
	}
	return n
}

// comments counts the lines of comment for 100 of code.
func (h *house) comments() int {
	n := 0
	for _, p := range h.runtime() {
		n += p.comments
	}
	return percent(n, h.code())
}

// lengths says how long functions are.
func (h *house) lengths() (median, most90, longest int) {
	var all []int
	for _, p := range h.runtime() {
		all = append(all, p.functions...)
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*9/10], all[len(all)-1]
}

// places counts where other packages mention a name of a package.
func (h *house) places(path, name string) (n int) {
	for _, p := range h.runtime() {
		for o, times := range p.mentions {
			if o.Name() == name && o.Pkg() != nil && p.path != path && below(o.Pkg().Path()) == path {
				n += times
			}
		}
	}
	return n
}

// declare counts the packages that declare a type of one of these names.
func (h *house) declare(names ...string) (n int) {
	for _, p := range h.runtime() {
		if slices.ContainsFunc(names, func(name string) bool {
			_, ok := p.types.Scope().Lookup(name).(*types.TypeName)
			return ok
		}) {
			n++
		}
	}
	return n
}

// opcodes counts the packages that mention instructions of gopher-lua's VM by name.
func (h *house) opcodes() (n int) {
	for _, p := range h.runtime() {
		for o := range p.mentions {
			if _, ok := o.(*types.Const); ok && strings.HasPrefix(o.Name(), "OP_") {
				n++
				break
			}
		}
	}
	return n
}

// rowShapes counts the structs that hold the columns of rows: places in memory beside
// the entities of the rows.
func (h *house) rowShapes() (n int) {
	for _, p := range h.runtime() {
		for _, name := range p.types.Scope().Names() {
			if s, ok := p.types.Scope().Lookup(name).Type().Underlying().(*types.Struct); ok && holdsRows(s) {
				n++
			}
		}
	}
	return n
}

func holdsRows(s *types.Struct) bool {
	entities, columns := false, false
	for f := range s.Fields() {
		text := f.Type().String()
		entities = entities || strings.HasSuffix(text, "[]github.com/perigee-ecs/perigee/ecs.Entity") || text == "[]Entity"
		columns = columns || strings.Contains(strings.ToLower(f.Name()), "column")
	}
	return entities && columns
}
