package save

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// LoadOptions say how a save is taken into a world. The zero value is fine: it refuses what would
// lose something.
type LoadOptions struct {
	// Codecs are those of the program, as for Write.
	Codecs []codec.Codec
	// Lose lets a load go on that loses something; the report says what.
	Lose bool
	// Migrate returns what makes values of a component's new form, as a script's migrate function does;
	// nil where the fields that are kept by name are all there is. Old is laid out as its fields say.
	// What is to be has them already, and the defaults of new fields; what would be lost is then not
	// lost.
	Migrate func(old, now *ecs.Schema) ecs.Convert
	// Drops returns the fields of a component that may be lost.
	Drops func(old, now *ecs.Schema) []string
	// Renamed returns the name that a component has in this world which it does not know by the name in
	// the save; "" for none.
	Renamed func(name string) string
	// Adopts reports whether a component, or an event, that this world does not have is to be defined in it as the save
	// describes it, for a game in which it had values that nothing declared any more. What only a Go type could say
	// is lost all the same. Nil: nothing is defined.
	Adopts func(name string, event bool) bool
	// Reads reports whether a reader of events of that name goes on in this world. The report says which events wait
	// for one that does not: nobody reads them then. Nil: nothing is said of that.
	Reads func(reader string) bool
}

// saveLoader reads a save for a world.
type saveLoader struct {
	*File
	world    *ecs.World
	declared *capture.Content
	options  *LoadOptions
	codecs   *codec.Set
	report   Report
	adopted  bool // a type that this world does not have
	entry    stateEntry
	state    *capture.Content // of the world, as it will be
	of       []destination    // by component of the save
	streams  []int            // by event type of the save, that of the world or -1
	left     int64            // bytes that may yet be taken
	room     int              // bytes that decoded values may yet take beside themselves
	places   placeBudget
}

// Load makes the world what it was when it was saved, handles included, in the same program or in
// another run or version of it; what a restore of a snapshot means holds here too, see package
// snapshot. All of the save is read and checked before the world is touched: on an error nothing has changed.
// Components, events, relations and resources are found by name, whatever their order. Fields that
// have changed are converted by the rules of a reload: see [schema.Conversion].
//
// The error wraps ErrDamaged or ErrTooLarge for the save, ErrLoss for what would be lost, codec.ErrNone,
// [ecs.ErrConflict] for a save that this world cannot become, [ecs.ErrArenaFull] or [ecs.ErrEntityLimit]
// for one that has no room in it, [ecs.ErrIterating] and [ecs.ErrClosed]; or it is one of a codec.
// O(bytes).
func (f *File) Load(w *ecs.World, options LoadOptions) (*Report, error) {
	report, image, err := f.prepare(w, options)
	if err == nil {
		err = w.Raw().Restore(image)
	}
	if err != nil {
		return report, fmt.Errorf("save: load: %w", err)
	}
	return report, nil
}

// Check does all that Load does but for the last step: the world stays what it is. The report says
// what would change, also when the error is that something would be lost.
func (f *File) Check(w *ecs.World, options LoadOptions) (*Report, error) {
	report, _, err := f.prepare(w, options)
	if err != nil {
		return report, fmt.Errorf("save: check: %w", err)
	}
	return report, nil
}

