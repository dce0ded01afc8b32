package ecs

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Entity is the handle of an entity: slot number, world tag and generation in
// 52 bits, so it is exact as a Lua number and as a JSON number. The zero Entity
// is never alive. Handles of one world never repeat until a slot has used up
// 2²⁰ generations, and then the slot retires.
//
// Why a tag? Two worlds issue the same slots and generations; the tag makes a
// handle of one dead in the other. There are 255 tags, so this holds among any
// 255 worlds opened one after another.
type Entity uint64

// Index returns the slot number, 1 to 16,777,215.
func (e Entity) Index() uint32 { return uint32(e & (slots.MaxSlots - 1)) }

// Tag returns the tag of the world that issued the handle.
func (e Entity) Tag() uint8 { return uint8(e >> slots.IndexBits) }

// Generation returns how often the slot has been issued, from 1.
func (e Entity) Generation() uint32 {
	return uint32(e >> (slots.IndexBits + slots.TagBits))
}

// String prints the handle as "12v3": slot 12, generation 3.
func (e Entity) String() string { return fmt.Sprintf("%dv%d", e.Index(), e.Generation()) }

// tagBits masks the world tag, which differs between worlds of the same history.
const tagBits = Entity(1<<slots.TagBits-1) << slots.IndexBits
