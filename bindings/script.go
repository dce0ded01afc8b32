package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/ecs"
)

// declared is how much a file has declared.
//
// Bytes are those of a model, the same on every machine: what a declaration is
// given, names and default values among it, and a prefab as it is when it is
// spawned. A prefab that lists another one twice is twice as large, although the
// two share memory until then: what doubles sixty times must end before.
type declared struct {
	count int
	bytes int64
}

// longestDeclared is how many bytes the name of anything that is declared may have.
// Errors, logs and summaries repeat names.
const longestDeclared = 255

// declares begins a declaration. It raises an error when the file has too many.
func (a *args) declares() *Script {
	s := a.declaring()
	limit := a.m.opts.Limits.Declarations
	if s.declared.count++; limit > 0 && s.declared.count > limit {
		a.reached("Declarations", "this file declares too much: %s of %s systems, components, events, prefabs, handlers and the like",
			diag.Grouped(int64(s.declared.count)), diag.Grouped(int64(limit)))
	}
	a.keep(decl.PerDeclaration)
	return s
}

// keep counts bytes that the file's declarations take. It raises an error when
// they are too many.
func (a *args) keep(bytes int64) { a.keepFor("", bytes) }

// keepFor is keep for what has the most to do with it.
func (a *args) keepFor(what string, bytes int64) {
	s, limits := a.m.script, &a.m.opts.Limits
	s.declared.bytes += bytes
	a.m.staged.bytes += bytes
	if limit := limits.Declared; limit > 0 && s.declared.bytes > limit {
		a.reached("Declared", "%swith it this file declares too much: used %s of %s bytes", what, diag.Grouped(s.declared.bytes), diag.Grouped(limit))
	}
	if limit := limits.DeclaredTotal; limit > 0 && a.m.staged.bytes > limit {
		a.reached("DeclaredTotal", "%swith it the files together declare too much: used %s of %s bytes", what, diag.Grouped(a.m.staged.bytes), diag.Grouped(limit))
	}
}

// title reads the name of what is declared.
func (a *args) title(i int) string {
	name := a.text(i)
	if len(name) > longestDeclared {
		a.fail("argument %d: a name has at most %d bytes, this one has %s", i, longestDeclared, diag.Grouped(int64(len(name))))
	}
	return name
}

// named is title for what cannot be without one.
func (a *args) named(i int) string {
	name := a.title(i)
	if name == "" {
		a.problem("%s needs a name, and \"\" is none", a.noun())
	}
	return name
}

// noun is what a builtin declares, with its article.
func (a *args) noun() string {
	switch a.name {
	case "system", "component", "tag", "prefab", "handler", "kernel":
		return "a " + a.name
	case "event":
		return "an event"
	case "state":
		return "a state table"
	case "on_add", "on_set", "on_remove", "on_spawn", "on_despawn":
		return "an observer"
	}
	return "ecs." + a.name
}

// keepFields counts what a component or an event has.
func (a *args) keepFields(fields []ecs.Field) {
	for i := range fields {
		f := &fields[i]
		a.keep(decl.PerField + int64(len(f.Name)) + int64(f.Kind.Size())*int64(max(f.Len, 1)) + decl.PerName*int64(len(f.Names)))
	}
}

// keepNames counts a list of names of others, such as those that a system comes
// after.
func (a *args) keepNames(names []string) {
	for _, name := range names {
		a.keep(decl.PerName + int64(len(name)))
	}
}

// keepQuery counts what the query of a system lists, and the code that its each
// function may become.
func (a *args) keepQuery(s *exec.System) {
	q := s.Query
	if q == nil {
		return
	}
	if s.Each != nil && s.Compiled.Mode != exec.KernelOff {
		a.keep(decl.PerKernel)
	}
	n := len(q.List)
	for _, list := range q.Parts() {
		n += len(*list)
	}
	a.keep(decl.PerTerm * int64(n))
}

// room counts what a list of values and prefabs comes to, before it is put
// together.
func (a *args) room(p *parts, bytes int64, where string) {
	p.bytes += bytes
	if limit := a.m.opts.Limits.Declared; limit > 0 && p.bytes > limit {
		a.reached("Declared", "%s: too large: what is listed has %s of %s bytes, prefabs in prefabs included", where, diag.Grouped(p.bytes), diag.Grouped(limit))
	}
}

// again notes that something of a kind has a name, and reports whether there was one
// before.
func (s *Script) again(kind, name string) bool {
	if s.named == nil {
		s.named = map[string]int{}
	}
	s.named[kind+" "+name]++
	return s.named[kind+" "+name] > 1
}

// first notes in which line something of a kind has got a name, and returns the line
// of the one before it that has the same.
func (s *Script) first(kind, name string, line int) (first int, taken bool) {
	if s.named == nil {
		s.named = map[string]int{}
	}
	first, taken = s.named[kind+" "+name]
	if !taken {
		s.named[kind+" "+name] = line
	}
	return first, taken
}

// Declared returns how many bytes the script's declarations take.
func (s *Script) Declared() int64 { return s.declared.bytes }

// checkDeclared finds out whether the scripts of a load and those that stay
// declare too much together. The largest of the new ones has to answer.
func (m *Module) checkDeclared(stay, fresh []*Script) *diag.Error {
	limit := m.opts.Limits.DeclaredTotal
	if limit <= 0 || len(fresh) == 0 {
		return nil
	}
	total, largest := int64(0), fresh[0]
	for _, s := range stay {
		total += s.declared.bytes
	}
	for _, s := range fresh {
		total += s.declared.bytes
		if s.declared.bytes > largest.declared.bytes {
			largest = s
		}
	}
	if total <= limit {
		return nil
	}
	return &diag.Error{Script: largest.Name, Limit: "DeclaredTotal", Message: "the files together declare too much: " + diag.Grouped(total) + " of " + diag.Grouped(limit) +
		" bytes, most of the new ones in this file (Limits.DeclaredTotal)"}
}
