package inspect

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	mostBranches = 100  // entities of a tree in an answer
	mostKinds    = 12   // components that are named of each
	longestName  = 64   // bytes of a name of an entity, or of a component
	mostCircle   = 4096 // targets that follow each other, looked at for one entity
)

// linkJSON is a relation of the world.
type linkJSON struct {
	Relation  string `json:"relation"`
	Acyclic   bool   `json:"acyclic"`
	OnDespawn string `json:"on_despawn"` // orphan, cascade or refuse
	Sources   int    `json:"sources"`    // entities that have a target
}

// getRelations lists the relations of the world, the hierarchy first.
func (i *Inspector) getRelations(r *http.Request) (any, error) {
	all := []linkJSON{}
	err := i.ask(r.Context(), func() error {
		for rel := range i.world.Raw().Relations() {
			o := rel.Options()
			all = append(all, linkJSON{rel.Name(), o.Acyclic, o.OnDespawn.String(), rel.Len()})
		}
		return nil
	})
	return map[string]any{"relations": all}, err
}

// treeJSON is a page of a tree: the tops of a relation, or the sources of an entity.
type treeJSON struct {
	Relation string       `json:"relation"`
	Of       uint64       `json:"of,omitempty"` // whose sources these are; none: these are the tops
	Entities []branchJSON `json:"entities"`
	Looked   int          `json:"looked"`         // entities that were looked at for this page
	Next     uint64       `json:"next,omitempty"` // the cursor of the next page; none: this is the last
}

// branchJSON is an entity in a tree.
type branchJSON struct {
	ID         uint64   `json:"id"`
	Slot       uint32   `json:"slot"`
	Name       string   `json:"name,omitempty"`
	Prefab     bool     `json:"prefab,omitempty"`
	Target     uint64   `json:"target,omitempty"` // of a top: the relation comes round to it
	Sources    int      `json:"sources"`
	Components []string `json:"components"`
}

// getTree returns a page of a tree. A cursor is a slot for tops, and the last entity of the page before for sources: so a
// page looks at no more than it has to, however many came before.
func (i *Inspector) getTree(r *http.Request) (any, error) {
	q := r.URL.Query()
	limit, err := number(r, "limit", mostBranches, 1, mostBranches)
	if err != nil {
		return nil, err
	}
	of, err := handleIn(q.Get("of"))
	if err != nil {
		return nil, err
	}
	page := treeJSON{Relation: q.Get("relation"), Of: uint64(of), Entities: []branchJSON{}}
	if page.Relation == "" {
		page.Relation = i.world.ChildOf().Name()
	}
	var slot int
	var after ecs.Entity
	if of == 0 {
		slot, err = number(r, "cursor", 0, 0, math.MaxInt32)
	} else {
		after, err = handleIn(q.Get("cursor"))
	}
	if err != nil {
		return nil, err
	}
	err = i.ask(r.Context(), func() error {
		rel := i.world.Raw().RelationNamed(page.Relation)
		if rel == nil {
			return failf(http.StatusNotFound, "there is no relation %q", cut(page.Relation))
		}
		t := tree{i, rel, &page, limit, i.namePlaces(), 0}
		if of == 0 {
			t.tops(uint32(slot))
			return nil
		}
		return t.sources(of, after)
	})
	return page, err
}

// tree fills a page.
type tree struct {
	i      *Inspector
	of     *ecs.Relation
	page   *treeJSON
	limit  int
	names  []namePlace
	copied int // bytes
}

// full reports whether nothing more is to be looked at.
func (t *tree) full() bool {
	return t.page.Looked >= mostRows || len(t.page.Entities) == t.limit || t.copied > mostCopied
}

// tops adds the entities from a slot on which are at the top of the tree.
func (t *tree) tops(slot uint32) {
	raw := t.i.world.Raw()
	for ; int(slot) < raw.Slots(); slot++ {
		if t.full() {
			t.page.Next = uint64(slot)
			return
		}
		t.page.Looked++
		if e := raw.At(slot); e != 0 && t.isTop(e) {
			t.add(e)
		}
	}
}

