// Package scene makes entities of files, and files of entities.
//
// There are five nouns.
//
//   - A [Scene] is a file that was read: entities by name, with what the text says about each. It
//     depends on no world, and nothing changes it.
//   - A [Proposal] is a scene that a world has accepted: components and fields are there, values fit,
//     names lead to entities, parents to no circle. Making a plan changes nothing, and what it says
//     is all that can be wrong with a scene but for the room that the world has.
//   - A [Base] is what was loaded: which entity has which name, and what the file said about it when
//     it was read last. It belongs to no file and to no layout of components, so that a save can
//     keep it.
//   - An atom is what changes as a whole: that an entity is there, that a component is there, one
//     field, the parent, the target of a relation. An array is one field.
//   - [Outcome] count what a load has done to the world.
//
// # The rule
//
// For each atom there are three values: that of the base, that of the file as it is now, and that
// of the world. Where the file says what it said before, the world stays. Where the file says
// something else, the world becomes that, unless the game has changed the atom since the base: then
// the game's stays, and it counts as kept. In each case the file as it is now becomes the base. To
// load for the first time is this with an empty base, and to unload is it with an empty file.
//
// Two things follow from the rule and may surprise. An entity whose end the file says goes with all
// that the game has made of it: whether it is there is an atom of its own, which the game has not
// changed. And an entity with another prefab is another entity: the old one goes, and a new one
// comes in its place.
//
// # Atoms as text
//
// The value of an atom is text: numbers as they are written shortest, texts in quotes, entities as
// @name or, for those of no scene, as their number. Two values are equal if their texts are. So a
// component may be migrated between two loads: its fields are found by name, and one that the base
// does not know counts as the default.
//
// # Where code lives
//
//	files to scenes                          read
//	fields: places, texts, values of files   field
//	scenes to plans                          plan
//	the rule: plans to worlds                load
//	what was loaded                          base
//	entities to files                        write
//	the JSON Schema of scenes                jsonschema
package scene
