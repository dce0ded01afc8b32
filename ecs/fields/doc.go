// Package fields reads and writes components by the names of their fields, for tools,
// consoles, savers and tests that learn at run time what there is. Its users need no
// unsafe and no Go types.
//
//	f := fields.Of(world)
//	health, err := f.Component("Health")
//	hp, err := f.Get(e, health, "hp")             // float64(30)
//	err = f.Set(e, health, "hp", 50)              // or the error that Kind.Fit gives
//	text, err := f.JSON(e)                        // {"Health":{"hp":50,"max":100}}
//	err = f.SetJSON(e, []byte(`{"Health":{"hp":7}}`))
//	hurt, err := f.Query("Position, !Frozen, ?Velocity, Health.hp < 50")
//	for e := range hurt.All() { … }
//
// There are three nouns. [Fields] is a world seen by names. A path leads to a field:
// "hp", "at.x" in a nested struct, "cells[3]" for an element, counted from 0; the empty
// path is the whole component. A [TextQuery] is a query that was written as text.
//
// # Values
//
// The kind of a field says what Get returns and Set takes:
//
//	bool              bool; Set takes 0 and 1, too
//	i8 to u64         float64; Set takes every Go number that Kind.Fit accepts
//	f32, f64          float64; likewise
//	entity            ecs.Entity; Set takes 0 and entities that are alive
//	enum              string, its name, or float64 for a number without one; Set takes both
//	string            string
//	struct            map[string]any; Set changes the fields that are named
//	an array of them  []any; Set takes as many elements as there are
//
// Numbers of 64 bits beyond 2⁵³ are an error, in both directions: no float64 holds them.
// Opaque fields, those of Go types that scripts cannot see, are left alone.
//
// # Changes
//
// A change is made like that of World.Add: whole or not at all, with hooks, observers and
// rules. Inside of a loop, components that an entity has can be changed, and none added.
// An address or a column that was borrowed lives on where nothing was added.
//
// Errors wrap those of package ecs: ErrUnknown for names, ErrConflict for values of
// another kind and for text that is no query or JSON, ErrRange for numbers that do not fit,
// ErrDead for entities. They begin with the place: a path, or the column of the text.
package fields
