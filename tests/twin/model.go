package twin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Model is what a world should be: a map from entities to their components. Each method
// follows the documentation of the world's method of the same name, and nothing else. The
// entities are handles that the world has issued. Every method is O(entities) at worst.
type Model struct {
	things  map[ecs.Entity]*modelEntity
	newest  map[uint32]ecs.Entity // by slot, the last handle seen: the next one is greater
	known   map[ecs.Entity]bool   // handles seen of late
	recent  []ecs.Entity          // the same, in order
	order   []ecs.Entity          // the living
	lost    []ecs.Entity          // those that died of late
	touched map[ecs.Entity]bool   // those whose values or links changed of late, if anybody asks
	pooled  []bool                // by kind
	pending batch                 // commands not applied yet
	notes   []note                // what observers have to be told
	quiet   bool                  // nobody observes
	later   []ecs.Entity          // those that die at the next flush
	kinds   map[int]rule          // rules of the kinds that have some
	calls   []call                // that hooks have to get
	// removeHooks says whether removals call hooks.
	removeHooks bool
	rules       []ecs.RelationOptions
	clock       int         // counts what can be told apart by Changed
	logs        []*arrivals // for queries that ask what was added
	groups      [][]int     // kinds whose pools are in step, rising
	eras        []int       // by kind: migrations so far
	reissued    []reissue   // of slots that somebody had before
	prefabs     int         // alive
	// remembered is how many handles are known for sure.
	remembered int
}

// modelEntity is one living entity.
type modelEntity struct {
	at      int  // in the model's order
	placed  bool // false while it is only reserved by commands
	prefab  bool
	values  map[int]int
	touched map[int]int // by kind: the clock at its last write
	links   []link      // by relation
}

// batch is a buffer of commands: what they do, and the entities they reserved.
type batch struct {
	do       []func() error
	reserved []ecs.Entity
}

// given is a component, by the number of its kind, and the number it is made of.
type given struct{ kind, n int }

// NewModel returns an empty model of component kinds, pooled or not.
func NewModel(pooled []bool) *Model {
	return &Model{things: map[ecs.Entity]*modelEntity{}, newest: map[uint32]ecs.Entity{}, known: map[ecs.Entity]bool{}, pooled: pooled, clock: 1, eras: make([]int, len(pooled)), remembered: handlesKept}
}

// handlesKept bounds what a small model remembers of the dead: a soak issues
// millions.
const handlesKept = 4096

// Reserve makes e alive without a place, as Commands.Spawn does.
func (m *Model) Reserve(e ecs.Entity) error {
	if e <= m.newest[e.Index()] {
		return fmt.Errorf("the handle %v was issued before, or one after it", e)
	}
	if last := m.newest[e.Index()]; last != 0 {
		m.reissued = append(m.reissued, reissue{e.Index(), generation(last), generation(e)})
	}
	m.newest[e.Index()], m.known[e] = e, true
	m.recent = append(m.recent, e)
	if n := len(m.recent) - m.remembered; n > m.remembered {
		for _, old := range m.recent[:n] {
			delete(m.known, old)
		}
		m.recent = slices.Delete(m.recent, 0, n)
	}
	m.things[e] = &modelEntity{at: len(m.order), values: map[int]int{}, touched: map[int]int{}, links: make([]link, len(m.rules))}
	m.order = append(m.order, e)
	m.touch(e)
	return nil
}

// settle places a reserved entity; one that was placed meanwhile gets the values.
func (m *Model) settle(e ecs.Entity, values []given) error {
	t := m.things[e]
	if t == nil {
		return nil
	}
	values, err := m.complete(t, nil, values)
	if err != nil {
		return err
	}
	if !t.placed {
		t.placed = true
		m.note(ecs.OnSpawn, -1, e, 0)
	}
	m.give(e, t, values)
	return nil
}

