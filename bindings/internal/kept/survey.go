package kept

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// Survey finds the tables that roots lead to. The zero Survey is ready for Begin.
//
// Invariant: nodes are in the order in which they were met, each once, and index has the place
// of each; those before at are done.
type Survey struct {
	inPlace bool
	most    int64 // bytes by the count of Bytes; zero and less is no limit
	roots   []machine.Value
	names   []string // of the roots, for messages
	nodes   []found
	index   map[*machine.Table]int32
	at      int
	bytes   int64
	err     *diag.Error
	faulty  int32                    // the root that err is about
	visit   func(k, v machine.Value) // w.entry, made once
}

// found is a table on the way.
type found struct {
	table   *machine.Table // that values lead to
	content *machine.Table // that has the entries: another one, if the table is a proxy
	parent  int32          // through which it was met first; -1: it is a root
	root    int32
	key     machine.Value // in the parent
}

// Begin forgets what was found. inPlace says that tables will be put back where they are, so that
// they are the proxies that scripts hold; else they are copied as data, whatever they are proxies of.
// most bounds [Survey.Bytes]; zero and less is no limit.
func (w *Survey) Begin(inPlace bool, most int64) {
	if w.visit == nil {
		w.index, w.visit = map[*machine.Table]int32{}, w.entry
	}
	clear(w.index)
	clear(w.nodes)
	clear(w.roots)
	w.inPlace, w.most, w.roots, w.names, w.nodes, w.at, w.bytes, w.err = inPlace, most, w.roots[:0], w.names[:0], w.nodes[:0], 0, 0, nil
}

// Root adds a value. Its name begins the paths of what it leads to.
func (w *Survey) Root(name string, v machine.Value) {
	w.roots, w.names = append(w.roots, v), append(w.names, name)
	w.meet(-1, int32(len(w.roots)-1), machine.Nil, v)
}

// Run goes on to all that the roots lead to. The error names the path to what cannot be kept, or
// is about Limits.Saved; Fault then says which root it is about.
func (w *Survey) Run() *diag.Error {
	for ; w.at < len(w.nodes) && w.err == nil; w.at++ {
		content := w.nodes[w.at].content
		if content.Elsewhere() {
			w.refuse(int32(w.at), machine.Nil, "is shared with a function of the host")
			break
		}
		w.bytes += int64(content.Bytes() + content.Survey(w.visit))
		w.spend(int32(w.at))
	}
	return w.err
}

// Fault returns the root that the error of Run is about.
func (w *Survey) Fault() (root int) { return int(w.faulty) }

// Bytes returns how much was found: what the tables take, and the bytes of texts.
func (w *Survey) Bytes() int64 { return w.bytes }

// spend notes when that is too much.
func (w *Survey) spend(at int32) {
	if w.most > 0 && w.bytes > w.most && w.err == nil {
		w.faulty = w.nodes[at].root
		w.err = diag.Reached("Saved", "%s: too much to keep: used %s of %s bytes of what scripts keep in a snapshot",
			w.path(at, machine.Nil), diag.Grouped(w.bytes), diag.Grouped(w.most))
	}
}

// entry takes in an entry of the table at hand.
func (w *Survey) entry(k, v machine.Value) {
	at := int32(w.at)
	if k.IsNumber() || k.IsString() || k.IsBool() {
		w.meet(at, w.nodes[at].root, k, v)
		return
	}
	w.refuse(at, machine.Nil, fmt.Sprintf("has a key that is %s", value.Describe(lua.FromValue(k))))
}

// meet takes in a value that was found under a key of a parent, or as a root.
func (w *Survey) meet(parent, root int32, key, v machine.Value) {
	switch {
	case w.err != nil || v.IsNil() || v.IsNumber() || v.IsBool():
	case v.IsString():
		w.bytes += int64(v.Str().Len())
	case !v.IsTable():
		w.refuseUnder(parent, root, key, "is "+value.Describe(lua.FromValue(v)))
	default:
		t := v.Table()
		if _, known := w.index[t]; known {
			return
		}
		content, why := w.contentOf(t)
		if why != "" {
			w.refuseUnder(parent, root, key, why)
			return
		}
		w.index[t] = int32(len(w.nodes))
		w.nodes = append(w.nodes, found{t, content, parent, root, key})
	}
}

// contentOf returns the table that has the entries of one, or says why it cannot be kept.
func (w *Survey) contentOf(table *machine.Table) (content *machine.Table, why string) {
	t := (*lua.LTable)(table)
	if lua.Metatable(t) == lua.LNil {
		return table, ""
	}
	inner := proxy.Unwrap(t)
	switch {
	case proxy.State(t):
		return (*machine.Table)(inner), ""
	case proxy.Over(t) != "":
		return nil, "was over with its call"
	case inner != t:
		return (*machine.Table)(inner), ""
	case w.inPlace || proxy.Data(t) == "" && !proxy.Copy(t):
		return nil, "is a table with a metatable"
	}
	return table, ""
}

// refuse notes what is wrong with an entry of a found, or with itself under a key of nil.
func (w *Survey) refuse(at int32, key machine.Value, what string) {
	if w.err == nil {
		w.faulty = w.nodes[at].root
		w.err = diag.New("%s %s: %s", w.path(at, key), what, keeps)
	}
}

// refuseUnder is refuse for a value under a key, or for a root.
func (w *Survey) refuseUnder(parent, root int32, key machine.Value, what string) {
	if parent < 0 {
		w.faulty = root
		w.err = diag.New("%s %s: %s", w.names[root], what, keeps)
		return
	}
	w.refuse(parent, key, what)
}

// keeps says what can be kept.
const keeps = "a save keeps numbers, texts, booleans and tables of them"

// longestPath is where the path to a deep entry is cut.
const longestPath = 120

// path returns how a key of a found is reached, or the found under a key of nil.
func (w *Survey) path(at int32, key machine.Value) string {
	keys := []machine.Value{key}
	for ; w.nodes[at].parent >= 0; at = w.nodes[at].parent {
		keys = append(keys, w.nodes[at].key)
	}
	var b strings.Builder
	b.WriteString(w.names[w.nodes[at].root])
	for i := len(keys) - 1; i >= 0 && b.Len() < longestPath; i-- {
		if !keys[i].IsNil() {
			b.WriteString(step(keys[i]))
		}
	}
	return diag.CutAt(b.String(), longestPath)
}

// step writes a key as the next part of a path.
func step(key machine.Value) string {
	if s := key.Str(); s != nil && diag.IsName(s.String()) {
		return "." + diag.Cut(s.String())
	}
	if s := key.Str(); s != nil {
		return "[" + strconv.Quote(diag.Cut(s.String())) + "]"
	}
	return fault.Index(lua.FromValue(key))
}
