// Package analysis finds out what the text of a script says before it runs.
//
// There are four nouns. [Facts] are all that is known of one tree. An [Each] is a function
// over rows that is written out in its system's table or in a call of ecs.kernel: which
// fields of which parameters it names. A [Use] is what a function
// does with one field of a parameter. [OptionPlaces] are the places of the keys in a table that
// declares something.
//
// Functions are known by their [syntax.FuncID], which their prototypes have, too: the
// host asks for the facts of a function value that it finds in a table. What a name means
// says the tree itself ([syntax.Names]); no fact is decided by how a name is spelled.
//
// # Lifetimes and invariants
//
// Facts are found once, when a text is read, beside the tick. They change no more than the
// tree does, and everybody reads the same ones. They live as long as the module that was
// made of the text, or the staged text.
//
//   - What stands in a branch that a literal condition rules out has no facts: its names
//     mean nothing.
//   - A fact about a variable holds for good: it is taken from the declaration of a variable
//     that is assigned nothing after it.
//   - What no call comes to, or only those whose caller expects errors, is reported by
//     nobody; what a setting decides is a mistake only if it is one for each setting. See
//     [Reach].
//
// # The facts
//
//	fact               for whom
//	Each, EachOf       bindings: shapes of systems, places of unknown fields; the kernels
//	Absent             syntax: tables that are handed through NoteAbsent
//	OptionsOf…         bindings: where a fault in an option is
//	Fields, ModuleOf   scripting: names that ecs, host or another script do not have
//	Globals            scripting: fields that the standard library does not have
//	Calls, Rows, Slips scripting: what is certain to fail
//	ByFunctions, ByTop scripting: which tables may get other fields
//	Exports, Passed    scripting: who has the table of another script
//	Parts              bindings/fault: where an argument or an operand stands
//
// A list such as { C.Boss, C.Enemy } loses what is nil. Why is that noted when the script
// runs (see Absent), and not found here? Whether C.Boss is nil is known when the constructor
// has run, and the table may come to ecs.system by way of variables, of functions and of
// other scripts, which may set and clear its keys before. The text says which keys are written, and nothing more.
//
// # Where code lives
//
//	facts of a tree, by function               facts
//	functions over rows: the fields they use   each
//	fields of modules that a text names        module_fields
//	fields of global tables that a text needs  global_fields
//	calls that functions make                  calls
//	what fails whatever values there are       slips
//	fields of what functions get from ecs      rows
//	which calls come to a place                reach
//	what constants decide, who has a table     settled
//	keys that are nil in a list                absent
//	places of options                          options
//	parts of calls, for the place of an error  parts
package analysis
