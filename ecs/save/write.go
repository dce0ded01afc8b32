package save

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// Options say what a save has beside a world. The zero value is fine.
type Options struct {
	// Sections are kept with the world as they are: what scripts keep, a name for the player, a
	// picture. Names have up to 100 letters, digits, dots, dashes and underscores.
	Sections map[string][]byte
	// Codecs say how values of types with Go pointers are written, where the type does not say it.
	Codecs []codec.Codec
}

// saveWriter writes a save.
type saveWriter struct {
	zip      *zip.Writer
	state    *capture.Content
	entry    stateEntry
	manifest manifest
	shapes   []*columnar // of components
	places   placeBudget // that shapes may still have
	codecs   *codec.Set
	options  *Options
	scratch  []byte
}

// castagnoli is the polynomial of the sums in a manifest.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes a snapshot as a save, from beginning to end, as it goes: w needs no Seek. It may run
// on any goroutine while the game goes on, as long as the snapshot is neither updated nor restored.
// The error wraps [codec.ErrNone] for a value that cannot be written (before the first byte is),
// [ecs.ErrRange] for an enum that has none of its words (also before), [ecs.ErrConflict] for an empty snapshot, for two resources whose types have one name and for sections without a proper one, or is one of w or of a codec. O(bytes).
func Write(w io.Writer, s *snapshot.Snapshot, options Options) error {
	if w == nil || s.Content() == nil {
		return fmt.Errorf("save: %w: there is nothing to write, or nowhere to write it to", ecs.ErrConflict)
	}
	if !capture.LittleEndian {
		return fmt.Errorf("save: %w: this machine has another order of bytes than saves", errors.ErrUnsupported)
	}
	x := &saveWriter{zip: zip.NewWriter(w), state: s.Content(), codecs: codec.NewSet(options.Codecs), options: &options, places: mostPlaces}
	for _, step := range []func() error{x.begin, x.slots, x.sets, x.pools, x.heaps, x.events, x.resources, x.sections, x.finish} {
		if err := step(); err != nil {
			return fmt.Errorf("save: %w", err)
		}
	}
	return nil
}

// begin fills the manifest, and refuses what cannot be written.
func (x *saveWriter) begin() error {
	st := x.state
	m := &x.manifest
	m.Format, m.Version = formatName, formatVersion
	m.Tick, m.Seconds, m.Seed, m.Tag = st.Clock.Tick, st.Clock.Time, st.Seed, st.Tag
	for i := range st.Components {
		c := &st.Components[i]
		if err := x.places.spend(c.Schema.Fields, 1, 0); err != nil {
			return fmt.Errorf("component %q: %w", c.Schema.Name, err)
		}
		h := shapeOf(c.Schema, c.Type)
		x.shapes = append(x.shapes, h)
		e := entryOfComponent(c)
		if c.Kept < capture.InHeapPool {
			e.Hidden = h.hidden()
		}
		m.Components = append(m.Components, e)
	}
	for i := range st.Streams {
		if err := x.places.spend(st.Streams[i].Schema.Fields, 1, 0); err != nil {
			return fmt.Errorf("event %q: %w", st.Streams[i].Schema.Name, err)
		}
	}
	for i := range st.Heaps {
		if _, err := x.codecs.For(st.Components[st.Heaps[i].Component].Type); err != nil {
			return fmt.Errorf("component %q: %w", st.Components[st.Heaps[i].Component].Schema.Name, err)
		}
	}
	for i := range st.Resources {
		if _, err := x.codecs.For(st.Resources[i].Type); err != nil {
			return fmt.Errorf("%w; a resource that is no state can be left out with snapshot.Leave", err)
		}
		if capture.ResourceType(st.Resources, i) == "" {
			return fmt.Errorf("%w: there are two resources of types that are called %s: give one of the types another name", ecs.ErrConflict, st.Resources[i].Type)
		}
	}
	if err := x.checkValues(); err != nil {
		return err
	}
	for name := range x.options.Sections {
		if !validSection(name) {
			return fmt.Errorf("%w: a section cannot be called %q", ecs.ErrConflict, name)
		}
		m.Sections = append(m.Sections, name)
	}
	slices.Sort(m.Sections)
	return nil
}

