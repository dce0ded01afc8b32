package ecs

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Entity is the handle of an entity: slot number, world tag and generation in
// 52 bits, so it is exact as a Lua number and as a JSON number. The zero Entity
// is never alive. Handles of one world never repeat: when a slot has used up its
// generations, it retires.
//
// Why a tag? Two worlds issue the same slots and generations; the tag makes a
// handle of one dead in the other. No two worlds that are open at the same time
// in a process have the same tag, unless the host has asked for that. There are
// 32,895. The tag of a world that was closed, or that nobody can reach any more, is given to
// another world after all others: a handle of a closed world stays dead everywhere
// for the next 32,000 worlds and more that are opened.
//
// The price: tags above 127 take some of the generations. In worlds with one of
// the tags up to 127, a slot is issued 1,048,575 times before it retires, and in all others
// 4,095 times. The first 127 worlds of a process have these, and a host may ask for one
// by Options.Tag for a world that is to run for months.
type Entity uint64

// Index returns the slot number, 1 to 16,777,215.
func (e Entity) Index() uint32 { return uint32(e & (slots.MaxSlots - 1)) }

// Tag returns the tag of the world that issued the handle.
func (e Entity) Tag() uint16 { return slots.Tag(uint64(e)) }

// Generation returns how often the slot has been issued, from 1.
func (e Entity) Generation() uint32 { return slots.Generation(uint64(e)) }

// String prints the handle as "12v3": slot 12, generation 3.
func (e Entity) String() string { return fmt.Sprintf("%dv%d", e.Index(), e.Generation()) }

// untagged returns the handle without the world tag, which differs between worlds of the same
// history.
func (e Entity) untagged() uint64 { return slots.Untagged(uint64(e)) }
