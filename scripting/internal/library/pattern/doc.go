// Package pattern matches Lua's patterns against texts. It knows no values of Lua: the
// libraries make values of what it finds.
//
// There are three nouns. A [Pattern] is compiled once and never changes. A [Matcher] tries it
// against one text, and keeps the captures of the last match. A [Payer] is the call for which
// that is done: matching takes exponential time for some patterns, and the payer may end it
// at any step.
//
//	patterns: reading them             compile, class
//	matching, step by step             match
//	the text that replaces a match     expand
package pattern
