package save

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Topic says what a [Difference] is about.
type Topic uint8

// The topics, in the order in which [Diff] comes to them.
const (
	OfWorld     Topic = iota + 1 // the tick, the simulation time, the seed, the tag
	OfEntity                     // an entity as a whole
	OfComponent                  // a component or a relation of an entity that both saves have
	OfField                      // a field of a component that both have
	OfEvent                      // an event that waits
	OfResource                   // a value in a resource
	OfSection                    // a value in a section: what the program has added, as the state of scripts
	OfProgress                   // how far systems, observers and readers of events have come, and what waits for observers and queries
)

var topicNames = [...]string{"", "world", "entity", "component", "field", "event", "resource", "section", "progress"}

// String returns "world", "entity", "component", "field", "event", "resource", "section" or "progress".
func (t Topic) String() string {
	if int(t) < len(topicNames) {
		return topicNames[t]
	}
	return strconv.Itoa(int(t))
}

// Difference is something that two saves do not have alike.
type Difference struct {
	Topic  Topic
	Entity ecs.Entity // of an entity, a component or a field
	Number uint64     // of an event, counted from the first that was ever emitted; events without bytes that follow each other are one difference
	Name   string     // of the component, event, resource or section; of progress the event, or "systems", "observers", "deferred", "queries", "changes"
	Field  string     // of a field, as "at.x" or "marks[2]"; elsewhere the way to the value, as "Names[2]"
	// Was and Is are the value in the first save and in the second, as text, entities as
	// [ecs.Entity.String] shows them, texts longer than 400 bytes cut short. One of them is "" for what
	// only one of the saves has, and so are both for what has no value of its own.
	Was, Is string
	// Gone says that only the first save has it, New that only the second does.
	Gone, New bool
}

// Diff calls each for every difference between two saves of the same game: of the world, entities,
// components and relations, fields, events that wait, resources, sections, and of how far systems and readers have come. Entities and
// components are compared by their handles and names, fields by their names, numbers by their bits.
// What only concerns how a world is stored, such as the order of rows and of children, is not compared, nor is the order of
// lists in JSON whose items have names. The first
// error of each ends it. The error wraps ErrDamaged, or is one of each. O(bytes of both), with as
// much memory as the largest component has in both.
func Diff(a, b *File, each func(Difference) error) error {
	if each == nil {
		return fmt.Errorf("save: %w: the function is nil", ecs.ErrConflict)
	}
	d := &differ{each: each}
	for i, f := range []*File{a, b} {
		r, err := f.rows()
		if err != nil {
			return fmt.Errorf("save: %w", err)
		}
		d.of[i] = r
	}
	d.world()
	for _, step := range []func() error{d.entities, d.components, d.events, d.resources, d.sections, d.progress} {
		if err := step(); err != nil {
			return fmt.Errorf("save: %w", err)
		}
		if d.err != nil {
			return d.err
		}
	}
	return d.err
}

// differ compares two saves.
type differ struct {
	of     [2]*rowReader
	common map[uint64]bool // the entities that both have
	each   func(Difference) error
	err    error
}

// tell reports a difference, unless an earlier one ended it.
func (d *differ) tell(x Difference) {
	if d.err == nil {
		d.err = d.each(x)
	}
}

// world compares what a save says of itself.
func (d *differ) world() {
	a, b := &d.of[0].manifest, &d.of[1].manifest
	for _, x := range []struct{ field, was, is string }{
		{"tick", strconv.FormatUint(a.Tick, 10), strconv.FormatUint(b.Tick, 10)},
		{"seconds", strconv.FormatFloat(float64(a.Seconds), 'g', -1, 64), strconv.FormatFloat(float64(b.Seconds), 'g', -1, 64)},
		{"seed", strconv.FormatUint(a.Seed, 10), strconv.FormatUint(b.Seed, 10)},
		{"tag", strconv.Itoa(int(a.Tag)), strconv.Itoa(int(b.Tag))},
		{"random", strconv.FormatUint(d.of[0].entry.Random, 10), strconv.FormatUint(d.of[1].entry.Random, 10)},
	} {
		if x.was != x.is {
			d.tell(Difference{Topic: OfWorld, Field: x.field, Was: x.was, Is: x.is})
		}
	}
	if a.Seconds == b.Seconds { // else what is lost in rounding them says nothing
		was, is := d.of[0].entry.Clock.Owed, d.of[1].entry.Clock.Owed
		if math.Float64bits(float64(was)) != math.Float64bits(float64(is)) {
			d.tell(Difference{Topic: OfWorld, Field: "owed", Was: strconv.FormatFloat(float64(was), 'g', -1, 64), Is: strconv.FormatFloat(float64(is), 'g', -1, 64)})
		}
	}
}

