package ecs

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// Policy says what becomes of the sources of a relation when their target dies.
type Policy uint8

// The policies.
const (
	// Orphan takes the relation from the sources; they live on.
	Orphan Policy = iota
	// Cascade ends the sources too, before their target.
	Cascade
	// Refuse keeps an entity alive that is the target of one which would live on:
	// Despawn returns ErrConflict and names both.
	Refuse
)

// String returns the name of the policy: "orphan".
func (p Policy) String() string {
	if names := [...]string{"orphan", "cascade", "refuse"}; int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// unknown returns an error for a policy that does not exist.
func (p Policy) unknown(relation string) error {
	return fmt.Errorf("%w: relation %q: there is no %v", ErrRange, relation, p)
}

// RelationOptions say how a relation behaves. The zero value lets sources live
// on and targets come round.
type RelationOptions struct {
	// OnDespawn is what a target's death means for its sources.
	OnDespawn Policy
	// Acyclic refuses a target that is the source itself, or that leads back to
	// it, with ErrCycle; and a target that has [MaxDepth] ancestors, with ErrRange.
	Acyclic bool
}

// Relation links entities under a name: each source to one target at most, each
// target to any number of sources in a chosen order. The hierarchy is one of
// them, [World.ChildOf]; programs add their own with [World.Relation]:
//
//	targets, err := w.Relation("Targets", ecs.RelationOptions{})
//	err = targets.Set(turret, tank)
//	for turret := range targets.Sources(tank) { … }
//
// A relation lives as long as its world and belongs to its goroutine. Setting,
// clearing and asking for the target are O(1), but for the walk up the chain that
// an acyclic relation makes; sources are listed in O(sources). Both ways are kept
// in one record of 48 bytes per linked entity, and nothing for the others.
//
// A link dies with either end, so that no entity ever has a dead target. Links
// are neither copied with an entity nor reported to observers.
//
// A Relation is a [ComponentRef]: a query With it finds the entities that are a source
// or a target.
type Relation struct {
	world   *World
	id      ComponentID // of the component that holds the links
	info    *component
	links   *arenaPool // of that component
	index   int        // among the world's relations
	count   int        // of sources
	name    string
	options RelationOptions
}

// Relation returns the relation of a name and makes it when it is new. It takes
// one of the world's MaxComponents numbers. The error wraps ErrConflict when the
// relation exists with other options, or no number is left, ErrRange for a policy
// that does not exist, and ErrClosed.
func (w *World) Relation(name string, options RelationOptions) (*Relation, error) {
	if err := w.refuseDeclaring(fmt.Sprintf("relation %q", name)); err != nil {
		return nil, err
	}
	if r := w.relationNamed(name); r != nil {
		if r.options != options {
			return nil, fmt.Errorf("%w: relation %q exists with other options: %+v", ErrConflict, name, r.options)
		}
		return r, nil
	}
	if name == "" {
		return nil, fmt.Errorf("%w: a relation needs a name", ErrConflict)
	}
	if err := checkName("relation", name); err != nil {
		return nil, err
	}
	if options.OnDespawn > Refuse {
		return nil, options.OnDespawn.unknown(name)
	}
	schema := linksSchema()
	schema.Name = name
	c := &component{schema: &schema, typ: linksType, size: schema.Size}
	if err := w.enlist(c); err != nil {
		return nil, err
	}
	c.reserve("relations")
	pool := newArenaPool(&w.store, c)
	w.setPool(c, pool)
	r := &Relation{world: w, id: c.id, info: c, links: pool, index: len(w.relations), name: name, options: options}
	w.relations = append(w.relations, r)
	return r, nil
}

// linksSchema describes links, and is the same in every world: to read the fields
// of a type costs as much as all else that an empty world does.
var linksSchema = sync.OnceValue(func() Schema { return *schemaOf("", linksType) })

// relationNamed is Raw.RelationNamed.
func (w *World) relationNamed(name string) *Relation {
	i := slices.IndexFunc(w.relations, func(r *Relation) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return w.relations[i]
}

// allRelations is Raw.Relations.
func (w *World) allRelations() iter.Seq[*Relation] { return slices.Values(w.relations) }

// Name returns the name.
func (r *Relation) Name() string { return r.name }

// Options returns how the relation behaves.
func (r *Relation) Options() RelationOptions { return r.options }

// SetPolicy changes what a target's death means for its sources, from now on. The
// error wraps ErrRange for a policy that does not exist, or ErrClosed, and nothing changes.
func (r *Relation) SetPolicy(p Policy) error {
	if r.world.closed() {
		return fmt.Errorf("relation %q: %w", r.name, ErrClosed)
	}
	if p > Refuse {
		return p.unknown(r.name)
	}
	r.options.OnDespawn = p
	return nil
}

// ID returns the number of the component that holds the links. It is not to be
// written: Add and Remove return ErrConflict.
func (r *Relation) ID() ComponentID { return r.id }

// Len returns how many entities have a target.
func (r *Relation) Len() int { return r.count }

// Target returns the target of an entity, or 0.
func (r *Relation) Target(source Entity) Entity {
	if l := r.of(source); l != nil {
		return l.Target
	}
	return 0
}

// Count returns how many sources an entity has, in O(1).
func (r *Relation) Count(target Entity) int {
	if l := r.of(target); l != nil {
		return int(l.Count)
	}
	return 0
}

// Sources iterates the sources of an entity in their order: as many as there are when the loop
// begins, each of these once. The loop body may despawn the source that it was given, give it
// another target, or the same, which makes it the last; doing so to another source may end
// the loop early. Sources that come meanwhile are not part of the loop.
func (r *Relation) Sources(target Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		if l := r.of(target); l != nil {
			r.each(l.First, l.Count, yield)
		}
	}
}

// SourcesAfter iterates, as Sources does, those sources of an entity's target that come after the entity itself: for a
// list that is shown page by page. For an entity without a target it yields nothing.
func (r *Relation) SourcesAfter(source Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		if l := r.of(source); l != nil && l.Target != 0 {
			r.each(l.Next, r.of(l.Target).Count, yield)
		}
	}
}