// checkValues refuses values that a load would refuse.
func (x *saveWriter) checkValues() error {
	for _, list := range [][]capture.Rows{x.state.Sets, x.state.Pools} {
		for i := range list {
			for j := range list[i].Chunks {
				if err := x.checkChunk(list[i].Components, &list[i].Chunks[j]); err != nil {
					return err
				}
			}
		}
	}
	for i := range x.state.Notices {
		if n := &x.state.Notices[i]; n.Value != nil {
			s := x.state.Components[n.Component].Schema
			if err := s.CheckValues(n.Value, max(len(n.Value), 1)); err != nil {
				return fmt.Errorf("the removed component %q of %v: %w", s.Name, ecs.Entity(n.Entity), err)
			}
		}
	}
	for i := range x.state.Streams {
		s := x.state.Streams[i]
		if err := s.Schema.CheckValues(capture.Bytes(s.Data), 8*capture.EventLen(int(s.Schema.Size))); err != nil {
			return fmt.Errorf("event %q: %w", s.Schema.Name, err)
		}
	}
	return nil
}

// checkChunk is checkValues for the rows of one chunk.
func (x *saveWriter) checkChunk(components []uint32, c *capture.Chunk) error {
	column := 1
	for _, id := range components {
		s := x.state.Components[id].Schema
		if s.Size == 0 || c.N == 0 {
			continue
		}
		values, size := c.Columns[column], int(s.Size)
		column++
		if s.CheckValues(values, size) == nil {
			continue
		}
		for row := range c.N {
			if err := s.CheckValues(values[row*size:][:size], size); err != nil {
				return fmt.Errorf("component %q of %v: %w", s.Name, ecs.Entity(binary.LittleEndian.Uint64(c.Columns[0][8*row:])), err)
			}
		}
	}
	return nil
}

// hidden returns how many bytes of a value are in no field.
func (h *columnar) hidden() int {
	if n := len(h.leaves); n > 0 && h.leaves[n-1].kind == 0 {
		return h.leaves[n-1].size
	}
	return 0
}

// part writes a part.
func (x *saveWriter) part(name string, write func(io.Writer) error) error {
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		return err
	}
	sum := &summing{to: w}
	if err := write(sum); err != nil {
		return err
	}
	x.manifest.Parts = append(x.manifest.Parts, partEntry{name, sum.n, fmt.Sprintf("%08x", sum.crc)})
	return nil
}

// summing writes on, and sums up what is written.
type summing struct {
	to  io.Writer
	crc uint32
	n   int64
}

// Write implements io.Writer.
func (s *summing) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.crc = crc32.Update(s.crc, castagnoli, b[:n])
	s.n += int64(n)
	return n, err
}

// slotRows is how many slots are in a batch.
const slotRows = 1 << 18

// slotFields are the columns of the slots, freeFields those of the ones that wait.
var (
	slotFields = []arrowField{{name: "life", kind: arrowInt, width: 32}, {name: "died", kind: arrowInt, width: 32}}
	freeFields = []arrowField{{name: "slot", kind: arrowInt, width: 32}}
)

// slots writes which handles were issued, and which wait.
func (x *saveWriter) slots() error {
	s := &x.state.Slots
	x.entry.SlotCount, x.entry.FreeCount = len(s.Lives), len(s.Free)
	if err := x.part(entitiesPart, func(w io.Writer) error { return writeWords(w, slotFields, s.Lives, s.Deaths) }); err != nil {
		return err
	}
	return x.part(freePart, func(w io.Writer) error { return writeWords(w, freeFields, s.Free) })
}

// writeWords writes columns of numbers of 32 bits.
func writeWords(w io.Writer, fields []arrowField, columns ...[]uint32) error {
	a := beginArrow(w, fields)
	for at := 0; at < len(columns[0]); at += slotRows {
		n := min(slotRows, len(columns[0])-at)
		a.batch(wordsBatch(n, len(columns)))
		for _, c := range columns {
			a.buffer(nil)
			a.buffer(capture.Bytes(c[at : at+n]))
		}
	}
	return a.end()
}

