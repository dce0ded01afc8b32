package scene

import (
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// Ground is what a scene is held against.
type Ground struct {
	ecs.Raw
	ChildOf *ecs.Relation
	// Prefab returns the prefab of a name, nil if there is none.
	Prefab func(name string) (*bindings.Template, *diag.Error)
	// Prefabs lists their names.
	Prefabs func() []string
	// Entities is how many a scene may have, with those below its prefabs, and Bytes how many
	// bytes their components may take. Zero means any number.
	Entities int
	Bytes    int64
	// Problems is how many problems are said at most; zero means 20. Nothing is looked at after them.
	Problems int
	// Meant proposes a name; nil: the plan does, for the first ones, see [diag.Quota].
	Meant func(name string, among func() []string) string
}

// Proposal is a scene that a world has accepted. It is used once: see [Load].
type Proposal struct {
	Scene    *Scene
	Size     int // entities, those below prefabs included
	entities []plannedEntity
}

// plannedEntity is an entity of a plan.
type plannedEntity struct {
	*Entity
	below  []ecs.Prefab // children of its prefab
	values []plannedValue
	links  []link // its parent is the first
}

// plannedValue is a component that an entity is to have.
type plannedValue struct {
	id   ecs.ComponentID
	name string
	data unsafe.Pointer
	refs []reference
}

// link is a target that an entity is to have.
type link struct {
	relation *ecs.Relation
	target   int
	at       uint32
}

// deepest is how many parents a scene may have above each other. The world has room for more, and
// prefabs have children.
const deepest = 500

// mostProposed is among how many names one is looked for that was perhaps meant: a look at each takes
// about a microsecond.
const mostProposed = 1000

// proposer makes a plan.
type proposer struct {
	problems
	world Ground
	plan  *Proposal
	index map[string]int
	bytes int64
	made  map[string]*bindings.Template // prefabs that were asked for

	listed struct{ components, prefabs []string } // for proposals; made when one is needed
}

// NewPlan holds a scene against a world, and changes nothing. O(scene, and its prefabs).
func NewPlan(s *Scene, w Ground) (*Proposal, []*diag.Error) {
	if w.Meant == nil {
		w.Meant = new(diag.Quota).DidYouMean
	}
	p := &proposer{problems: problems{file: s.File, most: w.Problems, meant: w.Meant}, world: w, plan: &Proposal{Scene: s}, index: map[string]int{}, made: map[string]*bindings.Template{}}
	for i := range s.Entities {
		p.index[s.Entities[i].Name] = i
	}
	for i := range s.Entities {
		if p.full() {
			break
		}
		p.plan.entities = append(p.plan.entities, p.entity(&s.Entities[i]))
		if p.tooMuch() {
			break
		}
	}
	if len(p.list) == 0 {
		p.circles()
	}
	if len(p.list) > 0 {
		return nil, p.list
	}
	return p.plan, nil
}

// tooMuch notes that a scene is beyond a limit.
func (p *proposer) tooMuch() bool {
	at := p.file.Place(p.file.Root.Offset)
	switch {
	case p.world.Entities > 0 && p.plan.Size > p.world.Entities:
		p.list = append(p.list, diag.Reached("Spawned", "the scene has more than %s entities, children of its prefabs included", diag.Grouped(int64(p.world.Entities))).On(at))
	case p.world.Bytes > 0 && p.bytes > p.world.Bytes:
		p.list = append(p.list, diag.Reached("CommandBytes", "the components of the scene take more than %s bytes", diag.Grouped(p.world.Bytes)).On(at))
	default:
		return false
	}
	return true
}

// entity plans an entity.
func (p *proposer) entity(e *Entity) plannedEntity {
	x := plannedEntity{Entity: e}
	p.plan.Size++
	if e.Prefab.Text != "" {
		p.prefab(&x)
	}
	for i := range e.Components {
		if p.full() {
			return x
		}
		p.component(&x, &e.Components[i])
	}
	if e.Parent.Text != "" {
		if target, ok := p.find(e.Parent, "parent"); ok {
			x.links = append(x.links, link{p.world.ChildOf, target, e.Parent.At})
		}
	}
	for i := range e.Relations {
		if p.full() {
			return x
		}
		p.relation(&x, &e.Relations[i])
	}
	p.together(&x)
	return x
}

// prefab begins an entity with the values of its prefab.
func (p *proposer) prefab(x *plannedEntity) {
	of := p.made[x.Prefab.Text]
	if of == nil {
		found, err := p.world.Prefab(x.Prefab.Text)
		switch {
		case err != nil:
			p.add(x.Prefab.At, "%s", err.Message)
			return
		case found == nil:
			p.add(x.Prefab.At, "there is no prefab %q%s", diag.Cut(x.Prefab.Text), p.meant(x.Prefab.Text, p.prefabs))
			return
		}
		of, p.made[x.Prefab.Text] = found, found
	}
	p.plan.Size += of.Size - 1
	p.bytes += of.Bytes
	x.below = of.Children
	for _, v := range of.Values {
		data := newValue(p.world.Raw, v.ID, v.Data)
		if listed := x.value(v.ID); listed != nil { // the last one counts
			listed.data = data
			continue
		}
		x.values = append(x.values, plannedValue{id: v.ID, name: p.world.Schema(v.ID).Name, data: data})
	}
}

// component gives an entity a component, or fields of one that its prefab has.
func (p *proposer) component(x *plannedEntity, c *Component) {
	id, ok := p.world.ComponentNamed(c.Text)
	if !ok {
		p.add(c.At, "there is no component %q%s", diag.Cut(c.Text), p.meant(c.Text, p.components))
		return
	}
	v := x.value(id)
	if v == nil {
		x.values = append(x.values, plannedValue{id: id, name: c.Text, data: newValue(p.world.Raw, id, nil)})
		v = &x.values[len(x.values)-1]
		p.bytes += int64(p.world.Schema(id).Size)
	}
	schema := p.world.Schema(id)
	if len(schema.Fields) == 0 && c.Value.Kind == data.Truth && c.Value.Number == 1 { // a tag may be true
		return
	}
	w := filler{problems: &p.problems, base: v.data}
	w.record(c.Text, 0, schema.Fields, c.Value)
	for _, r := range w.links {
		if target, ok := p.find(r.name, c.Text); ok {
			r.target = target
			v.refs = append(v.refs, r)
		}
	}
}

// value returns the value of a component, nil if there is none.
func (x *plannedEntity) value(id ecs.ComponentID) *plannedValue {
	for i := range x.values {
		if x.values[i].id == id {
			return &x.values[i]
		}
	}
	return nil
}

// relation gives an entity a target.
func (p *proposer) relation(x *plannedEntity, l *Link) {
	r := p.world.RelationNamed(l.Text)
	switch {
	case r == nil:
		p.add(l.At, "there is no relation %q%s", diag.Cut(l.Text), p.meant(l.Text, p.relations))
		return
	case r == p.world.ChildOf:
		p.add(l.At, "the parent of an entity stands beside its relations: parent = %q", diag.Cut(l.Target.Text))
		return
	}
	if target, ok := p.find(l.Target, l.Text); ok {
		x.links = append(x.links, link{r, target, l.Target.At})
	}
}

// find returns the entity of a name.
func (p *proposer) find(name Mention, what string) (int, bool) {
	i, ok := p.index[name.Text]
	if !ok && !p.full() {
		p.add(name.At, "%s: the scene has no entity %q%s", what, diag.Cut(name.Text), p.meant(name.Text, p.entities))
	}
	return i, ok
}

// entities lists the first entities.
func (p *proposer) entities() (names []string) {
	for _, e := range p.plan.Scene.Entities[:min(len(p.plan.Scene.Entities), mostProposed)] {
		names = append(names, e.Name)
	}
	return names
}

// relations lists the relations.
func (p *proposer) relations() (names []string) {
	for r := range p.world.Relations() {
		names = append(names, r.Name())
	}
	return names
}

// components lists the components that have names.
func (p *proposer) components() []string {
	if p.listed.components == nil {
		p.listed.components = Components(p.world.Raw)
	}
	return p.listed.components
}

// prefabs lists the prefabs.
func (p *proposer) prefabs() []string {
	if p.listed.prefabs == nil {
		p.listed.prefabs = p.world.Prefabs()
	}
	return p.listed.prefabs
}

// Components lists the components of a world that can be found by their names, in the order of
// their numbers.
func Components(r ecs.Raw) (names []string) {
	for id := range ecs.ComponentID(r.ComponentCount()) {
		if found, ok := r.ComponentNamed(r.Schema(id).Name); ok && found == id {
			names = append(names, r.Schema(id).Name)
		}
	}
	return names
}

// together holds the components of an entity against the rules of the world.
func (p *proposer) together(x *plannedEntity) {
	if len(p.list) > 0 {
		return
	}
	if err := p.world.Together(x.list(p.world.Raw)...); err != nil {
		p.add(x.At, "entity %q cannot be: %s", x.Name, strings.TrimPrefix(err.Error(), ecs.ErrConflict.Error()+": "))
	}
}

// list gives the values in the form that commands take.
func (x *plannedEntity) list(r ecs.Raw) []ecs.Value {
	list := make([]ecs.Value, 0, len(x.values))
	for _, v := range x.values {
		list = append(list, r.ValueAt(v.id, v.data))
	}
	return list
}

// circles finds entities that are their own ancestors, by the hierarchy and by each relation that
// forbids circles, and chains that are too long.
func (p *proposer) circles() {
	relations := map[*ecs.Relation][]link{} // by entity; nil relation: there is no target
	for i := range p.plan.entities {
		for _, l := range p.plan.entities[i].links {
			if !l.relation.Options().Acyclic {
				continue
			}
			if relations[l.relation] == nil {
				relations[l.relation] = make([]link, len(p.plan.entities))
			}
			relations[l.relation][i] = l
		}
	}
	for r := range p.world.Relations() {
		if targets := relations[r]; targets != nil {
			p.chains(r, targets)
		}
	}
}

// chains follows all chains of a relation, each entity once: depth 0 is unknown, -1 under way.
func (p *proposer) chains(r *ecs.Relation, targets []link) {
	depth := make([]int, len(targets))
	for i := range targets {
		var chain []int
		at := i
		for depth[at] == 0 {
			chain, depth[at] = append(chain, at), -1
			if targets[at].relation == nil {
				break
			}
			at = targets[at].target
		}
		above := depth[at]
		if n := len(chain); above == -1 && targets[at].relation != nil && n > 0 {
			p.add(targets[chain[n-1]].at, "%s goes in a circle: %s", called(r, p.world), p.circle(targets, at))
			above = 0
		}
		above = max(above, 0)
		for k := len(chain) - 1; k >= 0; k-- {
			above++
			if depth[chain[k]] = above; above == deepest+1 {
				p.add(targets[chain[k]].at, "%s: more than %d entities are above each other", called(r, p.world), deepest)
			}
		}
	}
}

// called is how a file calls a relation.
func called(r *ecs.Relation, w Ground) string {
	if r == w.ChildOf {
		return "parent"
	}
	return r.Name()
}

// circle writes a circle that an entity is in.
func (p *proposer) circle(targets []link, from int) string {
	const most = 6
	var b strings.Builder
	at := from
	for n := 0; ; n++ {
		b.WriteString(diag.Cut(p.plan.entities[at].Name) + " → ")
		if at = targets[at].target; at == from {
			return b.String() + diag.Cut(p.plan.entities[at].Name)
		}
		if n == most {
			return b.String() + "…"
		}
	}
}
