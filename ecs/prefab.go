package ecs

import (
	"errors"
	"slices"
)

// Prefab is a template: the components that a new entity gets, and its
// children. A prefab is a value of the program, not of the world; changing it
// does not touch entities made from it before.
type Prefab struct {
	Name     string
	Values   []Value
	Children []Prefab
}

// SpawnPrefab records an entity made from p, children and all. The overrides
// replace the prefab's values of the same components, or add to them.
func (c *Commands) SpawnPrefab(p *Prefab, overrides ...Value) Entity {
	c.scratch = append(append(c.scratch[:0], p.Values...), overrides...)
	e := c.Spawn(c.scratch...)
	if e == 0 {
		return 0 // no room, and so none for children
	}
	for i := range p.Children {
		c.SetParent(c.SpawnPrefab(&p.Children[i]), e)
	}
	return e
}

// SpawnPrefab makes an entity from p at once, children and all. The error wraps
// those of TrySpawn; nothing is left behind then.
func (w *World) SpawnPrefab(p *Prefab, overrides ...Value) (Entity, error) {
	if w.locks > 0 {
		return 0, ErrIterating
	}
	c := w.NewCommands()
	e := c.SpawnPrefab(p, overrides...)
	made := slices.Clone(c.reserved)
	if err := c.Apply(); err != nil {
		made = slices.DeleteFunc(made, func(e Entity) bool { return !w.Alive(e) })
		return 0, errors.Join(err, w.despawnAll(made))
	}
	return e, nil
}
