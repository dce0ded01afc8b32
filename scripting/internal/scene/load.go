package scene

import (
	"bytes"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// Outcome count what a load has done.
type Outcome struct {
	Spawned   int // entities of the scene, those below prefabs not
	Despawned int // likewise
	Set       int // fields, components, parents and targets that became what the file says
	Kept      int // those that stay what the game has made of them, although the file says something else
}

// Load records what makes the world of the plan what the rule says, and returns the base of the
// next load. A nil base is an empty one; a nil plan is an empty file. The commands are those of a
// run that has recorded nothing else. On an error they must be dropped; the world has not changed
// then. An error wraps ecs.ErrEntityLimit or ecs.ErrConflict.
func Load(c *ecs.Commands, w Ground, base *Base, plan *Proposal) (*Base, Outcome, error) {
	if base == nil {
		base = &Base{}
	}
	if plan == nil {
		plan = &Proposal{Scene: &Scene{}}
	}
	l := &loading{commands: c, world: w, base: base, plan: plan, next: &Base{Name: base.Name}}
	if err := l.spawn(); err != nil {
		return nil, Outcome{}, err
	}
	l.refer()
	l.remember()
	for i := range plan.entities {
		l.merge(i)
	}
	for i := range plan.entities {
		l.relate(i)
	}
	if err := l.check(); err != nil {
		return nil, Outcome{}, err
	}
	if err := l.despawn(); err != nil {
		return nil, Outcome{}, err
	}
	return l.next, l.changes, nil
}

// loading is one load.
type loading struct {
	commands *ecs.Commands
	world    Ground
	base     *Base
	plan     *Proposal
	next     *Base
	changes  Outcome

	entities []ecs.Entity // of the plan
	fresh    []bool       // that this load spawns
	wanted   []wantedLink // that this load makes
	buffer   [2][]byte
}

// wantedLink is a target that the world must have accepted in the end.
type wantedLink struct {
	relation       *ecs.Relation
	source, target ecs.Entity
}

// spawn finds the entities of the plan, and makes those that are new. One that has died stays dead.
func (l *loading) spawn() error {
	for i := range l.plan.entities {
		x := &l.plan.entities[i]
		was := l.base.Find(x.Name)
		if was != nil && was.Prefab == x.Prefab.Text {
			l.entities, l.fresh = append(l.entities, was.Entity), append(l.fresh, false)
			continue
		}
		e := l.commands.SpawnPrefab(&ecs.Prefab{Name: x.Prefab.Text, Values: x.list(l.world.Raw), Children: x.below})
		if e == 0 {
			return fmt.Errorf("%w: the world has no room for the scene", ecs.ErrEntityLimit)
		}
		l.changes.Spawned++
		l.entities, l.fresh = append(l.entities, e), append(l.fresh, true)
	}
	return nil
}

// alive reports whether an entity of the plan is there.
func (l *loading) alive(i int) bool {
	return l.fresh[i] || l.world.At(l.entities[i].Index()) == l.entities[i]
}

// refer stores entities in the fields that name them. A name whose entity has died is nobody.
func (l *loading) refer() {
	for i := range l.plan.entities {
		for _, v := range l.plan.entities[i].values {
			for _, r := range v.refs {
				to := ecs.Entity(0)
				if l.alive(r.target) {
					to = l.entities[r.target]
				}
				place := (*ecs.Entity)(unsafe.Add(v.data, r.offset))
				*place = to
				if l.fresh[i] && to != 0 {
					l.commands.Patch(l.entities[i], v.id, r.offset, unsafe.Slice((*byte)(unsafe.Pointer(place)), unsafe.Sizeof(to)))
				}
			}
		}
	}
}

// remember writes the base of the next load: what the file says now.
func (l *loading) remember() {
	for i := range l.plan.entities {
		x := &l.plan.entities[i]
		was := Loaded{Name: x.Name, Entity: l.entities[i], Prefab: x.Prefab.Text}
		for _, k := range x.links {
			was.Links = append(was.Links, LoadedLink{k.relation.Name(), l.plan.entities[k.target].Name})
		}
		l.next.Entities = append(l.next.Entities, was)
	}
	l.next.Index()
	for i := range l.plan.entities {
		for _, v := range l.plan.entities[i].values {
			l.next.Entities[i].Components = append(l.next.Entities[i].Components, l.said(&v))
		}
	}
}

// said returns a component as text.
func (l *loading) said(v *plannedValue) LoadedComponent {
	c := LoadedComponent{Name: v.name}
	var all []byte
	var ends []int
	fields := fieldsOf(l.world.Schema(v.id))
	for i := range fields {
		all = fields[i].text(all, v.data, l.next.written)
		ends = append(ends, len(all))
	}
	text, from := string(all), 0 // one memory for all of them
	for i, end := range ends {
		c.Fields = append(c.Fields, LoadedField{fields[i].path, text[from:end]})
		from = end
	}
	return c
}

// merge brings the components of an entity that stays to what the rule says.
func (l *loading) merge(i int) {
	x, e := &l.plan.entities[i], l.entities[i]
	if l.fresh[i] || !l.alive(i) {
		return
	}
	was := l.base.Find(x.Name)
	for _, c := range was.Components {
		id, ok := l.world.ComponentNamed(c.Name)
		if ok && x.value(id) == nil && l.world.Has(e, id) {
			l.commands.Remove(e, id)
			l.changes.Set++
		}
	}
	for k := range x.values {
		v := &x.values[k]
		before := was.component(v.name)
		switch there := l.world.Has(e, v.id); {
		case there:
			l.mergeFields(e, v, before)
		case before == nil:
			l.add(e, v)
		} // else the game has removed it
	}
}

// add gives an entity a component. What the game has given it may exclude that; then the game's stays.
func (l *loading) add(e ecs.Entity, v *plannedValue) {
	mark := l.commands.Mark()
	l.commands.Add(e, l.world.ValueAt(v.id, v.data))
	if !l.commands.Preview().Has(e, v.id) {
		l.commands.Rewind(mark)
		l.changes.Kept++
		return
	}
	l.changes.Set++
}

// mergeFields sets those fields of a component that the file says anew, and the game has left alone.
func (l *loading) mergeFields(e ecs.Entity, v *plannedValue, before *LoadedComponent) {
	now := l.world.Pointer(e, v.id)
	var set []ecs.Piece
	for i, f := range fieldsOf(l.world.Schema(v.id)) {
		l.buffer[0] = f.text(l.buffer[0][:0], v.data, l.next.written)
		l.buffer[1] = f.text(l.buffer[1][:0], now, l.base.written)
		says, world := l.buffer[0], l.buffer[1]
		said, ok := before.field(f.path, i)
		if !ok { // the component had no such field, or the file did not name the component
			said = string(f.text(nil, l.world.Default(v.id), l.base.written))
		}
		switch {
		case string(says) == said:
			if bytes.Equal(says, world) && f.differs(v.data, now) { // a name whose entity is another one by now
				set = pieces(set, &f.Field, f.Offset)
			}
		case string(world) == said:
			set = pieces(set, &f.Field, f.Offset)
			l.changes.Set++
		case !bytes.Equal(says, world):
			l.changes.Kept++
		}
	}
	if len(set) > 0 {
		l.commands.Merge(e, l.world.ValueAt(v.id, v.data), set)
	}
}

// differs reports whether a field of two values holds other entities.
func (f *field) differs(a, b unsafe.Pointer) bool {
	number := func(e ecs.Entity) string { return strconv.FormatUint(uint64(e), 10) }
	return holdsEntities(&f.Field) && !bytes.Equal(f.text(nil, a, number), f.text(nil, b, number))
}

// holdsEntities reports whether a field is an entity, or has one in it.
func holdsEntities(f *ecs.Field) bool {
	for i := range f.Fields {
		if holdsEntities(&f.Fields[i]) {
			return true
		}
	}
	return f.Kind == ecs.Ref
}

// relate brings the parent and the targets of an entity to what the rule says.
func (l *loading) relate(i int) {
	if !l.alive(i) {
		return
	}
	was := l.base.Find(l.plan.entities[i].Name)
	if l.fresh[i] {
		was = nil
	}
	says := map[*ecs.Relation]int{}
	for _, k := range l.plan.entities[i].links {
		says[k.relation] = k.target
	}
	for r := range l.world.Relations() {
		target, named := says[r]
		l.relateBy(l.entities[i], r, was, target, named)
	}
}

// relateBy is relate for one relation.
func (l *loading) relateBy(e ecs.Entity, r *ecs.Relation, was *Loaded, target int, named bool) {
	if named && !l.alive(target) {
		return // the game has despawned it
	}
	said, says, to := was.target(r.Name()), "", ecs.Entity(0)
	if named {
		says, to = "@"+l.plan.entities[target].Name, l.entities[target]
	}
	if said == "" && says == "" {
		return
	}
	now, world := r.Target(e), ""
	if now != 0 && was != nil {
		world = l.base.written(now)
	}
	switch {
	case said == says && (world != says || now == to), said != says && world == says && now == to:
		return
	case said != says && world != said, l.circle(r, e, to):
		l.changes.Kept++
		return
	case was != nil && said != says:
		l.changes.Set++
	} // else a name whose entity is another one by now
	l.commands.Relate(r, e, to)
	l.wanted = append(l.wanted, wantedLink{r, e, to})
}

// circle reports whether a target leads back to its source, or has too many ancestors, in a relation that
// forbids that: the game may have turned a branch round.
func (l *loading) circle(r *ecs.Relation, source, target ecs.Entity) bool {
	if !r.Options().Acyclic {
		return false
	}
	p := l.commands.Preview()
	for n := 0; target != 0; n++ {
		if target == source || n == ecs.MaxDepth {
			return true
		}
		target = p.Target(r, target)
	}
	return false
}

// despawn ends the entities that the file does not have any more, and those that have given their
// name to another one. A relation may forbid the end of one before that of others.
func (l *loading) despawn() error {
	var waiting []*Loaded
	for i := range l.base.Entities {
		was := &l.base.Entities[i]
		if l.next.NameOf(was.Entity) == "" && l.world.At(was.Entity.Index()) == was.Entity {
			waiting = append(waiting, was)
		}
	}
	l.changes.Despawned = len(waiting)
	for len(waiting) > 0 {
		var refused []*Loaded
		for _, was := range waiting {
			mark := l.commands.Mark()
			l.commands.Despawn(was.Entity)
			if l.commands.Preview().Alive(was.Entity) {
				l.commands.Rewind(mark)
				refused = append(refused, was)
			}
		}
		if len(refused) == len(waiting) {
			return fmt.Errorf("%w: the entity %q cannot be despawned: a relation forbids it while it is the target of another entity", ecs.ErrConflict, refused[0].Name)
		}
		waiting = refused
	}
	return nil
}

// check asks whether the world will be what was recorded, before entities are despawned, with which
// others may go.
func (l *loading) check() error {
	p := l.commands.Preview()
	for i, e := range l.entities {
		if l.fresh[i] && !p.Alive(e) {
			return fmt.Errorf("%w: the world refuses the entity %q", ecs.ErrConflict, l.plan.entities[i].Name)
		}
	}
	for _, k := range l.wanted {
		if p.Target(k.relation, k.source) != k.target {
			return fmt.Errorf("%w: the world refuses the %s of the entity %q", ecs.ErrConflict, called(k.relation, l.world), l.next.NameOf(k.source))
		}
	}
	return nil
}