// each is the loop of Sources: from one source on, over so many at most.
func (r *Relation) each(source Entity, left uint64, yield func(Entity) bool) {
	for ; source != 0 && left > 0; left-- {
		l := r.of(source)
		if l == nil {
			return // the body ended a source that it was not given
		}
		next := l.Next
		if !yield(source) {
			return
		}
		source = next
	}
}

// Set gives source a target and makes it the last of the target's sources, also
// when it was one before; target 0 takes the target away. The error wraps
// ErrDead, ErrIterating, ErrArenaFull or, for acyclic relations, ErrCycle or
// ErrRange; nothing has changed then.
func (r *Relation) Set(source, target Entity) error { return r.put(source, target, sourcePlace{}) }

// SetAt is Set to a place among the target's other sources: 0 is the first, as
// many as there are others the last. The error wraps ErrRange for an index
// outside of these. It takes O(sources).
func (r *Relation) SetAt(source, target Entity, index int) error {
	if r.world.closed() {
		return r.world.deadError(source)
	}
	others := r.Count(target)
	if target != 0 && r.Target(source) == target {
		others--
	}
	if index < 0 || index > others {
		return fmt.Errorf("%w: place %d among %d other sources of %v in %q", ErrRange, index, others, target, r.name)
	}
	return r.put(source, target, sourcePlace{where: placeIndex, index: index})
}

// SetBefore gives source the target of another entity and the place just before
// it. The error is as for Set; it wraps ErrConflict when sibling has no target or
// is the source itself.
func (r *Relation) SetBefore(source, sibling Entity) error {
	return r.beside(source, sibling, sourcePlace{where: placeBefore, sibling: sibling})
}

// SetAfter is SetBefore for the place just after the sibling.
func (r *Relation) SetAfter(source, sibling Entity) error {
	return r.beside(source, sibling, sourcePlace{where: placeAfter, sibling: sibling})
}

// beside is SetBefore and SetAfter.
func (r *Relation) beside(source, sibling Entity, at sourcePlace) error {
	target := r.Target(sibling)
	switch {
	case !r.world.placed(sibling):
		return r.world.deadError(sibling)
	case target == 0:
		return fmt.Errorf("%w: %v has no target in %q", ErrConflict, sibling, r.name)
	case source == sibling:
		return fmt.Errorf("%w: %v cannot stand beside itself in %q", ErrConflict, source, r.name)
	}
	return r.put(source, target, at)
}

// put makes or clears a link. All that can fail comes first.
func (r *Relation) put(source, target Entity, at sourcePlace) error {
	if err := r.allows(source, target); err != nil {
		return err
	}
	if err := r.mayFollow(source, target); err != nil {
		return err
	}
	return r.relink(source, target, at)
}

// copyLink gives a source the target that it has in a copy of links, which are not looked at
// again: they make no circle, and may be longer than a link may make them.
func (r *Relation) copyLink(source, target Entity) error {
	if err := r.allows(source, target); err != nil {
		return err
	}
	return r.relink(source, target, sourcePlace{})
}

// relink is put for a link that can be.
func (r *Relation) relink(source, target Entity, at sourcePlace) error {
	if target == 0 {
		r.unlink(source)
		r.world.reports.linked(r, source, 0, 0)
		r.world.committed("clearing the target", source)
		return nil
	}
	if err := r.makeRoom(source, target); err != nil {
		return err
	}
	old := r.unchain(source)
	r.chain(source, target, r.resolve(target, at))
	if old != 0 {
		r.forget(old)
	}
	r.world.reports.linked(r, source, target, 0)
	r.world.committed("setting the target", source)
	return nil
}