// isTop reports whether an entity is at the top: it has sources and no target. Of entities that are each other's targets, all
// around, the one with the least handle is. Where so many targets follow each other that this is not known, the
// entity is shown rather than none.
func (t *tree) isTop(e ecs.Entity) bool {
	if t.of.Count(e) == 0 {
		return false
	}
	least, mark, leap := e, e, 1
	for at, n := t.of.Target(e), 1; at != 0; at, n = t.of.Target(at), n+1 {
		t.page.Looked++
		switch {
		case at == e:
			return least == e
		case t.of.Options().Acyclic || at == mark: // it hangs below a top, or below a circle
			return false
		case n == mostCircle:
			return true
		case n == leap: // mark leaps ahead, so that it meets a circle that does not lead back to e
			mark, leap = at, 2*leap
		}
		least = min(least, at)
	}
	return t.of.Target(e) == 0
}

// sources adds the sources of an entity, those after one of them or all.
func (t *tree) sources(of, after ecs.Entity) error {
	if !t.i.world.Alive(of) {
		return failf(http.StatusNotFound, "the entity %d is not alive", uint64(of))
	}
	list := t.of.Sources(of)
	if after != 0 {
		if t.of.Target(after) != of {
			return failf(http.StatusConflict, "the entity %d has left since the last page: begin with the first", uint64(after))
		}
		list = t.of.SourcesAfter(after)
	}
	for e := range list {
		if t.full() {
			t.page.Next = t.page.Entities[len(t.page.Entities)-1].ID
			return nil
		}
		t.page.Looked++
		t.add(e)
	}
	return nil
}

// add adds an entity to the page.
func (t *tree) add(e ecs.Entity) {
	raw := t.i.world.Raw()
	one := branchJSON{ID: uint64(e), Slot: e.Index(), Prefab: raw.IsPrefab(e), Sources: t.of.Count(e), Components: []string{}}
	if t.page.Of == 0 {
		one.Target = uint64(t.of.Target(e))
	}
	for _, p := range t.names {
		if one.Name = t.i.nameAt(e, p); one.Name != "" {
			one.Name = short(one.Name)
			break
		}
	}
	for _, id := range raw.Components(e, nil) {
		name := raw.Schema(id).Name
		if raw.RelationNamed(name) == nil && len(one.Components) < mostKinds {
			one.Components = append(one.Components, short(name))
			t.copied += len(name)
		}
	}
	t.page.Entities = append(t.page.Entities, one)
}

// short shortens a name.
func short(name string) string {
	if len(name) <= longestName {
		return name
	}
	return strings.ToValidUTF8(name[:longestName], "") + "…"
}

// namePlace is a field that holds names of entities.
type namePlace struct {
	id    ecs.ComponentID
	field string
}

// names are the components, and their fields, that hold the name of an entity, if the world has them.
var names = []struct{ component, field string }{{"Name", "name"}, {"Name", "text"}, {"Name", "value"}, {"Label", "text"}}

// namePlaces are the fields of this world that hold names.
func (i *Inspector) namePlaces() (places []namePlace) {
	raw := i.world.Raw()
	for _, n := range names {
		id, ok := raw.ComponentNamed(n.component)
		if !ok {
			continue
		}
		if f := raw.Schema(id).Field(n.field); f != nil && f.Kind == ecs.String && f.Len == 0 {
			places = append(places, namePlace{id, n.field})
		}
	}
	return places
}

// nameAt is the name that an entity has in a place, "" for none.
func (i *Inspector) nameAt(e ecs.Entity, p namePlace) string {
	if !i.world.Raw().Has(e, p.id) {
		return ""
	}
	v, err := i.fields.Get(e, p.id, p.field)
	if err != nil {
		return ""
	}
	return fmt.Sprint(v)
}
