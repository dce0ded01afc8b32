package inspect_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// branches are the slots of a page, with how many sources they have.
func branches(page any) (list []string) {
	for _, e := range at(page, "entities").([]any) {
		list = append(list, fmt.Sprint(at(e, "name"), ":", at(e, "sources")))
	}
	return list
}

// TestTrees: by parent and by other relations, from the tops down, page by page.
func TestTrees(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	w := g.host.World()
	var fleet, ship ecs.Entity
	var name ecs.Component[Name]
	g.inside(func(w *ecs.World) { name = ecs.Register[Name](w) })
	called := func(text string, parent ecs.Entity) ecs.Entity {
		e := w.Spawn(name.With(Name{text}))
		must(t, w.SetParent(e, parent))
		return e
	}
	g.inside(func(*ecs.World) {
		fleet = called("fleet", 0)
		ship = called("ship", fleet)
		called("buoy", fleet)
		for n := range 250 {
			called(fmt.Sprint("gun ", n), ship)
		}
	})
	tops := g.get("/api/v1/tree")
	g.want(branches(tops), "[fleet:2]")
	g.want(at(tops, "next"), nil)
	g.want(at(tops, "relation"), "ChildOf")
	below := g.get(fmt.Sprintf("/api/v1/tree?of=%d", fleet))
	g.want(branches(below), "[ship:250 buoy:0]")
	g.want(at(below, "entities", 0, "components"), "[Name]")
	var guns []string
	cursor := ""
	for pages := 1; ; pages++ {
		page := g.get(fmt.Sprintf("/api/v1/tree?relation=ChildOf&of=%d&cursor=%s", ship, cursor))
		guns = append(guns, branches(page)...)
		next, more := at(page, "next").(float64)
		if !more {
			g.want(pages, 3)
			break
		}
		cursor = fmt.Sprintf("%.0f", next)
	}
	if len(guns) != 250 || guns[0] != "gun 0:0" || guns[249] != "gun 249:0" || slices.Contains(guns[1:], guns[0]) {
		t.Errorf("%d: %.200q", len(guns), guns)
	}

	// A relation that comes round: one of the circle is a top, and what hangs on it is not.
	var a, b, d ecs.Entity
	g.inside(func(*ecs.World) {
		targets, err := w.Relation("Targets", ecs.RelationOptions{})
		must(t, err)
		a, b, d = called("a", 0), called("b", 0), called("d", 0)
		c, e := called("c", 0), called("e", 0)
		for _, link := range [][2]ecs.Entity{{b, c}, {c, a}, {a, b}, {d, b}, {e, d}} {
			must(t, targets.Set(link[0], link[1]))
		}
	})
	round := g.get("/api/v1/tree?relation=Targets")
	g.want(branches(round), "[a:1]")
	g.want(at(round, "entities", 0, "target"), float64(b))
	g.want(branches(g.get(fmt.Sprintf("/api/v1/tree?relation=Targets&of=%d", b))), "[a:1 d:1]")
	relations := at(g.get("/api/v1/relations"), "relations")
	g.want(at(find(relations, "relation", "Targets"), "sources"), 5)
	g.want([]any{at(relations, 0, "relation"), at(relations, 0, "acyclic"), at(relations, 0, "on_despawn")}, "[ChildOf true cascade]")

	// A list that changes between two pages, and what cannot be asked.
	gone := fmt.Sprintf("/api/v1/tree?of=%d&cursor=%d", ship, fleet)
	g.call("GET", gone, "", 409)
	g.inside(func(w *ecs.World) { must(t, w.Despawn(d)) })
	for path, status := range map[string]int{
		"relation=Nothing": 404, "of=99999": 404, "of=x": 400, "of=-1": 400, "cursor=x": 400, "cursor=-1": 400, "limit=0": 400, "limit=101": 400,
		fmt.Sprintf("of=%d", d): 404, fmt.Sprintf("of=%d&cursor=zero", ship): 400, "cursor=2147483647": 200, "relation=%00": 404, "relation=Name": 404,
		fmt.Sprintf("of=%d&cursor=18446744073709551615", ship): 409,
	} {
		g.call("GET", "/api/v1/tree?"+path, "", status)
	}
}

