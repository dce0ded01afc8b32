// Package heapsize counts the memory that the variables of scripts hold.
//
// There are two nouns.
//
//   - An [Owner] is a script with the values that it starts from.
//   - A [Walk] follows the values of all owners, some at a time: fields of tables,
//     variables of functions, the stacks of coroutines. A value that several owners
//     can reach belongs to the first of them.
//
// The sizes are those of a model: about as many bytes as the Go runtime needs for the same
// values, and the same number on every computer. Scripts run between two steps of a walk.
// So the result is exact for values that did not change in the meantime. A value that is
// there before the walk begins, and stays, is always counted.
package heapsize

import "github.com/perigee-ecs/perigee/bindings/lua"

// Owner is a script.
type Owner struct {
	// Env holds its globals. No other owner is charged for values that only they lead to.
	Env *lua.LTable
	// Sources are the other values that it starts from.
	Sources []Root
}

// Root is a value by which a script holds others, with its name for messages.
type Root struct {
	Name  string
	Value lua.LValue
}

// Holder is the Go value of a userdata that knows how much memory it takes. A function of Go
// that holds values has them, or such a userdata, among its captured variables.
type Holder interface {
	// Held returns how many bytes it takes. It leads to no values of scripts.
	Held() int64
}

// Walk follows the values of owners. The zero Walk has none, and is done.
//
// Invariant: what is ahead was reached from the current owner and its current source only.
type Walk struct {
	follower
	owners []Owner
	at     int // the current owner
	source int // its next source
	bytes  []int64
	most   []Share // by owner
	part   int64   // bytes that the current source has led to
	taken  int64   // of the follower's bytes: those that belong to an owner
}

// Share is how much one of an owner's sources leads to.
type Share struct {
	Name  string // empty: its globals
	Bytes int64
}

// Begin starts a walk over owners, in the order in which they are charged.
// O(owners).
func (w *Walk) Begin(owners []Owner) {
	w.owners, w.at, w.bytes, w.most = owners, -1, make([]int64, len(owners)), make([]Share, len(owners))
	w.part, w.taken = 0, 0
	w.begin(owners)
}

// Step looks at about n values and reports whether the walk is done. O(n); it allocates
// only to remember the values that it has seen.
func (w *Walk) Step(n int) (done bool) {
	for n > 0 {
		if w.ahead() {
			n -= w.look(n)
			w.charge()
			continue
		}
		n--
		if !w.next() {
			w.end()
			w.owners = nil
			return true
		}
	}
	return false
}

// Bytes returns how many bytes each owner holds. Before the walk is done, it is what was
// found so far.
func (w *Walk) Bytes() []int64 { return w.bytes }

// Most returns for each owner the source that leads to the most. Values that earlier
// sources lead to do not count.
func (w *Walk) Most() []Share { return w.most }

// next goes on to the next source, or to the next owner.
func (w *Walk) next() bool {
	if w.at >= 0 && w.at < len(w.owners) {
		w.settle()
		if o := &w.owners[w.at]; w.source < len(o.Sources) {
			w.push(o.Sources[w.source].Value)
			w.charge()
			w.source++
			return true
		}
	}
	if w.at+1 >= len(w.owners) {
		return false
	}
	w.at++
	w.source = 0
	w.environment(w.owners[w.at].Env)
	w.charge()
	return true
}

// settle compares the bytes of the current source with those of the owner's earlier
// sources. Neighbours of the same name count as one.
func (w *Walk) settle() {
	if all := w.owners[w.at].Sources; w.source > 0 && w.source < len(all) && all[w.source].Name == all[w.source-1].Name {
		return
	}
	if most := &w.most[w.at]; w.part > most.Bytes {
		most.Bytes, most.Name = w.part, ""
		if w.source > 0 {
			most.Name = w.owners[w.at].Sources[w.source-1].Name
		}
	}
	w.part = 0
}

// charge gives the bytes that were found since the last time to the current owner.
func (w *Walk) charge() {
	found := w.found()
	w.bytes[w.at] += found - w.taken
	w.part += found - w.taken
	w.taken = found
}
