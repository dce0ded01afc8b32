package record

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// The kinds of inputs, as a recording names them.
const (
	kindCommand  = "command"
	kindEvent    = "event"
	kindResource = "resource"
)

// longestName bounds names of inputs, in bytes.
const longestName = 200

// Codec writes values of a type as bytes, and reads them again: the same value, bit for bit. The bytes
// that Read gets may come from anybody. A type without one may be a bool, a number, an [ecs.Entity],
// or a struct or an array of these; or have the methods of [encoding.BinaryMarshaler] and
// [encoding.BinaryUnmarshaler].
type Codec[T any] interface {
	Append(to []byte, v T) ([]byte, error)
	Read(data []byte) (T, error)
}

// CommandInput posts inputs that change the world at the beginning of the next step: keys, clicks, the
// orders of players.
type CommandInput[T any] struct {
	s     *Session
	of    int
	codec typed[T]
	title string
	do    func(t *ecs.Tick, from uint64, v T) error
}

// Command declares an input that a function does to the world, under the rules of [ecs.Inbox.Post].
// The function must depend on its arguments and the world alone. The error wraps [ecs.ErrConflict] for
// a name that is taken, a nil function, a type that no codec knows, and after something is recorded.
func Command[T any](s *Session, name string, do func(t *ecs.Tick, from uint64, v T) error, codec ...Codec[T]) (*CommandInput[T], error) {
	c := &CommandInput[T]{s: s, title: name, do: do}
	var err error
	if c.codec, err = codecOf(name, codec); err != nil {
		return nil, err
	}
	if do == nil {
		return nil, fmt.Errorf("record: input %q: %w: the function is nil", name, ecs.ErrConflict)
	}
	if err := s.declare(c); err != nil {
		return nil, err
	}
	c.of = len(s.list) - 1
	if s.inbox == nil {
		if s.inbox, err = ecs.NewInbox(s.host.World(), mostPosts); err != nil {
			return nil, fmt.Errorf("record: input %q: %w", name, err)
		}
	}
	return c, nil
}

// Post has the command done at the beginning of the next step. From is the number of who posts: of a
// player, of a connection. Commands are done by number, and those of one number in the order of
// their posts. Any goroutine may call it. The error wraps [ecs.ErrInboxFull], or
// [ecs.ErrConflict] for an input that Command has not made.
func (c *CommandInput[T]) Post(from uint64, v T) error {
	if c == nil || c.s == nil {
		return fmt.Errorf("record: Post: %w: the input was not declared", ecs.ErrConflict)
	}
	return c.s.post(c.of, from, v)
}

// PostAt adds the command to the inputs of a tick that has been: after a [Rollback.Rewind] to before
// it, [Rollback.Forward] does it there. The error wraps [snapshot.ErrNotKept] for a tick that the
// rollback does not know, and [ecs.ErrConflict] without a rollback. It belongs to the goroutine of the session.
func (c *CommandInput[T]) PostAt(tick, from uint64, v T) error {
	if c == nil || c.s == nil {
		return fmt.Errorf("record: PostAt: %w: the input was not declared", ecs.ErrConflict)
	}
	data, err := c.codec.Append(nil, v)
	if err != nil {
		return fmt.Errorf("record: input %q: %w", c.title, err)
	}
	return c.s.rollback.amend(tick, recorded{c.of, from, data})
}

// These make a command an input: what is posted is a T.
func (c *CommandInput[T]) name() string                            { return c.title }
func (c *CommandInput[T]) kind() string                            { return kindCommand }
func (c *CommandInput[T]) layout() string                          { return c.codec.layout }
func (c *CommandInput[T]) read(data []byte) (any, error)           { return c.codec.Read(data) }
func (c *CommandInput[T]) append(to []byte, v any) ([]byte, error) { return c.codec.Append(to, v.(T)) }
func (c *CommandInput[T]) use(s *Session, from uint64, v any) error {
	return s.inbox.Post(from, func(t *ecs.Tick) error { return c.do(t, from, v.(T)) })
}

