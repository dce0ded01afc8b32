package tx

import lua "github.com/yuin/gopher-lua"

// Written is one write into a state table: what the key held before.
type Written struct {
	Content  *lua.LTable
	Key, Old lua.LValue
}

// UndoWrites undoes writes, newest first.
func UndoWrites(list []Written) {
	for i := len(list) - 1; i >= 0; i-- {
		Put(list[i].Content, list[i].Key, list[i].Old)
	}
}

// Put sets a key of a content. The last item of a list is taken off: a nil in its
// place would have to be skipped by every # from then on.
func Put(content *lua.LTable, key, given lua.LValue) {
	if n, ok := key.(lua.LNumber); ok && given == lua.LNil && n >= 1 && int(n) == content.Len() && n == lua.LNumber(int(n)) {
		content.RawSetInt(int(n), lua.LNil) // Remove only shortens the list: the value would stay behind its end
		content.Remove(int(n))
		return
	}
	content.RawSet(key, given)
}
