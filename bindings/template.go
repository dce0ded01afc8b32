package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/ecs"
)

// Template is a prefab as scenes use it: values and children in the forms that the world takes.
type Template struct {
	Values   []TemplateValue
	Children []ecs.Prefab
	Size     int   // entities that a spawn makes, children included
	Bytes    int64 // of their values, about
}

// TemplateValue is a component of a prefab. Data is the script's: nobody may change it.
type TemplateValue struct {
	ID   ecs.ComponentID
	Data unsafe.Pointer
}

// Prefab returns the prefab of a name that some of the scripts declare; nil if none does. It is an
// error if two do: scripts hold prefabs as values, but a scene has nothing but the name.
func (m *Binding) Prefab(scripts []*Declarations, name string) (*Template, *diag.Error) {
	var found *decl.Prefab
	from := ""
	for _, s := range scripts {
		for _, p := range s.prefabs {
			switch {
			case p.Name != name:
			case found != nil:
				return nil, diag.New("the prefab %q is declared twice, in %s and in %s: give one of them another name", diag.Cut(name), from, s.Name)
			default:
				found, from = p, s.Name
			}
		}
	}
	if found == nil {
		return nil, nil
	}
	t := &Template{Size: found.Size, Bytes: found.Bytes}
	for _, v := range found.Values {
		if err := m.usable(found, v); err != nil {
			return nil, err
		}
		t.Values = append(t.Values, TemplateValue{v.Comp.ID, v.Data})
	}
	for _, child := range found.Children {
		built, err := m.template(child)
		if err != nil {
			return nil, err
		}
		t.Children = append(t.Children, *built)
	}
	return t, nil
}

// template gives a prefab in the form that commands take.
func (m *Binding) template(p *decl.Prefab) (*ecs.Prefab, *diag.Error) {
	made := &ecs.Prefab{Name: p.Name}
	for _, v := range p.Values {
		if err := m.usable(p, v); err != nil {
			return nil, err
		}
		made.Values = append(made.Values, m.ecsValue(v))
	}
	for _, child := range p.Children {
		built, err := m.template(child)
		if err != nil {
			return nil, err
		}
		made.Children = append(made.Children, *built)
	}
	return made, nil
}

// usable refuses a value that was made before its component got other fields.
func (m *Binding) usable(p *decl.Prefab, v *decl.Value) *diag.Error {
	if !v.Comp.Ready || v.Form != v.Comp.Form {
		return diag.New("the prefab %q has a value of %s with the fields of an older version", diag.Cut(p.Name), v.Comp.Name)
	}
	return nil
}

// PrefabNames lists the prefabs that scripts declare.
func PrefabNames(scripts []*Declarations) []string {
	return listed(scripts, func(s *Declarations) []*decl.Prefab { return s.prefabs }, func(p *decl.Prefab) string { return p.Name })
}
