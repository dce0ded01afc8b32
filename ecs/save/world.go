package save

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Withheld is a component of a save of which [File.World] has nothing, or only a part.
type Withheld struct {
	Component string
	// Why says what is missing, in words that follow the name: "it has Go pointers, and only the program knows …".
	Why string
	// Entities have it, in no order that lasts.
	Entities []ecs.Entity
}

// World opens a world of its own with what a save has, for tools that are not the program: components
// and relations are defined as the save describes them. Entities have the handles of the save,
// relations its policies, components of pools lie in pools. Events and resources stay in the save. What only the Go types of
// the program could say is withheld: components with Go pointers are not in the world at all, and
// those with bytes that are in no field lack these bytes. The options are for the new world; its tag is
// that of the save. Close the world after use.
//
// The save may come from anybody: see the package's documentation, "Files that cannot be trusted". The
// error wraps ErrDamaged or ErrTooLarge for the save, [ecs.ErrArenaFull] or [ecs.ErrEntityLimit] for one that
// has no room in the world, or is one of [ecs.Open]. O(bytes).
func (f *File) World(options ecs.Options) (*ecs.World, []Withheld, error) {
	w, withheld, err := f.world(options)
	if err != nil {
		return nil, nil, fmt.Errorf("save: world: %w", err)
	}
	return w, withheld, nil
}

// world is World without the name of the package in errors.
func (f *File) world(options ecs.Options) (*ecs.World, []Withheld, error) {
	r, err := f.rows()
	if err != nil {
		return nil, nil, err
	}
	options.Tag = f.manifest.Tag
	w, err := ecs.Open(options)
	if err != nil {
		return nil, nil, err
	}
	withheld, err := r.defineAll(w)
	if err == nil {
		_, image, prepared := f.prepare(w, LoadOptions{Lose: true})
		if err = prepared; err == nil {
			err = w.Raw().Restore(image)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, withheld, nil
}

// defineAll defines what the save has in a world that is empty.
func (r *rowReader) defineAll(w *ecs.World) (withheld []Withheld, err error) {
	policies := map[int]ecs.Policy{}
	for _, k := range r.entry.Relations {
		policies[k.Component] = ecs.Policy(k.Policy)
	}
	for i := range r.of {
		e := r.of[i].entry
		switch {
		case e.Mark:
		case e.Relation:
			if w.Raw().RelationNamed(e.Name) == nil {
				_, err = w.Relation(e.Name, ecs.RelationOptions{OnDespawn: policies[i]})
			}
		default:
			if why := r.define(w, i); why != "" && e.Entities > 0 {
				entities, found := r.having(i)
				withheld, err = append(withheld, Withheld{e.Name, why, entities}), found
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", e.sort(), e.Name, described(err))
		}
	}
	return withheld, nil
}

// described gives an error the name of damage if a save describes what no world can have.
func described(err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooLarge) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// define defines a component in a world, and says what is missing in it; "" for nothing.
func (r *rowReader) define(w *ecs.World, i int) string {
	e := r.of[i].entry
	if e.onHeap() {
		return fmt.Sprintf("its values of the Go type %s have pointers, and are written as only the program can read them", cmp.Or(e.Type, "?"))
	}
	from := r.of[i].from.schema
	id, err := w.Raw().Define(ecs.Schema{Name: e.Name, Version: e.Version, Fields: from.Fields}, e.Kept == capture.InArenaPool.String())
	if err != nil {
		return "no world without the program can have it: " + err.Error()
	}
	switch lost := schema.NewConversion(from, w.Raw().Schema(id)).Lost; {
	case len(lost) > 0:
		return fmt.Sprintf("only the program can read its field %s", lost[0])
	case e.Hidden > 0:
		return fmt.Sprintf("%s of it are in no field that scripts and tools see", count(e.Hidden, "byte", "bytes"))
	}
	return ""
}

// having lists the entities that have a component.
func (r *rowReader) having(which int) (list []ecs.Entity, err error) {
	if r.encoded(which) {
		err = r.eachEncoded(which, func(handle uint64, _ []byte, _ bool) { list = append(list, ecs.Entity(handle)) })
		return list, err
	}
	err = r.each(which, func(handle uint64, _ []byte) { list = append(list, ecs.Entity(handle)) })
	return list, err
}
