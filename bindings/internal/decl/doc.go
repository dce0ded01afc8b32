// Package decl holds what scripts declare: data, and what can be said of it without a
// world.
//
// There are five nouns.
//
//   - A [Component] or an [Event] is a [Type] with a name and a schema. Until a load is
//     committed it has a layout and no number. Its [Evolution] says what becomes of the
//     values that it has from an older text.
//   - A [Registry] holds the types of one sort by name: those in force, and those that
//     the running load declares.
//   - A [Value] is a component or an event with data, made by calling it. It is good as
//     long as its declaration has the form that it had when the value was made.
//   - A [Prefab] is a tree of values, with the prefabs that it was made from merged in,
//     which package bindings has done (values.go).
//   - A [Query] is what a script asks for: components that entities have, may have and
//     must not have.
//
// # Lifetimes
//
// A declaration lives as long as anything of a script holds it, also beyond its script.
// When a later load changes the fields, declarations of the same name that are still
// held get the new schema and another form, so that values of the old form are found
// out when they are used ([Registry.Reform]).
//
// Invariant: the number of a declaration is valid if it is Ready, and before that for one
// whose values change (Changes is not nil).
//
// # Where code lives
//
//	components and events, by name   registry
//	what both have in common         type, evolution
//	one of each                      component, event
//	values of them                   value
//	prefabs, once they are merged    prefab
//	queries                          query
package decl
