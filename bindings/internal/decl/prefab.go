package decl

import (
	"github.com/perigee-ecs/perigee/ecs"
)

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

// Use says what the prefab is for. Other values that it is to have come after it.
func (p *Prefab) Use() string {
	return "write ecs.spawn(" + p.Name + "), or ecs.spawn(" + p.Name + ", …) with other values"
}

// Held returns how many bytes the values of the prefab take, children included.
func (p *Prefab) Held() (bytes int64) {
	for _, v := range p.Values {
		bytes += v.Held()
	}
	for _, child := range p.Children {
		bytes += child.Held()
	}
	return bytes
}
