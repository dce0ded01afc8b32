package save

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// rowReader reads the values of a save one by one, without a world. Nothing is converted.
type rowReader struct {
	*File
	entry  stateEntry
	of     []destination // by component
	places placeBudget
}

// rows reads what the tables of a save are made of.
func (f *File) rows() (*rowReader, error) {
	if err := f.known(); err != nil {
		return nil, err
	}
	r := &rowReader{File: f, places: mostPlaces}
	if err := f.readState(&r.entry); err != nil {
		return nil, err
	}
	for i := range f.manifest.Components {
		e := &f.manifest.Components[i]
		from, err := r.places.shape(e)
		if err != nil {
			return nil, fmt.Errorf("component %q: %w", e.Name, err)
		}
		r.of = append(r.of, destination{to: -1, entry: e, from: from})
	}
	return r, nil
}

// encoded reports whether the values of a component were written by a codec.
func (r *rowReader) encoded(which int) bool {
	return r.of[which].entry.onHeap()
}

// each calls do for each value of a component that is not encoded. The value is good until do
// returns. The tables are checked as a load checks them, after their rows were read.
func (r *rowReader) each(which int, do func(handle uint64, value []byte)) error {
	for i := range r.entry.Sets {
		if set := &r.entry.Sets[i]; slices.Contains(set.Components, uint32(which)) {
			if err := r.table(setPart(i), set, which, do); err != nil {
				return err
			}
		}
	}
	for i := range r.entry.Pools {
		if pool := &r.entry.Pools[i]; slices.Contains(pool.Components, uint32(which)) {
			if err := r.table(poolPart(i), pool, which, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// entities calls do for each entity.
func (r *rowReader) entities(do func(handle uint64)) error {
	for i := range r.entry.Sets {
		err := r.table(setPart(i), &r.entry.Sets[i], -1, func(handle uint64, _ []byte) { do(handle) })
		if err != nil {
			return err
		}
	}
	return nil
}

// table calls do for each row of a table with the value of a component, or with nothing if which is
// negative.
func (r *rowReader) table(name string, from *capture.Rows, which int, do func(handle uint64, value []byte)) error {
	_, shapes, err := columnsOf(r.of, name, from.Components)
	if err != nil {
		return err
	}
	first := 2 // buffers before those of the component: two are of the handles
	for _, h := range shapes {
		if which < 0 || h == r.of[which].from {
			break
		}
		first += len(h.data)
	}
	a, err := r.arrow(name, tableOf(shapes).fields)
	if err != nil {
		return err
	}
	h := &columnar{}
	if which >= 0 {
		h = r.of[which].from
	}
	var values []byte
	for _, c := range from.Chunks {
		if c.N == 0 || a.fits(c.N, rowBytes(shapes)) != nil {
			continue
		}
		buffers, err := a.batch(tableOf(shapes).batch(c.N))
		if err != nil || first+len(h.data) > len(buffers) && h.size > 0 {
			break
		}
		values = slices.Grow(values[:0], c.N*h.size+8)[:c.N*h.size]
		clear(values) // what lies between the fields, too
		if h.size > 0 {
			scatterAll(h, values, buffers[first:first+len(h.data)], c.N)
		}
		for row := range c.N {
			do(binary.LittleEndian.Uint64(buffers[1][8*row:]), values[row*h.size:(row+1)*h.size])
		}
	}
	return a.finish()
}

// eachEncoded calls do for each value of a component that a codec has written, as text or as bytes.
// The value is good until do returns.
func (r *rowReader) eachEncoded(which int, do func(handle uint64, value []byte, text bool)) error {
	for i := range r.entry.Heaps {
		e := &r.entry.Heaps[i]
		if e.Component != which || len(e.Rows) != len(e.Bytes) {
			continue
		}
		p, err := r.part(heapPart(i))
		if err != nil {
			return err
		}
		a, text, err := openHeap(p, r.of[which].entry.Name)
		if err != nil {
			return err
		}
		for j, rows := range e.Rows {
			if a.fits(rows, rowBytes(nil)) != nil || e.Bytes[j] < 0 || e.Bytes[j] > 2*heapBytes {
				break
			}
			buffers, err := a.batch(heapBatch(rows, e.Bytes[j]))
			if err != nil {
				break
			}
			if a.err = eachOfBatch(buffers, rows, func(handle uint64, value []byte) { do(handle, value, text) }); a.err != nil {
				break
			}
		}
		if err := a.finish(); err != nil {
			return err
		}
	}
	return nil
}

// eachOfBatch calls do for each value of a batch that a codec has written.
func eachOfBatch(buffers [][]byte, rows int, do func(handle uint64, value []byte)) error {
	last := 0
	for row := range rows {
		end := int(int32(binary.LittleEndian.Uint32(buffers[3][4*(row+1):])))
		if end < last || end > len(buffers[4]) {
			return wrong("values lie over each other")
		}
		do(binary.LittleEndian.Uint64(buffers[1][8*row:]), buffers[4][last:end])
		last = end
	}
	return nil
}

// waiting calls do for each event of a type that waits, with its number in the stream. Events without bytes are only
// counted, as they may be many more than the save has bytes.
func (r *rowReader) waiting(i int, do func(h *columnar, number uint64, value []byte)) (first uint64, counted int, err error) {
	e := &r.manifest.Events[i]
	h, err := r.places.event(e)
	if err != nil {
		return 0, 0, fmt.Errorf("event %q: %w", e.Name, err)
	}
	if i >= len(r.entry.Streams) {
		return 0, 0, wrong("event %q has no stream", e.Name)
	}
	a, err := r.arrow(eventsPart(i), []arrowField{h.column})
	if err != nil {
		return 0, 0, err
	}
	first = r.entry.Streams[i].First
	if a.fits(e.Waiting, h.least()) == nil && e.Waiting > 0 {
		buffers, err := a.batch(h.batch(e.Waiting))
		switch {
		case err != nil:
		case len(h.leaves) == 0:
			counted = e.Waiting
		default:
			values := make([]byte, e.Waiting*h.size)
			scatterAll(h, values, buffers, e.Waiting)
			for row := range e.Waiting {
				do(h, first+uint64(row), values[row*h.size:(row+1)*h.size])
			}
		}
	}
	return first, counted, a.finish()
}

// Schema returns how the values of a component lie in what [File.Values] gives: the fields that have columns, in
// the order of the save. It is nil for values with Go pointers, which are as a codec has written them. The error wraps
// [ecs.ErrUnknown] where the save has no such component, or ErrDamaged. O(components).
func (f *File) Schema(component string) (*ecs.Schema, error) {
	r, i, err := f.component(component)
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	if r.encoded(i) {
		return nil, nil
	}
	return r.of[i].from.schema, nil
}

// Values calls each for the value of each entity that has a component, in the order of the tables: for
// exporters. The value is good until each returns; after the fields of the Schema come bytes that are in none. The first error
// of each ends it. The error wraps [ecs.ErrUnknown] where the save has no such component, ErrDamaged, or is one
// of each. Damage may be found after some values were given. O(bytes of the tables with it).
func (f *File) Values(component string, each func(e ecs.Entity, value []byte) error) error {
	if each == nil {
		return fmt.Errorf("save: %w: the function is nil", ecs.ErrConflict)
	}
	r, i, err := f.component(component)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	var stopped error
	give := func(handle uint64, value []byte) {
		if stopped == nil {
			stopped = each(ecs.Entity(handle), value)
		}
	}
	if r.encoded(i) {
		err = r.eachEncoded(i, func(handle uint64, value []byte, _ bool) { give(handle, value) })
	} else {
		err = r.each(i, give)
	}
	if stopped == nil && err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return stopped
}

// component finds a component by its name.
func (f *File) component(name string) (*rowReader, int, error) {
	i := slices.IndexFunc(f.said().Components, func(e componentEntry) bool { return e.Name == name && !e.Mark })
	if i < 0 {
		return nil, 0, fmt.Errorf("%w: component %q", ecs.ErrUnknown, name)
	}
	r, err := f.rows()
	return r, i, err
}
