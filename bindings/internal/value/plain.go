package value

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// Plain data is numbers, strings, booleans and tables of them: what may outlive a call, or the
// script that has made it. A function in it would keep the old script alive.

// CopyPlain copies plain data. fail raises the error of a value that is not plain, nests
// too deep or is too large.
func CopyPlain(L *lua.LState, v lua.LValue, fail func(format string, v ...any)) lua.LValue {
	c := &plainCopy{L, fail, MaxEntries}
	return c.copied(v, 0)
}

// plainCopy is one copy of plain data.
type plainCopy struct {
	L    *lua.LState
	fail func(format string, v ...any)
	left int // entries that it may still have
}

// copied copies a value that is so deep in the data.
func (c *plainCopy) copied(v lua.LValue, depth int) lua.LValue {
	switch v := v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return v
	case *lua.LTable:
		NotOver(c.L, v)
		if depth > MaxNesting {
			c.fail("data nests deeper than %d levels, or contains itself", MaxNesting)
		}
		if scripted(v) {
			c.fail("expected plain data (numbers, strings, booleans, tables of them), got a table with a metatable, which would be lost: keep its values, and set the metatable where they are used")
		}
		t := c.L.CreateTable(proxy.Unwrap(v).Len(), 0)
		proxy.Pairs(v, func(k, item lua.LValue) {
			if c.left--; c.left < 0 {
				c.fail("data has more than %s entries", diag.Grouped(MaxEntries))
			}
			Charge(c.L, StepsPerEntry)
			t.RawSet(c.copied(k, depth+1), c.copied(item, depth+1))
		})
		return t
	}
	c.fail("expected plain data (numbers, strings, booleans, tables of them), got %s", Describe(v))
	return nil
}

// scripted reports whether a table has a metatable of a script's, and not one that says what the table stands
// for.
func scripted(t *lua.LTable) bool {
	return lua.Metatable(t) != lua.LNil && proxy.Own(t) && !proxy.State(t) && !proxy.Copy(t) && proxy.Data(t) == "" && proxy.Says(t, proxy.NoListKey) == ""
}

// NotOver raises an error for a loan that is over.
func NotOver(L *lua.LState, v lua.LValue) {
	if t, ok := v.(*lua.LTable); ok && lua.Metatable(t) != lua.LNil {
		if why := proxy.Over(t); why != "" {
			fault.Raisef(L, "%s", why)
		}
	}
}

// SamePlain compares plain data.
func SamePlain(a, b lua.LValue) bool {
	s, ok := a.(*lua.LTable)
	t, both := b.(*lua.LTable)
	if !ok || !both {
		return a == b
	}
	same, n := true, 0
	proxy.Pairs(s, func(k, v lua.LValue) { n, same = n+1, same && SamePlain(v, t.RawGet(k)) })
	proxy.Pairs(t, func(lua.LValue, lua.LValue) { n-- })
	return same && n == 0
}

// CopyTables copies a table and those in it, whatever else a handler may have put there
// too: only the tables are its own. They may nest without end, so it does not recurse.
func CopyTables(L *lua.LState, v lua.LValue) lua.LValue {
	copies := map[*lua.LTable]*lua.LTable{}
	var left []*lua.LTable
	copied := func(v lua.LValue) lua.LValue {
		from, ok := v.(*lua.LTable)
		if !ok || proxy.Data(from) != "" { // which never changes
			return v
		}
		if copies[from] == nil {
			copies[from] = L.NewTable()
			left = append(left, from)
		}
		return copies[from]
	}
	result := copied(v)
	for len(left) > 0 {
		from := left[len(left)-1]
		left = left[:len(left)-1]
		to := copies[from]
		if !proxy.State(from) {
			lua.SetMetatable(to, lua.Metatable(from))
		}
		proxy.Pairs(from, func(k, item lua.LValue) {
			Charge(L, StepsPerEntry)
			to.RawSet(copied(k), copied(item))
		})
	}
	return result
}

const (
	// maxHandover bounds how many entries a version hands over.
	maxHandover = 250_000
	// handoverTable and handoverEntry are about what a copy takes, in bytes.
	handoverTable = 300
	handoverEntry = 64
	// maxLeft is how many of the things that are left behind are named.
	maxLeft = 5
)

// handover copies what a version hands over to the next: numbers, strings, booleans and
// tables of them, which may contain each other and themselves. What else there is would
// be code of the old version, or lead to it: it is left behind, and named.
type handover struct {
	L     *lua.LState
	fail  func(format string, v ...any) // raises an error
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

// HandOver returns the copy, and what is left behind, in words. fail raises the error of a
// value that is too large.
func HandOver(L *lua.LState, v lua.LValue, fail func(format string, v ...any)) (handed lua.LValue, left string) {
	h := &handover{L: L, fail: fail, made: map[*lua.LTable]*lua.LTable{}}
	handed = h.copied(v, "")
	for len(h.queue) > 0 {
		next := h.queue[0]
		h.queue = h.queue[1:]
		proxy.Pairs(next.from, func(k, item lua.LValue) { h.entry(next, k, item) })
	}
	if h.more > 0 {
		h.left = append(h.left, fmt.Sprintf("%s more", diag.Grouped(int64(h.more))))
	}
	return handed, strings.Join(h.left, "; ")
}

// entry copies one entry of a table into its copy.
func (h *handover) entry(in pendingCopy, k, item lua.LValue) {
	if h.count++; h.count > maxHandover {
		h.fail("what is handed over has more than %s entries", diag.Grouped(maxHandover))
	}
	Charge(h.L, StepsPerEntry)
	ChargeBytes(h.L, handoverEntry)
	path := in.path + fault.Index(k)
	if name, ok := k.(lua.LString); ok {
		path = strings.TrimPrefix(in.path+"."+diag.Cut(string(name)), ".")
	}
	key := h.copied(k, path+" (the key)")
	if key == lua.LNil {
		return
	}
	in.to.RawSet(key, h.copied(item, path))
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
		if lua.Metatable(v) != lua.LNil && proxy.Over(v) != "" {
			h.leave(path, "it was over with its call")
			return lua.LNil
		}
		if lua.Metatable(v) != lua.LNil && proxy.Unwrap(v) == v && !proxy.State(v) && proxy.Data(v) == "" {
			h.leave(path, "its metatable; its entries are handed over")
		}
		ChargeBytes(h.L, handoverTable)
		t := h.L.NewTable()
		h.made[v] = t
		h.queue = append(h.queue, pendingCopy{v, t, diag.CutAt(path, longestPath)})
		return t
	}
	h.leave(path, Describe(v))
	return lua.LNil
}

// longestPath is where the names of deep entries are cut.
const longestPath = 80

// leave notes what is left behind, and why.
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
