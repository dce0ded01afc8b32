package scripting

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
)

// The host knows a file by its name, and notes under that name whether its on_start has run.
// A renamed file must not begin anew. So a load looks for new files that are old ones under
// another name:
//
//   - a new file has the same text as a file that goes, or as a file whose name now belongs
//     to a file that declares nothing of what the old one did;
//   - a new file and a file that goes have more than half of the declarations of each in
//     common;
//   - a new file has the same text as a file that was removed earlier.
//
// The verdict says which files were taken for renamed.

// origin says which file a new file was before.
type origin struct {
	name    string
	old     *module // nil when it went earlier
	edited  bool
	earlier bool
}

// before returns the module whose place a file of a load takes, or nil for a new file.
func (h *Host) before(name string, origins map[string]origin) *module {
	if o, moved := origins[name]; moved {
		return o.old
	}
	for _, o := range origins {
		if o.name == name {
			return nil
		}
	}
	return h.live[name]
}

// move is a new file that may be an old one.
type move struct {
	from, to string
	shared   int
	same     bool
}

// origins finds out which new files of a load are renamed ones.
func (h *Host) origins(l *loader) map[string]origin {
	found, taken := map[string]origin{}, map[string]bool{}
	for _, m := range h.candidates(l) {
		if found[m.to].name != "" || taken[m.from] {
			continue
		}
		taken[m.from] = true
		found[m.to] = origin{name: m.from, old: h.live[m.from], edited: !m.same}
	}
	for _, m := range l.order {
		if h.live[m.name] != nil || found[m.name].name != "" {
			continue
		}
		sum := sha256.Sum256(m.text)
		for _, name := range slices.Sorted(maps.Keys(h.departed)) {
			if !taken[name] && name != m.name && h.live[name] == nil && h.departed[name] == sum {
				taken[name] = true
				found[m.name] = origin{name: name, earlier: true}
				break
			}
		}
	}
	return found
}

// candidates lists the pairs of files that may be the same one, the most certain first.
// Pairs with nothing in common are never looked at: a folder that is renamed has the square
// of its files in pairs.
func (h *Host) candidates(l *loader) []move {
	var list []move
	known := h.changing(l)
	for _, m := range l.order {
		if h.live[m.name] != nil || len(bytes.TrimSpace(m.text)) == 0 {
			continue
		}
		shared := known.shared(m)
		for _, from := range known.byText[sha256.Sum256(m.text)] {
			shared[from] += 0 // also if they share no name
		}
		for from, n := range shared {
			old := h.live[from]
			same := bytes.Equal(old.text, m.text) && (l.gone[from] || another(old, l.fresh[from]))
			if same || l.gone[from] && 2*n > max(len(m.script.Declares()), known.names[from]) {
				list = append(list, move{from: from, to: m.name, shared: n, same: same})
			}
		}
	}
	slices.SortFunc(list, func(a, b move) int {
		if a.same != b.same {
			if a.same {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return list
}

// changing are the live files that a load changes, found by what they are compared by.
type changing struct {
	byName map[string][]string   // by what they declare
	byText map[[32]byte][]string // by the hash of their text
	names  map[string]int        // how many names each declares
}

// changing lists the live files that a load changes; none where there is no new file.
func (h *Host) changing(l *loader) changing {
	c := changing{map[string][]string{}, map[[32]byte][]string{}, map[string]int{}}
	if !slices.ContainsFunc(l.order, func(m *module) bool { return h.live[m.name] == nil }) {
		return c
	}
	for name, old := range h.live {
		if !l.changes(name) {
			continue
		}
		names := old.script.Declares()
		for declared := range names {
			c.byName[declared] = append(c.byName[declared], name)
		}
		sum := sha256.Sum256(old.text)
		c.byText[sum], c.names[name] = append(c.byText[sum], name), len(names)
	}
	return c
}

// shared counts the names that a new file and each of the files both declare.
func (c *changing) shared(m *module) map[string]int {
	shared := map[string]int{}
	for declared := range m.script.Declares() {
		for _, from := range c.byName[declared] {
			shared[from]++
		}
	}
	return shared
}

// another reports whether the file that has the name of an old one is not a version
// of it: they declare nothing that is called alike.
func another(old, now *module) bool {
	if now == nil || bytes.Equal(old.text, now.text) {
		return false
	}
	before := old.script.Declares()
	for declared := range now.script.Declares() {
		if before[declared] {
			return false
		}
	}
	return true
}

// moved takes over for renamed files what is known by the names of old ones, before the
// new ones are adopted, and says so.
func (h *Host) moved(l *loader, origins map[string]origin) (notes []string) {
	started := maps.Clone(h.started)
	for _, to := range slices.Sorted(maps.Keys(origins)) {
		o := origins[to]
		if n, begun := started[o.name]; begun {
			h.started[to] = n
		}
		delete(h.departed, o.name)
		switch {
		case o.earlier:
			notes = append(notes, fmt.Sprintf("%s: the text of %s, which went before: taken for the same file, so its on_start does not run again", to, o.name))
		case o.edited && started[o.name] > 0 && l.fresh[to].script.Starts():
			notes = append(notes, fmt.Sprintf("%s: renamed from %s, with changes: its on_start does not run again", to, o.name))
		case o.edited:
			notes = append(notes, fmt.Sprintf("%s: renamed from %s, with changes", to, o.name))
		default:
			notes = append(notes, fmt.Sprintf("%s: renamed from %s", to, o.name))
		}
		delete(h.started, o.name)
		if l.fresh[o.name] != nil {
			notes = append(notes, fmt.Sprintf("%s: another file under this name, so its on_start runs", o.name))
		}
	}
	return append(notes, h.resembling(l, origins)...)
}

// resembling names new files that have something of a file that goes, and are not taken
// for it.
func (h *Host) resembling(l *loader, origins map[string]origin) (notes []string) {
	known := h.changing(l)
	for _, m := range l.order {
		if h.live[m.name] != nil || origins[m.name].name != "" || !m.script.Starts() {
			continue
		}
		shared := known.shared(m)
		for _, name := range slices.Sorted(maps.Keys(shared)) {
			if l.gone[name] {
				notes = append(notes, fmt.Sprintf("%s: a new file, though it declares %d of the %d names of %s, which is gone: its on_start runs", m.name, shared[name], known.names[name], name))
			}
		}
	}
	return notes
}

// depart remembers a file that goes, in case it comes back under another name.
func (h *Host) depart(name string) {
	if m := h.live[name]; m != nil && h.started[name] > 0 {
		h.departed[name] = sha256.Sum256(m.text)
	}
}