// entities compares which there are.
func (d *differ) entities() error {
	var lists [2][]uint64
	for i := range d.of {
		if err := d.of[i].entities(func(handle uint64) { lists[i] = append(lists[i], handle) }); err != nil {
			return err
		}
		slices.Sort(lists[i])
	}
	d.common = map[uint64]bool{}
	merge(lists[0], lists[1], func(i, j int) {
		switch {
		case j < 0:
			d.tell(Difference{Topic: OfEntity, Entity: ecs.Entity(lists[0][i]), Gone: true})
		case i < 0:
			d.tell(Difference{Topic: OfEntity, Entity: ecs.Entity(lists[1][j]), New: true})
		default:
			d.common[lists[0][i]] = true
		}
	})
	return nil
}

// merge goes through two rising lists at the same time: do gets the indices of what is the same in
// both, and -1 for the list that has not what the other has.
func merge(a, b []uint64, do func(i, j int)) {
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			do(i, -1)
			i++
		case i == len(a) || b[j] < a[i]:
			do(-1, j)
			j++
		default:
			do(i, j)
			i, j = i+1, j+1
		}
	}
}

// valueList is the values of one component, by rising handles, or of the events of one type, by rising numbers.
type valueList struct {
	fields []schema.Field // none for values that a codec has written
	list   []uint64
	at     []int // where each value ends in data
	data   []byte
	order  []int // the values by their handles
	text   bool  // of values that a codec has written

	first   uint64 // of events without bytes: the number of the first,
	counted int    // and how many there are
}

// add takes a value over.
func (v *valueList) add(handle uint64, value []byte) {
	v.list, v.data = append(v.list, handle), append(v.data, value...)
	v.at, v.order = append(v.at, len(v.data)), append(v.order, len(v.order))
}

// addTarget takes over whom an entity points to by a relation, if it does. The other fields are lists
// of those who point to it.
func (v *valueList) addTarget(handle uint64, value []byte) {
	i := slices.IndexFunc(v.fields, func(f schema.Field) bool { return f.Name == "target" && f.Kind == schema.Ref && f.Len == 0 })
	if i < 0 {
		return
	}
	if v.fields = v.fields[i : i+1]; binary.LittleEndian.Uint64(element(&v.fields[0], value, 0)) != 0 {
		v.add(handle, value)
	}
}

// sort puts the values in order.
func (v *valueList) sort() {
	slices.SortFunc(v.order, func(i, j int) int { return cmp.Compare(v.list[i], v.list[j]) })
	list := make([]uint64, len(v.list))
	for i, from := range v.order {
		list[i] = v.list[from]
	}
	v.list = list
}

// value returns the i-th value in order.
func (v *valueList) value(i int) []byte {
	i = v.order[i]
	if i == 0 {
		return v.data[:v.at[0]]
	}
	return v.data[v.at[i-1]:v.at[i]]
}

// cut says which fields the values have; the bytes that are in no field are one more.
func (v *valueList) cut(h *columnar, hidden int) {
	v.fields = h.schema.Fields
	if hidden > 0 {
		v.fields = append(slices.Clip(v.fields), schema.Field{Name: hiddenName, Kind: schema.Opaque, Len: hidden, Stride: 1, Offset: h.schema.Size})
	}
}

// pairing is what is called the same in both saves.
type pairing struct {
	name string
	at   [2]int // where in each save; -1: it has nothing of that name
}

