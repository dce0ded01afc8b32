// Package syntax reads the text of a Lua script, once, and turns it into function
// prototypes that mean what Lua 5.1 means.
//
// There are five nouns. A [Tree] is a script that was read: every node has a line and
// a column, and every function a [FuncID]. Nothing changes a tree after [Parse], so all
// who want to know something of a text read the same one, at the same time if they
// like. Its [Names] say of each name which [Variable] it means, what a variable is given,
// and whether functions capture it: the scopes of Lua are known there and nowhere else. A
// [Program] is a tree that was compiled: a prototype, and for each prototype
// in it a [Code], which says of every instruction where in the text it comes from, and
// of which function it is. An [Error] says what is wrong with a script, where, in words
// for the person who wrote it. [Options] hold the limits and the functions that stand
// in for operators.
//
// A program does not change once it is made, and its prototypes may be run by many
// states at the same time.
//
// # From the tree to the prototype
//
// Compile lowers the tree to one of gopher-lua, which it owns; the repairs change that
// one, gopher-lua's compiler reads it, and finish puts into the prototype what cannot
// be said in a tree. gopher-lua's nodes have room for one integer of our choice, their
// line, which comes out beside each instruction. So a lowered node has the number of a
// place in a table instead of a line, and finish turns it back. What else is to be known of
// an instruction stands in the table, too: the value that it loads where a tree can name a
// global only, or that a goto keeps captured variables open. See placeTable, in places.go.
//
// # Why a parser and a tree of our own?
//
// gopher-lua's parser reports "syntax error" without saying what was expected, gives
// binary operators the line of their left operand, accepts a call whose parenthesis
// starts a new line, takes "0010" for eight, and recurses without a limit in the steps
// after it. Its tree has no columns, no place for what is learned about a node, and
// its compiler changes it. A test holds that both parsers build the same tree, but for
// arithmetic on numerals, which is computed when it is lowered.
//
// # How is a fault mended?
//
// A promise: each mistake is reported once, where it is, with what to do, and no innocent
// token is accused. The parser stops at a fault. Then single changes of the text are tried
// there, at the tokens before, and where the indentation says that a block or bracket
// begins or ends: a token more, one less, another one. That with which the parser comes
// furthest is what the person forgot, so it words the message, and with it the text is read
// on for the next fault. Some changes belong together: a bracket is changed together with
// its partner, and who forgets one comma of a list may forget the next ones, there or in
// the lists in it and around it, of which each is a mistake. Only a line that no change mends for long is left out. The search costs a
// bounded number of readings, and each begins at the last statement that no block is around.
//
// # Why repairs?
//
// gopher-lua 1.1.2 compiles some ordinary programs to wrong code: a swap of two
// locals loses one of them, a constant condition at the start of a loop may
// hang. Each repair in the table of repairs rewrites one such construct into
// another that is compiled correctly and means the same. Their order matters
// only where the table says so. Places survive every repair.
//
// # What Lua this is
//
// Lua 5.1, with these differences in syntax and limits:
//
//   - goto and labels are accepted, as in Lua 5.2. goto stays usable as a name.
//   - Empty statements (a lone semicolon) are accepted, as in Lua 5.2.
//   - A script is at most 256 KiB long, nests at most 150 levels deep, and a
//     table constructor lists at most 25,550 items.
//   - A function has at most 200 registers for locals and temporaries together,
//     where PUC Lua has 200 locals and 250 registers, and at most 255 outer
//     locals, where PUC Lua has 60.
//   - Where the manual leaves an order of evaluation open (the targets of a
//     multiple assignment, the fields of a constructor, operands beside a call
//     that assigns them), the order is not always that of PUC Lua.
//
// # Where code lives
//
//	tokens                                        lexer
//	the tree: nodes, lines and columns, FuncID    tree, walk
//	parsing                                       parser, statements, expressions
//	errors of syntax, and their words             error, hints
//	going on after an error: corrections          recover, attempts
//	how deep a text may nest                      depth
//	names: what each one means; breaks, gotos     names, jumps
//	compiling to prototypes                       compile, lower
//	repairs of the VM's tree                      repair, repair_walk
//	  one file for each kind                      repair_assignments, repair_constants,
//	                                              repair_constructors, repair_loops, repair_operators
//	constants: their values, zeros                literals
//	places of nodes, after compiling              places, finish
package syntax
