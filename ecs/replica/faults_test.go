package replica_test

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantFaults = flag.Bool("faults", false, "build package replica with one fault after the other and demand that its tests find it")

// fault is a mistake of this package.
func fault(what, file, old, new string) planted.Fault {
	return planted.Fault{Says: what, File: "ecs/replica/" + file, Old: old, New: new}
}

// faults are what a hand could leave out: parts of a state, sums, bounds, the order of messages.
var faults = []planted.Fault{
	fault("a message that was changed on its way is taken", "message.go", "crc32.Checksum(message[:end], castagnoli) != binary", "len(message) == 0 && crc32.Checksum(message[:end], castagnoli) != binary"),
	fault("a state that has become another one is taken", "replica.go", "sum != f.Sum {", "sum != f.Sum && f.Sum == 0 {"),
	fault("parts are not part of the sum", "message.go", "sum += parts[i].summed()", "sum = parts[i].summed()"),
	fault("where a part is does not count in the sum", "fragments.go", "uint64(p.key)*0x9e3779b97f4a7c15 + ", ""),
	fault("a message that comes twice is applied", "replica.go", "case same && f.Number <= r.number:", "case same && f.Number < r.number:"),
	fault("an older message is applied", "replica.go", "case same && f.Number <= r.number:", "case same && f.Number == r.number:"),
	fault("a missing message is not noticed", "replica.go", "case f.Number != r.number+1:", "case f.Number < r.number:"),
	fault("messages of another primary are taken", "replica.go", "case !same:", "case false:"),
	fault("a delta without a full message is taken", "replica.go", "case r.said == nil:", "case false:"),
	fault("a full message does not make the next delta fit", "replica.go", "r.source, r.number, r.tick, r.said, r.parts = f.Primary, f.Number, f.Tick, said, parts", "r.source, r.number, r.tick, r.said, r.parts = f.Primary, f.Number-f.Flags&fullFlag, f.Tick, said, parts"),
	fault("what the tick is goes wrong", "replica.go", "r.source, r.number, r.tick, r.said, r.parts = f.Primary, f.Number, f.Tick, said, parts", "r.source, r.number, r.said, r.parts = f.Primary, f.Number, said, parts"),
	fault("the head may contradict its state", "replica.go", "if state.Clock.Tick != f.Tick || uint64(state.Tag) != f.Tag {", "if state.Clock.Tick == f.Tick+1<<60 {"),
	fault("a message may become any size", "message.go", "if f.Length > uint64(most) {", "if f.Length > uint64(most)<<20 {"),
	fault("compressed bytes may be fewer than they say", "message.go", "if err != nil || uint64(len(plain)) != f.Length {", "if err != nil {"),
	fault("parts may come in any order", "message.go", "if k < last || up == 0 && !first {", "if up == 0 && !first {"),
	fault("a part may come twice", "message.go", "if k < last || up == 0 && !first {", "if k < last || up == 0 && first {"),
	fault("parts may have any number of bytes", "message.go", "unsafe.Sizeof(fragment{}))); most < 0 {", "unsafe.Sizeof(fragment{}))); most < -1<<40 {"),
	fault("parts that stay do not count", "message.go", "return parts, add(before...)", "return append(parts, before...), nil"),
	fault("parts in the middle that stay do not count", "message.go", "if err := add(before[:n]...); err != nil {\n\t\t\treturn nil, err\n\t\t}", "parts = append(parts, before[:n]...)"),
	fault("a part without bytes takes nothing", "message.go", "sizeOf(list) + len(list)*int(unsafe.Sizeof(fragment{}))", "sizeOf(list) + 0*int(unsafe.Sizeof(fragment{}))"),
	fault("a patch may make a part of any size", "message.go", "if size > uint64(most) {", "if size > uint64(most)<<20 {"),
	fault("a part that is gone stays", "message.go", "\tfor i := range before {\n\t\tbegin(before[i].key, dropped)\n\t}\n", ""),
	fault("parts in the middle that are gone stay", "message.go", "\t\t\tbegin(before[0].key, dropped)\n", ""),
	fault("a run begins too late", "diff.go", "done, begin = max(end, done), at\n\t\t}\n\t\tend = min(at+word, n)", "done, begin = max(end, done), at+1\n\t\t}\n\t\tend = min(at+word, n)"),
	fault("the second word of two is not compared", "diff.go", "} else if x != 0 {", "} else if x == 1 {"),
	fault("what is behind the last word is not compared", "diff.go", "for ; at < n; at += word {", "for ; at+word <= n; at += word {"), // it is sent always
	fault("what is behind the last word is never sent", "diff.go", "string(a[at:end]) != string(b[at:end])", "end-at == word && string(a[at:end]) != string(b[at:end])"),
	fault("the first run begins at the first word", "diff.go", "if at-end > word || begin == end {", "if at-end > word {"),
	fault("what a part has grown by begins at the first word", "diff.go", "if n-end > word || begin == end {", "if n-end > word {"),
	fault("single words that stay are not put into a run", "diff.go", "if at-end > word || begin == end {", "if at > end || begin == end {"),
	fault("a part that has grown is cut", "diff.go", "\t\tend = len(part)\n", ""),
	fault("a difference may write behind its part", "diff.go", "|| count > uint64(len(difference)) {", "{"),
	fault("entities lose their lives", "fragments.go", "c.add(keyOf(livesPart, 0, 0, 0), capture.Bytes(s.Lives))", "c.add(keyOf(livesPart, 0, 0, 0), capture.Bytes(s.Deaths))"),
	fault("the order of free slots is forgotten", "fragments.go", "c.add(keyOf(freePart, 0, 0, 0), capture.Bytes(s.Free))", "c.add(keyOf(freePart, 0, 0, 0), nil)"),
	fault("handles that are nowhere are forgotten", "read.go", "s.Reserved, err = words[uint64](j, keyOf(reservedPart, 0, 0, 0))", "_, err = words[uint64](j, keyOf(reservedPart, 0, 0, 0))"),
	fault("how often functions have run is forgotten", "read.go", "j.json(keyOf(runsPart, 0, 0, 0), &j.state.Clock.Runs)", "j.json(keyOf(runsPart, 0, 0, 0), &map[string]uint64{})"),
	fault("random numbers begin anew", "read.go", "Seed: h.Seed, Random: h.Random,", "Seed: h.Seed, Random: own.Random,"),
	fault("the time that is owed is forgotten", "read.go", "Owed: capture.Float(math.Float64frombits(h.Owed))", "Owed: 0"),
	fault("the moves are forgotten", "read.go", "Moves: h.Moves, AllMoves: h.AllMoves", "Moves: h.Moves"),
	fault("how many rows groups have is forgotten", "read.go", "j.state.Components[i].InAll = int(min(w[2*i+1], math.MaxInt32))", "j.state.Components[i].InAll = 0"),
	fault("policies are forgotten", "read.go", "Policy: uint8(w[2*i+1])", "Policy: 0"),
	fault("what queries have seen is forgotten", "read.go", "j.json(keyOf(lookPart, i, 0, 0), &st.Looks[i])", "j.json(keyOf(lookPart, i, 0, 0), &capture.Look{})"),
	fault("events are forgotten", "read.go", "s.Data = slices.Clone(data)", "s.Data = slices.Clone(data[:0])"),
	fault("systems forget the time since they ran", "read.go", "s.Elapsed, s.Phase = capture.Float(math.Float64frombits(w[0])), ", "s.Elapsed, s.Phase = 0*capture.Float(w[0]), "),
	fault("systems forget how often they ran", "read.go", "s.Runs, s.Skipped, s.Disabled = w[2], w[3], w[4] != 0", "s.Skipped, s.Disabled = w[3], w[4] != 0"),
	fault("systems forget that they are disabled", "read.go", "s.Runs, s.Skipped, s.Disabled = w[2], w[3], w[4] != 0", "s.Runs, s.Skipped = w[2], w[3]"),
	fault("the health of systems is forgotten", "read.go", "j.json(keyOf(healthPart, i, 0, 0), &st.Systems[i].Breaker)", "j.json(keyOf(healthPart, i, 0, 0), &capture.Breaker{})"),
	fault("the health of observers is forgotten", "read.go", "j.json(keyOf(watcherPart, i, 0, 0), &st.Watchers[i])", "j.json(keyOf(watcherPart, i, 0, 0), &capture.Breaker{})"),
	fault("changes that wait are forgotten", "read.go", "j.state.Notices = append(j.state.Notices, list[i].Notice)", "_ = list[i].Notice"),
	fault("removed values are forgotten", "fragments.go", "n.There, n.Data = true, n.Value", "n.There = false"),
	fault("who is to die is forgotten", "read.go", "j.state.Deferred, err = words[uint64]", "_, err = words[uint64]"),
	fault("how far readers have come is forgotten", "read.go", "s.Schema, s.Type = own.Streams[i].Schema, own.Streams[i].Type", "s.Schema, s.Type, s.Readers = own.Streams[i].Schema, own.Streams[i].Type, nil"),
	fault("the health of subscribers is forgotten", "read.go", "s.Schema, s.Type = own.Streams[i].Schema, own.Streams[i].Type", "s.Schema, s.Type, s.Subscribers = own.Streams[i].Schema, own.Streams[i].Type, nil"),
	fault("which observers a change is for is forgotten", "read.go", "j.state.Notices = append(j.state.Notices, list[i].Notice)", "list[i].Passed = nil\n\t\tj.state.Notices = append(j.state.Notices, list[i].Notice)"),
	fault("removed values with Go pointers are forgotten", "fragments.go", "\t\t\tn.There = true\n", ""),
	fault("when slots were freed is forgotten", "fragments.go", "capture.Bytes(s.Deaths))", "capture.Bytes(make([]uint32, len(s.Deaths))))"),
	fault("the time is forgotten", "read.go", "Tick: h.Tick, Time: capture.Float(math.Float64frombits(h.Time))", "Tick: h.Tick, Time: capture.Float(h.Tick)"),
	fault("the moves of the tick are forgotten", "read.go", "Before: h.Before, Moves: h.Moves,", "Moves: h.Moves,"),
	fault("the seed is forgotten", "read.go", "Seed: h.Seed, Random: h.Random,", "Seed: own.Seed, Random: h.Random,"),
	fault("when columns were written is forgotten", "read.go", "Versions: slices.Clone(row[2:])", "Versions: make([]uint64, len(row[2:]))"),
	fault("when values with Go pointers were written is forgotten", "read.go", "capture.Typed{Component: kept[i], Version: w[1],", "capture.Typed{Component: kept[i],"),
	fault("where in their intervals systems are is forgotten", "read.go", ", capture.Float(math.Float64frombits(w[1]))", ", 0"),
	fault("which turns systems have skipped is forgotten", "read.go", "s.Runs, s.Skipped, s.Disabled = w[2], w[3], w[4] != 0", "s.Runs, s.Disabled = w[2], w[4] != 0"),
	fault("resources are forgotten", "read.go", "Name: said.Name, Saved: v.Interface()", "Name: said.Name, Saved: reflect.New(own.Resources[at].Type).Interface()"),
	fault("sizes of chunks are forgotten", "read.go", "r.Layouts = int(w[0])", "r.Layouts = 1"),
	fault("chunks that are kept for later are forgotten", "read.go", "r.Spare = append(r.Spare, int(min(class, math.MaxInt32)))", "_ = class"),
	fault("parts may be left over", "read.go", "if j.at != len(parts) {", "if j.at > len(parts) {"),
	fault("what is counted may take any memory", "read.go", "j.charge(countedRoom * int(n))", "j.charge(0 * int(n))"),
	fault("chunks may take any memory", "read.go", "j.charge((chunkRoom + columnRoom*s.columns) * s.chunks)", "j.charge((chunkRoom + columnRoom*s.columns) * 0)"),
	fault("shapes of sets may take any memory", "read.go", "j.charge(shapeRoom * len(w))", "j.charge(0 * len(w))"),
	fault("messages are not compressed", "message.go", "\tif compress {", "\tif compress && f.Flags > 1<<10 {"),
	fault("primaries of closed worlds are made", "primary.go", "errors.Is(err, ecs.ErrClosed) {", "errors.Is(err, ecs.ErrRange) {"),
	fault("replicas of closed worlds are made", "replica.go", "case errors.Is(err, ecs.ErrClosed):", "case errors.Is(err, ecs.ErrRange):"),
	fault("limits may be negative", "replica.go", "case options.Bytes < 0:", "case options.Bytes < -10:"),
	fault("the size of a state is told wrongly", "primary.go", "n += len(parts[i].bytes)", "n = max(n, len(parts[i].bytes))"),
	fault("there may be any number of parts of a kind", "read.go", "if count > n {", "if count > n+1<<62 {"),
	fault("a message that was refused leaves its parts", "replica.go", "if err := r.become(parts, said, &f); err != nil {", "if r.parts = parts; false {\n\t\treturn nil\n\t}\n\tif err := r.become(parts, said, &f); err != nil {"),
	fault("a message that was refused leaves its number", "replica.go", "if err := r.become(parts, said, &f); err != nil {", "r.number = f.Number\n\tif err := r.become(parts, said, &f); err != nil {"),
	fault("other versions of the format are read", "message.go", "case message[len(magic)] != version:", "case message[len(magic)] < version:"),
	fault("flags may be anything", "message.go", "f.Flags&^(fullFlag|compressedFlag) != 0", "f.Flags == 1<<60"),
	fault("a state may have no number", "message.go", "|| f.Number == 0 ||", "||"),
	fault("a message may have other bytes than it says", "message.go", "uint64(len(payload)) != f.Length", "uint64(len(payload)) == f.Length+1<<60"),
	fault("compressed bytes may be more than they say", "message.go", "if err != nil || uint64(len(plain)) != f.Length {", "if err != nil || uint64(len(plain)) < f.Length {"),
	fault("a part that is not there may go", "message.go", "case !found && op != replaced:", "case !found && op == patched:"),
	fault("anything may become of a part", "message.go", "case op > patched:", "case op > patched<<20:"),
	fault("a declaration may take any memory", "replica.go", "if int64(len(text)) > r.options.Bytes/jsonRoom {", "if int64(len(text)) > r.options.Bytes {"),
	fault("resources that are not there are not missed", "declaration.go", "if r.in(own) < 0 {", "if r.Type == \"\" {"),
	fault("bytes between fields that are defined at run time are sent", "interest.go", "list = append(list, stretch{at, f.Kind.Size()})", "list = append(list, stretch{at - min(at, 7), f.Kind.Size() + min(at, 7)})"),
	fault("random numbers begin anew with an interest", "read.go", "own.Streams, own.Seed, own.Random", "own.Streams, own.Seed, st.Random"),
	fault("bools may be any byte", "../schema/schema.go", "int(v) > most {", "int(v) > most+254 {"),
	fault("enums may be any byte", "../schema/schema.go", "most = len(f.Names) - 1", "most = 255"),
	fault("bools in structs may be any byte", "../schema/schema.go", "owner+f.Offset+uintptr(e)*f.Stride); err != nil {", "owner+f.Offset+uintptr(e)*f.Stride); err != nil && false {"),
	fault("JSON may take any memory", "read.go", "if j.budget -= jsonRoom * len(text); j.budget < 0 {", "if j.budget -= len(text) / 64; j.budget < 0 {"),
	fault("an interest may have any number of slots", "read.go", "if j.budget -= 12 * int(n); j.budget < 0 {", "if j.budget < 0 {"),
	fault("components with other fields are taken", "declaration.go", "case !reflect.DeepEqual(mine.Components[at], c):", "case false:"),
	fault("components in another order are taken", "declaration.go", "case mine.Components[at].Name != c.Name:", "case mine.Components[at].Name == c.Name+\" \":"),
	fault("more components than the primary has are taken", "declaration.go", "n > len(ids) {", "n > len(ids)+1<<20 {"),
	fault("other events are taken", "declaration.go", "if !reflect.DeepEqual(mine.Events, d.Events) {", "if false {"),
	fault("a component may be declared twice", "declaration.go", "if slices.Contains(ids, at) {", "if false {"),
	fault("prefabs are sent", "interest.go", "|| raw.IsPrefab(e) {", "{"),
	fault("dead entities are sent", "interest.go", "|| !v.world.Alive(e) ", ""),
	fault("who has left an area stays", "interest.go", "\tv.all.sweep(v.turn)\n", ""),
	fault("rows of who has left stay", "interest.go", "\tfor _, t := range v.sets {\n\t\tt.rows.sweep(v.turn)\n\t}\n", ""),
	fault("rows of pools of who has left stay", "interest.go", "\t\tif c.pool != nil {\n\t\t\tc.pool.rows.sweep(v.turn)\n\t\t}\n", ""),
	fault("bytes between fields are sent", "interest.go", "list = append(list, stretch{at, t.Size()})", "list = append(list, stretch{at &^ 7, t.Size()})"),
	fault("links to entities that are not sent are sent", "interest.go", "if target == 0 || !v.all.seen(target, v.turn) {", "if target == 0 {"),
	fault("links have no way back", "interest.go", "l.Target, l.Prev = uint64(target), of.Last", "l.Target = uint64(target)"),
	fault("values of the heap are taken from the wrong rows", "fragments.go", "row := at; row < min(at+heapBlock, n); row++", "row := at; row < min(at+heapBlock, n); row += 1 + row%2"),
	fault("a state that could not be encoded is the base of the next delta", "primary.go", "\t\ts.before = nil // the snapshot", "\t\t_ = 0 // the snapshot"),
	fault("something registered goes unsaid", "primary.go", "full := was == nil || string(said) != string(s.said)", "full := was == nil"),
	fault("the columns of the last message are filled again", "primary.go", "\tcase s.captured:\n\t\terr = s.now.Update(s.world) // in the other one are columns of the last message\n", ""),
}

// TestFaultsCanBePlanted: the file of each fault exists and has the piece that is replaced.
func TestFaultsCanBePlanted(t *testing.T) { planted.Stand(t, faults) }

// TestTheTestsFindFaults builds this package with each of the faults in turn: a test of it must fail.
//
//	go test -count=1 ./ecs/replica -run FindFaults -faults -timeout 0 -v
func TestTheTestsFindFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the package once for each fault")
	}
	planted.Find(t, faults, "-skip", "Faults", ".")
}
