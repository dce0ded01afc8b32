package capture

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Content is what an image says of a world, in a form that depends on no world's memory: nothing in
// it is an address in an arena, a number of a table or a Go object of the world. Package save writes
// it to files, and reads it from anybody. [ecs.Raw.Compose] checks it before it makes an image of it.
//
// Components are known by their index in Components, event types by theirs in Streams.
//
// What belongs into a table of its own (columns, values with Go pointers, resources) is left out of
// its JSON.
type Content struct {
	Tag        uint16      `json:"tag"`
	Seed       uint64      `json:"seed"`
	Random     uint64      `json:"random"` // of the world's own generator
	Clock      Clock       `json:"clock"`
	Slots      Slots       `json:"slots"`
	Components []Component `json:"-"`
	Sets       []Rows      `json:"sets"`  // in the order of the archetypes; the first is the empty set
	Pools      []Rows      `json:"pools"` // those in the arena
	Heaps      []Typed     `json:"-"`
	Relations  []Relation  `json:"relations"`
	Looks      []Look      `json:"looks,omitempty"`
	Streams    []Stream    `json:"streams,omitempty"`
	Systems    []System    `json:"systems,omitempty"`
	Watchers   []Breaker   `json:"watchers,omitempty"`
	Notices    []Notice    `json:"notices,omitempty"`
	Deferred   []uint64    `json:"deferred,omitempty"` // handles that are to die
	Resources  []Resource  `json:"-"`
}

// Clock is the clock of a world.
type Clock struct {
	Tick     uint64            `json:"tick"`
	Time     Float             `json:"time"`
	Owed     Float             `json:"owed"`
	Before   uint64            `json:"before"`
	Moves    uint64            `json:"moves"`
	AllMoves uint64            `json:"all_moves"`
	Runs     map[string]uint64 `json:"runs,omitempty"`
}

// Slots say which handles were issued. By slot, and slot 0 is never issued: the last life, and when
// a handle of the slot was released last. Which handles are alive follows from the rows.
type Slots struct {
	Lives    []uint32 `json:"-"`
	Deaths   []uint32 `json:"-"`
	Free     []uint32 `json:"-"`                  // the slots that wait, the oldest first
	Reserved []uint64 `json:"reserved,omitempty"` // handles that are alive and nowhere
}

// Component is a component type.
type Component struct {
	Schema   *schema.Schema
	Type     reflect.Type
	Kept     Storage
	Mark     bool // of prefab entities; nobody finds it by its name
	Relation bool // it holds the links of a relation
	Group    int  // 1 + the first component of its group of pools; 0 for none
	InAll    int  // rows of the group
	New      bool // the world has no such component: a restore defines it
}

// Storage says where values of a component lie.
type Storage uint8

// The places of values.
const (
	InChunks Storage = iota
	InArenaPool
	InHeapPool
	InStorage
)

