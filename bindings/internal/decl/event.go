package decl

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Event is an event type as scripts hold it.
type Event struct {
	Name   string
	Schema *ecs.Schema
	Broken bool
	Ready  bool
	ID     ecs.EventID
	GoType bool // defined by the host

	Evolution
	Meta *lua.LTable // of the copies that ecs.events gives; nil: not needed yet
	Form int         // counts changes of the fields since it was declared
}

func (e *Event) Describe() string { return "the event " + e.Name }

// EventValue is an event with data, made by calling the event.
type EventValue struct {
	Event *Event
	Data  unsafe.Pointer
	Form  int // of the event when it was made
}

func (v *EventValue) Describe() string { return "an event value of " + v.Event.Name }