// allows says why a link cannot be, whoever is above the target.
func (r *Relation) allows(source, target Entity) error {
	w := r.world
	switch {
	case !w.placed(source):
		return r.world.deadError(source)
	case w.locks > 0:
		return ErrIterating
	case target != 0 && !w.placed(target):
		return r.world.deadError(target)
	case r.index == 0 && w.isPrefab(target) && !w.isPrefab(source):
		return fmt.Errorf("%w: %v cannot become a child of the prefab %v before it is marked as one", ErrConflict, source, target)
	}
	return nil
}

// mayFollow says why a source cannot have a target in an acyclic relation: it is above that, or
// too many are. What is below the source is not looked at, since that may be any number of entities.
func (r *Relation) mayFollow(source, target Entity) error {
	if !r.options.Acyclic {
		return nil
	}
	depth := 0
	for e := target; e != 0; e = r.Target(e) {
		if e == source {
			return fmt.Errorf("%w: %v is an ancestor of %v in %q, or the same", ErrCycle, source, target, r.name)
		}
		if depth++; depth > MaxDepth {
			return fmt.Errorf("%w: %v has %d ancestors or more in %q", ErrRange, target, MaxDepth, r.name)
		}
	}
	return nil
}

// childOf is the name of the hierarchy among relations.
const childOf = "ChildOf"

// ChildOf returns the hierarchy: the acyclic relation from children to their
// parent. Children die with their parent unless SetPolicy says otherwise.
func (w *World) ChildOf() *Relation { return w.relations[0] }

// SetParent makes child the last child of parent; parent 0 makes it a root. The
// error wraps ErrDead, ErrCycle, ErrRange (the parent has 1,024 ancestors, see
// [MaxDepth]), ErrIterating or ErrArenaFull. [World.ChildOf] has the same for any
// place among the children.
func (w *World) SetParent(child, parent Entity) error { return w.ChildOf().Set(child, parent) }

// Parent returns e's parent, or 0.
func (w *World) Parent(e Entity) Entity { return w.ChildOf().Target(e) }

// Children iterates e's children in order: that in which they were added, unless
// they were placed by choice. The loop body may despawn or move the child that it
// was given, no other.
func (w *World) Children(e Entity) iter.Seq[Entity] { return w.ChildOf().Sources(e) }

// MaxDepth is how many ancestors the target of a link in an acyclic relation may not have yet: so
// the walk up that refuses cycles stays short. In the hierarchy, an entity that has 1,024 gets no
// children. It is no bound on the depth of a tree: what is below the source of a link is not
// counted. A tree whose top gets a parent, again and again, becomes as deep as there are entities.
// All functions work with such trees, and take time by the number of entities; so do
// snapshots, saves, replicas and transfers.
const MaxDepth = 1024

// links chains an entity into the ordered list of its target's sources, and
// holds the ends of the list of its own. There are one or none per entity and
// relation.
//
// Invariants: a source's target lists it; First and Last are the ends of the
// list that Next and Prev chain, Count its length; an entity without target and
// sources has no links; the targets counted over all entities are the
// relation's count.
type links struct {
	Target, First, Last, Prev, Next Entity
	Count                           uint64
}

// linksType is their Go type.
var linksType = reflect.TypeFor[links]()

// sourcePlace is a place in a list of sources; the zero sourcePlace is its end.
type sourcePlace struct {
	where   placeKind
	sibling Entity
	index   int
}

// placeKind says how a place is named.
type placeKind uint8

const (
	placeEnd placeKind = iota
	placeIndex
	placeBefore
	placeAfter
)

// of returns the links of an entity that may be dead, or nil.
func (r *Relation) of(e Entity) *links { return (*links)(r.info.find(e)) }

// edit is of for writing, for an entity that has links.
func (r *Relation) edit(e Entity) *links {
	p := r.links
	p.stamp(e)
	return (*links)(p.find(e))
}

// makeRoom gives both entities links; on an error, neither.
func (r *Relation) makeRoom(source, target Entity) error {
	for _, e := range [...]Entity{source, target} {
		p := r.links
		if err := p.reserve(e); err != nil {
			r.forget(source)
			return err
		}
		if p.find(e) == nil {
			p.put(e, unsafe.Pointer(&links{}))
		}
	}
	return nil
}

// resolve turns a place into the source of target that will follow, 0 for none.
// The one that is about to be placed is not in the list.
func (r *Relation) resolve(target Entity, at sourcePlace) Entity {
	switch at.where {
	case placeBefore:
		return at.sibling
	case placeAfter:
		return r.of(at.sibling).Next
	case placeIndex:
		next := r.of(target).First
		for range at.index {
			next = r.of(next).Next
		}
		return next
	}
	return 0
}

