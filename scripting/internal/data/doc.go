// Package data reads data files: tables that lie beside the scripts, as JSON, as CSV or in Lua.
//
// There are two nouns. A [File] is a data file that was read; nothing changes it, so that any
// number of hosts on any goroutines may use the same one. A [Datum] is what stands in it: a
// number, a text, a truth, a [List] or a [Record], each with its place, because whoever uses a
// value may have something to say about it.
//
// Data files are input that nobody vouches for. [Limits] are held while a file is read and not
// after: no text makes more values than are allowed, or nests deeper. What two readers could
// understand in two ways is refused: a key that stands twice, a number that a float64 would round
// or that is too large for one, text that is no UTF-8, half of a surrogate pair.
//
// # JSON
//
// RFC 8259, without the liberties that it gives. A mark of the byte order at the beginning is
// passed over. Null as the value of a key leaves the key out; in a list, where it would be a gap,
// it is refused.
//
// # CSV
//
// RFC 4180. The first row has the names of the columns, which are all different; each other row is
// a record with a value for each of them. Blanks around a cell do not count, unless it stands in
// quotes, and neither do empty lines. What a cell without quotes means:
//
//	nothing                  no value
//	a decimal number         the number; with zeros before it, as in 007, a text
//	true, false, TRUE, FALSE the truth
//	anything else            the text
//
// A cell in quotes is always a text.
//
// # Lua
//
// Files of the folders data and scenes that end in .lua. Such a text is read and never run: locals,
// and at the end return { … }. Values are literals, locals of the file and what is in them, and
// arithmetic and .. with these. A table is a list or a record, whose keys are texts and stand in the
// order of the text; {} is a record. Nil as the value of a key leaves the key out; in a list it is
// refused. What a local stands for counts wherever it is used.
//
// # Where code lives
//
//	files, values, limits       data
//	JSON                        json, json_text
//	CSV                         csv
//	Lua                         lua
//	numbers and their texts     number
package data
