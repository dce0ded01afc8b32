// Package analysis finds out what the text of a script says before it runs.
//
// There are five nouns. [Facts] are all that is known of one tree; they change no
// more than it does, and everybody reads the same ones. [Names] say of each name which
// variable it means, and list the globals and the fields of modules that the text
// names. An [Each] is a function over rows that is written out in its system's table or in a call of ecs.kernel: which
// fields of which parameters it names, and its second form. A [Use] is what a
// function does with one field of a parameter. [Options] are the places of the keys in
// a table that declares something, so that a fault in one is reported where it stands.
// A [Program] is the compiled text with its facts.
//
// Functions are known by their [syntax.FuncID], which their prototypes have, too: the
// host asks for the facts of a function value that it finds in a table.
//
// # Where code lives
//
//	facts of a tree, by function               facts, program
//	functions over rows: the fields they use   each
//	their second form                          form, constants
//	fields of modules that a text names        module_fields
//	keys that are nil in a list                absent
//	places of options                          options
//	parts of calls, for the place of an error  parts
package analysis
