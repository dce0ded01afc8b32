package ecs

import (
	"errors"
	"fmt"
	"slices"
)

// Prefab is a template: the components that a new entity gets, and its
// children. A prefab is a value of the program, not of the world; changing it
// does not touch entities made from it before. Templates that live in the world
// are prefab entities: see MarkPrefab.
type Prefab struct {
	Name string
	// Base is what the prefab inherits from, or nil: its values, over which those
	// of the prefab win, and its children. A child of the prefab inherits from
	// the child of the base that has the same name, in whose place it stands; all
	// others come after the base's. Bases have bases; ErrCycle is the error for one that
	// leads to itself.
	Base     *Prefab
	Values   []Value
	Children []Prefab
}

// maxPrefab bounds the bases of a prefab and the generations below it. More are
// taken to be circular.
const maxPrefab = 256

// SpawnPrefab records an entity made from p, children and all. The overrides
// replace the prefab's values of the same components, or add to them. Where a
// base leads to itself, the zero Entity comes back, nothing is made and Apply
// reports ErrCycle; for a nil prefab it reports ErrConflict.
func (c *Commands) SpawnPrefab(p *Prefab, overrides ...Value) Entity {
	if p == nil {
		c.refuse(fmt.Errorf("%w: no prefab to spawn: it is nil", ErrConflict))
		return 0
	}
	if p.inherits(0) {
		whole, err := p.resolve(0)
		if err != nil {
			c.refuse(err)
			return 0
		}
		p = &whole
	}
	return c.spawnResolved(p, overrides)
}

func (c *Commands) spawnResolved(p *Prefab, overrides []Value) Entity {
	c.scratch = append(append(c.scratch[:0], p.Values...), overrides...)
	e := c.Spawn(c.scratch...)
	if e == 0 {
		return 0 // no room, and so none for children
	}
	for i := range p.Children {
		c.SetParent(c.spawnResolved(&p.Children[i], nil), e)
	}
	return e
}

// inherits reports whether a prefab or one below it has a base, or is so deep
// that it must be looked at closely.
func (p *Prefab) inherits(depth int) bool {
	if p.Base != nil || depth > maxPrefab {
		return true
	}
	return slices.ContainsFunc(p.Children, func(child Prefab) bool { return child.inherits(depth + 1) })
}

// resolve returns the prefab with all that it and those below it inherit, and no
// bases.
func (p *Prefab) resolve(depth int) (Prefab, error) {
	if depth > maxPrefab {
		return Prefab{}, fmt.Errorf("%w: prefab %q has more than %d bases or generations above it", ErrCycle, p.Name, maxPrefab)
	}
	whole := Prefab{Name: p.Name}
	if p.Base != nil {
		base, err := p.Base.resolve(depth + 1)
		if err != nil {
			return Prefab{}, err
		}
		whole.Values, whole.Children = base.Values, base.Children
	}
	whole.Values = append(slices.Clip(whole.Values), p.Values...)
	own := make([]Prefab, len(p.Children))
	for i := range p.Children {
		var err error
		if own[i], err = p.Children[i].resolve(depth + 1); err != nil {
			return Prefab{}, err
		}
	}
	whole.adopt(own)
	return whole, nil
}

// adopt puts each of the children in the place of the inherited one that has its
// name and is not taken, from which it inherits in turn, or after all others. All
// are resolved.
func (p *Prefab) adopt(children []Prefab) {
	all, taken := slices.Clone(p.Children), map[int]bool{}
	for _, child := range children {
		i := slices.IndexFunc(p.Children, func(o Prefab) bool { return o.Name == child.Name && o.Name != "" })
		if i < 0 || taken[i] {
			all = append(all, child)
			continue
		}
		taken[i] = true
		all[i].Values = append(slices.Clip(all[i].Values), child.Values...)
		all[i].adopt(child.Children)
	}
	p.Children = all
}

// SpawnPrefab makes an entity from p at once, children and all. The error wraps
// ErrCycle, ErrConflict for a nil prefab, or those of TrySpawn; nothing is left
// behind then.
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
