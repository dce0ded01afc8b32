package scene

import (
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

// Base is a scene that is loaded: which entities are its, and what its file said when it was read
// last. Nothing changes it: the next load makes another one.
type Base struct {
	Name     string
	Digest   [32]byte // of the text
	Entities []Loaded

	byName   map[string]int
	byEntity map[ecs.Entity]int
}

// Loaded is an entity of a scene. It may have died since.
type Loaded struct {
	Name       string
	Entity     ecs.Entity
	Prefab     string
	Links      []LoadedLink
	Components []LoadedComponent
}

// LoadedLink is the name of an entity's target in a relation, the hierarchy included.
type LoadedLink struct{ Relation, Target string }

// LoadedComponent is a component that the file gives an entity, directly or by a prefab.
type LoadedComponent struct {
	Name   string
	Fields []LoadedField
}

// LoadedField is a field and its value, as text.
type LoadedField struct{ Path, Text string }

// Index makes the entities of a base quick to find. Call it after they have changed. It reports
// whether no name and no entity is there twice.
func (b *Base) Index() bool {
	b.byName, b.byEntity = make(map[string]int, len(b.Entities)), make(map[ecs.Entity]int, len(b.Entities))
	for i := range b.Entities {
		b.byName[b.Entities[i].Name], b.byEntity[b.Entities[i].Entity] = i, i
	}
	return len(b.byName) == len(b.Entities) && len(b.byEntity) == len(b.Entities)
}

// Find returns the entity of a name, nil if there is none. The entity may be dead.
func (b *Base) Find(name string) *Loaded {
	if b == nil {
		return nil
	}
	if i, ok := b.byName[name]; ok {
		return &b.Entities[i]
	}
	return nil
}

// NameOf returns the name of an entity, "" if it is not of the scene.
func (b *Base) NameOf(e ecs.Entity) string {
	if b == nil {
		return ""
	}
	if i, ok := b.byEntity[e]; ok {
		return b.Entities[i].Name
	}
	return ""
}

// written is the [namer] of a base.
func (b *Base) written(e ecs.Entity) string {
	if name := b.NameOf(e); name != "" && e != 0 {
		return "@" + name
	}
	return strconv.FormatUint(uint64(e), 10)
}

// target returns what the file said of a relation: @name, or "" for nothing.
func (l *Loaded) target(relation string) string {
	if l == nil {
		return ""
	}
	for i := range l.Links {
		if l.Links[i].Relation == relation {
			return "@" + l.Links[i].Target
		}
	}
	return ""
}

// component returns what the file said of a component, nil for nothing.
func (l *Loaded) component(name string) *LoadedComponent {
	if l == nil {
		return nil
	}
	for i := range l.Components {
		if l.Components[i].Name == name {
			return &l.Components[i]
		}
	}
	return nil
}

// field returns what the file said of a field. guess is where it stands if the component has not
// changed.
func (c *LoadedComponent) field(path string, guess int) (text string, ok bool) {
	if c == nil {
		return "", false
	}
	if guess < len(c.Fields) && c.Fields[guess].Path == path {
		return c.Fields[guess].Text, true
	}
	for i := range c.Fields {
		if c.Fields[i].Path == path {
			return c.Fields[i].Text, true
		}
	}
	return "", false
}

// Bytes is about how much memory the base takes.
func (b *Base) Bytes() (n int64) {
	for i := range b.Entities {
		l := &b.Entities[i]
		n += 200 + int64(len(l.Name)+len(l.Prefab))
		for _, k := range l.Links {
			n += 32 + int64(len(k.Target))
		}
		for _, c := range l.Components {
			n += 64 + int64(len(c.Name))
			for _, f := range c.Fields {
				n += 32 + int64(len(f.Text)+strings.Count(f.Path, "."))
			}
		}
	}
	return n
}