// give stores values, with one notice for each component.
func (m *Model) give(e ecs.Entity, t *modelEntity, values []given) {
	m.touch(e)
	told := map[int]bool{}
	last := map[int]int{}
	for _, v := range values {
		last[v.kind] = v.n
	}
	for _, v := range values {
		if _, had := t.values[v.kind]; !told[v.kind] {
			told[v.kind] = true
			on := map[bool]ecs.Trigger{true: ecs.OnSet, false: ecs.OnAdd}[had]
			m.note(on, v.kind, e, 0)
			m.call(on, v.kind, e, last[v.kind])
			if !had {
				m.arrive(e, v.kind)
			}
		}
		t.values[v.kind] = v.n
		t.touched[v.kind] = m.clock
	}
}

// find returns a living, placed entity.
func (m *Model) find(e ecs.Entity) (*modelEntity, error) {
	if t := m.things[e]; t != nil && t.placed {
		return t, nil
	}
	return nil, gone(e)
}

// neverIssued are handles that no world has issued, but for the zero one: it stands for none.
var neverIssued = []ecs.Entity{1, 1 << 60, ^ecs.Entity(0)}

// errNeverIssued is the error for one of them, which fails a command too.
var errNeverIssued = fmt.Errorf("%w: never issued", ecs.ErrDead)

// gone is the error for an entity that is not there.
func gone(e ecs.Entity) error {
	if slices.Contains(neverIssued, e) {
		return errNeverIssued
	}
	return ecs.ErrDead
}

// Add gives e the values; one that is only reserved gets its place.
func (m *Model) Add(e ecs.Entity, values []given) error {
	if m.things[e] == nil {
		return gone(e)
	}
	return m.settle(e, values)
}

// Edit notes that e's component was written in place; false if e lacks it.
func (m *Model) Edit(e ecs.Entity, kind, n int) bool {
	t, err := m.find(e)
	if err != nil {
		return false
	}
	if _, ok := t.values[kind]; ok {
		calls := m.calls
		m.give(e, t, []given{{kind, n}})
		m.calls = calls // hooks hear nothing of what is written in place
		return true
	}
	return false
}

// Remove takes components from e.
func (m *Model) Remove(e ecs.Entity, kinds []int) error {
	t, err := m.find(e)
	if err != nil {
		return err
	}
	var lost []int
	for _, k := range kinds {
		if old, ok := t.values[k]; ok && !slices.Contains(lost, k) {
			m.note(ecs.OnRemove, k, e, old)
			m.call(ecs.OnRemove, k, e, old)
			lost = append(lost, k)
		}
	}
	m.touch(e)
	for _, k := range lost { // when all has been noted: what filters match is the entity as it was
		delete(t.values, k)
	}
	return nil
}

// noteLoss notes the removal of the pooled components, or of the others: those of the row
// are reported first.
func (m *Model) noteLoss(e ecs.Entity, t *modelEntity, pooled bool) {
	for k, p := range m.pooled {
		if old, ok := t.values[k]; ok && p == pooled {
			m.note(ecs.OnRemove, k, e, old)
			m.call(ecs.OnRemove, k, e, old)
		}
	}
}

func (m *Model) forget(e ecs.Entity) {
	if m.things[e].prefab {
		m.prefabs--
	}
	at, end := m.things[e].at, len(m.order)-1
	m.order[at] = m.order[end]
	m.things[m.order[at]].at = at
	m.order = m.order[:end]
	delete(m.things, e)
	m.lost = append(m.lost, e)
}

// touch notes that e may have changed.
func (m *Model) touch(e ecs.Entity) {
	if m.touched != nil {
		m.touched[e] = true
	}
}

func byIndex(a, b ecs.Entity) int { return cmp.Compare(a.Index(), b.Index()) }

// Apply applies the recorded commands and returns their errors. Commands for dead
// entities are skipped.
func (m *Model) Apply() (errs []error) {
	pending := m.pending.do
	m.pending = batch{}
	for _, do := range pending {
		if err := do(); err != nil && err != ecs.ErrDead {
			errs = append(errs, err)
		}
	}
	return errs
}

// Drop forgets the commands and ends the entities that they have reserved.
func (m *Model) Drop() {
	for _, e := range m.pending.reserved {
		if t := m.things[e]; t != nil && !t.placed {
			m.forget(e)
		}
	}
	m.pending = batch{}
}