// prepare makes an image of the save for a world.
func (f *File) prepare(w *ecs.World, options LoadOptions) (*Report, capture.Image, error) {
	if err := f.known(); err != nil {
		return nil, nil, err
	}
	if w == nil {
		return nil, nil, fmt.Errorf("%w: the world is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); err != nil {
		return nil, nil, err
	}
	l := &saveLoader{File: f, world: w, declared: w.Raw().Declared(), options: &options, codecs: codec.NewSet(options.Codecs), state: &capture.Content{}, places: mostPlaces}
	f.opened = map[string]bool{}
	defer func() { f.opened = nil }()
	if l.left = int64(len(w.Raw().Memory())); l.left == 0 {
		return nil, nil, ecs.ErrArenaFull
	}
	l.room = int(min(l.left, math.MaxInt))
	l.report = Report{Entities: f.manifest.Entities, Before: w.Stats().Entities}
	for _, step := range []func() error{l.json, l.components, l.events, l.slots, l.sets, l.pools, l.heaps, l.rest, l.resources, l.others} {
		if err := step(); err != nil {
			return &l.report, nil, err
		}
	}
	if lost := l.report.Loses(); len(lost) > 0 && !options.Lose {
		return &l.report, nil, fmt.Errorf("%w: %s", ErrLoss, inOneError(lost))
	}
	image, err := w.Raw().Compose(l.state)
	if errors.Is(err, ecs.ErrRange) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &l.report, image, err
}

// note adds a change to the report.
func (l *saveLoader) note(name string, entities int, lost bool, format string, args ...any) {
	l.report.Changes = append(l.report.Changes, Effect{name, entities, lost, fmt.Sprintf(format, args...)})
}

// spend charges memory that the world is going to need.
func (l *saveLoader) spend(bytes int64) error {
	if l.left -= bytes; l.left < 0 || bytes < 0 {
		return fmt.Errorf("%w: the save needs more memory than the world may have (Options.MaxBytes)", ecs.ErrArenaFull)
	}
	return nil
}

// valueRoom is how many bytes of memory a byte of a value may become that a codec has written: see package codec.
const valueRoom = 64

// decode makes a value of what a codec has written. All values of a save together may take what their bytes allow, and
// as much again as the world may have: old values may be short where new ones have more fields.
func (l *saveLoader) decode(c *codec.Codec, to unsafe.Pointer, data []byte, gone func(field string)) error {
	l.room += min(valueRoom*len(data), math.MaxInt-l.room)
	switch err := c.DecodeWithin(to, data, &l.room, gone); {
	case errors.Is(err, codec.ErrMemory):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// wrong says that a part contradicts itself or another one.
func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// json reads what a world is beside its tables.
func (l *saveLoader) json() error {
	if err := l.File.readState(&l.entry); err != nil {
		return err
	}
	m, e := &l.manifest, &l.entry
	if e.Clock.Tick != m.Tick || e.Clock.Time != m.Seconds || e.Tag != m.Tag || e.Seed != m.Seed || len(e.Streams) != len(m.Events) || len(e.Removed) != len(e.Notices) {
		return wrong("%s and %s contradict each other", manifestPart, statePart)
	}
	st := l.state
	st.Tag, st.Seed, st.Random, st.Clock, st.Systems, st.Watchers, st.Deferred = e.Tag, e.Seed, e.Random, e.Clock, e.Systems, e.Watchers, e.Deferred
	st.Slots.Reserved = e.Slots.Reserved
	return nil
}

// components finds the components of the save in the world.
func (l *saveLoader) components() error {
	l.state.Components = slices.Clone(l.declared.Components)
	for i := range l.state.Components {
		l.state.Components[i].Group = 0
	}
	shapes, err := l.shapes()
	if err != nil {
		return err
	}
	taken := map[int]bool{}
	for i := range l.manifest.Components {
		t, err := l.component(&l.manifest.Components[i], shapes[i])
		if err != nil {
			return fmt.Errorf("component %q: %w", l.manifest.Components[i].Name, err)
		}
		if t.to >= 0 && taken[t.to] {
			return wrong("component %q is there twice", t.entry.Name)
		}
		taken[t.to] = true
		l.of = append(l.of, t)
	}
	for i := range l.of { // groups, now that all of them are known
		t := &l.of[i]
		if lead := t.entry.Group - 1; lead >= 0 && lead < len(l.of) && t.to >= 0 && l.of[lead].to >= 0 {
			l.state.Components[t.to].Group, l.state.Components[t.to].InAll = 1+l.of[lead].to, t.entry.InAll
		}
	}
	return nil
}

// events finds the event types of the save in the world, and reads what waits.
func (l *saveLoader) events() error {
	l.state.Streams = slices.Clone(l.declared.Streams)
	for i := range l.manifest.Events {
		e := &l.manifest.Events[i]
		if err := l.event(e, i); err != nil {
			return fmt.Errorf("event %q: %w", e.Name, err)
		}
	}
	return nil
}

// event reads the events of one type.
func (l *saveLoader) event(e *eventEntry, i int) error {
	from, err := l.places.event(e)
	if err != nil {
		return err
	}
	a, err := l.arrow(eventsPart(i), []arrowField{from.column})
	if err != nil {
		return err
	}
	buffers := make([][]byte, len(from.data))
	if err := a.fits(e.Waiting, from.least()); err == nil && e.Waiting > 0 {
		buffers, _ = a.batch(from.batch(e.Waiting))
	}
	to := slices.IndexFunc(l.state.Streams, func(s capture.Stream) bool { return s.Schema.Name == e.Name })
	if to < 0 && a.err == nil && l.adoptsEvent(e) {
		to, a.err = len(l.state.Streams), l.adoptEvent(from.schema)
	}
	if to >= 0 && a.err == nil {
		a.err = l.stream(e, &l.state.Streams[to], &l.entry.Streams[i], from, buffers)
	} else if e.Waiting > 0 {
		l.note(e.Name, e.Waiting, true, "%s: %s, and this world has no such event", e.Name, count(e.Waiting, "event waits", "events wait"))
	}
	if to >= 0 && a.err == nil {
		l.unread(e, &l.entry.Streams[i])
	}
	l.streams = append(l.streams, to)
	return a.finish()
}

// unread notes the events that wait for readers who do not go on.
func (l *saveLoader) unread(e *eventEntry, saved *capture.Stream) {
	if l.options.Reads == nil {
		return
	}
	for _, r := range saved.Readers {
		n := saved.First + uint64(e.Waiting) - r.Next
		if r.Name != "" && n > 0 && n <= uint64(e.Waiting) && !l.options.Reads(r.Name) {
			l.note(e.Name, int(n), false, "%s: %s for %q, which reads no more: they are dropped", e.Name, count(int(n), "event waits", "events wait"), r.Name)
		}
	}
}

// stream makes what waits in the world of what the save has.
func (l *saveLoader) stream(e *eventEntry, to, saved *capture.Stream, from *columnar, buffers [][]byte) error {
	if !to.Absent {
		return wrong("it is there twice")
	}
	now := shapeOf(to.Schema, to.Type)
	t := &destination{entry: &componentEntry{Name: e.Name}, from: from, now: now}
	if !now.same(from) {
		t.convert = l.conversion(from.schema, to.Schema, from, now)
		t.convert.migrate = nil // that is for values that last
		t.convert.tell(l, e.Name, e.Waiting, "event waits", "events wait")
	}
	words := capture.EventLen(now.size)
	if err := l.spend(8 * int64(words) * int64(e.Waiting)); err != nil {
		return err
	}
	values, err := t.values(buffers, nil, e.Waiting)
	if err != nil {
		return err
	}
	schema, typ, isNew := to.Schema, to.Type, to.New
	*to = *saved
	to.Schema, to.Type, to.New, to.Data = schema, typ, isNew, make([]uint64, words*e.Waiting)
	for i := range e.Waiting {
		copy(capture.Bytes(to.Data[i*words:(i+1)*words]), values[i*now.size:(i+1)*now.size])
	}
	return nil
}

// rest takes what a world is beside its tables.
func (l *saveLoader) rest() error {
	st := l.state
	st.Relations = slices.Clone(l.declared.Relations)
	for _, r := range l.entry.Relations {
		if r.Component < 0 || r.Component >= len(l.of) {
			return wrong("a relation is component %d", r.Component)
		}
		i := slices.IndexFunc(st.Relations, func(k capture.Relation) bool { return k.Component == l.of[r.Component].to })
		if i >= 0 {
			st.Relations[i].Policy = r.Policy
		}
	}
	for _, k := range l.entry.Looks {
		changed, ok := l.numbers(k.Changed)
		added, also := l.numbers(k.Added)
		if k.Changed, k.Added = changed, added; ok && also {
			st.Looks = append(st.Looks, k)
		}
	}
	for i, n := range l.entry.Notices {
		if err := l.notice(n, l.entry.Removed[i]); err != nil {
			return err
		}
	}
	return nil
}

// numbers returns what components are in the world; ok is false if one is lost.
func (l *saveLoader) numbers(ids []uint32) (list []uint32, ok bool) {
	for _, id := range ids {
		if int(id) >= len(l.of) || l.of[id].to < 0 {
			return nil, false
		}
		list = append(list, uint32(l.of[id].to))
	}
	return list, true
}

// notice takes a change that waits for its report.
func (l *saveLoader) notice(n capture.Notice, r removed) error {
	if int(n.Component) >= len(l.of) {
		return wrong("a change is of component %d", n.Component)
	}
	t := &l.of[n.Component]
	if t.to < 0 {
		return nil
	}
	n.Component = uint32(t.to)
	c := &l.state.Components[t.to]
	switch {
	case !r.There:
	case c.Kept >= capture.InHeapPool:
		codec, err := l.codecs.For(c.Type)
		if err != nil {
			return err
		}
		kept := reflect.New(c.Type)
		gone := func(field string) {
			l.note(c.Schema.Name, 1, true, "component %q: the field %s of a value that was removed is gone", c.Schema.Name, field)
		}
		if err := l.decode(codec, kept.UnsafePointer(), r.Data, gone); err != nil {
			return fmt.Errorf("component %q: %w", c.Schema.Name, err)
		}
		n.Kept = kept.Interface()
	default:
		old := capture.Bytes(make([]uint64, t.from.size/8+1))
		if !t.from.unpacked(old, r.Data, 1) {
			return wrong("component %q: the removed value has %d bytes", c.Schema.Name, len(r.Data))
		}
		n.Value = capture.Bytes(make([]uint64, c.Schema.Size/8+1))[:c.Schema.Size]
		conv := t.convert
		if conv == nil {
			conv = &conversion{Conversion: schema.NewConversion(t.from.schema, c.Schema), from: t.from, now: t.now, hidden: true}
		}
		if err := conv.apply(n.Value, old, []uint64{n.Entity}, 1); err != nil {
			return err
		}
	}
	l.state.Notices = append(l.state.Notices, n)
	return nil
}

// others checks the sums of all that was not read.
func (l *saveLoader) others() error {
	for i := range l.manifest.Parts {
		name := l.manifest.Parts[i].Name
		if l.opened[name] {
			continue
		}
		p, err := l.part(name)
		if err == nil {
			err = p.end()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
