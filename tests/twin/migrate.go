package twin

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// errUnconverted is the error of a conversion that fails on purpose.
var errUnconverted = errors.New("planned refusal of a value")

// migrate gives the types defined at run time other layouts: A says which types, B which
// layout, C how the migration ends, D after how many conversions one fails, if any does.
func (tw *Twin) migrate(t T, op Op) {
	t.Helper()
	if tw.unrest(t, op); tw.wrong != nil {
		return
	}
	x := &conversion{Twin: tw, m: tw.World.Raw().Migrate(), seen: map[converted]bool{}, left: -1}
	if op.C%4 == 1 {
		x.left = int(op.D % 8)
	}
	x.name(t, op)
	x.look(t, op)
	before := tw.World.Checksum()
	err := x.m.Prepare()
	switch {
	case x.says != "":
		t.Fatalf("%v: %s", op, x.says)
	case tw.World.Checksum() != before:
		t.Fatalf("%v: preparing a migration has changed the world", op)
	case tw.full(err):
		return
	case x.left == 0 && x.asked:
		agree(t, op, err, errUnconverted)
		return
	}
	agree(t, op, err, nil)
	x.complete(t, op)
	if op.C%4 == 2 {
		x.m.Drop()
		return
	}
	x.commit(t, op)
	tw.Model.clock++
	x.look(t, op)
}

// look iterates the queries about kinds that change: before, so that nothing counts as
// changed for them, and after.
func (x *conversion) look(t T, op Op) {
	t.Helper()
	for i, l := range x.lookers {
		if slices.ContainsFunc(slices.Concat(l.with, l.any, l.changed), func(k int) bool { return slices.Contains(x.kinds, k) }) {
			x.Twin.look(t, Op{Kind: Look, A: byte(i), B: 1, D: op.D})
		}
	}
}

// unrest demands that a migration is refused while changes wait for observers, and then
// delivers the changes.
func (tw *Twin) unrest(t T, op Op) {
	t.Helper()
	if len(tw.Model.notes) > 0 {
		if err := tw.World.Raw().Migrate().Prepare(); !errors.Is(err, ecs.ErrIterating) {
			t.Fatalf("%v: a migration before observers were told answered %v", op, err)
		}
	}
	tw.step(t, Op{Kind: Step})
}

// conversion is one migration, and the values that its conversions got.
type conversion struct {
	*Twin
	m     *ecs.Migration
	kinds []int // that take another form
	form  int
	event bool
	seen  map[converted]bool
	mail  int    // events converted
	left  int    // conversions until one fails; negative: none does
	asked bool   // for one more than succeeds
	says  string // what was wrong
}

// converted is a value that was given to a conversion.
type converted struct {
	kind   int
	entity ecs.Entity
}

// name names the types that change, and tries some changes that must be refused.
func (x *conversion) name(t T, op Op) {
	t.Helper()
	x.form = int(op.B) % len(layouts())
	for k := range x.Twin.kinds {
		if name := x.Twin.kinds[k].defined; name != "" && op.A>>len(x.kinds)&1 == 0 {
			agree(t, op, x.m.Component(schemaOf(name, x.form), func(e ecs.Entity, from, to unsafe.Pointer) error {
				return x.component(k, e, from, to)
			}), nil)
			x.kinds = append(x.kinds, k)
		}
	}
	if x.event = op.A&4 != 0 && x.form < len(layouts())-1; x.event { // a tag has no numbers
		agree(t, op, x.m.Event(schemaOf(pong, x.form), x.convertEvent), nil)
	}
	agree(t, op, x.m.Component(schemaOf("nobody", 0), nil), ecs.ErrUnknown)
	agree(t, op, x.m.Event(schemaOf("nobody", 0), nil), ecs.ErrUnknown)
	agree(t, op, x.m.Component(schemaOf("position", 0), nil), ecs.ErrConflict)
}

