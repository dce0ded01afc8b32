package inspect

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
)

const (
	mostRows    = 10_000    // that one question looks at; fewer of a query with many terms
	mostListed  = 200       // entities in an answer
	mostCopied  = 256 << 10 // bytes of values in an answer; one entity may be more
	mostRelated = 100       // children or relations in an answer
)

// entityJSON is an entity and its values.
type entityJSON struct {
	ID         uint64            `json:"id"`
	Slot       uint32            `json:"slot"`
	Generation uint32            `json:"generation"`
	Prefab     bool              `json:"prefab,omitempty"`
	Parent     uint64            `json:"parent,omitempty"`
	Children   []uint64          `json:"children,omitempty"`
	Relations  []relationJSON    `json:"relations,omitempty"`
	Components json.RawMessage   `json:"components"`
	Assets     map[uint32]string `json:"assets,omitempty"` // of values that are numbers of assets: the paths of their files
	Error      string            `json:"error,omitempty"`  // why there are no components in it
}

// relationJSON is a relation in which an entity is.
type relationJSON struct {
	Relation string `json:"relation"`
	Target   uint64 `json:"target"`
}

// entitiesJSON is a page of a list.
type entitiesJSON struct {
	Entities []entityJSON `json:"entities"`
	Rows     int          `json:"rows"`           // that match the query without its comparisons
	Looked   int          `json:"looked"`         // rows that were looked at for this page
	Next     int          `json:"next,omitempty"` // the cursor of the next page; none: this is the last
}

