// Package diag holds what is said to a person about a script: faults as values, and the
// text that messages are made of.
//
// An [Error] is one fault of a script, with its place. It is a value from where it arises
// to where it is printed: what has to be decided about it is decided by its fields, and
// its Message is for readers alone. [Error.Error] prints it in one line, [Error.Detail]
// with the line of source, a caret and the traceback.
//
// Text of a script is never shown as it is. [OneLine] and [Visible] keep it from the
// terminal, [Cut] and [Format] keep it short, and [Grouped] makes large numbers readable.
// [DidYouMean] names the nearest of the names that would have been right.
//
// # The walk of an error
//
// From where an error of a script arises to where it is printed it passes six walls:
// scripting/internal/stdlib or the VM raises it with bindings/fault, which makes the value
// and takes the place from the frame; bindings/internal/tx catches it, undoes the call and
// adds the system, the tick and the entity; ecs passes it on as the error of the system;
// scripting adds the line of source and counts how often it came; the host, as cmd/perigee,
// prints it. The value stays the same *Error all the way, and its text is made at the end.
//
// The package imports nothing but ecs, for the entity that a fault names: whoever makes,
// passes on or prints a fault imports it alone.
package diag
