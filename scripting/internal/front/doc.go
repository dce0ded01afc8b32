// Package front turns the text of a Lua script into a function prototype that
// means what Lua 5.1 means.
//
// There are three nouns. A [Chunk] is one parsed script: the syntax tree as it
// was written, which other stages may read and change until Compile consumes
// it. An [Error] says what is wrong with a script, where, in words for the
// person who wrote it. [Options] hold the limits and the functions that stand
// in for operators.
//
// A prototype does not change once it is made and may be run by many states at
// the same time.
//
// # Why a parser of our own?
//
// The tree is gopher-lua's, the parser is not: theirs reports "syntax error"
// without saying what was expected, gives binary operators the line of their
// left operand, accepts a call whose parenthesis starts a new line, takes
// "0010" for eight, and recurses without a limit in the stages behind it.
// A test holds that both build the same tree.
//
// # Why repairs?
//
// gopher-lua 1.1.2 compiles some ordinary programs to wrong code: a swap of two
// locals loses one of them, a constant condition at the start of a loop may
// hang. Each repair in the table of [passes] rewrites one such construct into
// another that is compiled correctly and means the same. Their order matters
// only where the table says so. Line numbers survive every repair.
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
package front