// EventInput sends events from outside.
type EventInput[T any] struct {
	s     *Session
	of    int
	codec typed[T]
	title string
	event ecs.Event[T]
}

// Event declares events that the host sends as an input. The errors are those of [Command].
func Event[T any](s *Session, name string, event ecs.Event[T], codec ...Codec[T]) (*EventInput[T], error) {
	e := &EventInput[T]{s: s, title: name, event: event}
	var err error
	if e.codec, err = codecOf(name, codec); err != nil {
		return nil, err
	}
	if err := s.declare(e); err != nil {
		return nil, err
	}
	e.of = len(s.list) - 1
	return e, nil
}

// Emit has the event sent before the next step, as [CommandInput.Post] has a command done. The step
// returns what [ecs.Event.Emit] returns then.
func (e *EventInput[T]) Emit(from uint64, v T) error {
	if e == nil || e.s == nil {
		return fmt.Errorf("record: Emit: %w: the input was not declared", ecs.ErrConflict)
	}
	return e.s.post(e.of, from, v)
}

// These make an event an input: what is posted is a T.
func (e *EventInput[T]) name() string                            { return e.title }
func (e *EventInput[T]) kind() string                            { return kindEvent }
func (e *EventInput[T]) layout() string                          { return e.codec.layout }
func (e *EventInput[T]) read(data []byte) (any, error)           { return e.codec.Read(data) }
func (e *EventInput[T]) append(to []byte, v any) ([]byte, error) { return e.codec.Append(to, v.(T)) }
func (e *EventInput[T]) use(_ *Session, _ uint64, v any) error   { return e.event.Emit(v.(T)) }

// resourceInput is a value that the host writes between steps.
type resourceInput[T any] struct {
	codec typed[T]
	title string
	value *T
}

// Resource declares a value that the host writes between two steps and nothing writes within one: what
// keys are down, the wind, a difficulty. It is written to a recording in each tick; so it should be
// small. The errors are those of [Command], also for a nil value.
func Resource[T any](s *Session, name string, value *T, codec ...Codec[T]) error {
	r := &resourceInput[T]{title: name, value: value}
	var err error
	if r.codec, err = codecOf(name, codec); err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("record: input %q: %w: the value is nil", name, ecs.ErrConflict)
	}
	return s.declare(r)
}

// These make a resource an input. Nobody posts it: it is written as it is when a step begins.
func (r *resourceInput[T]) name() string                  { return r.title }
func (r *resourceInput[T]) kind() string                  { return kindResource }
func (r *resourceInput[T]) layout() string                { return r.codec.layout }
func (r *resourceInput[T]) read(data []byte) (any, error) { return r.codec.Read(data) }
func (r *resourceInput[T]) append(to []byte, _ any) ([]byte, error) {
	return r.codec.Append(to, *r.value)
}
func (r *resourceInput[T]) use(_ *Session, _ uint64, v any) error {
	*r.value = v.(T)
	return nil
}

// typed is a codec, and how a recording names what it writes.
type typed[T any] struct {
	Codec[T]
	layout string
}

// codecOf returns the codec of an input.
func codecOf[T any](name string, given []Codec[T]) (typed[T], error) {
	var zero T
	typ := reflect.TypeFor[T]()
	if len(given) > 1 || len(given) == 1 && given[0] == nil {
		return typed[T]{}, fmt.Errorf("record: input %q: %w: one codec, which is not nil", name, ecs.ErrConflict)
	}
	if len(given) == 1 {
		return typed[T]{given[0], "by its codec"}, nil
	}
	if _, writes := any(zero).(encoding.BinaryMarshaler); writes {
		if _, reads := any(&zero).(encoding.BinaryUnmarshaler); reads {
			return typed[T]{marshalled[T]{}, "by MarshalBinary"}, nil
		}
	}
	var b strings.Builder
	if !describe(&b, typ) {
		return typed[T]{}, fmt.Errorf("record: input %q: %w: values of %s have no codec: give one, or the methods MarshalBinary and UnmarshalBinary", name, ecs.ErrConflict, typ)
	}
	return typed[T]{plain[T]{}, b.String()}, nil
}

