package ir

import "strconv"

// Local is a variable.
type Local struct {
	Name  string // unique in the function
	Type  Type
	Brief bool // it is read in the statement that sets it only
}

// localNames finds the locals of a function by name, so that a new one gets a name of its
// own without a look at all others: a kernel may have thousands, most of them called
// "value".
//
// Locals can be taken away again, when lower gives up a branch, and the maps still have
// them. So an entry holds only if the local that it leads to has that name.
type localNames struct {
	index map[string]int // in Locals, of a name
	known int            // so many of Locals have been entered
	last  map[string]int // by name: the number that the last local of that name got
}

// NewLocal adds a local. The name gets the lowest number from 2 on if it is taken, as in
// "value~2". Amortised O(1).
func (f *Func) NewLocal(name string, t Type) int {
	f.Locals = append(f.Locals, Local{Name: f.unused(name), Type: t})
	return len(f.Locals) - 1
}

// unused returns a name that no local has.
func (f *Func) unused(name string) string {
	f.enter()
	if !f.taken(name) {
		return name
	}
	n := max(f.names.last[name], 1)
	for n > 1 && !f.taken(numbered(name, n)) { // taken away since
		n--
	}
	for n++; f.taken(numbered(name, n)); n++ {
	}
	f.names.last[name] = n
	return numbered(name, n)
}

// enter makes the names of all locals known.
func (f *Func) enter() {
	if f.names.index == nil {
		f.names.index, f.names.last = map[string]int{}, map[string]int{}
	}
	f.names.known = min(f.names.known, len(f.Locals))
	for ; f.names.known < len(f.Locals); f.names.known++ {
		f.names.index[f.Locals[f.names.known].Name] = f.names.known
	}
}

// taken reports whether a local has the name.
func (f *Func) taken(name string) bool {
	at, ok := f.names.index[name]
	return ok && at < len(f.Locals) && f.Locals[at].Name == name
}

func numbered(name string, n int) string { return name + "~" + strconv.Itoa(n) }