// pairs lists what both saves or one of them have, in the order of the first. Of the same name the
// first counts.
func (d *differ) pairs(namesOf func(*rowReader) []string) (list []pairing) {
	known := map[string]int{}
	for k, r := range d.of {
		for i, name := range namesOf(r) {
			at, there := known[name]
			if !there {
				at, known[name] = len(list), len(list)
				list = append(list, pairing{name, [2]int{-1, -1}})
			}
			if list[at].at[k] < 0 {
				list[at].at[k] = i
			}
		}
	}
	return list
}

// values reads the values of both sides of a pair: none where a save has nothing of that name.
func (d *differ) values(p pairing, read func(*rowReader, int) (*valueList, error)) (v [2]*valueList, err error) {
	for k, r := range d.of {
		if v[k] = (&valueList{}); p.at[k] >= 0 {
			if v[k], err = read(r, p.at[k]); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// component reads the values of a component.
func (r *rowReader) component(i int) (*valueList, error) {
	v := &valueList{}
	var err error
	if r.encoded(i) {
		err = r.eachEncoded(i, func(handle uint64, value []byte, text bool) {
			v.text = text
			v.add(handle, value)
		})
	} else {
		v.cut(r.of[i].from, r.of[i].entry.Hidden)
		add := v.add
		if r.of[i].entry.Relation {
			add = v.addTarget
		}
		err = r.each(i, add)
	}
	v.sort()
	return v, err
}

// componentName is the name that a component has for people.
func componentName(e *componentEntry) string {
	if e.Mark {
		return "(prefab)"
	}
	return e.Name
}

// components compares the components and relations of the entities that both saves have.
func (d *differ) components() error {
	list := d.pairs(func(r *rowReader) (names []string) {
		for i := range r.manifest.Components {
			names = append(names, componentName(&r.manifest.Components[i]))
		}
		return names
	})
	for _, p := range list {
		v, err := d.values(p, (*rowReader).component)
		if err != nil {
			return err
		}
		name := p.name
		merge(v[0].list, v[1].list, func(i, j int) {
			switch {
			case j < 0 && d.common[v[0].list[i]]:
				d.tell(Difference{Topic: OfComponent, Entity: ecs.Entity(v[0].list[i]), Name: name, Gone: true})
			case i < 0 && d.common[v[1].list[j]]:
				d.tell(Difference{Topic: OfComponent, Entity: ecs.Entity(v[1].list[j]), Name: name, New: true})
			case i >= 0 && j >= 0:
				d.value(Difference{Topic: OfField, Entity: ecs.Entity(v[0].list[i]), Name: name}, v[0], v[1], v[0].value(i), v[1].value(j))
			}
		})
		if d.err != nil {
			return nil
		}
	}
	return nil
}

// value compares two values of the same entity, or two events of the same number.
func (d *differ) value(x Difference, a, b *valueList, was, is []byte) {
	if a.fields != nil && b.fields != nil {
		d.fields(x, a.fields, b.fields, was, is)
		return
	}
	if a.text != b.text || !bytes.Equal(was, is) {
		x.Was, x.Is = a.shown(was), b.shown(is)
		d.tell(x)
	}
}

// fields compares the fields of two structs, by their names. x.Field says what these are in.
func (d *differ) fields(x Difference, a, b []schema.Field, was, is []byte) {
	within := x.Field
	for i := range a {
		f := &a[i]
		x.Field = within + f.Name
		if j := slices.IndexFunc(b, alike(f)); j >= 0 {
			d.field(x, f, &b[j], was, is)
			continue
		}
		y := x
		y.Was, y.Gone = shownField(f, was), true
		d.tell(y)
	}
	for i := range b {
		f := &b[i]
		if slices.ContainsFunc(a, alike(f)) {
			continue
		}
		y := x
		y.Field, y.Is, y.New = within+f.Name, shownField(f, is), true
		d.tell(y)
	}
}

// alike finds the field of the same name in another save. The bytes that are in no field are opaque, whatever else is called
// as they are.
func alike(f *schema.Field) func(schema.Field) bool {
	return func(g schema.Field) bool {
		return g.Name == f.Name && (g.Kind == schema.Opaque) == (f.Kind == schema.Opaque)
	}
}

// field compares two fields of the same name; those of arrays element by element.
func (d *differ) field(x Difference, f, g *schema.Field, was, is []byte) {
	if (f.Len > 0) != (g.Len > 0) || (f.Kind == schema.Struct) != (g.Kind == schema.Struct) {
		x.Was, x.Is = shownField(f, was), shownField(g, is)
		d.tell(x)
		return
	}
	if f.Kind == schema.Opaque {
		if a, b := was[f.Offset:][:f.Len], is[g.Offset:][:g.Len]; !bytes.Equal(a, b) {
			x.Was, x.Is = shownField(f, was), shownField(g, is)
			d.tell(x)
		}
		return
	}
	name := x.Field
	for i := range max(f.Len, g.Len, 1) {
		y := x
		if f.Len > 0 {
			y.Field = name + "[" + strconv.Itoa(i+1) + "]"
		}
		y.Gone, y.New = i >= max(g.Len, 1), i >= max(f.Len, 1)
		switch {
		case y.Gone:
			y.Was = shownElement(f, was, i)
			d.tell(y)
		case y.New:
			y.Is = shownElement(g, is, i)
			d.tell(y)
		case f.Kind == schema.Struct:
			y.Field += "."
			d.fields(y, f.Fields, g.Fields, element(f, was, i), element(g, is, i))
		case f.Kind == g.Kind && f.Kind != schema.Enum && bytes.Equal(element(f, was, i), element(g, is, i)):
		default: // numbers of another kind, and words of another list, are alike if they read so
			y.Was, y.Is = shownElement(f, was, i), shownElement(g, is, i)
			if y.Was != y.Is || f.Kind == g.Kind && f.Kind != schema.Enum {
				d.tell(y)
			}
		}
		if d.err != nil {
			return
		}
	}
}

// element returns the i-th element of a field.
func element(f *schema.Field, owner []byte, i int) []byte {
	at := int(f.Offset) + i*int(f.Stride)
	return owner[at : at+int(f.Stride)]
}

// longest bounds the text of one value, in bytes.
const longest = 400

// shown shows a value with all its fields.
func (v *valueList) shown(value []byte) string {
	if v.fields == nil {
		return shortened(encodedText(value[:min(len(value), longest+1)], v.text), longest)
	}
	var list []string
	for size, i := 0, 0; i < len(v.fields) && size <= longest; i++ {
		list = append(list, v.fields[i].Name+" "+shownField(&v.fields[i], value))
		size += len(list[i])
	}
	return shortened(strings.Join(list, ", "), longest)
}

// shownField shows a field with all its elements.
func shownField(f *schema.Field, owner []byte) string {
	if f.Len == 0 {
		return shownElement(f, owner, 0)
	}
	if f.Kind == schema.Opaque {
		return shortened(hex.EncodeToString(owner[f.Offset:][:min(f.Len, longest)]), longest)
	}
	var list []string
	for size, i := 0, 0; i < f.Len && size <= longest; i++ {
		list = append(list, shownElement(f, owner, i))
		size += len(list[i]) + 2
	}
	return shortened("{"+strings.Join(list, ", ")+"}", longest)
}

// shownElement shows an element of a field.
func shownElement(f *schema.Field, owner []byte, i int) string {
	if f.Kind == schema.Struct {
		inner := &valueList{fields: f.Fields}
		return "{" + inner.shown(element(f, owner, i)) + "}"
	}
	c := textColumn{kind: f.Kind, names: f.Names}
	if e := element(f, owner, i); f.Kind != schema.Ref {
		return c.text(e)
	} else if to := ecs.Entity(binary.LittleEndian.Uint64(e)); to != 0 {
		return to.String()
	}
	return "0"
}

// shortened cuts a text to so many bytes.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// event reads the events of a type that wait.
func (r *rowReader) event(i int) (*valueList, error) {
	v := &valueList{}
	first, counted, err := r.waiting(i, func(h *columnar, number uint64, value []byte) {
		v.cut(h, r.manifest.Events[i].Hidden)
		v.add(number, value)
	})
	if counted > 0 {
		v.first, v.counted = first, counted
	}
	return v, err
}

// end returns the number after the last event that is only counted.
func (v *valueList) end() uint64 { return v.first + min(uint64(v.counted), math.MaxUint64-v.first) }

// counted compares which events without bytes wait. Those that follow each other are told as one.
func (d *differ) counted(name string, a, b *valueList) {
	gone, isNew := Difference{Topic: OfEvent, Name: name, Gone: true}, Difference{Topic: OfEvent, Name: name, New: true}
	d.span(gone, a.first, min(a.end(), max(a.first, b.first)))
	d.span(gone, max(a.first, b.end()), a.end())
	d.span(isNew, b.first, min(b.end(), max(b.first, a.first)))
	d.span(isNew, max(b.first, a.end()), b.end())
}

// span tells of the events from one number up to another.
func (d *differ) span(x Difference, from, to uint64) {
	if from >= to {
		return
	}
	if x.Number = from; to-from > 1 {
		text := fmt.Sprintf("%d events", to-from)
		if x.Gone {
			x.Was = text
		} else {
			x.Is = text
		}
	}
	d.tell(x)
}

// events compares the events that wait.
func (d *differ) events() error {
	list := d.pairs(func(r *rowReader) (names []string) {
		for i := range r.manifest.Events {
			names = append(names, r.manifest.Events[i].Name)
		}
		return names
	})
	for _, p := range list {
		v, err := d.values(p, (*rowReader).event)
		if err != nil {
			return err
		}
		d.counted(p.name, v[0], v[1])
		merge(v[0].list, v[1].list, func(i, j int) {
			x := Difference{Topic: OfEvent, Name: p.name}
			switch {
			case j < 0:
				x.Number, x.Was, x.Gone = v[0].list[i], v[0].shown(v[0].value(i)), true
				d.tell(x)
			case i < 0:
				x.Number, x.Is, x.New = v[1].list[j], v[1].shown(v[1].value(j)), true
				d.tell(x)
			default:
				x.Number = v[0].list[i]
				d.value(x, v[0], v[1], v[0].value(i), v[1].value(j))
			}
		})
	}
	return nil
}

// resources compares the resources, by their names and types.
func (d *differ) resources() error {
	var trees [2]map[string]any
	for i, r := range d.of {
		list, err := r.resources()
		if err != nil {
			return err
		}
		trees[i] = map[string]any{}
		for j := range list {
			value, err := list[j].tree()
			if err != nil {
				return damaged(resourcesPart, err)
			}
			trees[i][list[j].called()] = value
		}
	}
	d.trees(Difference{Topic: OfResource}, trees[0], trees[1])
	return nil
}

// called is what a resource is called: its name, or its type.
func (e *resourceEntry) called() string { return cmp.Or(e.Name, e.Type) }

// tree is a resource as JSON has it.
func (e *resourceEntry) tree() (any, error) {
	switch {
	case e.Text != nil:
		return *e.Text, nil
	case e.JSON == nil:
		return fmt.Sprintf("%x", e.Binary), nil
	case bounded(e.JSON, anything, mostValues) != nil:
		return string(e.JSON), nil
	}
	return treeOf(e.JSON)
}

// treeOf reads JSON as maps and lists.
func treeOf(text []byte) (tree any, err error) {
	r := json.NewDecoder(bytes.NewReader(text))
	r.UseNumber()
	if err := r.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := r.Token(); err != io.EOF {
		return nil, errors.New("there is more after it")
	}
	return tree, nil
}

// sections compares the sections: those of JSON value by value, others as a whole.
func (d *differ) sections() error {
	var trees [2]map[string]any
	for i, r := range d.of {
		trees[i] = map[string]any{}
		for _, name := range r.manifest.Sections {
			tree, err := r.section(name)
			if err != nil {
				return err
			}
			trees[i][name] = tree
		}
	}
	d.trees(Difference{Topic: OfSection}, trees[0], trees[1])
	return nil
}

// section returns what is compared of a section.
func (r *rowReader) section(name string) (any, error) {
	p, err := r.part(sectionFolder + name)
	if err != nil {
		return nil, err
	}
	if p.left > mostState {
		return fmt.Sprintf("%d bytes, crc32c %s", p.left, p.want), p.end()
	}
	text := make([]byte, p.left)
	_ = p.read(text)
	if err := p.end(); err != nil || !strings.HasSuffix(name, ".json") {
		return sumOf(text), err
	}
	return treeOrSum(text), nil
}

// sumOf is what is compared of bytes.
func sumOf(text []byte) string {
	return fmt.Sprintf("%d bytes, crc32c %08x", len(text), crc32.Checksum(text, castagnoli))
}

// treeOrSum reads JSON as maps and lists, if it is some, and not too much of it.
func treeOrSum(text []byte) any {
	if bounded(text, anything, mostValues) == nil {
		if tree, err := treeOf(text); err == nil {
			return tree
		}
	}
	return sumOf(text)
}

// trees compares what has names, in alphabetical order.
func (d *differ) trees(x Difference, a, b map[string]any) {
	for _, name := range both(a, b) {
		x.Name = name
		was, hasA := a[name]
		is, hasB := b[name]
		d.tree(x, was, is, hasA, hasB)
	}
}

// both lists the keys that are in one or the other map, places in lists by their numbers.
func both(a, b map[string]any) []string {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	return slices.SortedFunc(maps.Keys(keys), func(x, y string) int {
		if strings.HasPrefix(x, "[") && strings.HasPrefix(y, "[") && len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
}

// tree compares two values of JSON. Objects are compared key by key, lists item by item: by the
// names that the items have, if they all have one.
func (d *differ) tree(x Difference, was, is any, hasA, hasB bool) {
	if d.err != nil {
		return
	}
	if a, b := keyed(was, is); hasA && hasB && a != nil {
		for _, key := range both(a, b) {
			inner := x
			if inner.Field != "" && !strings.HasPrefix(key, "[") {
				inner.Field += "."
			}
			inner.Field += key
			va, inA := a[key]
			vb, inB := b[key]
			d.tree(inner, va, vb, inA, inB)
		}
		return
	}
	x.Was, x.Is = shownTree(was, hasA), shownTree(is, hasB)
	x.Gone, x.New = !hasB, !hasA
	if x.Was != x.Is || hasA != hasB {
		x.Was, x.Is = shortened(x.Was, longest), shortened(x.Is, longest)
		d.tell(x)
	}
}

// keyed returns two objects, or two lists as such: their keys are what their items are called, or where they
// stand. It returns nil for other values.
func keyed(v, w any) (a, b map[string]any) {
	a, isObject := v.(map[string]any)
	b, also := w.(map[string]any)
	if isObject && also {
		return a, b
	}
	list, isList := v.([]any)
	other, also := w.([]any)
	if !isList || !also {
		return nil, nil
	}
	if a, b = called(list), called(other); a == nil || b == nil {
		return numbered(list), numbered(other)
	}
	return a, b
}

// called returns a list by the names of its items, nil if not each has a name of its own.
func called(list []any) map[string]any {
	m := map[string]any{}
	for _, item := range list {
		name, value := calledItem(item)
		if _, taken := m[name]; name == "" || taken {
			return nil
		}
		m[name] = value
	}
	return m
}

// calledItem returns the name of an item, which is its field "name", or the first of two of which
// that is a text; and what it is called that.
func calledItem(item any) (name string, value any) {
	switch item := item.(type) {
	case map[string]any:
		name, _ = item["name"].(string)
		return name, item
	case []any:
		if len(item) == 2 {
			name, _ = item[0].(string)
			return name, item[1]
		}
	}
	return "", nil
}

// numbered returns a list by the places of its items, from 1 on.
func numbered(list []any) map[string]any {
	m := make(map[string]any, len(list))
	for i, item := range list {
		m["["+strconv.Itoa(i+1)+"]"] = item
	}
	return m
}

// shownTree shows a value of JSON.
func shownTree(v any, there bool) string {
	if !there {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
