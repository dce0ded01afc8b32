package replica

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// declaration is what the world of a primary has declared. It comes with full messages.
type declaration struct {
	Filtered   bool                `json:"filtered,omitempty"`
	Components []declaredComponent `json:"components"`
	Events     []declaredEvent     `json:"events,omitempty"`
	Resources  []declaredResource  `json:"resources,omitempty"`
}

// declaredComponent is a component type.
type declaredComponent struct {
	Name     string          `json:"name"`
	Kept     string          `json:"kept"` // see capture.Storage
	Mark     bool            `json:"mark,omitempty"`
	Relation bool            `json:"relation,omitempty"`
	Size     uint64          `json:"size"`
	Fields   []declaredField `json:"fields,omitempty"`
}

// declaredField is a field, and where it lies.
type declaredField struct {
	Name   string          `json:"name"`
	Kind   string          `json:"kind"`
	At     uint64          `json:"at"`
	Len    int             `json:"len,omitempty"`
	Names  []string        `json:"names,omitempty"`
	Fields []declaredField `json:"fields,omitempty"`
}

// declaredEvent is an event type.
type declaredEvent struct {
	Name   string          `json:"name"`
	Size   uint64          `json:"size"`
	Fields []declaredField `json:"fields,omitempty"`
}

// declaredResource is a resource, by its Go type or by a name.
type declaredResource struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
}

// declarationOf describes the declared part of a state.
func declarationOf(st *capture.Content) *declaration {
	d := &declaration{Components: []declaredComponent{}}
	for i := range st.Components {
		d.Components = append(d.Components, componentOf(&st.Components[i]))
	}
	for i := range st.Streams {
		s := st.Streams[i].Schema
		d.Events = append(d.Events, declaredEvent{s.Name, uint64(s.Size), fieldsOf(s.Fields)})
	}
	for i := range st.Resources {
		d.Resources = append(d.Resources, declaredResource{st.Resources[i].Name, capture.ResourceType(st.Resources, i)})
	}
	return d
}

// componentOf describes a component.
func componentOf(c *capture.Component) declaredComponent {
	d := declaredComponent{Name: c.Schema.Name, Kept: c.Kept.String(), Mark: c.Mark, Relation: c.Relation, Size: uint64(c.Schema.Size), Fields: fieldsOf(c.Schema.Fields)}
	if c.Mark {
		d.Name = ""
	}
	return d
}

// fieldsOf describes fields.
func fieldsOf(fields []schema.Field) (list []declaredField) {
	for _, f := range fields {
		list = append(list, declaredField{f.Name, f.Kind.String(), uint64(f.Offset), f.Len, slices.Clone(f.Names), fieldsOf(f.Fields)})
	}
	return list
}

// bytes returns the declaration as it is in messages.
func (d *declaration) bytes() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // it is made of numbers and strings
	}
	return text
}

// readDeclaration reads one.
func readDeclaration(text []byte) (*declaration, error) {
	d := &declaration{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%w: its declaration: %v", ErrDamaged, err)
	}
	return d, nil
}

// fits holds the declaration against that of a replica's world, and returns which component
// of that each of its components is.
func (d *declaration) fits(own *capture.Content) (ids []int, err error) {
	mine := declarationOf(own)
	for i, c := range d.Components {
		at := i
		if d.Filtered {
			at = slices.IndexFunc(mine.Components, func(m declaredComponent) bool { return m.Name == c.Name && !m.Mark })
		}
		switch {
		case !d.Filtered && c.Mark && at == len(mine.Components) && c.Size == 0 && c.Kept == capture.InChunks.String(): // a world makes it when it is first needed
		case at < 0 || at >= len(mine.Components):
			return nil, fmt.Errorf("%w: component %q is in the world of the primary, and not registered in this one", ecs.ErrUnknown, c.Name)
		case mine.Components[at].Name != c.Name:
			return nil, fmt.Errorf("%w: component %d is %q in the world of the primary, and %q in this one: register components in the same order", ecs.ErrConflict, i, c.Name, mine.Components[at].Name)
		case !reflect.DeepEqual(mine.Components[at], c):
			return nil, fmt.Errorf("%w: component %q is another one in the world of the primary: it has other fields, or is kept elsewhere", ecs.ErrConflict, c.Name)
		}
		if slices.Contains(ids, at) {
			return nil, fmt.Errorf("%w: component %q is there twice", ErrDamaged, c.Name)
		}
		ids = append(ids, at)
	}
	if d.Filtered {
		return ids, nil
	}
	if n := len(mine.Components); n > len(ids) {
		return nil, fmt.Errorf("%w: component %q is registered in this world, and not in that of the primary", ecs.ErrConflict, mine.Components[len(ids)].Name)
	}
	if !reflect.DeepEqual(mine.Events, d.Events) {
		return nil, fmt.Errorf("%w: the events of this world are %s, those of the primary %s", ecs.ErrConflict, eventNames(mine.Events), eventNames(d.Events))
	}
	for _, r := range d.Resources {
		if r.in(own) < 0 {
			return nil, fmt.Errorf("%w: the primary has a resource %s, this world has none: provide it first", ecs.ErrUnknown, r.Type)
		}
	}
	return ids, nil
}

// in returns the place of the resource in the world of a replica, or -1.
func (r declaredResource) in(own *capture.Content) int {
	at := capture.FindResource(own.Resources, r.Name, r.Type)
	if at >= 0 && r.Name != "" && capture.ResourceType(own.Resources, at) != r.Type {
		return -1
	}
	return at
}

// eventNames lists events in errors.
func eventNames(list []declaredEvent) (names []string) {
	for _, e := range list {
		names = append(names, fmt.Sprintf("%q (%d bytes)", e.Name, e.Size))
	}
	return names
}