// TestTreesOfManyEntities: a page looks at 10,000 at most, and all tops come in the end.
func TestTreesOfManyEntities(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	var top ecs.Entity
	g.inside(func(w *ecs.World) {
		for range 30_000 {
			w.Spawn()
		}
		last := w.Spawn()
		must(t, w.SetParent(w.Spawn(), last))
		for n := range 70_000 {
			e := w.Spawn()
			if n == 0 {
				top = e
				continue
			}
			must(t, w.SetParent(e, top))
		}
	})
	pages, found, cursor := 0, 0, 0.0
	for more := true; more; pages++ {
		page := g.get(fmt.Sprintf("/api/v1/tree?cursor=%.0f", cursor))
		found += len(at(page, "entities").([]any))
		if looked := at(page, "looked").(float64); looked > 10_001 {
			t.Errorf("%v entities were looked at", looked)
		}
		cursor, more = at(page, "next").(float64)
	}
	if found != 2 || pages < 10 || pages > 12 {
		t.Errorf("%d tops in %d pages", found, pages)
	}
	g.want(len(at(g.get(fmt.Sprintf("/api/v1/tree?of=%d", top)), "entities").([]any)), 100)
}

// TestLongCircles: entities that are each other's targets, thousands of them: what is looked at stays bounded.
func TestLongCircles(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	g.inside(func(w *ecs.World) {
		next, err := w.Relation("Next", ecs.RelationOptions{})
		must(t, err)
		first := w.Spawn()
		before := first
		for range 9_999 {
			e := w.Spawn()
			must(t, next.Set(before, e))
			before = e
		}
		must(t, next.Set(before, first))
	})
	page := g.get("/api/v1/tree?relation=Next")
	if looked := at(page, "looked").(float64); looked > 15_000 || len(at(page, "entities").([]any)) == 0 {
		t.Errorf("%v looks, %d tops", looked, len(at(page, "entities").([]any)))
	}
}

// TestAssetsHaveNames: beside the values of an entity are the paths of the assets whose numbers it has.
func TestAssetsHaveNames(t *testing.T) {
	g := newGame(t, inspect.Options{})
	var id asset.ID[*kit.ImageFile]
	var e ecs.Entity
	g.inside(func(w *ecs.World) {
		view, err := kit.InstallView(w)
		must(t, err)
		store, err := asset.Open(w, fstest.MapFS{"art/ship.png": {Data: []byte("no picture")}})
		must(t, err)
		must(t, view.ShowImages(store, nil))
		n, err := store.LoadAny("art/ship.png")
		must(t, err)
		id = asset.ID[*kit.ImageFile](n)
		e = w.Spawn(ecs.Register[kit.Sprite](w).With(kit.Sprite{Image: id, Color: 7}))
	})
	want := map[string]any{fmt.Sprint(id): "art/ship.png"}
	g.want(at(g.get(fmt.Sprintf("/api/v1/entities/%d", e)), "assets"), want)
	g.want(at(g.get("/api/v1/entities?query=Sprite"), "entities", 0, "assets"), want)
	if other := at(g.get("/api/v1/entities?query=Health&limit=1"), "entities", 0, "assets"); other != nil {
		t.Errorf("one without assets has %v", other)
	}
}

// TestDeepTrees: a tree whose top got a parent again and again is shown from its top down, however deep it is.
func TestDeepTrees(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	g.stand()
	w, n := g.host.World(), 5000
	top := ecs.Entity(0)
	g.inside(func(*ecs.World) {
		top = w.Spawn()
		for range n - 1 {
			e := w.Spawn()
			must(t, w.SetParent(top, e))
			top = e
		}
	})
	found, cursor, more := []any{}, 0.0, true
	for pages := 0; more && pages < 3; pages++ {
		page := g.get(fmt.Sprintf("/api/v1/tree?cursor=%.0f", cursor))
		found = append(found, at(page, "entities").([]any)...)
		cursor, more = at(page, "next").(float64)
	}
	g.want(more, false)
	g.want(len(found), 1)
	g.want(at(found, 0, "id"), float64(top))
	g.inside(func(*ecs.World) {
		for range n / 2 {
			for e := range w.Children(top) {
				top = e
			}
		}
	})
	below := g.get(fmt.Sprintf("/api/v1/tree?of=%d", top))
	g.want(len(at(below, "entities").([]any)), 1)
	g.want(at(below, "entities", 0, "sources"), 1)
}