// wordsBatch is a batch of columns of numbers of 32 bits.
func wordsBatch(rows, columns int) *arrowBatch {
	b := &arrowBatch{rows: rows}
	for range columns {
		b.nodes, b.buffers = append(b.nodes, rows), append(b.buffers, 0, 4*rows)
	}
	return b
}

// entityField is the first column of all tables.
var entityField = arrowField{name: "entity", kind: arrowInt, width: 64, meta: [][2]string{{"perigee.kind", "entity"}}}

// sheet is the columns of a set of components, or of a pool.
type sheet struct {
	shapes []*columnar // of the components that have bytes
	fields []arrowField
}

// tableOf returns the table of shapes.
func tableOf(shapes []*columnar) *sheet {
	t := &sheet{fields: []arrowField{entityField}}
	for _, h := range shapes {
		if h.size > 0 {
			t.shapes, t.fields = append(t.shapes, h), append(t.fields, h.column)
		}
	}
	return t
}

// batch returns the batch of so many rows.
func (t *sheet) batch(rows int) *arrowBatch {
	b := &arrowBatch{rows: rows, nodes: []int{rows}, buffers: []int{0, 8 * rows}}
	for _, h := range t.shapes {
		h.addTo(b)
	}
	return b
}

// sets writes the rows of the archetypes.
func (x *saveWriter) sets() error {
	for i := range x.state.Sets {
		if err := x.rows(setPart(i), &x.state.Sets[i]); err != nil {
			return err
		}
	}
	return nil
}

// pools writes the rows of the pools.
func (x *saveWriter) pools() error {
	for i := range x.state.Pools {
		if err := x.rows(poolPart(i), &x.state.Pools[i]); err != nil {
			return err
		}
	}
	return nil
}

// rows writes a table, with a batch for each chunk.
func (x *saveWriter) rows(part string, rows *capture.Rows) error {
	var shapes []*columnar
	entry := tableEntry{Part: part, Components: []string{}}
	for _, id := range rows.Components {
		shapes = append(shapes, x.shapes[id])
		entry.Components = append(entry.Components, x.state.Components[id].Schema.Name)
	}
	t := tableOf(shapes)
	for i := range rows.Chunks {
		entry.Rows += rows.Chunks[i].N
	}
	for _, id := range rows.Components {
		x.manifest.Components[id].Entities += entry.Rows
	}
	x.manifest.Tables = append(x.manifest.Tables, entry)
	return x.part(part, func(w io.Writer) error {
		a := beginArrow(w, t.fields)
		for i := range rows.Chunks {
			x.chunk(a, t, &rows.Chunks[i])
		}
		return a.end()
	})
}

// chunk writes one chunk.
func (x *saveWriter) chunk(a *arrowWriter, t *sheet, c *capture.Chunk) {
	if c.N == 0 {
		return
	}
	a.batch(t.batch(c.N))
	a.buffer(nil)
	a.buffer(c.Columns[0])
	for i, h := range t.shapes {
		for _, l := range h.data {
			if l < 0 {
				a.buffer(nil)
				continue
			}
			a.buffer(x.column(&h.leaves[l], c.Columns[i+1], h.size, c.N))
		}
	}
}

// column returns the column of a leaf: the values as they are, or in memory that is used again.
func (x *saveWriter) column(l *leafColumn, from []byte, size, n int) []byte {
	if l.direct(size) {
		return from[:n*size]
	}
	need := l.bytes(n)
	if cap(x.scratch) < need {
		x.scratch = capture.Bytes(make([]uint64, need/8+1))
	}
	to := x.scratch[:need]
	l.gather(to, from, size, n)
	return to
}

// heapRows bounds what is in a batch of encoded values.
const (
	heapRows  = 1 << 16
	heapBytes = 16 << 20
)

// heapFields are the columns of values that are encoded.
func heapFields(name string, text bool) []arrowField {
	value := arrowField{name: name, kind: arrowBinary}
	if text {
		value.kind = arrowText
	}
	return []arrowField{entityField, value}
}

