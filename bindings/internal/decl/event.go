package decl

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Event is an event type as scripts hold it.
type Event struct {
	Type
	ID   ecs.EventID
	Meta *lua.LTable // of the copies that ecs.events gives; nil: not needed yet
}

// Continue takes over the number of an event, which this one declares again.
func (e *Event) Continue(known *Event) { e.ID = known.ID }

// Detach forgets what an interpreter has remembered in the event.
func (e *Event) Detach() {
	e.Type.Detach()
	e.Meta = nil
}

// Is reports whether two declarations are of one event of the world.
func (e *Event) Is(other *Event) bool { return e.ID == other.ID }

// Describe says for messages what the event is.
func (e *Event) Describe() string { return "the event " + e.Name }

// Use says where a script gets what was sent of the event.
func (e *Event) Use() string {
	return "ecs.events and a system with on give the fields of those that are sent"
}

// EventValue is an event with data, made by calling the event.
type EventValue struct {
	Event *Event
	Data  unsafe.Pointer
	Form  int // of the event when it was made
}

// Describe says for messages what the value is.
func (v *EventValue) Describe() string { return "an event value of " + v.Event.Name }

// Use says what the value is for.
func (v *EventValue) Use() string { return v.Event.Use() }

// Held returns how many bytes the value takes beside its userdata.
func (v *EventValue) Held() (bytes int64, values []lua.LValue) {
	return held(v.Event.Schema, v.Data, v.Form == v.Event.Form), nil
}
