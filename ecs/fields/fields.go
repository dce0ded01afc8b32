package fields

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/nearest"
)

// Fields is a world whose components are found by name. It belongs to the goroutine of
// its world, and may be copied. The zero value is of no world: its methods return errors that
// wrap ErrConflict.
type Fields struct {
	world *ecs.World
	raw   ecs.Raw
}

// Of returns the fields of a world's components, the zero Fields of a nil world. O(1).
func Of(w *ecs.World) Fields {
	if w == nil {
		return Fields{}
	}
	return Fields{w, w.Raw()}
}

// ready returns an error for the fields of no world.
func (f Fields) ready() error {
	if f.world == nil {
		return fmt.Errorf("%w: fields of no world", ecs.ErrConflict)
	}
	return nil
}

// Component returns the component of a name. The error wraps ErrUnknown, and names the
// one that was perhaps meant.
func (f Fields) Component(name string) (ecs.ComponentID, error) {
	if err := f.ready(); err != nil {
		return 0, err
	}
	if id, ok := f.raw.ComponentNamed(name); ok {
		return id, nil
	}
	return 0, fmt.Errorf("%w: there is no component %q%s", ecs.ErrUnknown, name, nearest.DidYouMean(name, f.components()))
}

// components returns the names of all components that have one.
func (f Fields) components() []string {
	var names []string
	for id := range ecs.ComponentID(f.raw.ComponentCount()) {
		if f.named(id) {
			names = append(names, f.raw.Schema(id).Name)
		}
	}
	return names
}

// named reports whether a component can be found by its name. The world keeps some by
// itself, for relations and prefabs, and these cannot.
func (f Fields) named(id ecs.ComponentID) bool {
	found, ok := f.raw.ComponentNamed(f.raw.Schema(id).Name)
	return ok && found == id
}

// Get returns the value of a field; with an empty path, all fields of the component.
// The error wraps ErrDead, ErrUnknown, ErrConflict or ErrRange.
func (f Fields) Get(e ecs.Entity, c ecs.ComponentRef, path string) (any, error) {
	id, field, err := f.find(e, c, path)
	if err != nil {
		return nil, err
	}
	return load(f.raw.Pointer(e, id), &field)
}

// Set changes a field, or with an empty path those of a map. The error wraps what Get and
// World.Add return, and nothing has changed then.
func (f Fields) Set(e ecs.Entity, c ecs.ComponentRef, path string, value any) error {
	id, field, err := f.find(e, c, path)
	if err != nil {
		return err
	}
	d := f.draftOf(id, f.raw.Pointer(e, id))
	if err := f.store(d, &field, value); err != nil {
		return err
	}
	return f.world.Add(e, f.raw.ValueAt(id, d))
}

// find looks a field of an entity up. The field's Offset is that in the component, its
// Name the whole path.
func (f Fields) find(e ecs.Entity, c ecs.ComponentRef, path string) (ecs.ComponentID, ecs.Field, error) {
	id, err := f.resolve(c)
	if err != nil {
		return 0, ecs.Field{}, err
	}
	s := f.raw.Schema(id)
	if err := f.alive(e); err != nil {
		return 0, ecs.Field{}, err
	}
	if !f.raw.Has(e, id) {
		return 0, ecs.Field{}, fmt.Errorf("%w: %v has no component %q", ecs.ErrUnknown, e, s.Name)
	}
	field, err := walk(s, path)
	return id, field, err
}

// alive returns the world's error for an entity that is dead, foreign or zero.
func (f Fields) alive(e ecs.Entity) error {
	if err := f.ready(); err != nil {
		return err
	}
	if f.world.Alive(e) {
		return nil
	}
	return f.world.Remove(e)
}

// resolve returns the number of a component of this world that has a name.
func (f Fields) resolve(c ecs.ComponentRef) (id ecs.ComponentID, err error) {
	if err := f.ready(); err != nil {
		return 0, err
	}
	if err := f.ofWorld(c); err != nil {
		return 0, err
	}
	if id = c.ID(); !f.named(id) {
		return 0, fmt.Errorf("%w: component %q is the world's own and has no fields", ecs.ErrUnknown, f.raw.Schema(id).Name)
	}
	return id, nil
}

