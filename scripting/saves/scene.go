package saves

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/fields"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/internal/scene"
)

// SceneOptions say which entities of a save are written as a scene, and how. An entity is chosen if
// any of the first four options chooses it; each is written once.
type SceneOptions struct {
	Queries  []string // as text, see [fields.Fields.Query]; the empty text chooses every entity
	Scenes   []string // by name: their entities that are alive
	Entities []string // "guard" or "camp:guard" for an entity of a scene, its number, or its handle as "12v3"
	Roots    []string // likewise, and all entities below
	Children bool     // all entities below the others as well
	// Prefabs lets entities of scenes keep the prefabs that their scenes name. All of their components are written
	// nevertheless. What is below them and of no scene is not written: it comes with the prefab.
	Prefabs bool
	// Lose leaves out what no scene can say, and notes it, instead of refusing it.
	Lose   bool
	Syntax scripting.SceneSyntax
	// Limits are those of the game that is to load the scene. Zero fields mean those for development.
	Limits scripting.Limits
}

// Excerpt is a part of a save as a scene.
type Excerpt struct {
	Text     []byte
	Entities int
	// Notes say what is not in it, in words for people: links that lead out of it, and what Lose has
	// left out.
	Notes []string
}

// WriteScene writes entities of a save as a scene, without the program or the scripts of the game: in
// the order of the options, with all components and fields, parents, relations, and references to each other by
// name. Those of a scene keep their names, if no other one has it. Loaded by a game that has the components of
// the save, the scene makes entities with the same values.
//
// Parents, targets and fields that lead out of the chosen entities are left out (such a field becomes
// nobody), and each is noted. Values that no scene can say are refused, or with Lose left out and noted: values that
// only the program can read, whole numbers beyond 2⁵³, numbers of enums without a word. What was written is read back, and
// held against the limits and against the world of the save.
//
// The error wraps [save.ErrLoss] for what would be lost, [ecs.ErrUnknown] for a name that the save does
// not have, [ecs.ErrConflict] where nothing is chosen or the scene could not be loaded, ErrConflict, ErrRange or
// ErrUnknown for a query, or is one of [save.File.World] and [scripting.ReadScripts]. O(bytes of the save).
func WriteScene(f *save.File, o SceneOptions) (Excerpt, error) {
	s, err := writeScene(f, &o)
	if err != nil {
		return Excerpt{}, fmt.Errorf("saves: scene: %w", err)
	}
	return s, nil
}

func writeScene(f *save.File, o *SceneOptions) (s Excerpt, err error) {
	if o.Syntax > scripting.SceneJSON {
		return s, fmt.Errorf("%w: there is no such syntax", ecs.ErrConflict)
	}
	text, err := f.Section(Section)
	if err != nil {
		return s, err
	}
	x := &excerptWriter{options: o, chosen: map[ecs.Entity]bool{}, of: map[ecs.Entity]*scripting.SceneEntity{}, prefabs: map[ecs.Entity]string{}}
	if text != nil {
		kept, err := scripting.ReadScripts(text, o.Limits)
		if err != nil {
			return s, err
		}
		x.members = kept.SceneEntities()
	}
	if x.world, x.withheld, err = f.World(ecs.Options{}); err != nil {
		return s, err
	}
	defer x.world.Close()
	for _, step := range []func() error{x.choose, x.keepPrefabs, x.judge, x.write} {
		if err := step(); err != nil {
			return s, err
		}
	}
	return Excerpt{x.text, len(x.order), x.notes}, nil
}

// excerptWriter is a part of a save on its way to a scene.
//
// Invariant: order has each chosen entity once, all of them alive and none of them a prefab.
type excerptWriter struct {
	options  *SceneOptions
	world    *ecs.World
	withheld []save.Withheld
	members  []scripting.SceneEntity               // of all scenes of the save
	of       map[ecs.Entity]*scripting.SceneEntity // those of them that are alive
	chosen   map[ecs.Entity]bool
	order    []ecs.Entity
	prefabs  map[ecs.Entity]string // that entities keep
	text     []byte
	notes    []string
}

// note adds a note.
func (x *excerptWriter) note(format string, v ...any) {
	x.notes = append(x.notes, diag.Format(format, v...))
}

// add chooses an entity.
func (x *excerptWriter) add(e ecs.Entity) {
	if !x.chosen[e] && !x.world.Raw().IsPrefab(e) {
		x.chosen[e], x.order = true, append(x.order, e)
	}
}

// addBelow chooses an entity and all below it, parents first.
func (x *excerptWriter) addBelow(root ecs.Entity) {
	for open := []ecs.Entity{root}; len(open) > 0; {
		e := open[len(open)-1]
		open = open[:len(open)-1]
		x.add(e)
		first := len(open)
		for child := range x.world.ChildOf().Sources(e) {
			open = append(open, child)
		}
		slices.Reverse(open[first:])
	}
}

