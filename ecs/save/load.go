package save

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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
}

// Report says what a load changes, or would change.
type Report struct {
	Entities int      // that are in the save, and will be in the world
	Before   int      // that are in the world, and are replaced
	Changes  []Effect // in the order of the save
}

// Effect is something that is not in the world as it was in the save.
type Effect struct {
	Name     string // of the component, event or resource
	Entities int    // or events, that have it
	Lost     bool   // something is gone
	Text     string // "Health: 120 entities, new field shield"
}

// Loses returns the texts of the changes that lose something.
func (r *Report) Loses() (list []string) {
	if r == nil {
		return nil
	}
	for _, c := range r.Changes {
		if c.Lost {
			list = append(list, c.Text)
		}
	}
	return list
}

// String shows the report, a line for each change.
func (r *Report) String() string {
	if r == nil {
		return "nothing was loaded"
	}
	text := fmt.Sprintf("%s in the save replace %d", count(r.Entities, "entity", "entities"), r.Before)
	for _, c := range r.Changes {
		text += "\n" + c.Text
		if c.Lost {
			text += " (lost)"
		}
	}
	return text
}

// count says how many there are of something.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// saveLoader reads a save for a world.
type saveLoader struct {
	*File
	world    *ecs.World
	declared *capture.Content
	options  *LoadOptions
	codecs   *codec.Set
	report   Report
	entry    stateEntry
	state    *capture.Content // of the world, as it will be
	of       []destination    // by component of the save
	streams  []int            // by event type of the save, that of the world or -1
	left     int64            // bytes that may yet be taken
	places   placeBudget
}