// chain puts source into target's list before next, or at its end. Both have
// links; source is in no list.
func (r *Relation) chain(source, target, next Entity) {
	s, t := r.edit(source), r.edit(target)
	prev := t.Last
	if next != 0 {
		prev = r.of(next).Prev
	}
	s.Target, s.Prev, s.Next = target, prev, next
	r.follow(t, prev, source)
	r.precede(t, next, source)
	t.Count++
	r.count++
}

// follow makes e the source after prev in the list of t, or its first.
func (r *Relation) follow(t *links, prev, e Entity) {
	if prev != 0 {
		r.edit(prev).Next = e
	} else {
		t.First = e
	}
}

// precede makes e the source before next in the list of t, or its last.
func (r *Relation) precede(t *links, next, e Entity) {
	if next != 0 {
		r.edit(next).Prev = e
	} else {
		t.Last = e
	}
}

// unchain takes an entity out of its target's list and returns the target, or 0.
// The links of both remain, empty or not.
func (r *Relation) unchain(e Entity) Entity {
	target := r.Target(e)
	if target == 0 {
		return 0
	}
	l, t := r.edit(e), r.edit(target)
	prev, next := l.Prev, l.Next
	l.Target, l.Prev, l.Next = 0, 0, 0
	r.follow(t, prev, next)
	r.precede(t, next, prev)
	t.Count--
	r.count--
	return target
}

// unlink takes an entity's target away; its own sources stay.
func (r *Relation) unlink(e Entity) {
	target := r.unchain(e)
	r.forget(e)
	r.forget(target)
}

// sever takes an entity out of the relation: its target, and its sources' one.
func (r *Relation) sever(e Entity) {
	for l := r.of(e); l != nil && l.Last != 0; l = r.of(e) {
		source := l.Last // the last one, as the end of a list costs least
		r.unlink(source)
		r.world.reports.linked(r, source, 0, e)
	}
	r.unlink(e)
}

// forget drops the links of an entity that has neither target nor sources.
func (r *Relation) forget(e Entity) {
	if l := r.of(e); l != nil && *l == (links{}) {
		r.links.remove(e)
	}
}

// check returns the first broken invariant of the relation.
func (r *Relation) check() error {
	listed, linked := 0, 0
	for e := range r.world.Entities() {
		l := r.of(e)
		if l == nil {
			continue
		}
		if l.Target != 0 {
			linked++
		}
		n, err := r.checkList(e, l)
		if err != nil {
			return err
		}
		listed += n
	}
	if listed != linked || linked != r.count {
		return fmt.Errorf("relation %q: %d entities have a target, %d are listed as sources, %d counted", r.name, linked, listed, r.count)
	}
	if !r.options.Acyclic || linked == 0 {
		return nil
	}
	look := circles{seen: make([]uint32, r.world.slots.Used())}
	for e := range r.world.Entities() {
		if look.leadsInto(e, r.Target) {
			return fmt.Errorf("relation %q: the targets of %v go round", r.name, e)
		}
	}
	return nil
}

// checkList walks the sources of e and returns how many there are.
func (r *Relation) checkList(e Entity, l *links) (int, error) {
	if *l == (links{}) {
		return 0, fmt.Errorf("relation %q: %v has links to nobody", r.name, e)
	}
	prev, n := Entity(0), 0
	for source := l.First; source != 0; n++ {
		s := r.of(source)
		if s == nil || s.Target != e || s.Prev != prev {
			return 0, fmt.Errorf("relation %q: %v lists the source %v, which does not agree", r.name, e, source)
		}
		prev, source = source, s.Next
	}
	if prev != l.Last || n != int(l.Count) {
		return 0, fmt.Errorf("relation %q: the list of %v has %d sources and ends at %v, not %d and %v", r.name, e, n, prev, l.Count, l.Last)
	}
	return n, nil
}

// owner returns the world of the relation, nil for a nil one.
func (r *Relation) owner() *World {
	if r == nil {
		return nil
	}
	return r.world
}

// circles finds out whether targets lead back to where they came from. It looks at each entity once,
// however long the chains are.
type circles struct {
	seen   []uint32 // by slot: the number of the chain that came by first
	chain  uint32   // the last one
	before uint32   // chains of other relations, which count no more
}

// begin begins with another relation, among so many slots.
func (c *circles) begin(slots int) {
	if c.seen == nil {
		c.seen = make([]uint32, slots)
	}
	c.before = c.chain
}

// leadsInto reports whether the targets of an entity go round. Each is 0 or a living one.
func (c *circles) leadsInto(e Entity, target func(Entity) Entity) bool {
	c.chain++
	for e != 0 && c.seen[e.Index()] <= c.before {
		c.seen[e.Index()] = c.chain
		e = target(e)
	}
	return e != 0 && c.seen[e.Index()] == c.chain
}