// marshalled is the codec of types that write themselves.
type marshalled[T any] struct{}

// Append and Read implement Codec.
func (marshalled[T]) Append(to []byte, v T) ([]byte, error) {
	data, err := any(v).(encoding.BinaryMarshaler).MarshalBinary()
	return append(to, data...), err
}

func (marshalled[T]) Read(data []byte) (v T, err error) {
	return v, any(&v).(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
}

// plain is the codec of values without pointers: numbers in little endian, fields in their order,
// without the bytes between them.
type plain[T any] struct{}

// Append implements Codec. It cannot fail.
func (plain[T]) Append(to []byte, v T) ([]byte, error) {
	walk(reflect.TypeFor[T](), unsafe.Pointer(&v), func(p unsafe.Pointer, size uintptr) bool {
		to = append(to, unsafe.Slice((*byte)(p), size)...)
		reorder(to[len(to)-int(size):])
		return true
	})
	return to, nil
}

// Read implements Codec. Anything but so many bytes as Append writes is refused, and a bool of another value.
func (plain[T]) Read(data []byte) (v T, err error) {
	valid := walk(reflect.TypeFor[T](), unsafe.Pointer(&v), func(p unsafe.Pointer, size uintptr) bool {
		if uintptr(len(data)) < size {
			return false
		}
		to := unsafe.Slice((*byte)(p), size)
		copy(to, data)
		reorder(to)
		data = data[size:]
		return true
	})
	if !valid || len(data) > 0 {
		return *new(T), errors.New("the data have another length")
	}
	if !truths(reflect.TypeFor[T](), unsafe.Pointer(&v)) {
		return *new(T), errors.New("a bool is neither true nor false")
	}
	return v, nil
}

// truths reports whether all bools of a value are 0 or 1. Anything else is no bool in Go.
func truths(t reflect.Type, p unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Bool:
		return *(*byte)(p) <= 1
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !truths(f.Type, unsafe.Add(p, f.Offset)) {
				return false
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			if !truths(t.Elem(), unsafe.Add(p, uintptr(i)*t.Elem().Size())) {
				return false
			}
		}
	}
	return true
}

// reorder puts the bytes of a number in little endian, or back.
func reorder(number []byte) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return
	}
	for i, j := 0, len(number)-1; i < j; i, j = i+1, j-1 {
		number[i], number[j] = number[j], number[i]
	}
}

// walk visits the numbers of a value without pointers, until a visit returns false.
func walk(t reflect.Type, p unsafe.Pointer, visit func(p unsafe.Pointer, size uintptr) bool) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !walk(f.Type, unsafe.Add(p, f.Offset), visit) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range t.Len() {
			if !walk(t.Elem(), unsafe.Add(p, uintptr(i)*t.Elem().Size()), visit) {
				return false
			}
		}
		return true
	}
	return visit(p, t.Size())
}

// describe writes what a value without pointers is made of. It returns false for other types, and for
// int, uint and uintptr, whose size differs between machines.
func describe(b *strings.Builder, t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Struct:
		b.WriteByte('{')
		for i := range t.NumField() {
			f := t.Field(i)
			b.WriteString(f.Name + " ")
			if !describe(b, f.Type) {
				return false
			}
			b.WriteByte(';')
		}
		b.WriteByte('}')
	case reflect.Array:
		b.WriteString("[" + strconv.Itoa(t.Len()) + "]")
		return describe(b, t.Elem())
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		b.WriteString(k.String())
	default:
		return false
	}
	return true
}