// heaps writes the values that are copied by their Go type.
func (x *saveWriter) heaps() error {
	for i := range x.state.Heaps {
		h := &x.state.Heaps[i]
		c := &x.state.Components[h.Component]
		codec, err := x.codecs.For(c.Type)
		if err != nil {
			return err
		}
		x.manifest.Components[h.Component].Entities = len(h.Handles)
		part := heapPart(i)
		x.manifest.Tables = append(x.manifest.Tables, tableEntry{part, []string{c.Schema.Name}, len(h.Handles)})
		x.entry.Heaps = append(x.entry.Heaps, heapEntry{Component: h.Component, Version: h.Version, Rows: []int{}, Bytes: []int{}})
		err = x.part(part, func(w io.Writer) error {
			return writeHeap(beginArrow(w, heapFields(c.Schema.Name, codec.Text())), h, c.Type, codec, &x.entry.Heaps[i])
		})
		if err != nil {
			return fmt.Errorf("component %q: %w", c.Schema.Name, err)
		}
	}
	return nil
}

// writeHeap writes the values of one component.
func writeHeap(a *arrowWriter, h *capture.Typed, t reflect.Type, codec *codec.Codec, entry *heapEntry) error {
	for at := 0; at < len(h.Handles); {
		offsets, data := []int32{0}, []byte(nil)
		from := at
		for ; at < len(h.Handles) && at-from < heapRows && len(data) < heapBytes; at++ {
			b, err := codec.Encode(unsafe.Add(h.Data, uintptr(at)*t.Size()))
			if err != nil {
				return fmt.Errorf("%v: %w", ecs.Entity(h.Handles[at]), err)
			}
			if len(b) > heapBytes {
				return fmt.Errorf("%v: %w: the value takes %d bytes, %d are possible", ecs.Entity(h.Handles[at]), ErrTooLarge, len(b), heapBytes)
			}
			data = append(data, b...)
			offsets = append(offsets, int32(len(data)))
		}
		a.batch(heapBatch(at-from, len(data)))
		a.buffer(nil)
		a.buffer(capture.Bytes(h.Handles[from:at]))
		a.buffer(nil)
		a.buffer(capture.Bytes(offsets))
		a.buffer(data)
		entry.Rows, entry.Bytes = append(entry.Rows, at-from), append(entry.Bytes, len(data))
	}
	return a.end()
}

// heapBatch is a batch of encoded values of so many bytes.
func heapBatch(rows, bytes int) *arrowBatch {
	return &arrowBatch{rows: rows, nodes: []int{rows, rows}, buffers: []int{0, 8 * rows, 0, 4 * (rows + 1), bytes}}
}

// resources writes the resources.
func (x *saveWriter) resources() error {
	list := []resourceEntry{}
	for i := range x.state.Resources {
		r := &x.state.Resources[i]
		codec, err := x.codecs.For(r.Type)
		if err != nil {
			return err
		}
		data, err := codec.Encode(reflect.ValueOf(r.Saved).UnsafePointer())
		if err != nil {
			return fmt.Errorf("resource %s: %w", r.Type, err)
		}
		e := resourceEntry{Name: r.Name, Type: capture.ResourceType(x.state.Resources, i)}
		switch {
		case codec.Plain():
			e.JSON = data
		case codec.Text():
			text := string(data)
			e.Text = &text
			if !utf8.ValidString(text) {
				e.Text, e.Binary = nil, data
			}
		default:
			e.Binary = data
		}
		list = append(list, e)
	}
	return x.json(resourcesPart, list, mostText)
}

