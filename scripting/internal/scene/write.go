package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// Syntax is how a scene is written.
type Syntax uint8

// The syntaxes.
const (
	Lua Syntax = iota
	JSON
)

// Writing says how entities are written.
type Writing struct {
	Syntax Syntax
	// Name returns how an entity is called already, "" for one without a name. The first of two with the
	// same name has it; others get names of their own.
	Name func(ecs.Entity) string
	// Prefab returns the prefab that an entity keeps, "" for none; nil keeps none. All components are
	// written nevertheless, over those of the prefab.
	Prefab func(ecs.Entity) string
}

// Omission is something that a scene does not say of its entities.
type Omission struct {
	Text string // "guard.Target.who leads to an entity that is not written"
	// Link says that it leads out of the set. Otherwise a value has no words in a scene.
	Link bool
}

// Write writes entities as a scene, which is loaded as what they are: in their order, with all
// components that have names, all fields that scripts see, parents and relations. What a
// scene cannot say is left out, and listed in left: parents, targets and fields that lead out of
// the set (such a field becomes nobody), the parents that make more entities be above each other than a scene may have,
// whole numbers beyond 2⁵³, texts that are no UTF-8, words that an enum does not have. The same world gives the same text. O(components of the entities).
func Write(w Ground, entities []ecs.Entity, how Writing) (text []byte, left []Omission) {
	x := &textWriter{world: w, names: map[ecs.Entity]string{}, above: map[*ecs.Relation]map[ecs.Entity]int{}, Writing: how}
	taken := map[string]bool{}
	for _, e := range entities {
		if name := how.Name(e); name != "" && !taken[name] {
			x.names[e], taken[name] = name, true
		}
	}
	n := 0
	for _, e := range entities {
		for x.names[e] == "" {
			n++
			if name := fmt.Sprintf("entity_%d", n); !taken[name] {
				x.names[e], taken[name] = name, true
			}
		}
	}
	x.begin()
	for i, e := range entities {
		x.entity(i, e)
	}
	x.end()
	return x.to, x.left
}

// Reads reads a text that Write has made, as a load will read it, with at most so many values (zero
// for any number), and holds it against a world. Each prefab counts as one that the world has, and is empty.
func Reads(w Ground, text []byte, syntax Syntax, values int) []*diag.Error {
	w.Prefab = func(string) (*bindings.Template, *diag.Error) { return &bindings.Template{Size: 1}, nil }
	f, err := data.Read("scene"+[]string{".lua", ".json"}[syntax], text, data.Limits{Values: values})
	if err != nil {
		return []*diag.Error{err}
	}
	s, problems := Read(f)
	if len(problems) == 0 {
		_, problems = NewPlan(s, w)
	}
	return problems
}

// textWriter writes one scene.
type textWriter struct {
	Writing
	world Ground
	names map[ecs.Entity]string
	above map[*ecs.Relation]map[ecs.Entity]int
	to    []byte
	left  []Omission
}

func (x *textWriter) add(parts ...string) {
	for _, p := range parts {
		x.to = append(x.to, p...)
	}
}

// begin and end write what is around the entities.
func (x *textWriter) begin() {
	if x.Syntax == JSON {
		x.add("{\n  \"entities\": {")
	} else {
		x.add("return {\n  entities = {")
	}
}

func (x *textWriter) end() { x.add("\n  }\n}\n") }

// key writes a key of a table, after a comma if it is not the first.
func (x *textWriter) key(first bool, name string) {
	if !first {
		x.add(", ")
	}
	switch {
	case x.Syntax == JSON:
		x.string(name)
		x.add(": ")
	case diag.IsName(name):
		x.add(name, " = ")
	default:
		x.add("[")
		x.string(name)
		x.add("] = ")
	}
}

// string writes a text in quotes.
func (x *textWriter) string(s string) {
	if x.Syntax == JSON {
		quoted, _ := json.Marshal(s) // a text has no error
		x.to = append(x.to, quoted...)
		return
	}
	x.add(`"`)
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			x.to = append(x.to, '\\', c)
		case c < ' ' || c == 0x7f:
			x.to = fmt.Appendf(x.to, "\\%03d", c)
		default:
			x.to = append(x.to, c)
		}
	}
	x.add(`"`)
}