// ofWorld returns the error of World.Query for a component of another world, or of none.
func (f Fields) ofWorld(c ecs.ComponentRef) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			if err = r; !errors.Is(r, ecs.ErrConflict) && !errors.Is(r, ecs.ErrUnknown) {
				panic(r)
			}
		default:
			panic(r)
		}
	}()
	f.world.Query(ecs.Read(c))
	return nil
}

// whole is a component as a field: a struct.
func whole(s *ecs.Schema) ecs.Field {
	return ecs.Field{Name: s.Name, Kind: ecs.Struct, Stride: s.Size, Fields: s.Fields}
}

// walk follows a path from a component to one of its fields.
func walk(s *ecs.Schema, path string) (ecs.Field, error) {
	at := whole(s)
	for rest := path; rest != ""; {
		var err error
		if rest[0] == '[' {
			index, after, closed := strings.Cut(rest[1:], "]")
			if !closed {
				return at, fmt.Errorf("%w: %s: %q has no ']'", ecs.ErrConflict, at.Name, rest)
			}
			at, err = element(at, index)
			rest = after
		} else {
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			at, err = member(at, rest[:end])
			rest = rest[end:]
		}
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

// member steps into a struct.
func member(at ecs.Field, name string) (ecs.Field, error) {
	if at.Kind != ecs.Struct || at.Len > 0 {
		return at, fmt.Errorf("%w: %s is %s and has no field %q", ecs.ErrUnknown, at.Name, kindOf(&at), name)
	}
	names := make([]string, len(at.Fields))
	for i := range at.Fields {
		if names[i] = at.Fields[i].Name; names[i] == name {
			return inside(&at, &at.Fields[i]), nil
		}
	}
	return at, fmt.Errorf("%w: %s has no field %q%s", ecs.ErrUnknown, at.Name, name, nearest.DidYouMean(name, names))
}

// inside is a field of a struct, seen from the component.
func inside(at, field *ecs.Field) ecs.Field {
	f := *field
	f.Name, f.Offset = at.Name+"."+f.Name, at.Offset+f.Offset
	return f
}

// element steps into an array.
func element(at ecs.Field, index string) (ecs.Field, error) {
	if at.Len == 0 {
		return at, fmt.Errorf("%w: %s is %s and has no element [%s]", ecs.ErrUnknown, at.Name, kindOf(&at), index)
	}
	i, err := strconv.ParseUint(index, 10, 32)
	if err != nil || i >= uint64(at.Len) {
		return at, fmt.Errorf("%w: %s has the elements 0 to %d, and no %q", ecs.ErrRange, at.Name, at.Len-1, index)
	}
	return item(&at, int(i)), nil
}

// item is an element of an array.
func item(at *ecs.Field, i int) ecs.Field {
	f := *at
	f.Name, f.Len, f.Offset = fmt.Sprintf("%s[%d]", at.Name, i), 0, at.Offset+uintptr(i)*at.Stride
	return f
}

// kindOf says what a field is: "f32", "an array of f32".
func kindOf(f *ecs.Field) string {
	if f.Len > 0 {
		return "an array of " + f.Kind.String()
	}
	return f.Kind.String()
}

// draftOf returns a copy of a value that nobody else sees.
func (f Fields) draftOf(id ecs.ComponentID, from unsafe.Pointer) unsafe.Pointer {
	if t := f.raw.GoType(id); t != nil {
		d := reflect.New(t)
		d.Elem().Set(reflect.NewAt(t, from).Elem())
		return d.UnsafePointer()
	}
	size := f.raw.Schema(id).Size
	d := unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1)))
	if size > 0 {
		copy(unsafe.Slice((*byte)(d), size), unsafe.Slice((*byte)(from), size))
	}
	return d
}

// defaultOf returns a copy of a component's default, as a preview of it shows it.
func (f Fields) defaultOf(id ecs.ComponentID) (unsafe.Pointer, error) {
	c := f.world.NewCommands()
	defer c.Drop()
	e := c.Spawn(f.raw.ValueAt(id, nil))
	if e == 0 {
		return nil, c.Apply()
	}
	p := c.Preview().Pointer(e, id)
	if p == nil {
		return nil, fmt.Errorf("%w: component %q cannot be given", ecs.ErrConflict, f.raw.Schema(id).Name)
	}
	return f.draftOf(id, p), nil
}