// String returns the word that saves have for it.
func (s Storage) String() string {
	if names := [...]string{"chunks", "pool", "heap", "storage"}; int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// Rows are the rows of a set of components, or of a pool.
type Rows struct {
	Components []uint32 `json:"components"` // rising
	Layouts    int      `json:"layouts"`    // how many sizes of chunks it has had
	Chunks     []Chunk  `json:"chunks,omitempty"`
	Spare      []int    `json:"spare,omitempty"` // sizes of chunks without rows
	// Loose says that the chunks are as long as they happen to be: they are cut anew.
	Loose bool `json:"-"`
}

// Chunk is a chunk: the index of its size, its rows, and when they moved and each column was
// written, in the order of Columns.
type Chunk struct {
	Class    int      `json:"class"`
	N        int      `json:"rows"`
	Versions []uint64 `json:"versions"`
	// Columns are the handles, and the values of each component that has bytes.
	Columns [][]byte `json:"-"`
}

// Typed has the values of a component that are copied by their Go type: N of them lie at Data.
type Typed struct {
	Component int
	Version   uint64
	Handles   []uint64
	Data      unsafe.Pointer
}

// Relation is what a relation has beside its links, which are a pool.
type Relation struct {
	Component int   `json:"component"`
	Policy    uint8 `json:"policy"`
}

// Look is what a query with Changed or Added has seen.
type Look struct {
	Number  uint64   `json:"number"`
	Changed []uint32 `json:"changed,omitempty"`
	Since   uint64   `json:"since"`
	Added   []uint32 `json:"added,omitempty"`
	// Entities got a component, which is an index in Added.
	Entities []uint64 `json:"entities,omitempty"`
	Which    []int    `json:"which,omitempty"`
}

// Stream is what waits of one event type, and who has read how much. Of an absent one nothing is known:
// it stays as the program has declared it.
type Stream struct {
	Schema      *schema.Schema `json:"-"`
	Type        reflect.Type   `json:"-"`
	Absent      bool           `json:"-"`
	New         bool           `json:"-"` // as of a component
	Data        []uint64       `json:"-"` // of each event as many words as it needs
	Events      int            `json:"keep_events"`
	Ticks       int            `json:"keep_ticks"`
	First       uint64         `json:"first"`
	Sent        uint64         `json:"sent"`
	Ends        []uint64       `json:"ends,omitempty"`
	Readers     []Reader       `json:"readers,omitempty"`
	Subscribers []Breaker      `json:"subscribers,omitempty"`
}

// Reader is how far a reader has come.
type Reader struct {
	Number  uint64 `json:"number"`
	Name    string `json:"name,omitempty"`
	Next    uint64 `json:"next"`
	Lost    uint64 `json:"lost,omitempty"`
	Lagging bool   `json:"behind,omitempty"`
}

// Breaker is the health of what has a name.
type Breaker struct {
	Name     string    `json:"name"`
	State    uint8     `json:"state,omitempty"`
	Failures int       `json:"failures,omitempty"`
	Total    uint64    `json:"total,omitempty"`
	Wait     Float     `json:"wait,omitempty"`
	RetryAt  Float     `json:"retry_at,omitempty"`
	Since    Float     `json:"since,omitempty"`
	Burst    []Float   `json:"burst,omitempty"`
	Recent   []Failure `json:"recent,omitempty"`
}

// Failure is a run that has failed.
type Failure struct {
	Tick uint64 `json:"tick"`
	Time Float  `json:"time"`
	Text string `json:"error"`
}

// System is the past of a system.
type System struct {
	Breaker
	Elapsed  Float  `json:"elapsed,omitempty"`
	Phase    Float  `json:"phase,omitempty"`
	Runs     uint64 `json:"runs,omitempty"`
	Skipped  uint64 `json:"skipped,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
}

// Notice is a change that waits for its report.
type Notice struct {
	Trigger   uint8    `json:"trigger"`
	Component uint32   `json:"component"`
	Entity    uint64   `json:"entity"`
	Passed    []string `json:"passed,omitempty"` // observers that do not get it
	// Value is the value that was removed, as bytes; Kept points to it if it has Go pointers.
	Value []byte `json:"-"`
	Kept  any    `json:"-"`
}

// Resource is a resource of a type, or of a name. Saved points to its value.
type Resource struct {
	Type  reflect.Type
	Name  string
	Saved any
}

// ResourceType returns the text by which the type of a resource is found in another process: as Go shows it, with the
// path of its package where the list has another one without a name that is shown so. It returns "" where that is
// another one's text, too, as of types that are declared in functions.
func ResourceType(list []Resource, i int) string {
	t := list[i].Type
	for _, text := range []func(reflect.Type) string{reflect.Type.String, wholeName} {
		if list[i].Name != "" || only(list, text, text(t)) == i {
			return text(t)
		}
	}
	return ""
}

// FindResource returns the place of the resource that another process knows by a name, or by such a text of its type; -1 if
// there is none, or more than one that it may be.
func FindResource(list []Resource, name, typ string) int {
	if name != "" {
		return slices.IndexFunc(list, func(r Resource) bool { return r.Name == name })
	}
	if i := only(list, wholeName, typ); i >= 0 {
		return i
	}
	return only(list, reflect.Type.String, typ)
}

// only returns the place of the only resource without a name whose type has a text; -1 if there is no such one.
func only(list []Resource, text func(reflect.Type) string, want string) int {
	found := -1
	for i := range list {
		if list[i].Name != "" || text(list[i].Type) != want {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// wholeName is a type with the path of its package.
func wholeName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

// LittleEndian reports whether numbers lie in the memory of this machine as they are in saves and
// messages.
var LittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Bytes returns numbers as bytes, in the memory in which they are.
func Bytes[T uint32 | uint64 | int32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(T(0))))
}

// EventLen is how many words of 8 bytes an event of so many bytes takes in Stream.Data.
func EventLen(size int) int { return (size+7)/8 + 1 }

// Float is a number of any kind: JSON has none that is no number, or endless.
type Float float64

// MarshalJSON writes a number, or a word for one that JSON does not have.
func (f Float) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON has written.
func (f *Float) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"nan"`:
		*f = Float(math.NaN())
	case `"inf"`:
		*f = Float(math.Inf(1))
	case `"-inf"`:
		*f = Float(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(f))
	}
	return nil
}