// entity writes an entity, one component in a line.
func (x *textWriter) entity(i int, e ecs.Entity) {
	if i > 0 {
		x.add(",")
	}
	x.add("\n    ")
	x.key(true, x.names[e])
	x.add("{")
	first := true
	line := func(name string) {
		if !first {
			x.add(",")
		}
		first = false
		x.add("\n      ")
		x.key(true, name)
	}
	if x.Prefab != nil && x.Prefab(e) != "" {
		line("prefab")
		x.string(x.Prefab(e))
	}
	x.links(e, line)
	ids := map[string]ecs.ComponentID{}
	var names []string
	for _, id := range x.world.Components(e, nil) {
		if name := x.world.Schema(id).Name; x.isNamed(name, id) {
			ids[name], names = id, append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		line("components")
		x.add("{")
		for k, name := range names {
			if k > 0 {
				x.add(",")
			}
			x.add("\n        ")
			x.key(true, name)
			s := x.world.Schema(ids[name])
			x.record(x.names[e]+"."+name, s.Fields, x.world.Pointer(e, ids[name]))
		}
		x.add("\n      }")
	}
	if !first {
		x.add("\n    ")
	}
	x.add("}")
}

// isNamed reports whether a component is found by its name.
func (x *textWriter) isNamed(name string, id ecs.ComponentID) bool {
	found, ok := x.world.ComponentNamed(name)
	return ok && found == id
}

// links writes the parent and the targets of an entity.
func (x *textWriter) links(e ecs.Entity, line func(string)) {
	var targets []link
	var names []string
	for r := range x.world.Relations() {
		to := r.Target(e)
		switch name := x.names[to]; {
		case to == 0:
		case name == "":
			x.leads(to, "%s: %s leads to", x.names[e], called(r, x.world))
		case x.floor(r, e) == 1:
			x.leave("%s: %s: more than %d entities are above each other", x.names[e], called(r, x.world), deepest)
		case r == x.world.ChildOf:
			line("parent")
			x.string(name)
		default:
			targets, names = append(targets, link{relation: r}), append(names, name)
		}
	}
	if len(targets) == 0 {
		return
	}
	line("relations")
	x.add("{ ")
	for i, k := range targets {
		x.key(i == 0, k.relation.Name())
		x.string(names[i])
	}
	x.add(" }")
}

// floor returns which one of a chain an entity is, from the top: of those that are written, in a relation whose chains
// have an end. A chain that is longer than a scene may have is cut: the first of each part is 1. It looks at each entity once.
func (x *textWriter) floor(r *ecs.Relation, e ecs.Entity) int {
	if !r.Options().Acyclic {
		return 0
	}
	known := x.above[r]
	if known == nil {
		known = map[ecs.Entity]int{}
		x.above[r] = known
	}
	var chain []ecs.Entity
	for ; x.names[e] != "" && known[e] == 0; e = r.Target(e) {
		chain = append(chain, e)
	}
	floor := known[e]
	for _, e := range slices.Backward(chain) {
		floor = floor%deepest + 1
		known[e] = floor
	}
	return floor
}

// leave notes a value that is left out.
func (x *textWriter) leave(format string, v ...any) {
	x.left = append(x.left, Omission{Text: diag.Format(format, v...)})
}

// leads notes that something leads out of the set.
func (x *textWriter) leads(to ecs.Entity, format string, v ...any) {
	what := " an entity that is not written"
	if x.world.At(to.Index()) != to {
		what = " an entity that is dead"
	}
	x.left = append(x.left, Omission{diag.Format(format, v...) + what, true})
}

// record writes the fields of a struct.
func (x *textWriter) record(path string, fields []ecs.Field, at unsafe.Pointer) {
	x.add("{")
	first := true
	for i := range fields {
		f := &fields[i]
		before := len(x.to)
		if first {
			x.add(" ")
		}
		x.key(first, f.Name)
		if f.Kind == ecs.Opaque {
			x.leave("%s.%s: only the program can read it", path, f.Name)
		}
		if f.Kind == ecs.Opaque || !x.field(path+"."+f.Name, f, unsafe.Add(at, f.Offset)) {
			x.to = x.to[:before]
			continue
		}
		first = false
	}
	if !first {
		x.add(" ")
	}
	x.add("}")
}

// field writes a field, or returns false if no scene can say it.
func (x *textWriter) field(path string, f *ecs.Field, at unsafe.Pointer) bool {
	if f.Len == 0 {
		return x.one(path, f, at)
	}
	open, close := "{", "}"
	if x.Syntax == JSON {
		open, close = "[", "]"
	}
	x.add(open)
	for i := range f.Len {
		if i > 0 {
			x.add(", ")
		}
		if !x.one(path, f, unsafe.Add(at, uintptr(i)*f.Stride)) {
			return false
		}
	}
	x.add(close)
	return true
}

// one writes a value that is no array.
func (x *textWriter) one(path string, f *ecs.Field, at unsafe.Pointer) bool {
	switch f.Kind {
	case ecs.Struct:
		x.record(path, f.Fields, at)
	case ecs.String:
		s := *(*string)(at)
		if !utf8.ValidString(s) {
			x.leave("%s: the text is no UTF-8", path)
			return false
		}
		x.string(s)
	case ecs.Bool:
		x.add(strconv.FormatBool(f.Kind.Load(at) != 0))
	case ecs.Enum:
		n := int(f.Kind.Load(at))
		if n >= len(f.Names) {
			x.leave("%s: the enum has no word of number %d", path, n)
			return false
		}
		x.string(f.Names[n])
	case ecs.Ref:
		e := *(*ecs.Entity)(at)
		if x.names[e] == "" {
			if e != 0 {
				x.leads(e, "%s leads to", path)
			}
			x.add("0")
			return true
		}
		x.string(x.names[e])
	default:
		return x.number(path, f, at)
	}
	return true
}

// exact is up to where a float64 holds every whole number.
const exact = 1 << 53

// number writes a number in the shortest form that is read as the same.
func (x *textWriter) number(path string, f *ecs.Field, at unsafe.Pointer) bool {
	if i := *(*int64)(x.wide(f, at)); f.Kind == ecs.I64 && (i > exact || i < -exact) || f.Kind == ecs.U64 && uint64(i) > exact {
		x.leave("%s: a whole number beyond 2⁵³", path)
		return false
	}
	v := f.Kind.Load(at)
	for word, odd := range notFinite {
		if v == odd || v != v && odd != odd {
			x.string(word)
			return true
		}
	}
	bits := 64
	if f.Kind == ecs.F32 {
		bits = 32
	}
	if f.Kind.Integer() {
		x.to = strconv.AppendFloat(x.to, v, 'f', -1, bits)
	} else {
		x.to = strconv.AppendFloat(x.to, v, 'g', -1, bits)
	}
	return true
}

// wide returns the place of a number of 64 bits, or of zero for a narrower one.
func (x *textWriter) wide(f *ecs.Field, at unsafe.Pointer) unsafe.Pointer {
	if f.Kind == ecs.I64 || f.Kind == ecs.U64 {
		return at
	}
	return unsafe.Pointer(new(int64))
}