// json writes a part of JSON.
func (x *saveWriter) json(name string, v any, most int64) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := readableText(name, text, v, most); err != nil {
		return err
	}
	return x.part(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// readableText refuses JSON of a value that would be refused when it is read.
func readableText(name string, text []byte, of any, most int64) error {
	if int64(len(text)) > most {
		return fmt.Errorf("%w: %s would have %d bytes, %d are possible", ErrTooLarge, name, len(text), most)
	}
	if err := bounded(text, reflect.TypeOf(of), mostNodes); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// sections writes what comes with the world.
func (x *saveWriter) sections() error {
	for _, name := range x.manifest.Sections {
		err := x.part(sectionFolder+name, func(w io.Writer) error {
			_, err := w.Write(x.options.Sections[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish writes the state and the manifest.
func (x *saveWriter) finish() error {
	st, e := x.state, &x.entry
	e.Content = *st
	for i := range st.Notices {
		r, err := x.removed(&st.Notices[i])
		if err != nil {
			return err
		}
		e.Removed = append(e.Removed, r)
	}
	if err := x.json(statePart, e, mostState); err != nil {
		return err
	}
	for _, t := range x.manifest.Tables[:len(st.Sets)] {
		x.manifest.Entities += t.Rows
	}
	x.manifest.Entities += len(st.Slots.Reserved)
	return x.end()
}

// events writes the events that wait, as tables.
func (x *saveWriter) events() error {
	for i := range x.state.Streams {
		s := &x.state.Streams[i]
		h, size := shapeOf(s.Schema, s.Type), int(s.Schema.Size)
		n := len(s.Data) / capture.EventLen(size)
		values := capture.Bytes(make([]uint64, n*size/8+1))
		for j := range n {
			copy(values[j*size:(j+1)*size], capture.Bytes(s.Data[j*capture.EventLen(size):]))
		}
		x.manifest.Events = append(x.manifest.Events, eventEntry{
			Name: s.Schema.Name, Version: s.Schema.Version, Size: size, Hidden: h.hidden(), Waiting: n, Fields: entriesOf(s.Schema.Fields),
		})
		err := x.part(eventsPart(i), func(w io.Writer) error {
			a := beginArrow(w, []arrowField{h.column})
			if n > 0 {
				a.batch(h.batch(n))
				for _, l := range h.data {
					if l < 0 {
						a.buffer(nil)
						continue
					}
					a.buffer(x.column(&h.leaves[l], values, size, n))
				}
			}
			return a.end()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setPart, poolPart and heapPart are the parts of an archetype, a pool, and values that are encoded.
func setPart(i int) string  { return fmt.Sprintf("archetypes/%04d.arrow", i) }
func poolPart(i int) string { return fmt.Sprintf("pools/%04d.arrow", i) }
func heapPart(i int) string { return fmt.Sprintf("heap/%04d.arrow", i) }

// eventsPart is the part of the events of one type.
func eventsPart(i int) string { return fmt.Sprintf("events/%04d.arrow", i) }

// batch returns the batch of so many values and nothing else.
func (h *columnar) batch(rows int) *arrowBatch {
	b := &arrowBatch{rows: rows}
	h.addTo(b)
	return b
}

// addTo adds the column to a batch.
func (h *columnar) addTo(b *arrowBatch) {
	for _, per := range h.nodes {
		b.nodes = append(b.nodes, b.rows*per)
	}
	for _, l := range h.data {
		if l < 0 {
			b.buffers = append(b.buffers, 0)
		} else {
			b.buffers = append(b.buffers, h.leaves[l].bytes(b.rows))
		}
	}
}

// removed writes the value that was removed.
func (x *saveWriter) removed(n *capture.Notice) (r removed, err error) {
	switch {
	case n.Kept != nil:
		codec, err := x.codecs.For(reflect.TypeOf(n.Kept).Elem())
		if err != nil {
			return r, err
		}
		r.There = true
		r.Data, err = codec.Encode(reflect.ValueOf(n.Kept).UnsafePointer())
		return r, err
	case n.Value != nil:
		return removed{true, x.shapes[n.Component].packed(n.Value, 1)}, nil
	}
	return r, nil
}

// end writes the manifest, with what tells a whole save from one that was cut.
func (x *saveWriter) end() error {
	text, err := json.MarshalIndent(&x.manifest, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := readableText(manifestPart, text, &x.manifest, mostManifest); err != nil {
		return err
	}
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: manifestPart, Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return errors.Join(x.zip.SetComment(fmt.Sprintf("perigee save, manifest crc32c %08x", crc32.Checksum(text, castagnoli))), x.zip.Close())
}
