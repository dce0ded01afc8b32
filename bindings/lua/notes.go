//go:build !machine

package lua

import "github.com/perigee-ecs/perigee/bindings/vmstate"

// absentKey is the name of a key that was written and came to nil.
type absentKey string

// String implements LValue.
func (k absentKey) String() string { return string(k) }

// Type implements LValue.
func (absentKey) Type() LValueType { return LTString }

// anyAbsent stands in tables that have an absentKey.
const anyAbsent = absentKey("")

// NoteAbsent notes beside a table that a key was written in its constructor, and that its
// value came to nil. No script sees it.
//
// Why in the table's K2i? It says where in the list of keys a key stands, and whoever goes
// through a table goes through the list: a key that is in K2i alone is found by nobody.
func NoteAbsent(t *LTable, key string) {
	in := vmstate.TableOf(t)
	if in.Keys == nil {
		in.Keys = []LValue{} // nil means to the VM that there is no K2i
	}
	if in.K2i == nil {
		in.K2i = map[LValue]int{}
	}
	in.K2i[anyAbsent], in.K2i[absentKey(key)] = 0, 0
}

// Absent returns the keys that were noted, in no order.
func Absent(t *LTable) (keys []string) {
	at := vmstate.TableOf(t).K2i
	if _, some := at[anyAbsent]; !some {
		return nil
	}
	for k := range at {
		if name, ok := k.(absentKey); ok && name != anyAbsent {
			keys = append(keys, string(name))
		}
	}
	return keys
}

// Longest returns the highest index up to which a table may have items.
func Longest(t *LTable) int { return max(len(vmstate.TableOf(t).Array), t.MaxN()) }

// RestoreLen makes Len what it was, after all writes since then were undone: which it is, since
// only the items decide.
func RestoreLen(*LTable, int) {}
