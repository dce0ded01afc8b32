package save

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// heaps reads the values that are copied by their Go type.
func (l *saveLoader) heaps() error {
	found := map[int]*capture.Typed{}
	for i := range l.entry.Heaps {
		e := &l.entry.Heaps[i]
		if e.Component < 0 || e.Component >= len(l.of) || len(e.Rows) != len(e.Bytes) || l.of[e.Component].now != nil {
			return wrong("values are of component %d", e.Component)
		}
		t := &l.of[e.Component]
		h, err := l.heap(heapPart(i), e, t)
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
		a.err = fmt.Errorf("%w: the save has values of %s as %s, and its codec here reads %s: read it with the codec that has written it", ecs.ErrConflict, t.entry.Type, formOf(text), formOf(codec.Text()))
	}
	h := &capture.Typed{Version: e.Version}
	lost := map[string]int{} // values by the field that they lose
	values := reflect.MakeSlice(reflect.SliceOf(typ), 0, 0)
	for i, rows := range e.Rows {
		if err := l.heapBatch(a, rows, e.Bytes[i], h, &values, codec, lost); err != nil && a.err == nil {
			a.err = err
		}
	}
	h.Data = values.UnsafePointer()
	for _, field := range slices.Sorted(maps.Keys(lost)) {
		l.note(t.entry.Name, lost[field], true, "component %q: the field %s is gone", t.entry.Name, field)
	}
	return h, a.finish()
}

// formOf says in words what a codec writes.
func formOf(text bool) string {
	if text {
		return "text"
	}
	return "bytes"
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

// heapBatch reads a batch of encoded values. lost counts the values with a field that the type has no more.
func (l *saveLoader) heapBatch(a *arrowReader, rows, size int, h *capture.Typed, values *reflect.Value, codec *codec.Codec, lost map[string]int) error {
	if err := a.fits(rows, rowBytes(nil)); err != nil {
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
	last, gone := 0, map[string]bool{}
	note := func(field string) { gone[field] = true }
	for i := range rows {
		end := int(int32(binary.LittleEndian.Uint32(buffers[3][4*(i+1):])))
		if end < last || end > size || i == 0 && binary.LittleEndian.Uint32(buffers[3]) != 0 {
			return wrong("%s has values that lie over each other", a.name)
		}
		if err := l.decode(codec, values.Index(first+i).Addr().UnsafePointer(), buffers[4][last:end:end], note); err != nil {
			return fmt.Errorf("%v: %w", ecs.Entity(h.Handles[first+i]), err)
		}
		for field := range gone {
			lost[field]++
		}
		clear(gone)
		last = end
	}
	if last != size {
		return wrong("%s has bytes that are of no value", a.name)
	}
	return nil
}

// resources reads the resources.
func (l *saveLoader) resources() error {
	list, err := l.File.resources()
	if err != nil {
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
	i := capture.FindResource(l.declared.Resources, e.Name, e.Type)
	if i < 0 {
		l.note(e.Name+e.Type, 0, true, "resource %s%s: this world has no such resource, or more than one", e.Name, e.Type)
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
	gone := map[string]bool{}
	if err := l.decode(codec, saved.UnsafePointer(), data, func(field string) { gone[field] = true }); err != nil {
		return err
	}
	for _, field := range slices.Sorted(maps.Keys(gone)) {
		l.note(e.Name+e.Type, 0, true, "resource %s%s: the field %s is gone", e.Name, e.Type, field)
	}
	l.state.Resources = append(l.state.Resources, capture.Resource{Type: r.Type, Name: e.Name, Saved: saved.Interface()})
	return nil
}