// choose does what the options say.
func (x *excerptWriter) choose() error {
	o := x.options
	if len(o.Queries)+len(o.Scenes)+len(o.Entities)+len(o.Roots) == 0 {
		return fmt.Errorf("%w: no option says which entities are meant", ecs.ErrConflict)
	}
	for i := range x.members {
		if m := &x.members[i]; x.world.Alive(m.Entity) {
			x.of[m.Entity] = m
		}
	}
	for _, name := range o.Scenes {
		if err := x.chooseScene(name); err != nil {
			return err
		}
	}
	for _, name := range o.Entities {
		if err := x.chooseEntity(name, x.add); err != nil {
			return err
		}
	}
	for _, text := range o.Queries {
		if err := x.chooseQuery(text); err != nil {
			return err
		}
	}
	if o.Children {
		for _, e := range slices.Clone(x.order) {
			x.addBelow(e)
		}
	}
	for _, name := range o.Roots {
		if err := x.chooseEntity(name, x.addBelow); err != nil {
			return err
		}
	}
	if len(x.order) == 0 {
		return fmt.Errorf("%w: no entity of the save matches", ecs.ErrConflict)
	}
	return nil
}

// chooseScene chooses the entities of a scene.
func (x *excerptWriter) chooseScene(name string) error {
	var names []string
	for i := range x.members {
		switch m := &x.members[i]; {
		case m.Scene != name:
			if !slices.Contains(names, m.Scene) {
				names = append(names, m.Scene)
			}
		case x.of[m.Entity] == m:
			x.add(m.Entity)
		}
	}
	if slices.ContainsFunc(x.members, func(m scripting.SceneEntity) bool { return m.Scene == name }) {
		return nil
	}
	hint := ": no scene was loaded"
	if len(names) > 0 {
		hint = diag.OneOf(name, names)
	}
	return fmt.Errorf("%w: the save has no scene %q%s", ecs.ErrUnknown, diag.Cut(name), hint)
}

// chooseEntity chooses an entity by what a person calls it.
func (x *excerptWriter) chooseEntity(name string, add func(ecs.Entity)) error {
	e, err := x.find(name)
	if err == nil && x.world.Raw().IsPrefab(e) {
		err = fmt.Errorf("%w: the entity %s is a prefab: entities are made of it, and it is in no scene", ecs.ErrConflict, name)
	}
	if err == nil {
		add(e)
	}
	return err
}

// find returns the entity that a text names. Names of scenes come first.
func (x *excerptWriter) find(name string) (ecs.Entity, error) {
	var found []string
	var entity ecs.Entity
	for i := range x.members {
		m := &x.members[i]
		full := m.Scene + ":" + m.Name
		if x.of[m.Entity] == m && (m.Name == name || full == name) {
			entity, found = m.Entity, append(found, full)
		}
	}
	switch {
	case len(found) == 1:
		return entity, nil
	case len(found) > 1:
		return 0, fmt.Errorf("%w: there are %s of the name %q: write %s", ecs.ErrConflict, diag.Count(len(found), "entity", "entities"), diag.Cut(name), diag.Choice(found))
	}
	if n, err := strconv.ParseUint(name, 10, 64); err == nil && x.world.Alive(ecs.Entity(n)) {
		return ecs.Entity(n), nil
	}
	slot, _, _ := strings.Cut(name, "v")
	if n, err := strconv.ParseUint(slot, 10, 32); err == nil {
		if e := x.world.Raw().At(uint32(n)); e != 0 && e.String() == name {
			return e, nil
		}
	}
	return 0, fmt.Errorf("%w: the save has no entity %q%s", ecs.ErrUnknown, diag.Cut(name), x.meant(name))
}

// mostProposed is among how many names one is looked for that was perhaps meant.
const mostProposed = 1000

