// Package librarytest has what both standard libraries are judged by, the one on gopher-lua's
// values and the one on the machine's: scripts beside what they print. A [Case] is a script
// with its output.
package librarytest
