package twin

import "fmt"

// Op is one operation: its kind, and four bytes that choose entities, components and
// values. Any five bytes are an operation: numbers are taken modulo what exists.
type Op struct {
	Kind       Kind
	A, B, C, D byte
}

// Kind is the kind of an operation.
type Kind byte

// The kinds of operations. A names an entity, B another; B and C together name
// components; D is the number that values are made from.
const (
	Spawn Kind = iota
	SpawnMany
	SpawnPrefab
	Despawn
	Add
	Remove
	Edit
	SetParent
	MakeRoot
	Reset
	RecordSpawn
	RecordDespawn
	RecordAdd
	RecordRemove
	RecordPatch
	RecordParent
	RecordSend
	RecordDo
	Apply
	Drop
	Look    // iterate a query, and write what it yields
	Refused // try every structural change inside a loop
	OpenReader
	CloseReader
	ReadEvents
	Step
	System // a step in which a system records commands and may fail
	Compact
	Relate   // at a place among the sources
	Traverse // walk a relation in every order
	SetPolicy
	RecordRelate
	SpawnRun // many at once
	Exchange
	Copy
	Reserve
	DespawnLater
	Flush
	DespawnAll
	ExchangeAll
	Grow
	Quiet    // without observers, or with them again; with reports of changes, or without
	Transfer // to another world and back
	Lookup   // one entity in a query
	LookSorted
	SortPool
	Group
	MarkPrefab
	Instantiate
	RecordExchange
	RecordCopy
	RecordLater
	RewindReader   // or remember where it is
	MarkCommands   // remember where the record ends
	RewindCommands // to the mark, or of some that are recorded for it
	Migrate        // other forms for types defined at run time
	Capture        // keep a snapshot
	Restore        // go back to one, or make another world of it
	KindCount
)

var kindNames = [KindCount]string{
	"spawn", "spawn many", "spawn prefab", "despawn", "add", "remove", "edit", "set parent", "make root", "reset",
	"record spawn", "record despawn", "record add", "record remove", "record patch", "record parent", "record send", "record do",
	"apply", "drop", "look", "refused", "open reader", "close reader", "read events", "step", "system", "compact",
	"relate", "traverse", "set policy", "record relate",
	"spawn run", "exchange", "copy", "reserve", "despawn later", "flush", "despawn all", "exchange all", "grow", "quiet", "transfer",
	"lookup", "look sorted", "sort pool", "group", "mark prefab", "instantiate",
	"record exchange", "record copy", "record later",
	"rewind reader", "mark commands", "rewind commands", "migrate", "capture", "restore",
}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k%KindCount] }

// String prints the operation.
func (o Op) String() string { return fmt.Sprintf("%s(%d, %d, %d, %d)", o.Kind, o.A, o.B, o.C, o.D) }

// Decode reads operations from bytes, five for each; a rest is left out.
func Decode(data []byte) []Op {
	ops := make([]Op, 0, len(data)/5)
	for ; len(data) >= 5; data = data[5:] {
		ops = append(ops, Op{Kind(data[0]) % KindCount, data[1], data[2], data[3], data[4]})
	}
	return ops
}

// Encode is the inverse of Decode, for a fuzzer's first inputs.
func Encode(ops []Op) []byte {
	data := make([]byte, 0, len(ops)*5)
	for _, o := range ops {
		data = append(data, byte(o.Kind), o.A, o.B, o.C, o.D)
	}
	return data
}

// kindsOf returns the component kinds that B and C name, of count.
func (o Op) kindsOf(count int) []int {
	bits := int(o.C) | int(o.B)<<8 | int(o.D)<<16
	var ks []int
	for k := range count {
		if bits&(1<<k) != 0 {
			ks = append(ks, k)
		}
	}
	return ks
}
