package ecs_test

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantFaults = flag.Bool("faults", false, "build the package with one fault of invariants after the other and demand that a test finds it")

// invariantFault is a mistake in how invariants are checked.
func invariantFault(says, old, new string) planted.Fault {
	return planted.Fault{Says: says, File: "ecs/invariant_check.go", Old: old, New: new}
}

// violationFault is one in when they are, and in what is reported.
func violationFault(says, old, new string) planted.Fault {
	return planted.Fault{Says: says, File: "ecs/violation.go", Old: old, New: new}
}

// ruleFault is one in how invariants are declared: what becomes of their texts, and of an owner's.
func ruleFault(says, old, new string) planted.Fault {
	return planted.Fault{Says: says, File: "ecs/invariant.go", Old: old, New: new}
}

var invariantFaults = []planted.Fault{
	invariantFault("only whole blocks are checked", "first < rows; first += scanned", "first+scanned <= rows; first += scanned"),
	invariantFault("only the first block is checked", "first < rows; first += scanned", "first == 0 && first < rows; first += scanned"),
	invariantFault("only the first broken row of a block is reported", "bad != 0; bad &= bad - 1", "bad != 0; bad = 0"),
	invariantFault("rows of later blocks are reported as those of the first", "broken(first + bits.TrailingZeros64(bad))", "broken(bits.TrailingZeros64(bad))"),
	invariantFault("a field is read at the beginning of its value", "uintptr(row)*o.size+o.offset)", "uintptr(row)*o.size)"),
	invariantFault("a constant is 0", "to[i] = o.value", "to[i] = 0"),
	invariantFault("an f32 is read as a whole number", "loadNumbers[float32](to", "loadNumbers[int32](to"),
	invariantFault("an f64 is read as a whole number", "loadNumbers[float64](to", "loadNumbers[int64](to"),
	invariantFault("an i8 has no sign", "loadNumbers[int8](to", "loadNumbers[uint8](to"),
	invariantFault("an i16 has no sign", "loadNumbers[int16](to", "loadNumbers[uint16](to"),
	invariantFault("an i32 has no sign", "loadNumbers[int32](to", "loadNumbers[uint32](to"),
	invariantFault("an i64 has no sign", "loadNumbers[int64](to", "loadNumbers[uint64](to"),
	invariantFault("a u16 has a sign", "loadNumbers[uint16](to", "loadNumbers[int16](to"),
	invariantFault("a u32 has a sign", "loadNumbers[uint32](to", "loadNumbers[int32](to"),
	invariantFault("a u64 has a sign", "loadNumbers[uint64](to", "loadNumbers[int64](to"),
	invariantFault("a u8 has a sign", "loadNumbers[uint8](to", "loadNumbers[int8](to"),
	invariantFault("rows are read side by side", "uintptr(i)*apart)))", "uintptr(i)*unsafe.Sizeof(*(*T)(p)))))"),
	invariantFault("an array is shown by its first element", "for i := range min(o.field.Len, most)", "for i := range min(o.field.Len, 1)"),
	invariantFault("a bool is shown turned round", "fmt.Sprint(*(*uint8)(p) != 0)", "fmt.Sprint(*(*uint8)(p) == 0)"),
	invariantFault("a large i64 is shown rounded", "return fmt.Sprint(*(*int64)(p))", "return number(float64(*(*int64)(p)))"),
	invariantFault("a large u64 is shown rounded", "return fmt.Sprint(*(*uint64)(p))", "return number(float64(*(*uint64)(p)))"),
	invariantFault("an entity is shown as a number", "return fmt.Sprint(*(*Entity)(p))", "return fmt.Sprint(uint64(*(*Entity)(p)))"),
	invariantFault("a state is shown as a number", "n < len(f.Names)", "n < 0"),
	invariantFault("a state without a name is none", "n < len(f.Names)", "n <= len(f.Names)"),
	invariantFault("an f32 is shown with the digits of an f64", "return fmt.Sprint(*(*float32)(p))", "return number(float64(*(*float32)(p)))"),
	invariantFault("the lower bound is not allowed", "x >= k.lo && x <= k.hi", "x > k.lo && x <= k.hi"),
	invariantFault("the upper bound is not allowed", "x >= k.lo && x <= k.hi", "x >= k.lo && x < k.hi"),
	invariantFault("there is no lower bound", "x >= k.lo && x <= k.hi", "x <= k.hi"),
	invariantFault("there is no upper bound", "x >= k.lo && x <= k.hi", "x >= k.lo"),
	invariantFault("NaN is in every range", "!(x >= k.lo && x <= k.hi)", "x < k.lo || x > k.hi"),
	invariantFault("the last number of an array decides about a range", "if x := float64(v); !(x >= lo && x <= hi) {\n\t\t\t\treturn true\n\t\t\t}\n\t\t}\n\t\treturn false", "if x := float64(v); x >= lo && x <= hi {\n\t\t\t\treturn false\n\t\t\t}\n\t\t}\n\t\treturn true"),
	invariantFault("the last bytes of an array are in each range", "for _, x := range b {", "for _, x := range b[:0] {"),
	invariantFault("the first bytes of an array are in each range", "if r.strays(binary.LittleEndian.Uint64(b)) {", "if false {"),
	invariantFault("bytes have no lower bound", "return low&high&topBits != topBits", "return high&topBits != topBits"),
	invariantFault("bytes have no upper bound", "return low&high&topBits != topBits", "return low&topBits != topBits"),
	invariantFault("the sign of an i8 is not turned", "\tword ^= r.flip\n", ""),
	invariantFault("a range between two numbers has bytes", "if lo > hi {", "if false {"),
	invariantFault("an infinite f32 of an array is finite", "func(x float32) bool { return x-x != 0 }", "func(x float32) bool { return x != x }"),
	invariantFault("an infinite f64 of an array is finite", "func(x float64) bool { return x-x != 0 }", "func(x float64) bool { return x != x }"),
	invariantFault("a range from the least number on is that of the kind", "whole && k.lo <= least && k.hi >= most", "whole && k.lo <= least"),
	invariantFault("infinity is finite", "x-x != 0 { // NaN", "x != x { // NaN"),
	invariantFault("NaN is finite", "x-x != 0 { // NaN", "x == x && x-x != 0 { // NaN"),
	invariantFault("only the first field must be finite", "for f := range k.of {\n\t\t\to :=", "for f := range k.of[:1] {\n\t\t\to :="),
	invariantFault("a field that is not finite in its last element is not shown", "uintptr(e)*o.field.Stride)); math.IsNaN", "0*uintptr(e))); math.IsNaN"),
	invariantFault("fields that are infinite are not shown", "math.IsNaN(x) || math.IsInf(x, 0)", "math.IsNaN(x)"),
	invariantFault("handles are compared as float64", "exact := k.left.field.Kind == Ref && k.right.field.Kind == Ref", "exact := false"),
	invariantFault("handles of later blocks are those of the first", "k.left.at(columns, first+i)", "k.left.at(columns, i)"),
	invariantFault("equal handles are unequal ones", "same != (k.op == equalTo)", "same == (k.op == equalTo)"),
	invariantFault("== is ~=", "bit(x == b[i])", "bit(x != b[i])"),
	invariantFault("~= is ==", "bit(x != b[i])", "bit(x == b[i])"),
	invariantFault("< is <=", "bit(x < b[i])", "bit(x <= b[i])"),
	invariantFault("<= is <", "bit(x <= b[i])", "bit(x < b[i])"),
	invariantFault("> is <", "return lessThan.broken(b, a)", "return lessThan.broken(a, b)"),
	invariantFault(">= is <=", "return atMost.broken(b, a)", "return atMost.broken(a, b)"),
	invariantFault("the right side of a comparison is not shown", "[]*operand{&k.left, &k.right}", "[]*operand{&k.left}"),
	invariantFault("the first state is judged", "continue // it has begun since", "was = k.of.at(columns, row); was = unsafe.Pointer(&[1 << 16]byte{})"),
	invariantFault("states are read at the beginning of the value", "unsafe.Add(was, k.of.offset)", "unsafe.Add(was, 0)"),
	invariantFault("staying in a state is a transition", "from != to && ", ""),
	invariantFault("all transitions are permitted", "permitted[from][to/64]>>(to%64)&1 == 0", "permitted[from][to/64]>>(to%64)&1 == 7"),
	invariantFault("transitions are read the wrong way round", "k.permitted[from][to/64]>>(to%64)", "k.permitted[to][from/64]>>(from%64)"),
	invariantFault("states beyond the 64th are those before", "k.permitted[from][to/64]", "k.permitted[from][0]"),
	invariantFault("a function is asked about the first row only", "!k.holds(unsafe.Add(columns[0], uintptr(row)*k.size))", "!k.holds(unsafe.Add(columns[0], 0))"),
	invariantFault("what a function allows is reported", "if !k.holds(unsafe.Add(", "if k.holds(unsafe.Add("),
	invariantFault("arrays are shown as a number", "f.Kind > Enum || f.Len > 0 {", "f.Kind > Enum {"),
	invariantFault("a view's function gets the first row only", "uintptr(row)*f.info.size)", "0*f.info.size)"),
	invariantFault("a view's function gets no optional components", "columns[i] != nil {\n\t\t\t\t*(", "columns[i] != nil && i == 0 {\n\t\t\t\t*("),

	violationFault("rules are checked in no step", "v.look(r, r.changed, w.options.MaxViolations)", "_ = r"),
	violationFault("all chunks are checked in each step", "v.look(r, r.changed, w.options.MaxViolations)", "v.look(r, r.all, w.options.MaxViolations)"),
	violationFault("reports have no bound", "if r.count++; len(r.found) == r.most {", "if r.count++; false {"),
	violationFault("a field that has moved is looked for where it was", "if r.era != r.eras() {\n\t\tr.bind(w)\n\t}\n\tif r.check == nil {\n\t\treturn", "if r.check == nil {\n\t\treturn"),
	violationFault("states are not followed", "k.history.follow(c, r.columns[0])", "_ = k"),
	violationFault("what a step has no time for is not checked", "\t\tp.chunks = append(p.chunks, at)\n", ""),
	violationFault("rows of spans are not kept for later", "\tp.rows = append(p.rows, c.Entities()...)\n", ""),
	violationFault("a step checks whole chunks", "n = int(min(int64(n), v.left/cost+1))", "n = c.n"),
	violationFault("the rest of a chunk is its beginning", "waitingChunk{c.unit, c.first, c.serial}", "waitingChunk{c.unit, 0, c.serial}"),
	violationFault("rows of a chunk that has grown are not looked at again", "\t\t\tp.again = true\n", ""),
	violationFault("a step checks all rows that wait", "len(p.rows) > 0 && v.left > 0", "len(p.rows) > 0"),
	violationFault("each step begins with the first rule", "first, n := v.next, len(v.rules)", "first, n := 0, len(v.rules)"),
	violationFault("chunks of others are taken for those that waited", " || s.chunks[at.unit].serial != at.serial {", " {"),
	violationFault("strict worlds check a part", "if v.allowed > 0 && !w.options.StrictInvariants {", "if v.allowed > 0 {"),
	violationFault("nothing is behind", "\treturn v.behind\n", "\treturn 0\n"),
	violationFault("a function that panics has seen all rows", "r.changed.since = since //", "_ = since //"),
	violationFault("strict worlds fail no step", "if w.options.StrictInvariants {", "if false {"),
	violationFault("functions that were removed are called", "\t\tif h.report == nil {\n\t\t\tcontinue\n\t\t}\n\t\thold", "\t\tif h.report == nil {\n\t\t\th.report = func(*Violation) { panic(\"removed\") }\n\t\t}\n\t\thold"),
	violationFault("the world may be changed by who gets a violation", "\t\thold := w.hold()\n\t\tstack, err := protect(func() error { h.report(x); return nil })\n\t\thold.Release()\n", "\t\tstack, err := protect(func() error { h.report(x); return nil })\n"),
	violationFault("the host is taken for the last run", "\t\tw.version++\n\t\tv.note(systemRun{version: w.version})\n", ""),
	violationFault("who has written with an earlier version is named", "w.invariants.writers(r, stamped)", "w.invariants.writers(r, 1)"),
	violationFault("violations of a tick are not in its report", "w.schedule.telemetry.report.Violations += r.count", "_ = r.count"),
	violationFault("rules of a view are about entities that lack a component", "required = append(required, t)", "optional = append(optional, t)"),
	violationFault("a restore is not followed by a look at all rows", "\tfor _, r := range v.rules {\n\t\tr.bind(w)\n\t}\n", ""),

	invariantFault("a lower bound is not rounded", "lo: of.rounded(lo)", "lo: lo"),
	invariantFault("an upper bound is not rounded", "hi: of.rounded(hi)", "hi: hi"),
	ruleFault("a constant is not rounded", "value: of.rounded(v)}", "value: v + of.value}"),
	ruleFault("the bounds of an f64 are rounded", "if o.field.Kind == F32 {", "if o.field.Kind == F64 {"),
	ruleFault("a range may hold no number", "if !(min <= max) {", "if false {"),
	ruleFault("whole numbers may be finite", "if of.field.Kind != F32 && of.field.Kind != F64 {", "if false {"),
	ruleFault("fields of nested structs need not be finite", "case f.Kind == Struct && f.Len == 0:", "case false:"),
	ruleFault("Finite of no field is a rule", "if len(check.of) == 0 {", "if false {"),
	ruleFault("the order of a map is in the text", "\tslices.Sort(from)\n", ""),
	ruleFault("a function is about any type", "case b.of.typ != reflect.TypeFor[T]():", "case false:"),
	ruleFault("a field of another component is one of this", "field, offset, err = fieldAt(of.schema, rest)", "field, offset, err = fieldAt(b.of.schema, rest)"),
	ruleFault("a nested field lies where it lies in its struct", "if offset += at.Offset; !dotted {", "if offset = at.Offset; !dotted {"),
	ruleFault("what is no struct has fields", "i < 0 || at.Kind != Struct || at.Len > 0", "i < 0"),
	ruleFault("texts are compared", "case field.Kind < Bool || field.Kind > Enum:", "case false:"),
	ruleFault("< is read as <=", "\"<\": lessThan, \"<=\": atMost", "\"<\": atMost, \"<=\": atMost"),
	ruleFault("<= is read as <", "\"<\": lessThan, \"<=\": atMost", "\"<\": lessThan, \"<=\": lessThan"),
	ruleFault("> is read as >=", "\">\": moreThan, \">=\": atLeast", "\">\": atLeast, \">=\": atLeast"),
	ruleFault(">= is read as >", "\">\": moreThan, \">=\": atLeast", "\">\": moreThan, \">=\": moreThan"),
	ruleFault("!= is read as ==", "\"!=\": unequalTo", "\"!=\": equalTo"),
	ruleFault("a second operator is passed over", " || strings.ContainsAny(right, \"=<>~!\") {", " {"),
	ruleFault("true is false", "value: truth(text == \"true\")", "value: truth(text == \"false\")"),
	ruleFault("all words are the first one", "value: float64(i)}, nil", "value: 0}, nil"),
	ruleFault("arrays are compared", "case l.field.Len > 0 || r.field.Len > 0:", "case false:"),
	ruleFault("words have an order", "\tcase ordered:\n", "\tcase false:\n"),
	ruleFault("words of two lists are compared", " && (l.field.Kind != Enum || slices.Equal(l.field.Names, r.field.Names)):", ":"),
	ruleFault("a transition is read the wrong way round", "check.permitted[i][j/64] |= 1 << (j % 64)", "check.permitted[j][i/64] |= 1 << (i % 64)"),
	ruleFault("the first byte of a value is its state", "shadow.Piece{{From: at, To: at + 1}}", "shadow.Piece{{From: 0, To: 1}}"),
	ruleFault("the states of another component are followed", "case b.of.heap || len(b.reads) > 1:", "case b.of.heap:"),
	ruleFault("the zero Invariant is one", "\t\tif i.make == nil {\n", "\t\tif false {\n"),
	ruleFault("a component gets an invariant twice", "known := func(r *rule) bool { return r.of == c && r.owner == owner && r.same(i) }", "known := func(r *rule) bool { return false }"),
	ruleFault("an invariant of somebody else is the owner's", "known := func(r *rule) bool { return r.of == c && r.owner == owner && r.same(i) }", "known := func(r *rule) bool { return r.of == c && r.same(i) }"),
	ruleFault("an owner has one invariant for each component", "known := func(r *rule) bool { return r.of == c && r.owner == owner && r.same(i) }", "known := func(r *rule) bool { return r.of == c && r.owner == owner }"),
	ruleFault("invariants that stay begin anew", "return r.owner == owner && !slices.ContainsFunc(list, func(o Owned) bool { return r.of.id == o.Component && r.same(o.Invariant) })", "return r.owner == owner"),
	ruleFault("invariants of other owners are taken away", "return r.owner == owner && !slices.ContainsFunc(list,", "return !slices.ContainsFunc(list,"),
	ruleFault("an owner's invariants stay for ever", "return r.owner == owner && !slices.ContainsFunc(list,", "return false && !slices.ContainsFunc(list,"),
	ruleFault("an owner's invariants are not looked at before they are in force", "err = w.refuseInvariants([]Invariant{o.Invariant}, c)", "_ = c"),
	ruleFault("nobody may own invariants", "\tif owner == \"\" {\n", "\tif false {\n"),
	ruleFault("invariants are declared while systems run", "\tif w.frozen.on {\n\t\treturn fmt.Errorf(\"%w: invariants are declared", "\tif false {\n\t\treturn fmt.Errorf(\"%w: invariants are declared"),
	ruleFault("two functions are the same", " && i.kind != holdsInvariant && ", " && "),
	ruleFault("invariants of two names are the same", "i.name == as.name && ", ""),
	ruleFault("invariants of two texts are the same", " && i.text == as.text", ""),
}

// TestInvariantFaultsCanBePlanted: each fault is about text that is there.
func TestInvariantFaultsCanBePlanted(t *testing.T) { planted.Stand(t, invariantFaults) }

// TestTheTestsFindInvariantFaults builds the package with each of the faults in turn: a test about invariants
// must fail. It takes some minutes, so it runs only when asked for:
//
//	go test -count=1 ./ecs -run FindInvariantFaults -faults -timeout 0 -v
func TestTheTestsFindInvariantFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the core once for each fault")
	}
	planted.Find(t, invariantFaults, "-skip", "Faults", "-run", "Invariant|Violation|States|Reports", ".", "./snapshot")
}