// destination is what becomes of a component of a save.
type destination struct {
	to      int // the component of the world, or -1: it is lost
	entry   *componentEntry
	from    *columnar
	now     *columnar
	convert *conversion // nil: it is read as it is
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
	l.report = Report{Entities: f.manifest.Entities, Before: w.Stats().Entities}
	for _, step := range []func() error{l.json, l.components, l.events, l.slots, l.sets, l.pools, l.heaps, l.rest, l.resources, l.others} {
		if err := step(); err != nil {
			return &l.report, nil, err
		}
	}
	if lost := l.report.Loses(); len(lost) > 0 && !options.Lose {
		return &l.report, nil, fmt.Errorf("%w: %s", ErrLoss, strings.Join(lost, "; "))
	}
	image, err := w.Raw().Compose(l.state)
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

// wrong says that a part contradicts itself or another one.
func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// json reads what a world is beside its tables.
func (l *saveLoader) json() error {
	if err := l.File.json(statePart, mostState, &l.entry); err != nil {
		return err
	}
	m, e := &l.manifest, &l.entry
	if e.Clock.Tick != m.Tick || e.Tag != m.Tag || e.Seed != m.Seed || len(e.Streams) != len(m.Events) || len(e.Removed) != len(e.Notices) {
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
	taken := map[int]bool{}
	for i := range l.manifest.Components {
		t, err := l.component(&l.manifest.Components[i])
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

// component finds one.
func (l *saveLoader) component(e *componentEntry) (t destination, err error) {
	from, err := l.places.shape(e)
	if err != nil {
		return t, err
	}
	t = destination{to: l.find(e, e.Name), entry: e, from: from}
	if t.to < 0 && l.options.Renamed != nil && !e.Mark && !e.Relation {
		if now := l.options.Renamed(e.Name); now != "" {
			t.to = l.find(e, now)
			l.note(e.Name, e.Entities, false, "%s: it is %s in this world", e.Name, now)
		}
	}
	if t.to < 0 {
		if e.Entities > 0 {
			l.note(e.Name, e.Entities, true, "%s: %s, and this world has no such %s", e.Name, count(e.Entities, "entity has it", "entities have it"), e.sort())
		}
		return t, nil
	}
	c := &l.state.Components[t.to]
	if heap := c.Kept >= capture.InHeapPool; heap != e.onHeap() || !heap && c.Kept.String() != e.Kept {
		return t, fmt.Errorf("%w: it is kept in %q in the save, and in %q in this world: see Sparse and Stored", ecs.ErrConflict, e.Kept, c.Kept)
	} else if heap {
		return t, nil
	}
	t.now = shapeOf(c.Schema, c.Type)
	if t.now.same(t.from) && e.Version == c.Schema.Version {
		return t, nil
	}
	t.convert = l.conversion(from.schema, c.Schema, t.from, t.now)
	if t.now.same(t.from) && t.convert.migrate == nil {
		t.convert = nil
		return t, nil
	}
	t.convert.tell(l, e.Name, e.Entities, "entity", "entities")
	return t, nil
}

// sort says what a component is, for messages.
func (e *componentEntry) sort() string {
	if e.Relation {
		return "relation"
	}
	return "component"
}

// find returns the number that a component has in the world, or -1. The mark of prefabs may have to
// be made.
func (l *saveLoader) find(e *componentEntry, name string) int {
	i := slices.IndexFunc(l.state.Components, func(c capture.Component) bool {
		return c.Mark && e.Mark || c.Mark == e.Mark && c.Relation == e.Relation && c.Schema.Name == name
	})
	if i < 0 && e.Mark {
		i = len(l.state.Components)
		l.state.Components = append(l.state.Components, capture.Component{Schema: &ecs.Schema{Align: 1}, Mark: true})
	}
	return i
}

// savedShape is the shape of values as a save has them: the hidden bytes come last.
func savedShape(s *ecs.Schema, hidden int) *columnar {
	var runs []piece
	if hidden > 0 {
		runs = []piece{{int(s.Size), hidden}}
	}
	h := newShape(s, runs)
	h.size = (int(s.Size) + hidden + 7) &^ 7
	return h
}

// conversion makes values of the world out of those of a save.
type conversion struct {
	*schema.Conversion
	from, now *columnar
	hidden    bool // bytes that are in no field are kept
	drops     []string
	migrate   ecs.Convert
}

// conversion works out how values are converted.
func (l *saveLoader) conversion(old, now *ecs.Schema, from, to *columnar) *conversion {
	c := &conversion{Conversion: schema.NewConversion(old, now), from: from, now: to}
	c.hidden = from.hidden() == to.hidden()
	if l.options.Drops != nil {
		c.drops = l.options.Drops(old, now)
	}
	if l.options.Migrate != nil {
		c.migrate = l.options.Migrate(old, now)
	}
	return c
}

// tell notes what becomes of values.
func (c *conversion) tell(l *saveLoader, name string, n int, one, many string) {
	if n == 0 {
		return
	}
	parts := []string{fmt.Sprintf("%s: %s", name, count(n, one, many))}
	for _, f := range c.Added {
		parts = append(parts, "new field "+f.Name)
	}
	for _, k := range c.Kept {
		if k.From.Kind != k.To.Kind {
			parts = append(parts, fmt.Sprintf("field %s from %s to %s", k.To.Name, k.From.Kind, k.To.Kind))
		}
	}
	lost := false
	for _, field := range c.Lost {
		switch {
		case slices.Contains(c.drops, field):
			parts = append(parts, fmt.Sprintf("field %s dropped", field))
		case c.migrate == nil:
			lost = true
			parts = append(parts, fmt.Sprintf("field %s would be lost", field))
		}
	}
	if !c.hidden && c.from.hidden() > 0 {
		lost = true
		parts = append(parts, "fields that are not exported would be lost")
	}
	if c.migrate != nil {
		parts = append(parts, fmt.Sprintf("migrated from version %d", c.Old.Version))
	}
	l.note(name, n, lost, "%s", strings.Join(parts, ", "))
}

// apply converts n values: the entity of each is in handles, 0 for events.
func (c *conversion) apply(to, from []byte, handles []uint64, n int) error {
	for i := range n {
		src, dst := from[i*c.from.size:], to[i*c.now.size:(i+1)*c.now.size]
		copy(dst, c.Now.Default)
		at, now := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
		c.Apply(at, now)
		if h := c.from.hidden(); c.hidden && h > 0 {
			c.now.leaves[len(c.now.leaves)-1].scatter(dst, src[c.Old.Size:], c.now.size, 1)
		}
		if c.migrate == nil {
			continue
		}
		e := ecs.Entity(0)
		if handles != nil {
			e = ecs.Entity(handles[i])
		}
		if err := c.migrate(e, at, now); err != nil {
			return fmt.Errorf("%v: %w", e, err)
		}
	}
	return nil
}

// values makes n values of columns, which are the buffers of a shape of the save.
func (t *destination) values(buffers [][]byte, handles []uint64, n int) ([]byte, error) {
	for i, l := range t.from.data {
		if l < 0 {
			continue
		}
		if err := t.from.leaves[l].check(buffers[i]); err != nil {
			return nil, wrong("component %q: %v", t.entry.Name, err)
		}
	}
	to := capture.Bytes(make([]uint64, (n*t.now.size+7)/8))[:n*t.now.size]
	if t.convert == nil {
		scatterAll(t.now, to, buffers, n)
		return to, nil
	}
	old := capture.Bytes(make([]uint64, (n*t.from.size+7)/8))
	scatterAll(t.from, old, buffers, n)
	return to, t.convert.apply(to, old, handles, n)
}

// scatterAll copies the buffers of a shape to values.
func scatterAll(h *columnar, to []byte, buffers [][]byte, n int) {
	for i, l := range h.data {
		if l >= 0 {
			h.leaves[l].scatter(to, buffers[i], h.size, n)
		}
	}
}

// fits checks that a table has so many rows, before anything is multiplied that may be too large.
func (a *arrowReader) fits(rows int, shapes ...*columnar) error {
	perRow := int64(0)
	for _, h := range shapes {
		for i := range h.leaves {
			perRow += int64(h.leaves[i].size) / 8
		}
	}
	if a.err == nil && (rows < 0 || rows > mostRows || int64(rows)*max(perRow, 1) > a.left) {
		a.err = wrong("%s has fewer rows than %d", a.name, rows)
	}
	return a.err
}

// mostRows is more than any world has of anything.
const mostRows = 1 << 24

// slots reads which handles were issued.
func (l *saveLoader) slots() error {
	s, e := &l.state.Slots, &l.entry
	if e.SlotCount < 0 || e.SlotCount > mostRows || e.FreeCount < 0 || e.FreeCount > e.SlotCount {
		return wrong("there are %d slots, and %d wait", e.SlotCount, e.FreeCount)
	}
	columns, err := l.words(entitiesPart, slotFields, e.SlotCount)
	if err != nil {
		return err
	}
	s.Lives, s.Deaths = columns[0], columns[1]
	columns, err = l.words(freePart, freeFields, e.FreeCount)
	if err != nil {
		return err
	}
	s.Free = columns[0]
	return nil
}

// words reads columns of numbers of 32 bits.
func (l *saveLoader) words(name string, fields []arrowField, n int) ([][]uint32, error) {
	a, err := l.arrow(name, fields)
	if err != nil {
		return nil, err
	}
	columns := make([][]uint32, len(fields))
	for at := 0; at < n && a.err == nil; at += slotRows {
		rows := min(slotRows, n-at)
		buffers, err := a.batch(wordsBatch(rows, len(fields)))
		if err != nil {
			break
		}
		for i := range columns {
			columns[i] = append(slices.Grow(columns[i], n-at), wordsIn(buffers[2*i+1])...)
		}
	}
	return columns, a.finish()
}

// wordsIn returns bytes as numbers.
func wordsIn(b []byte) []uint32 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// sets reads the rows of the archetypes. Those that have become the same, as components are lost, are
// put together.
func (l *saveLoader) sets() error {
	st := l.state
	byKey := map[string]int{}
	for i := range l.entry.Sets {
		rows, err := l.rows(fmt.Sprintf("archetypes/%04d.arrow", i), &l.entry.Sets[i])
		if err != nil {
			return err
		}
		if i == 0 && len(l.entry.Sets[0].Components) > 0 {
			return wrong("the first set is not the empty one")
		}
		key := fmt.Sprint(rows.Components)
		at, known := byKey[key]
		if !known {
			byKey[key] = len(st.Sets)
			st.Sets = append(st.Sets, *rows)
			continue
		}
		st.Sets[at].Chunks = append(st.Sets[at].Chunks, rows.Chunks...)
		st.Sets[at].Loose = true
	}
	return nil
}

// pools reads the rows of the pools in the arena.
func (l *saveLoader) pools() error {
	found := map[int]*capture.Rows{}
	for i := range l.entry.Pools {
		from := &l.entry.Pools[i]
		if len(from.Components) != 1 {
			return wrong("a pool has %d components", len(from.Components))
		}
		rows, err := l.rows(fmt.Sprintf("pools/%04d.arrow", i), from)
		if err != nil {
			return err
		}
		if len(rows.Components) == 0 {
			continue // it is lost
		}
		if id := int(rows.Components[0]); found[id] != nil {
			return wrong("there are two pools of component %q", l.of[from.Components[0]].entry.Name)
		} else {
			found[id] = rows
		}
	}
	for i := range l.state.Components {
		if l.state.Components[i].Kept != capture.InArenaPool {
			continue
		}
		rows := found[i]
		if rows == nil {
			rows = &capture.Rows{Components: []uint32{uint32(i)}, Layouts: 1}
		}
		l.state.Pools = append(l.state.Pools, *rows)
	}
	return nil
}

// rows reads a table of rows, and says what becomes of them in the world.
func (l *saveLoader) rows(name string, from *capture.Rows) (*capture.Rows, error) {
	targets, shapes, err := columnsOf(l.of, name, from.Components)
	if err != nil {
		return nil, err
	}
	to := &capture.Rows{Layouts: from.Layouts, Spare: from.Spare}
	order := make([]int, 0, len(targets)) // of the targets, by their numbers in the world
	for i, t := range targets {
		if t.to < 0 {
			to.Loose = true
			continue
		}
		order = append(order, i)
		to.Loose = to.Loose || int(l.state.Components[t.to].Schema.Size) != t.entry.Size
	}
	slices.SortFunc(order, func(a, b int) int { return targets[a].to - targets[b].to })
	for _, i := range order {
		to.Components = append(to.Components, uint32(targets[i].to))
	}
	a, err := l.arrow(name, tableOf(shapes).fields)
	if err != nil {
		return nil, err
	}
	for i := range from.Chunks {
		if err := l.chunk(a, to, &from.Chunks[i], targets, order, shapes); err != nil && a.err == nil {
			a.err = err
		}
	}
	return to, a.finish()
}

// columnsOf returns the components of a table, by their numbers in the save, and the shapes of those that have
// columns in it.
func columnsOf(all []destination, name string, ids []uint32) (list []*destination, shapes []*columnar, err error) {
	for i, id := range ids {
		if int64(id) >= int64(len(all)) || i > 0 && ids[i-1] >= id || all[id].entry.onHeap() {
			return nil, nil, wrong("%s has the components %v", name, ids)
		}
		list = append(list, &all[id])
		if all[id].from.size > 0 {
			shapes = append(shapes, all[id].from)
		}
	}
	return list, shapes, nil
}

// chunk reads one chunk.
func (l *saveLoader) chunk(a *arrowReader, to *capture.Rows, from *capture.Chunk, targets []*destination, order []int, shapes []*columnar) error {
	if len(from.Versions) != 1+len(shapes) {
		return wrong("%s has %d versions for %d columns", a.name, len(from.Versions), 1+len(shapes))
	}
	c := capture.Chunk{Class: from.Class, N: from.N, Versions: from.Versions[:1:1]}
	parts, versions := make([][][]byte, len(targets)), make([]uint64, len(targets))
	handles := []uint64(nil)
	if err := a.fits(from.N, shapes...); err != nil {
		return err
	}
	var buffers [][]byte
	if from.N > 0 {
		var err error
		if buffers, err = a.batch(tableOf(shapes).batch(from.N)); err != nil {
			return err
		}
		if err := l.spend(8 * int64(from.N)); err != nil {
			return err
		}
		handles = append(handles, unsafe.Slice((*uint64)(unsafe.Pointer(&buffers[1][0])), from.N)...)
		c.Columns = append(c.Columns, capture.Bytes(handles))
		buffers = buffers[2:]
	}
	at := 1
	for i, t := range targets {
		versions[i] = from.Versions[0]
		if t.entry.Size == 0 {
			continue
		}
		versions[i] = from.Versions[at]
		at++
		if from.N > 0 {
			parts[i] = buffers[:len(t.from.data)]
			buffers = buffers[len(t.from.data):]
		}
	}
	for _, i := range order {
		t := targets[i]
		if t.now == nil || t.now.size == 0 {
			continue
		}
		c.Versions = append(c.Versions, versions[i])
		if from.N == 0 {
			continue
		}
		if err := l.spend(int64(from.N) * int64(t.now.size)); err != nil {
			return err
		}
		if parts[i] == nil {
			parts[i] = make([][]byte, len(t.from.data)) // a tag that has got fields
		}
		column, err := t.values(parts[i], handles, from.N)
		if err != nil {
			return err
		}
		c.Columns = append(c.Columns, column)
	}
	to.Chunks = append(to.Chunks, c)
	return nil
}

// heaps reads the values that are copied by their Go type.
func (l *saveLoader) heaps() error {
	found := map[int]*capture.Typed{}
	for i := range l.entry.Heaps {
		e := &l.entry.Heaps[i]
		if e.Component < 0 || e.Component >= len(l.of) || len(e.Rows) != len(e.Bytes) || l.of[e.Component].now != nil {
			return wrong("values are of component %d", e.Component)
		}
		t := &l.of[e.Component]
		h, err := l.heap(fmt.Sprintf("heap/%04d.arrow", i), e, t)
		if err != nil {
			return fmt.Errorf("component %q: %w", t.entry.Name, err)
		}
		if t.to < 0 {
			continue
		}
		if found[t.to] != nil {
			return wrong("there are two tables of component %q", t.entry.Name)
		}
		found[t.to] = h
	}
	for i := range l.state.Components {
		c := &l.state.Components[i]
		if c.Kept < capture.InHeapPool {
			continue
		}
		h := found[i]
		if h == nil {
			h = &capture.Typed{Data: reflect.MakeSlice(reflect.SliceOf(c.Type), 0, 0).UnsafePointer()}
		}
		h.Component = i
		l.state.Heaps = append(l.state.Heaps, *h)
	}
	return nil
}

// heap reads the values of one component.
func (l *saveLoader) heap(name string, e *heapEntry, t *destination) (*capture.Typed, error) {
	typ := reflect.TypeFor[struct{}]()
	var codec *codec.Codec
	if t.to >= 0 {
		typ = l.state.Components[t.to].Type
		var err error
		if codec, err = l.codecs.For(typ); err != nil {
			return nil, err
		}
	}
	p, err := l.part(name)
	if err != nil {
		return nil, err
	}
	a, text, err := openHeap(p, t.entry.Name)
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	if codec != nil && text != codec.Text() && a.err == nil {
		a.err = fmt.Errorf("%w: the save has values of %s in another form than its codec here: text %v", ecs.ErrConflict, t.entry.Type, text)
	}
	h := &capture.Typed{Version: e.Version}
	values := reflect.MakeSlice(reflect.SliceOf(typ), 0, 0)
	for i, rows := range e.Rows {
		if err := l.heapBatch(a, rows, e.Bytes[i], h, &values, codec); err != nil && a.err == nil {
			a.err = err
		}
	}
	h.Data = values.UnsafePointer()
	return h, a.finish()
}

// openHeap begins to read a table of encoded values, and finds out which of the two kinds it is.
func openHeap(p *partReader, name string) (*arrowReader, bool, error) {
	text, binary := arrowHead(heapFields(name, true)), arrowHead(heapFields(name, false))
	got := make([]byte, len(text))
	if len(text) != len(binary) {
		return nil, false, errors.New("the two kinds of tables have heads of different lengths")
	}
	if err := p.read(got); err != nil {
		return nil, false, err
	}
	isText := slices.Equal(got, text)
	if !isText && !slices.Equal(got, binary) {
		return nil, false, wrong("%s has not the columns that the manifest says", p.name)
	}
	return &arrowReader{partReader: p, fields: heapFields(name, isText), at: len(got)}, isText, nil
}

// heapBatch reads a batch of encoded values.
func (l *saveLoader) heapBatch(a *arrowReader, rows, size int, h *capture.Typed, values *reflect.Value, codec *codec.Codec) error {
	if err := a.fits(rows); err != nil {
		return err
	}
	if rows == 0 || size < 0 || size > 2*heapBytes {
		return wrong("%s has a batch of %d rows and %d bytes", a.name, rows, size)
	}
	buffers, err := a.batch(heapBatch(rows, size))
	if err != nil {
		return err
	}
	h.Handles = append(h.Handles, unsafe.Slice((*uint64)(unsafe.Pointer(&buffers[1][0])), rows)...)
	if codec == nil {
		return nil
	}
	if err := l.spend(int64(rows) * int64(codec.Type().Size())); err != nil {
		return err
	}
	first := values.Len()
	*values = reflect.AppendSlice(*values, reflect.MakeSlice(values.Type(), rows, rows))
	last := 0
	for i := range rows {
		end := int(int32(binary.LittleEndian.Uint32(buffers[3][4*(i+1):])))
		if end < last || end > size || i == 0 && binary.LittleEndian.Uint32(buffers[3]) != 0 {
			return wrong("%s has values that lie over each other", a.name)
		}
		if err := codec.Decode(values.Index(first+i).Addr().UnsafePointer(), buffers[4][last:end:end]); err != nil {
			return fmt.Errorf("%w: %v: %w", ErrDamaged, ecs.Entity(h.Handles[first+i]), err)
		}
		last = end
	}
	if last != size {
		return wrong("%s has bytes that are of no value", a.name)
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
	if err := a.fits(min(e.Waiting, len(from.leaves)*e.Waiting), from); err == nil && e.Waiting > 0 {
		buffers, _ = a.batch(from.batch(e.Waiting))
	}
	to := slices.IndexFunc(l.state.Streams, func(s capture.Stream) bool { return s.Schema.Name == e.Name })
	if to >= 0 && a.err == nil {
		a.err = l.stream(e, &l.state.Streams[to], &l.entry.Streams[i], from, buffers)
	} else if e.Waiting > 0 {
		l.note(e.Name, e.Waiting, true, "%s: %s, and this world has no such event", e.Name, count(e.Waiting, "event waits", "events wait"))
	}
	l.streams = append(l.streams, to)
	return a.finish()
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
	schema, typ := to.Schema, to.Type
	*to = *saved
	to.Schema, to.Type, to.Data = schema, typ, make([]uint64, words*e.Waiting)
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
		if err := codec.Decode(kept.UnsafePointer(), r.Data); err != nil {
			return fmt.Errorf("component %q: %w: %w", c.Schema.Name, ErrDamaged, err)
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

// resources reads the resources.
func (l *saveLoader) resources() error {
	var list []resourceEntry
	if err := l.File.json(resourcesPart, mostText, &list); err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range list {
		e := &list[i]
		key := e.Name
		if key == "" {
			key = "\x00" + e.Type
		}
		if known[key] {
			return wrong("resource %s is there twice", e.Type)
		}
		known[key] = true
		if err := l.resource(e); err != nil {
			return fmt.Errorf("resource %s %s: %w", e.Name, e.Type, err)
		}
	}
	return nil
}

// resource reads one, over a copy of what the world has.
func (l *saveLoader) resource(e *resourceEntry) error {
	i := slices.IndexFunc(l.declared.Resources, func(r capture.Resource) bool {
		return r.Name == e.Name && (e.Name != "" || typeName(r.Type) == e.Type)
	})
	if i < 0 {
		l.note(e.Name+e.Type, 0, true, "resource %s%s: this world has no such resource", e.Name, e.Type)
		return nil
	}
	r := l.declared.Resources[i]
	codec, err := l.codecs.For(r.Type)
	if err != nil {
		return err
	}
	data := []byte(e.JSON)
	if e.Text != nil {
		data = []byte(*e.Text)
	} else if e.Binary != nil {
		data = e.Binary
	}
	saved := reflect.New(r.Type)
	saved.Elem().Set(reflect.ValueOf(r.Saved).Elem())
	if !codec.Plain() {
		saved.Elem().SetZero()
	}
	if err := codec.Decode(saved.UnsafePointer(), data); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	l.state.Resources = append(l.state.Resources, capture.Resource{Type: r.Type, Name: e.Name, Saved: saved.Interface()})
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
