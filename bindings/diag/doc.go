// Package diag holds what is said to a person about a script: faults as values, and the
// text that messages are made of.
//
// An [Error] is one fault of a script, with its place. It is a value from where it arises
// to where it is printed: what has to be decided about it is decided by its fields, and
// its Message is for readers alone. [Error.Error] prints it in one line, [Error.Detail]
// with the line of source, a caret and the traceback.
//
// The text of a fault is made by error.go, the traceback by trace.go, what keeps texts short
// and visible by text.go, and what was probably meant by suggest.go. The line of source comes
// from the host: scripting, errors.go.
//
// Text of a script is never shown as it is. [OneLine] and [Visible] keep it from the
// terminal, [Cut] and [Format] keep it short, and [Grouped] makes large numbers readable.
// [DidYouMean] names the nearest of the names that would have been right.
//
// # The walk of an error
//
// The VM or [github.com/perigee-ecs/perigee/bindings/fault.Raise] makes the value inside of a
// call of a script, with the place of its frame. From there on it stays the same *Error, and
// its text is made at the end:
//
//	bindings/internal/tx     Runner.Perform      runs the call, in which the error arises
//	bindings/internal/tx     Runner.Leave        undoes the call, since it has failed
//	bindings/internal/tx     Runner.Blame        adds the system, the tick and the entity
//	bindings/internal/value  Caught              cuts what a script has said
//	bindings/fault           Caught              gives the value that the error of the VM carries
//	scripting                Host.Step           later, gets it from ecs as the error of the system
//	scripting                Host.step           does the step
//	scripting                Host.note           counts how often it came
//	scripting                Host.noteRows       one by one, with what the tick knows of them
//	scripting                Host.complete       adds what the host knows
//	bindings/diag            Error.Quote         adds the line of source
//	cmd/internal/command     runFlags.describe   later, is what the host program does with it
//	bindings/diag            Error.DetailIn      prints it
//
// The package imports nothing but ecs, for the entity that a fault names: whoever makes,
// passes on or prints a fault imports it alone.
package diag
