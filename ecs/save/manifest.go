package save

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// The format that this package writes, and the only one that it reads.
const (
	formatName    = "perigee.save"
	formatVersion = 1
)

// The names of the parts that every save has. The others are found in manifest.json.
const (
	manifestPart  = "manifest.json"
	statePart     = "state.json"
	resourcesPart = "resources.json"
	entitiesPart  = "entities.arrow"
	freePart      = "free.arrow"
	sectionFolder = "sections/"
)

// manifest is manifest.json: what a save is, and what is in it.
type manifest struct {
	Format     string           `json:"format"`
	Version    int              `json:"version"`
	Tick       uint64           `json:"tick"`
	Seconds    capture.Float    `json:"seconds"`
	Seed       uint64           `json:"seed"`
	Tag        uint16           `json:"tag"`
	Entities   int              `json:"entities"`
	Components []componentEntry `json:"components"`
	Events     []eventEntry     `json:"events,omitempty"`
	Tables     []tableEntry     `json:"tables"`
	Sections   []string         `json:"sections,omitempty"`
	Parts      []partEntry      `json:"parts"`
}

// componentEntry is a component type.
type componentEntry struct {
	Name     string       `json:"name"`
	Version  int          `json:"version,omitempty"`
	Kept     string       `json:"kept"` // see capture.Storage
	Mark     bool         `json:"mark,omitempty"`
	Relation bool         `json:"relation,omitempty"`
	Type     string       `json:"type,omitempty"` // of Go, of values that are copied by it
	Size     int          `json:"size"`
	Hidden   int          `json:"hidden,omitempty"` // bytes that are in no field
	Entities int          `json:"entities"`
	Fields   []fieldEntry `json:"fields,omitempty"`
	Group    int          `json:"group,omitempty"`
	InAll    int          `json:"in_all,omitempty"`
}

// fieldEntry is a field.
type fieldEntry struct {
	Name   string       `json:"name"`
	Kind   string       `json:"kind"`
	Len    int          `json:"len,omitempty"`
	Names  []string     `json:"names,omitempty"`
	Fields []fieldEntry `json:"fields,omitempty"`
}

// eventEntry is an event type.
type eventEntry struct {
	Name    string       `json:"name"`
	Version int          `json:"version,omitempty"`
	Size    int          `json:"size"`
	Hidden  int          `json:"hidden,omitempty"`
	Waiting int          `json:"waiting"`
	Fields  []fieldEntry `json:"fields,omitempty"`
}

// tableEntry says which components the columns of a table are of, and how many rows it has.
type tableEntry struct {
	Part       string   `json:"part"`
	Components []string `json:"components"`
	Rows       int      `json:"rows"`
}

// partEntry is a part of the save, with the CRC-32 (Castagnoli) of its bytes. The archive has one of
// another polynomial.
type partEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   string `json:"crc32c"`
}

// stateEntry is state.json: what a world is beside its tables.
type stateEntry struct {
	capture.Content
	SlotCount int         `json:"slot_count"`
	FreeCount int         `json:"free_count"`
	Heaps     []heapEntry `json:"heaps,omitempty"`
	Removed   []removed   `json:"removed_data,omitempty"` // of each notice
}

// heapEntry is the values of a component that are copied by their Go type: how many bytes they have
// in each batch of the table.
type heapEntry struct {
	Component int    `json:"component"`
	Version   uint64 `json:"version"`
	Rows      []int  `json:"rows"`
	Bytes     []int  `json:"bytes"`
}

// removed is a value that was removed, packed or encoded.
type removed struct {
	There bool   `json:"there,omitempty"`
	Data  []byte `json:"data,omitempty"`
}

// resourceEntry is a resource in resources.json. Exactly one of JSON, Text and Binary is there.
type resourceEntry struct {
	Name   string          `json:"name,omitempty"`
	Type   string          `json:"type"`
	JSON   json.RawMessage `json:"json,omitempty"`
	Text   *string         `json:"text,omitempty"`
	Binary []byte          `json:"binary,omitempty"`
}

// entryOfComponent describes a component.
func entryOfComponent(c *capture.Component) componentEntry {
	e := componentEntry{
		Name: c.Schema.Name, Version: c.Schema.Version, Kept: c.Kept.String(), Mark: c.Mark, Relation: c.Relation,
		Size: int(c.Schema.Size), Fields: entriesOf(c.Schema.Fields), Group: c.Group, InAll: c.InAll,
	}
	if c.Mark {
		e.Name = ""
	}
	if c.Kept >= capture.InHeapPool {
		e.Type = typeName(c.Type)
	}
	return e
}

// typeName is how a Go type is found again.
func typeName(t reflect.Type) string {
	if t == nil {
		return ""
	}
	return t.String()
}

// entriesOf describes fields.
func entriesOf(fields []schema.Field) (list []fieldEntry) {
	for _, f := range fields {
		list = append(list, fieldEntry{f.Name, f.Kind.String(), f.Len, f.Names, entriesOf(f.Fields)})
	}
	return list
}

// kinds are the kinds by the names that saves have for them.
var kinds = func() map[string]schema.Kind {
	m := map[string]schema.Kind{}
	for k := schema.Bool; k <= schema.Opaque; k++ {
		m[k.String()] = k
	}
	return m
}()

