package bindings

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

const (
	// maxHandover bounds how many entries a version hands over.
	maxHandover = 250_000
	// handoverTable and handedEntry are about what a copy takes, in bytes.
	handoverTable = 300
	handoverEntry = 64
	// maxLeft is how many of the things that are left behind are named.
	maxLeft = 5
)

// handover copies what a version hands over to the next: numbers, strings, booleans and
// tables of them, which may contain each other and themselves. What else there is would
// be code of the old version, or lead to it: it is left behind, and named.
type handover struct {
	a     *args
	made  map[*lua.LTable]*lua.LTable
	queue []pendingCopy
	count int
	left  []string
	more  int // that are left behind and not named
}

// pendingCopy is a table whose copy is still to be filled.
type pendingCopy struct {
	from, to *lua.LTable
	path     string
}

// handOver returns the copy, and what is left behind, in words.
func (a *args) handOver(v lua.LValue) (handed lua.LValue, left string) {
	h := &handover{a: a, made: map[*lua.LTable]*lua.LTable{}}
	handed = h.copied(v, "")
	for len(h.queue) > 0 {
		next := h.queue[0]
		h.queue = h.queue[1:]
		value.Pairs(next.from, func(k, item lua.LValue) { h.entry(next, k, item) })
	}
	if h.more > 0 {
		h.left = append(h.left, fmt.Sprintf("%s more", diag.Grouped(int64(h.more))))
	}
	return handed, strings.Join(h.left, "; ")
}

func (h *handover) entry(in pendingCopy, k, item lua.LValue) {
	if h.count++; h.count > maxHandover {
		h.a.fail("what is handed over has more than %s entries", diag.Grouped(maxHandover))
	}
	value.Charge(h.a.L, stepsPerEntry)
	value.ChargeBytes(h.a.L, handoverEntry)
	path := in.path + pathOf(k, in.path == "")
	key := h.copied(k, path+" (the key)")
	if key == lua.LNil {
		return
	}
	in.to.RawSet(key, h.copied(item, path))
}

// pathOf is how a script writes the access to a key.
func pathOf(k lua.LValue, first bool) string {
	switch k := k.(type) {
	case lua.LString:
		if first {
			return diag.Cut(string(k))
		}
		return "." + diag.Cut(string(k))
	case lua.LNumber, lua.LBool:
		return "[" + k.String() + "]"
	}
	return "[a " + k.Type().String() + "]"
}

// copied returns a value of the new version, nil for what is left behind.
func (h *handover) copied(v lua.LValue, path string) lua.LValue {
	switch v := v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return v
	case *lua.LTable:
		if t := h.made[v]; t != nil {
			return t
		}
		if v.Metatable != lua.LNil && value.Over(v) != "" {
			h.leave(path, "it was over with its call")
			return lua.LNil
		}
		if v.Metatable != lua.LNil && value.Unwrap(v) == v {
			h.leave(path, "its metatable; its entries are handed over")
		}
		value.ChargeBytes(h.a.L, handoverTable)
		t := h.a.L.NewTable()
		h.made[v] = t
		if len(path) > longestPath {
			path = path[:longestPath] + "…"
		}
		h.queue = append(h.queue, pendingCopy{v, t, path})
		return t
	}
	h.leave(path, value.Describe(v))
	return lua.LNil
}

// longestPath is where the names of deep entries are cut.
const longestPath = 80

func (h *handover) leave(path, why string) {
	if len(h.left) >= maxLeft {
		h.more++
		return
	}
	if path == "" {
		path = "all of it"
	}
	h.left = append(h.left, path+": "+why)
}
