// Package analysis finds out what the text of a script says before it runs.
//
// There are four nouns. [Facts] are all that is known of one tree; they change no
// more than it does, and everybody reads the same ones. An [Each] is a function over
// rows that is written out in its system's table or in a call of ecs.kernel: which
// fields of which parameters it names, and its second form. A [Use] is what a
// function does with one field of a parameter. [Options] are the places of the keys in
// a table that declares something, so that a fault in one is reported where it stands.
//
// Functions are known by their [syntax.FuncID], which their prototypes have, too: the
// host asks for the facts of a function value that it finds in a table.
package analysis
