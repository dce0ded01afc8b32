package scene

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// Scene is a scene file that was read.
//
// Invariant: no two entities have one name, and every name is one that [Name] accepts.
type Scene struct {
	File     *data.File
	Entities []Entity
}

// Entity is what a file says about an entity. Words that it does not say are empty.
type Entity struct {
	Name       string
	At         uint32
	Prefab     Mention
	Parent     Mention
	Components []Component
	Relations  []Link
}

// Mention is a name in a file, with its place.
type Mention struct {
	Text string
	At   uint32
}

// Component is what a file says about a component of an entity.
type Component struct {
	Mention
	Value *data.Datum
}

// Link is the target of an entity in a relation.
type Link struct {
	Mention // the relation
	Target  Mention
}

// The keys of a scene and of an entity in it.
var (
	sceneKeys  = []string{"entities", "$schema"}
	entityKeys = []string{"prefab", "parent", "components", "relations"}
)

// mostProblems is how many problems of a scene are said at once.
const mostProblems = 20

// longestName is how many bytes the name of an entity may have.
const longestName = 200

// Name says why a text is no name for an entity; "" if it is one.
func Name(name string) string {
	switch {
	case name == "":
		return "the name is empty"
	case len(name) > longestName:
		return diag.Format("the name has more than %d bytes", longestName)
	case !utf8.ValidString(name) || diag.OneLine(name) != name:
		return "the name has characters that cannot be shown"
	case strings.TrimSpace(name) != name:
		return "the name begins or ends with a blank"
	}
	return ""
}

// problems collects what is wrong with one file, up to a number.
type problems struct {
	file  *data.File
	list  []*diag.Error
	most  int                                                  // zero: mostProblems
	meant func(name string, candidates func() []string) string // proposes a name
}

// add notes a problem at a place.
func (p *problems) add(at uint32, format string, v ...any) {
	if !p.full() {
		p.list = append(p.list, diag.New(format, v...).On(p.file.Place(at)))
	}
}

// full reports whether more would not be said.
func (p *problems) full() bool { return len(p.list) >= cmp.Or(p.most, mostProblems) }

// Read takes a file as a scene. O(file).
func Read(f *data.File) (*Scene, []*diag.Error) {
	r := fileReader{problems{file: f}}
	s := &Scene{File: f}
	if f.Root.Kind != data.Record {
		r.add(f.Root.Offset, "a scene is a table with the key entities, such as { entities = { … } }; this is %s", f.Root.Kind)
		return nil, r.list
	}
	var entities *data.Datum
	for i, key := range f.Root.Keys {
		switch {
		case r.full():
		case key == "entities":
			entities = &f.Root.Items[i]
		case key == "$schema" && f.Root.Items[i].Kind == data.Text: // for editors
		default:
			r.unknown(&f.Root, i, "a scene", sceneKeys)
		}
	}
	switch {
	case entities == nil:
		r.add(f.Root.Offset, "a scene has the key entities, such as { entities = { lamp = { … } } }")
	case entities.Kind != data.Record:
		r.add(entities.Offset, "entities: expected a table of entities by name, got %s", entities.Kind)
	default:
		for i, name := range entities.Keys {
			if r.full() {
				break
			}
			s.Entities = append(s.Entities, r.entity(name, keyAt(entities, i), &entities.Items[i]))
		}
	}
	if len(r.list) > 0 {
		return nil, r.list
	}
	return s, nil
}

// keyAt returns where a key stands; the keys of a CSV file stand nowhere.
func keyAt(of *data.Datum, i int) uint32 {
	if i < len(of.KeyAt) {
		return of.KeyAt[i]
	}
	return of.Offset
}

// fileReader reads one file.
type fileReader struct{ problems }

// unknown notes a key that means nothing.
func (r *fileReader) unknown(of *data.Datum, i int, what string, keys []string) {
	hint := diag.DidYouMean(of.Keys[i], keys)
	if hint == "" {
		hint = ": it has " + diag.Choice(keys)
	}
	r.add(keyAt(of, i), "%s has no key %q%s", what, diag.Cut(of.Keys[i]), hint)
}

// word reads a name.
func (r *fileReader) word(v *data.Datum, what string) Mention {
	if v.Kind != data.Text || v.Text == "" {
		r.add(v.Offset, "%s: expected a name in quotes, got %s", what, emptyOr(v))
	}
	return Mention{v.Text, v.Offset}
}

// emptyOr says what stands where a name should.
func emptyOr(v *data.Datum) string {
	if v.Kind == data.Text && v.Text == "" {
		return "an empty text"
	}
	return v.Kind.String()
}

// entity reads an entity.
func (r *fileReader) entity(name string, at uint32, v *data.Datum) Entity {
	e := Entity{Name: name, At: at}
	if why := Name(name); why != "" {
		r.add(at, "%q cannot be the name of an entity: %s", diag.Cut(name), why)
	}
	if v.Kind != data.Record {
		r.add(v.Offset, "entity %q: expected a table such as { components = { … } }, got %s", diag.Cut(name), v.Kind)
		return e
	}
	for i, key := range v.Keys {
		if r.full() {
			break
		}
		item := &v.Items[i]
		switch key {
		case "prefab":
			e.Prefab = r.word(item, "prefab")
		case "parent":
			e.Parent = r.word(item, "parent")
		case "components":
			r.each(item, "components", "{ Position = { x = 1 } }", func(w Mention, v *data.Datum) {
				e.Components = append(e.Components, Component{w, v})
			})
		case "relations":
			r.each(item, "relations", `{ Targets = "tank" }`, func(w Mention, v *data.Datum) {
				e.Relations = append(e.Relations, Link{w, r.word(v, "the target")})
			})
		default:
			r.unknown(v, i, "an entity of a scene", entityKeys)
		}
	}
	return e
}

// each reads a table by its keys.
func (r *fileReader) each(v *data.Datum, what, such string, do func(Mention, *data.Datum)) {
	if v.Kind != data.Record {
		r.add(v.Offset, "%s: expected a table such as %s, got %s", what, such, v.Kind)
		return
	}
	for i, key := range v.Keys {
		if r.full() {
			return
		}
		do(Mention{key, keyAt(v, i)}, &v.Items[i])
	}
}