// component converts one value of a component.
func (x *conversion) component(k int, e ecs.Entity, from, to unsafe.Pointer) error {
	thing, _ := x.Model.find(e)
	what := converted{k, e}
	switch {
	case thing == nil || x.seen[what]:
		x.says = "a conversion is asked twice, or for somebody who is not there"
	default:
		n, has := thing.values[k]
		if !has || !x.Twin.kinds[k].holds(from, n) {
			x.says = "a conversion gets another value than there is"
		}
		s := schemaOf("", x.form)
		x.write(&s, to, n)
	}
	x.seen[what] = true
	return x.next()
}

// convertEvent converts one event; they come in order.
func (x *conversion) convertEvent(_ ecs.Entity, from, to unsafe.Pointer) error {
	b := &x.boxes[1]
	if x.mail >= len(b.sent) || !holds(x.World.Raw().EventSchema(b.id), from, int(b.sent[x.mail])) {
		x.says = "a conversion gets another event than was sent"
		return nil
	}
	s := schemaOf("", x.form)
	x.write(&s, to, int(b.sent[x.mail]))
	x.mail++
	return x.next()
}

func (x *conversion) write(s *ecs.Schema, to unsafe.Pointer, n int) {
	if err := s.Layout(); err != nil {
		x.says = err.Error()
		return
	}
	write(s, to, n)
}

func (x *conversion) next() error {
	if x.left == 0 {
		x.asked = true
		return errUnconverted
	}
	x.left--
	return nil
}

// complete demands that everything was converted.
func (x *conversion) complete(t T, op Op) {
	t.Helper()
	n := 0
	for _, thing := range x.Model.things {
		for _, k := range x.kinds {
			if _, has := thing.values[k]; has {
				n++
			}
		}
	}
	if len(x.seen) != n || x.event && x.mail != len(x.boxes[1].sent) {
		t.Fatalf("%v: %d values of %d and %d events of %d were converted", op, len(x.seen), n, x.mail, len(x.boxes[1].sent))
	}
}

// commit commits the migration, and demands that values from before are refused.
func (x *conversion) commit(t T, op Op) {
	t.Helper()
	var old []ecs.Value
	for _, k := range x.kinds {
		old = append(old, x.Twin.kinds[k].value(int(op.D)))
	}
	x.m.Commit()
	x.Model.clock++
	x.Model.migrated(x.kinds)
	for i, k := range x.kinds {
		kind := &x.Twin.kinds[k]
		kind.size, kind.form = x.World.Raw().Schema(kind.id).Size, x.form
		if _, err := x.World.TrySpawn(old[i]); !errors.Is(err, ecs.ErrConflict) && !x.full(err) {
			t.Fatalf("%v: a value of kind %d from before answered %v", op, k, err)
		}
	}
	if x.event {
		x.boxes[1].era++
	}
	if x.side != nil {
		x.follow(t)
	}
}

// migrated notes that values have another layout.
func (m *Model) migrated(kinds []int) {
	for _, k := range kinds {
		m.eras[k]++
		for _, t := range m.things {
			if _, has := t.values[k]; has {
				t.touched[k] = m.clock
			}
		}
	}
}

// dated returns a function that returns ErrConflict once a migration has changed one of
// the kinds of the values.
func (m *Model) dated(values []given) func() error {
	eras := map[int]int{}
	for _, v := range values {
		eras[v.kind] = m.eras[v.kind]
	}
	return func() error {
		for k, era := range eras {
			if m.eras[k] != era {
				return ecs.ErrConflict
			}
		}
		return nil
	}
}

// unlessDated is do, unless the entity is dead or a migration has changed the kind of one
// of the values meanwhile.
func (m *Model) unlessDated(values []given, e ecs.Entity, do func() error) func() error {
	dated := m.dated(values)
	return func() error {
		if m.things[e] == nil {
			return gone(e)
		}
		if err := dated(); err != nil {
			return err
		}
		return do()
	}
}

// follow gives the side world, which has no entities, the layouts of this one.
func (tw *Twin) follow(t T) {
	t.Helper()
	m := tw.side.Raw().Migrate()
	var err error
	for _, k := range tw.kinds {
		if k.defined != "" {
			err = errors.Join(err, m.Component(schemaOf(k.defined, k.form), nil))
		}
	}
	if err = errors.Join(err, m.Prepare()); err != nil {
		t.Fatalf("migrating the second world: %v", err)
	}
	m.Commit()
}