// getEntities lists entities that match a query.
func (i *Inspector) getEntities(r *http.Request) (any, error) {
	limit, err := number(r, "limit", 50, 1, mostListed)
	if err != nil {
		return nil, err
	}
	cursor, err := number(r, "cursor", 0, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	page := entitiesJSON{Entities: []entityJSON{}}
	text, name := r.URL.Query().Get("query"), strings.ToLower(r.URL.Query().Get("name"))
	err = i.ask(r.Context(), func() error {
		q, err := i.fields.Query(text)
		if err != nil {
			return err
		}
		keep := q.Matches
		if name != "" {
			named, err := i.named(name)
			if err != nil {
				return err
			}
			keep = func(e ecs.Entity) bool { return q.Matches(e) && named(e) }
		}
		i.list(&page, q.Base(), keep, rowsFor(text), cursor, limit)
		return nil
	})
	return page, err
}

// rowsFor bounds the rows that one question looks at by the terms of its query, since each of them is looked at in each row.
func rowsFor(query string) int { return min(mostRows, 2*mostRows/(2+strings.Count(query, ","))) }

// list fills a page, from the row at the cursor on.
func (i *Inspector) list(page *entitiesJSON, q *ecs.Query, keep func(ecs.Entity) bool, most, cursor, limit int) {
	at, copied := 0, 0
	page.Rows = q.Count()
	for c := range q.Chunks() {
		entities := c.Entities()
		if at+len(entities) <= cursor {
			at += len(entities)
			continue
		}
		for _, e := range entities[max(cursor-at, 0):] {
			if page.Looked == most || len(page.Entities) == limit || copied > mostCopied {
				page.Next = cursor + page.Looked
				return
			}
			page.Looked++
			if keep(e) {
				one := i.entity(e)
				copied += len(one.Components)
				page.Entities = append(page.Entities, one)
			}
		}
		at += len(entities)
	}
}

// named returns whether the name of an entity has a text in it, without regard to case.
func (i *Inspector) named(part string) (func(ecs.Entity) bool, error) {
	places := i.namePlaces()
	if len(places) == 0 {
		return nil, failf(http.StatusBadRequest, "no component of this world holds names: declare Name with a field name, or use Label of the kit")
	}
	return func(e ecs.Entity) bool {
		for _, p := range places {
			if strings.Contains(strings.ToLower(i.nameAt(e, p)), part) {
				return true
			}
		}
		return false
	}, nil
}

// entity copies an entity that is alive.
func (i *Inspector) entity(e ecs.Entity) entityJSON {
	one := entityJSON{ID: uint64(e), Slot: e.Index(), Generation: e.Generation(), Prefab: i.world.Raw().IsPrefab(e), Parent: uint64(i.world.Parent(e))}
	text, err := i.fields.JSON(e)
	if err != nil {
		text, one.Error = []byte("{}"), cut(err.Error())
	}
	one.Components, one.Assets = text, i.assetsOf(e)
	return one
}

// assetsOf returns the paths of the assets whose numbers an entity has, nil for none.
func (i *Inspector) assetsOf(e ecs.Entity) (paths map[uint32]string) {
	store := asset.Of(i.world)
	if store == nil {
		return nil
	}
	raw := i.world.Raw()
	for _, c := range raw.Components(e, nil) {
		for _, f := range raw.Schema(c).Fields {
			if f.Kind != ecs.U32 || f.Len != 0 {
				continue
			}
			v, err := i.fields.Get(e, c, f.Name)
			number, ok := v.(float64)
			if name := store.Path(uint32(number)); err == nil && ok && name != "" {
				if paths == nil {
					paths = map[uint32]string{}
				}
				paths[uint32(number)] = cut(name)
			}
		}
	}
	return paths
}

// entityOf reads the handle of an entity in a path: a number, or @ and a slot.
func (i *Inspector) entityOf(r *http.Request) (ecs.Entity, error) {
	text := r.PathValue("id")
	slot, isSlot := strings.CutPrefix(text, "@")
	if isSlot {
		n, err := strconv.ParseUint(slot, 10, 32)
		if err != nil {
			return 0, failf(http.StatusBadRequest, "@ stands before the number of a slot")
		}
		if e := i.world.Raw().At(uint32(n)); e != 0 {
			return e, nil
		}
		return 0, failf(http.StatusNotFound, "no living entity is in slot %d", n)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, failf(http.StatusBadRequest, "an entity is a number, or @ and the number of a slot")
	}
	if !i.world.Alive(ecs.Entity(n)) {
		return 0, failf(http.StatusNotFound, "the entity %d is not alive", n)
	}
	return ecs.Entity(n), nil
}

func (i *Inspector) getEntity(r *http.Request) (any, error) {
	var one entityJSON
	err := i.ask(r.Context(), func() error {
		e, err := i.entityOf(r)
		if err == nil {
			one = i.whole(e)
		}
		return err
	})
	return one, err
}

// whole is an entity with what it is related to.
func (i *Inspector) whole(e ecs.Entity) entityJSON {
	one := i.entity(e)
	for c := range i.world.Children(e) {
		if len(one.Children) == mostRelated {
			break
		}
		one.Children = append(one.Children, uint64(c))
	}
	for rel := range i.world.Raw().Relations() {
		if to := rel.Target(e); to != 0 && rel != i.world.ChildOf() && len(one.Relations) < mostRelated {
			one.Relations = append(one.Relations, relationJSON{rel.Name(), uint64(to)})
		}
	}
	return one
}

// postEntity spawns an entity: of values, or as a copy of another one.
func (i *Inspector) postEntity(r *http.Request) (any, error) {
	var want struct {
		Components json.RawMessage `json:"components"`
		Copy       uint64          `json:"copy"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if (want.Copy == 0) == (want.Components == nil) {
		return nil, failf(http.StatusBadRequest, "expected either components or copy")
	}
	var one entityJSON
	err := i.edit(r, func() (err error) {
		var e ecs.Entity
		if want.Copy != 0 {
			e, err = i.world.Copy(ecs.Entity(want.Copy))
		} else {
			e, err = i.fields.SpawnJSON(want.Components)
		}
		if err == nil {
			one = i.whole(e)
			i.show()
		}
		return err
	})
	return one, err
}

// patchEntity sets fields and adds components, or removes some.
func (i *Inspector) patchEntity(r *http.Request) (any, error) {
	var want struct {
		Set    json.RawMessage `json:"set"`
		Remove []string        `json:"remove"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if (want.Set == nil) == (want.Remove == nil) {
		return nil, failf(http.StatusBadRequest, "expected either set or remove: each is one change, made whole or not at all")
	}
	var one entityJSON
	err := i.edit(r, func() error {
		e, err := i.entityOf(r)
		if err != nil {
			return err
		}
		if err := i.change(e, want.Set, want.Remove); err != nil {
			return err
		}
		one = i.whole(e)
		i.show() // a game that is paused makes no tick
		return nil
	})
	return one, err
}

// change sets what a text says, or removes components.
func (i *Inspector) change(e ecs.Entity, set json.RawMessage, remove []string) error {
	if set != nil {
		return i.fields.SetJSON(e, set)
	}
	var gone []ecs.ComponentRef
	for _, name := range remove {
		id, err := i.fields.Component(name)
		if err != nil {
			return err
		}
		gone = append(gone, id)
	}
	return i.world.Remove(e, gone...)
}

func (i *Inspector) deleteEntity(r *http.Request) (any, error) {
	err := i.edit(r, func() error {
		e, err := i.entityOf(r)
		if err != nil {
			return err
		}
		err = i.world.Despawn(e)
		i.show()
		return err
	})
	return struct{}{}, err
}
