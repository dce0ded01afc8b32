// Package numbers has what Lua says of numbers and Go does not: how they are written and
// read as text. It works on Go's float64 and string alone, so
// every part that runs Lua shares it.
//
//	numbers as text, in both directions     text
//	what it takes to read a long numeral    cost
package numbers