// fieldsOf makes fields of entries.
func fieldsOf(list []fieldEntry) (fields []schema.Field, err error) {
	for _, e := range list {
		f := schema.Field{Name: e.Name, Kind: kinds[e.Kind], Len: e.Len, Names: e.Names}
		if f.Kind == 0 {
			return nil, fmt.Errorf("field %q has the kind %q", e.Name, e.Kind)
		}
		if f.Fields, err = fieldsOf(e.Fields); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// schema makes a schema of what a save says, laid out for this machine. Fields that have no columns
// are left out.
func (b *placeBudget) schema(name string, version int, fields []fieldEntry) (*schema.Schema, error) {
	list, err := fieldsOf(fields)
	if err != nil {
		return nil, wrong("%v", err)
	}
	s := &schema.Schema{Name: name, Version: version, Fields: readable(list)}
	if s.Size, s.Align, err = arrange(s.Fields); err != nil {
		return nil, wrong("%v", err)
	}
	return s, b.spend(s.Fields, 1, 0)
}

// shape returns the shape that values of a component have in the save. Those with Go pointers have
// none: it is empty.
func (b *placeBudget) shape(e *componentEntry) (*columnar, error) {
	s, err := b.schema(e.Name, e.Version, e.Fields)
	if err != nil {
		return nil, err
	}
	if e.Size < 0 || e.Size > largest || e.Hidden < 0 || e.Hidden > e.Size || e.Entities < 0 || s.Size > 0 && e.Size == 0 {
		return nil, wrong("it has %d bytes, %d hidden, %d entities", e.Size, e.Hidden, e.Entities)
	}
	h := savedShape(s, e.Hidden)
	if !e.onHeap() && (h.size > 0) != (e.Size > 0) {
		return nil, wrong("it has %d bytes, and none of them in a column", e.Size)
	}
	return h, nil
}

// event returns the shape that events of a type have in the save.
func (b *placeBudget) event(e *eventEntry) (*columnar, error) {
	s, err := b.schema(e.Name, e.Version, e.Fields)
	if err != nil {
		return nil, err
	}
	if e.Hidden < 0 || e.Hidden > largest || e.Waiting < 0 || e.Waiting > mostRows {
		return nil, wrong("%d bytes are hidden, %d events wait", e.Hidden, e.Waiting)
	}
	return savedShape(s, e.Hidden), nil
}

// onHeap reports whether values of the component are encoded.
func (e *componentEntry) onHeap() bool {
	return e.Kept == capture.InHeapPool.String() || e.Kept == capture.InStorage.String()
}

// largest bounds a value that a save may describe, in bytes.
const largest = 16 << 20

// arrange gives fields their places.
//
// Why not Schema.Layout? That is for what scripts define, and Go types may be larger.
func arrange(fields []schema.Field) (size, align uintptr, err error) {
	align = 1
	names := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		n, a := f.Kind.Size(), f.Kind.Size()
		if f.Kind == schema.Struct {
			if n, a, err = arrange(f.Fields); err != nil {
				return 0, 0, err
			}
		}
		if names[f.Name] || f.Name == "" || f.Len < 0 || f.Len > largest {
			return 0, 0, fmt.Errorf("field %q is there twice, or has %d elements", f.Name, f.Len)
		}
		names[f.Name] = true
		a = max(min(a, unsafe.Alignof(uint64(0))), 1)
		size = (size + a - 1) &^ (a - 1)
		f.Offset, f.Stride = size, n
		if size += max(n, 1) * uintptr(max(f.Len, 1)); size > largest {
			return 0, 0, fmt.Errorf("field %q takes more than %d bytes", f.Name, largest)
		}
		if n == 0 {
			size = f.Offset
		}
		align = max(align, a)
	}
	return (size + align - 1) &^ (align - 1), align, nil
}

// readable returns the fields that have columns.
func readable(fields []schema.Field) []schema.Field {
	fields = slices.DeleteFunc(fields, func(f schema.Field) bool { return f.Kind == schema.Opaque || f.Kind == schema.String })
	for i := range fields {
		fields[i].Fields = readable(fields[i].Fields)
	}
	return fields
}

// validSection reports whether a section may have a name.
func validSection(name string) bool {
	return name != "" && len(name) <= 100 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == "" && strings.Trim(name, ".") != ""
}

// check refuses a manifest that is of another format, or makes no sense.
func (m *manifest) check() error {
	switch {
	case m.Format != formatName:
		return fmt.Errorf("%w: its format is %q", ErrFormat, m.Format)
	case m.Version != formatVersion:
		return fmt.Errorf("%w: it has version %d of the format, this program reads version %d", ErrVersion, m.Version, formatVersion)
	case m.Entities < 0 || len(m.Components) == 0 || len(m.Components) > ecs.MaxComponents:
		return fmt.Errorf("%w: its manifest has %d entities, %d components", ErrDamaged, m.Entities, len(m.Components))
	}
	for _, name := range m.Sections {
		if !validSection(name) {
			return fmt.Errorf("%w: a section is called %q", ErrDamaged, name)
		}
	}
	return nil
}