// meant proposes a name.
func (x *excerptWriter) meant(name string) string {
	var names []string
	for i := range x.members[:min(len(x.members), mostProposed)] {
		names = append(names, x.members[i].Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	return ": write its name in a scene, its number, or its handle such as 12v3"
}

// chooseQuery chooses what a query finds.
func (x *excerptWriter) chooseQuery(text string) error {
	q, err := fields.Of(x.world).Query(text)
	if err != nil {
		for _, k := range x.withheld {
			if _, ok := x.world.Raw().ComponentNamed(k.Component); !ok && strings.Contains(text, k.Component) {
				err = fmt.Errorf("%w; the save has %q, but %s", err, diag.Cut(k.Component), k.Why)
			}
		}
		return fmt.Errorf("the query %q: %w", diag.Cut(text), err)
	}
	for e := range q.All() {
		x.add(e)
	}
	return nil
}

// keepPrefabs finds the entities that keep their prefab, takes out what comes with it, and counts
// the entities below that were not chosen.
func (x *excerptWriter) keepPrefabs() error {
	with := map[ecs.Entity]bool{} // what comes with prefabs
	for _, e := range x.order {
		m := x.of[e]
		if !x.options.Prefabs || m == nil || m.Prefab == "" {
			continue
		}
		if lost := x.lost(m); lost != "" {
			why := "the game has removed its " + lost
			for _, k := range x.withheld {
				if k.Component == lost && slices.Contains(k.Entities, e) {
					why = "no scene can say its " + lost
				}
			}
			x.note("%s:%s does not keep its prefab %s: %s", m.Scene, m.Name, m.Prefab, why)
			continue
		}
		x.prefabs[e] = m.Prefab
		for open := []ecs.Entity{e}; len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			for child := range x.world.ChildOf().Sources(at) {
				if x.of[child] == nil {
					with[child], open = true, append(open, child)
				}
			}
		}
	}
	came := 0
	x.order = slices.DeleteFunc(x.order, func(e ecs.Entity) bool {
		if with[e] {
			delete(x.chosen, e)
			came++
		}
		return with[e]
	})
	if came > 0 {
		x.note("not written: %s below prefabs, as they come with these", diag.Count(came, "entity", "entities"))
	}
	below := 0
	for _, e := range x.order {
		for child := range x.world.ChildOf().Sources(e) {
			if !x.chosen[child] && !with[child] {
				below++
			}
		}
	}
	if below > 0 {
		x.note("not written: %s of those that are, and what is below", diag.Count(below, "child", "children"))
	}
	return nil
}

// lost returns a component that a scene gives an entity, and that it does not have; "" for none.
func (x *excerptWriter) lost(m *scripting.SceneEntity) string {
	for _, name := range m.Components {
		if id, ok := x.world.Raw().ComponentNamed(name); !ok || !x.world.Raw().Has(m.Entity, id) {
			return name
		}
	}
	return ""
}

// judge refuses what only the program can read, or notes it.
func (x *excerptWriter) judge() error {
	var all []string
	for _, k := range x.withheld {
		n := 0
		for _, e := range k.Entities {
			if x.chosen[e] {
				n++
			}
		}
		if n > 0 {
			all = append(all, diag.Format("component %s of %s: %s", k.Component, diag.Count(n, "entity", "entities"), k.Why))
		}
	}
	return x.lose(all)
}

// lose refuses losses, or notes them.
func (x *excerptWriter) lose(all []string) error {
	if len(all) == 0 {
		return nil
	}
	if !x.options.Lose {
		return fmt.Errorf("%w: no scene can say %s", save.ErrLoss, few(all))
	}
	for _, text := range all {
		x.note("left out: %s", text)
	}
	return nil
}

// few joins the first texts of a list.
func few(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:most], "; "), len(all)-most)
}

// write writes the entities, and reads what it has written.
func (x *excerptWriter) write() error {
	ground := scene.Ground{Raw: x.world.Raw(), ChildOf: x.world.ChildOf(), Prefabs: func() []string { return nil }}
	text, left := scene.Write(ground, x.order, scene.Writing{Syntax: x.options.Syntax, Name: x.name, Prefab: func(e ecs.Entity) string { return x.prefabs[e] }})
	var lost []string
	for _, o := range left {
		if o.Link {
			x.note("left out: %s", o.Text)
		} else {
			lost = append(lost, o.Text)
		}
	}
	if err := x.lose(lost); err != nil {
		return err
	}
	usual, limits := scripting.DevelopmentLimits(), &x.options.Limits
	if most := cmp.Or(limits.DataBytes, usual.DataBytes); most > 0 && int64(len(text)) > most {
		return fmt.Errorf("%w: the scene would have %s bytes, and Limits.DataBytes is %s: choose fewer entities", ecs.ErrConflict, diag.Grouped(int64(len(text))), diag.Grouped(most))
	}
	ground.Entities, ground.Bytes = cmp.Or(limits.Spawned, usual.Spawned), cmp.Or(limits.CommandBytes, usual.CommandBytes)
	if problems := scene.Reads(ground, text, x.options.Syntax, max(cmp.Or(limits.DataValues, usual.DataValues), 0)); len(problems) > 0 {
		return fmt.Errorf("%w: a game could not load the scene: %w", ecs.ErrConflict, problems[0])
	}
	x.text = text
	return nil
}

// name returns how an entity is called in the scene that it is of.
func (x *excerptWriter) name(e ecs.Entity) string {
	if m := x.of[e]; m != nil {
		return m.Name
	}
	return ""
}
