package scripting

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The host knows a file by its name, and notes under that name whether its on_start has run.
// A renamed file must not begin anew, and what its on_unload returns must come to it. So a
// load finds out which file each of its files was before, by the text first:
//
//   - a file whose text is unchanged under its name is the same file;
//   - a file with the text that another file had is that file, also when both have names
//     that existed before: files that move up by one name, or that exchange names;
//   - a file that has more than half of its declarations in common with another file, and
//     of that file's, too, is that file, with changes;
//   - every other file is what had its name; and if there was no such file, or it has moved,
//     the one that was removed earlier and had the same text.
//
// A file has not moved as long as a version of it stands under its name: then the other
// file with its text is a copy. The text under the name is a version of the old one if it
// declares more than half of what that declared, unless it has moved there itself.
//
// The verdict says which files were taken for renamed, and where it cannot be known. Of more than mostTwins files with one text, each
// is the one that stands at its place in the order of names, and the verdict does not say that it could be another one; a name that
// more than mostTwins files declare says of none that it is the same.

// origin says which file a new file was before.
type origin struct {
	name    string
	old     *module // nil when it went earlier
	edited  bool
	earlier bool
	equals  string // another file that it could be as well, or empty
}

// origins are the files of a load that had another name before.
type origins struct {
	found map[string]origin // by the new name
	taken map[string]bool   // the old names
	known changing
}

// before returns the module whose place a file of a load takes, or nil for a new file.
func (h *Host) before(name string, o origins) *module {
	if from, moved := o.found[name]; moved {
		return from.old
	}
	if o.taken[name] {
		return nil
	}
	return h.live[name]
}

// move is a pair of an old file and a file of a load, which may be the same one.
type move struct {
	from, to string
	shared   int
	same     bool
}

// rank compares two moves by how certain they are, the more certain one first.
func (m move) rank(other move) int {
	if m.same != other.same {
		if m.same {
			return -1
		}
		return 1
	}
	return cmp.Compare(other.shared, m.shared)
}

// origins finds out which files of a load are renamed ones.
func (h *Host) origins(l *loader) origins {
	o := origins{map[string]origin{}, map[string]bool{}, h.changing(l)}
	moves := h.candidates(l, &o.known)
	for i, m := range moves {
		if o.found[m.to].name != "" || o.taken[m.from] {
			continue
		}
		equals := ""
		for _, other := range moves[i+1:] {
			if m.rank(other) != 0 {
				break
			}
			if other.to == m.to && !o.taken[other.from] {
				equals = other.from
				break
			}
		}
		o.taken[m.from] = true
		o.found[m.to] = origin{name: m.from, old: h.live[m.from], edited: !m.same, equals: equals}
	}
	for _, m := range l.order {
		if o.found[m.name].name != "" || h.before(m.name, o) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(h.departed)) {
			if !o.taken[name] && name != m.name && h.live[name] == nil && h.departed[name].digest == m.digest() {
				o.taken[name] = true
				o.found[m.name] = origin{name: name, earlier: true}
				break
			}
		}
	}
	return o
}

