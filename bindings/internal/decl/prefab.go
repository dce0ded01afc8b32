package decl

import "github.com/perigee-ecs/perigee/ecs"

// Prefab is a template as scripts hold it: values and children, with the
// prefabs that it was made from already merged in.
type Prefab struct {
	Name     string
	Values   []*Value
	Children []*Prefab
	Size     int         // entities that a spawn makes, children included
	Below    int         // generations of children
	Bytes    int64       // that a spawn records for them
	Made     *ecs.Prefab // built at the first spawn, once components exist
}

func (p *Prefab) Describe() string { return "the prefab " + p.Name }
