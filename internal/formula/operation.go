package formula

// op is an operation.
type op uint8

const (
	literal op = iota
	argument
	add
	sub
	mul
	div
	sqrt
	abs
	neg
	trunc
	least
	greatest
	bits
	unbits
	lt
	le
	eq
	iadd
	isub
	iand
	ior
	ixor
	shl
	shr
	ieq
	ilt
	mand
	mor
	choose
)

// operations says what each operation is in Go and in WebAssembly; scalar and vector are
// the numbers of instructions, with a prefix in the high byte. Bits and unbits of vectors
// need none: a vector has no type.
var operations = [...]struct {
	name           string
	kind           kind
	source         string // in Go, of %s or of %s and %s
	scalar, vector uint16
	commutes       bool
}{
	literal:  {name: "a constant"},
	argument: {name: "a parameter"},
	add:      {"add", float, "%s + %s", 0xA0, 0xFDF0, true},
	sub:      {"sub", float, "%s - %s", 0xA1, 0xFDF1, false},
	mul:      {"mul", float, "float64(%s * %s)", 0xA2, 0xFDF2, true},
	div:      {"div", float, "%s / %s", 0xA3, 0xFDF3, false},
	sqrt:     {"sqrt", float, "math.Sqrt(%s)", 0x9F, 0xFDEF, false},
	abs:      {"abs", float, "math.Abs(%s)", 0x99, 0xFDEC, false},
	neg:      {"neg", float, "-%s", 0x9A, 0xFDED, false},
	trunc:    {"trunc", float, "math.Trunc(%s)", 0x9D, 0xFD7A, false},
	least:    {"least", float, "min(%s, %s)", 0xA4, 0xFDF6, false},
	greatest: {"greatest", float, "max(%s, %s)", 0xA5, 0xFDF7, false},
	bits:     {"bits", whole, "math.Float64bits(%s)", 0xBD, 0, false},
	unbits:   {"unbits", float, "math.Float64frombits(%s)", 0xBF, 0, false},
	lt:       {"lt", mask, "%s < %s", 0x63, 0xFD49, false},
	le:       {"le", mask, "%s <= %s", 0x65, 0xFD4B, false},
	eq:       {"eq", mask, "%s == %s", 0x61, 0xFD47, true},
	iadd:     {"iadd", whole, "%s + %s", 0x7C, 0xFDCE, true},
	isub:     {"isub", whole, "%s - %s", 0x7D, 0xFDD1, false},
	iand:     {"iand", whole, "%s & %s", 0x83, 0xFD4E, true},
	ior:      {"ior", whole, "%s | %s", 0x84, 0xFD50, true},
	ixor:     {"ixor", whole, "%s ^ %s", 0x85, 0xFD51, true},
	shl:      {"shl", whole, "%s << %d", 0x86, 0xFDCB, false},
	shr:      {"shr", whole, "%s >> %d", 0x88, 0xFDCD, false},
	ieq:      {"ieq", mask, "%s == %s", 0x51, 0xFDD6, true},
	ilt:      {"ilt", mask, "int64(%s) < int64(%s)", 0x53, 0xFDD8, false},
	mand:     {"mand", mask, "%s && %s", 0x71, 0xFD4E, true},
	mor:      {"mor", mask, "%s || %s", 0x72, 0xFD50, true},
	choose:   {"choose", float, "", 0x1B, 0xFD52, false},
}