// candidates lists the pairs of files that may be the same one, the most certain first.
// Pairs with nothing in common are never looked at: a folder that is renamed has the square
// of its files in pairs.
func (h *Host) candidates(l *loader, known *changing) []move {
	var list []move
	for _, m := range l.order {
		if h.unchanged(m) || len(bytes.TrimSpace(m.text)) == 0 {
			continue
		}
		shared := known.shared[m.name]
		for _, from := range known.twins(m) {
			list = append(list, move{from, m.name, shared[from], true})
		}
		for from, n := range shared {
			if n > shared[m.name] && 2*n > max(len(m.script.Declares()), known.names[from]) && h.live[from].digest() != m.digest() {
				list = append(list, move{from, m.name, n, false})
			}
		}
	}
	list = known.plausible(list)
	slices.SortFunc(list, func(a, b move) int {
		return cmp.Or(a.rank(b), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return list
}

// mostTwins is how many files of one text, or that declare one name, are compared each with each other.
const mostTwins = 64

// twins returns the live files that a file of a load may be by its text. Where more than mostTwins have one text, it is one of them, by the
// order of their names: so a folder that is renamed has each of its files again.
func (c *changing) twins(m *module) []string {
	from, to := c.byText[m.digest()], c.fresh[m.digest()]
	if max(len(from), len(to)) <= mostTwins {
		return from
	}
	k, _ := slices.BinarySearch(to, m.name)
	return from[min(k, len(from)):min(k+1, len(from))]
}

// plausible drops the moves of files that stand under their names still, and the moves of
// files with changes to the names of such files. What it drops can be the reason to drop
// another one: a chain of moves holds as a whole.
func (c *changing) plausible(list []move) []move {
	for before := -1; before != len(list); {
		before = len(list)
		comes, goes := map[string]bool{}, map[string]bool{}
		for _, m := range list {
			comes[m.to], goes[m.from] = true, true
		}
		list = slices.DeleteFunc(list, func(m move) bool {
			return c.standing(m.from) && !comes[m.from] || !m.same && c.standing(m.to) && !goes[m.to]
		})
	}
	return list
}

// unchanged reports whether a file of a load has the text that it had under its name.
func (h *Host) unchanged(m *module) bool {
	old := h.live[m.name]
	return old != nil && bytes.Equal(old.text, m.text)
}

// changing are the live files that a load changes.
type changing struct {
	byText map[[32]byte][]string     // by the digest of their text, in order
	fresh  map[[32]byte][]string     // the files of the load so
	names  map[string]int            // how many names each declares
	shared map[string]map[string]int // how many names a file of the load shares with each of them
}

// changing lists the live files whose text a load changes or removes. It lists no file where
// a single file of the load has another text: nothing can have moved.
func (h *Host) changing(l *loader) changing {
	c := changing{map[[32]byte][]string{}, map[[32]byte][]string{}, map[string]int{}, map[string]map[string]int{}}
	fresh := slices.DeleteFunc(slices.Clone(l.order), h.unchanged)
	if len(l.gone)+len(fresh) < 2 {
		return c
	}
	declare := map[string][]string{} // the files that declare a name
	for name, old := range h.live {
		if now := l.fresh[name]; !l.changes(name) || now != nil && h.unchanged(now) {
			continue
		}
		names := old.script.Declares()
		for declared := range names {
			declare[declared] = append(declare[declared], name)
		}
		c.byText[old.digest()], c.names[name] = append(c.byText[old.digest()], name), len(names)
	}
	for _, m := range fresh {
		shared, own := map[string]int{}, map[string]bool{} // what its version that goes has declared
		if _, goes := c.names[m.name]; goes {
			own = h.live[m.name].script.Declares()
		}
		for declared := range m.script.Declares() {
			all := declare[declared]
			if len(all) > mostTwins { // what so many declare says of none that it is the one
				if all = nil; own[declared] {
					shared[m.name]++
				}
			}
			for _, from := range all {
				shared[from]++
			}
		}
		c.shared[m.name] = shared
		c.fresh[m.digest()] = append(c.fresh[m.digest()], m.name)
	}
	for _, all := range []map[[32]byte][]string{c.byText, c.fresh} {
		for _, names := range all {
			slices.Sort(names)
		}
	}
	return c
}

// standing reports whether a version of an old file may stand under its name still: the
// file there declares more than half of what the old one did.
func (c *changing) standing(name string) bool { return 2*c.shared[name][name] > c.names[name] }

// moved takes over for renamed files what is known by the names of old ones, before the
// new ones are adopted, and says so. All old names are given up before a new one is taken,
// because a file may have the old name of another.
func (h *Host) moved(l *loader, origins origins) (notes []string) {
	started := maps.Clone(h.started)
	for name := range origins.taken {
		delete(h.started, name)
		delete(h.departed, name)
	}
	for _, to := range slices.Sorted(maps.Keys(origins.found)) {
		o := origins.found[to]
		delete(h.started, to)
		if n, begun := started[o.name]; begun {
			h.started[to] = n
		}
		notes = append(notes, o.note(to, started[o.name] > 0 && l.fresh[to].script.Starts()))
		if o.equals != "" {
			notes = append(notes, fmt.Sprintf("%s: it could be %s as well: which of the two it was cannot be known", to, o.equals))
		}
		if h.live[to] != nil && !origins.taken[to] {
			notes = append(notes, fmt.Sprintf("%s: the file that had this name is gone, with what its on_unload returned", to))
		}
		if _, arrived := origins.found[o.name]; l.fresh[o.name] != nil && !arrived {
			notes = append(notes, fmt.Sprintf("%s: another file under this name, so its on_start runs", o.name))
		}
	}
	return append(notes, h.resembling(l, origins)...)
}

// note says what a file was before; begun: its on_start has run, and would be expected to.
func (o origin) note(to string, begun bool) string {
	switch {
	case o.earlier:
		return fmt.Sprintf("%s: the text of %s, which went before: taken for the same file, so its on_start does not run again", to, o.name)
	case o.edited && begun:
		return fmt.Sprintf("%s: renamed from %s, with changes: its on_start does not run again", to, o.name)
	case o.edited:
		return fmt.Sprintf("%s: renamed from %s, with changes", to, o.name)
	}
	return fmt.Sprintf("%s: renamed from %s", to, o.name)
}

// resembling names new files that have something of a file that goes, and are not taken
// for it.
func (h *Host) resembling(l *loader, origins origins) (notes []string) {
	known := origins.known
	for _, m := range l.order {
		if h.live[m.name] != nil || origins.found[m.name].name != "" || !m.script.Starts() {
			continue
		}
		shared := known.shared[m.name]
		for _, name := range slices.Sorted(maps.Keys(shared)) {
			if l.gone[name] {
				notes = append(notes, fmt.Sprintf("%s: a new file, though it declares %d of the %d names of %s, which is gone: its on_start runs", m.name, shared[name], known.names[name], name))
			}
		}
		if name, n := h.resembled(m, origins.taken); n > 0 {
			notes = append(notes, fmt.Sprintf("%s: a new file, though it declares %d of the %d names of %s, which went before: its on_start runs", m.name, n, len(h.departed[name].names), name))
		}
	}
	return notes
}

// resembled returns which file that went earlier has most names in common with a new one, and how
// many.
func (h *Host) resembled(m *module, taken map[string]bool) (file string, most int) {
	names := m.script.Declares()
	for _, name := range slices.Sorted(maps.Keys(h.departed)) {
		if taken[name] || name == m.name || h.live[name] != nil {
			continue
		}
		shared := 0
		for declared := range h.departed[name].names {
			if names[declared] {
				shared++
			}
		}
		if shared > most {
			file, most = name, shared
		}
	}
	return file, most
}

// departed is what is remembered of a file that went.
type departed struct {
	digest [32]byte        // of its text
	names  map[string]bool // that it declared; nil when those of later files took their room
}

// maxDepartedNames bounds the names that are remembered of all files that went.
const maxDepartedNames = 20_000

// depart remembers a file that goes, in case it comes back under another name.
func (h *Host) depart(name string) {
	m := h.live[name]
	if m == nil || h.started[name] == 0 {
		return
	}
	names := m.script.Declares()
	total := len(names)
	for _, d := range h.departed {
		total += len(d.names)
	}
	if total > maxDepartedNames {
		for other, d := range h.departed {
			h.departed[other] = departed{digest: d.digest}
		}
	}
	h.departed[name] = departed{m.digest(), names}
}

// mostLeft is how many scripts are remembered that went after their on_start functions had begun to run.
const mostLeft = 1000

// forgetFirst forgets the scripts that went first, where there are more than mostLeft: if one of them comes back, it
// starts as a new file. A script that is back, or has another name by now, has not gone.
func (h *Host) forgetFirst() {
	h.left = slices.DeleteFunc(h.left, func(name string) bool {
		_, known := h.started[name]
		return !known || h.live[name] != nil
	})
	excess := max(len(h.left)-mostLeft, 0)
	for _, name := range h.left[:excess] {
		delete(h.started, name)
		delete(h.departed, name)
	}
	h.left = slices.Delete(h.left, 0, excess)
}
