package scripting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Completion is a name that may stand at a place of a text.
type Completion struct {
	Name   string // the whole name
	Kind   string // "keyword", "local", "field", "component", "event", "prefab", "script" and the like, or as type() says it
	Detail string // more about it, in a line: how a function is called, what a value is; may be empty
}

// Bounds of completion.
const (
	mostCompletions = 50
	mostBefore      = 4 << 10 // bytes of the text: no frame waits for more
	mostLookedAt    = 20_000  // entries of a table
	mostPath        = 20      // names with dots between them
	mostDetail      = 120     // bytes
)

// Complete returns the names that may stand at a place of a text, where its first at bytes end, in the order of their names, 50
// at most. typed is the part of the name that is there already, right before the place. It knows the library, ecs, globals,
// fields along a path of tables, locals of the last 4 KiB of the text, and in quotes the names that a function of ecs or require takes. Nothing is called, and
// no metamethod is asked. The error wraps [ErrClosed], [ecs.ErrRange] for a place that is not in the text or a text that is too long, or
// is that of [Console.Run] for a host that is at work.
func (c *Console) Complete(text string, at int) (list []Completion, typed string, err error) {
	switch {
	case !c.open():
		return nil, "", fmt.Errorf("scripting: Console.Complete: %w", ErrClosed)
	case at < 0 || at > len(text) || len(text) > MostConsoleText:
		return nil, "", fmt.Errorf("scripting: Console.Complete: %w: %d is no place of a text of %d bytes, or the text is too long", ecs.ErrRange, at, len(text))
	}
	if err := c.host.enter(typing); err != nil {
		return nil, "", err
	}
	defer c.host.leave()
	c.host.declared()
	s := scan(before(text[:at]))
	x := completing{c: c, s: s, typed: s.typed}
	x.all()
	slices.SortFunc(x.list, func(a, b Completion) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name)) })
	x.list = slices.CompactFunc(x.list, func(a, b Completion) bool { return a.Name == b.Name })
	return x.list[:min(len(x.list), mostCompletions)], x.typed, nil
}

// before returns the end of a text that a completion looks at: whole lines, where there are some.
func before(text string) string {
	if len(text) <= mostBefore {
		return text
	}
	text = text[len(text)-mostBefore:]
	if _, lines, ok := strings.Cut(text, "\n"); ok {
		return lines
	}
	return text
}

// rank puts names that somebody has given before those of the language.
func rank(c Completion) int {
	if c.Kind == "keyword" {
		return 1
	}
	return 0
}

// completing is a list of completions, being made.
type completing struct {
	c     *Console
	s     scanned
	typed string
	list  []Completion
}

// add adds a name, if it begins with what was typed.
func (x *completing) add(name, kind, detail string) {
	if strings.HasPrefix(name, x.typed) && name != "" && len(name) <= 255 && len(x.list) < mostLookedAt {
		x.list = append(x.list, Completion{name, kind, diag.OneLine(diag.CutAt(detail, mostDetail))})
	}
}

// all adds what may stand at the end of the text.
func (x *completing) all() {
	switch s := &x.s; {
	case s.nothing && s.call == nil:
	case s.quoted:
		x.inQuotes()
	case s.call != nil: // after a call: x(…).
		x.fields(x.c.resultOf(s.call))
	case len(s.path) > 0:
		x.along()
	default:
		x.names()
	}
}

// inQuotes adds the names that the function takes whose argument the text is.
func (x *completing) inQuotes() {
	called := strings.Join(x.s.called, ".")
	if called == "require" {
		x.add("ecs", "script", "")
		x.add("host", "script", "")
		for name := range x.c.host.live {
			x.add(dotted(name), "script", name)
		}
		return
	}
	function, ok := strings.CutPrefix(called, "ecs.")
	sorts := bindings.Takes(function)
	if called == "each" {
		ok, sorts = true, "component"
	}
	if !ok {
		return
	}
	for sort := range strings.FieldsSeq(sorts) {
		for _, name := range x.c.host.binding.NamesOf(sort, x.c.host.declarations) {
			x.add(name, sort, x.c.sketch(name))
		}
	}
}

// sketch is what a component or an event has for fields.
func (c *Console) sketch(name string) string {
	if v := c.host.binding.Named(nil, name, nil); v != nil {
		if s := c.host.binding.FieldsOf(v); s != nil {
			return strings.TrimSpace(fieldsOf(s))
		}
	}
	return ""
}

// names adds globals, locals of the text, what is declared, and keywords; in the braces of a component, its fields.
func (x *completing) names() {
	if len(x.s.braces) > 0 {
		if v, ok := x.c.lookUp(x.s.braces); ok {
			x.fields(x.c.host.binding.FieldsOf(v))
		}
	}
	for _, name := range x.s.locals {
		x.add(name, "local", "")
	}
	for _, word := range reserved {
		x.add(word, "keyword", "")
	}
	b := x.c.host.binding
	for _, sort := range []string{"component", "event", "prefab"} {
		for _, name := range b.NamesOf(sort, x.c.host.declarations) {
			if diag.IsName(name) {
				x.add(name, sort, x.c.sketch(name))
			}
		}
	}
	x.entries(x.c.globals(), "")
}

// globals are those of the console, which makes them if no text has run yet.
func (c *Console) globals() *lua.LTable {
	if c.env == nil {
		c.begin(c.host.state)
	}
	return c.env
}

// along adds the fields of what a path leads to.
func (x *completing) along() {
	if names := x.s.locals; slices.Contains(names, x.s.path[0]) {
		x.ofLocal()
		return
	}
	v, ok := x.c.lookUp(x.s.path)
	if !ok {
		return
	}
	switch v := v.(type) {
	case *lua.LTable:
		x.entries(v, strings.Join(x.s.path, "."))
	case lua.LString:
		if t, ok := x.c.globals().RawGetString("string").(*lua.LTable); ok && x.s.colon {
			x.entries(t, "string")
		}
	case *lua.LUserData:
		if x.c.host.binding.IsResource(v) {
			x.fields(x.c.host.binding.FieldsOf(v))
		}
	}
}

// ofLocal adds the fields of a local whose value the text says: that of a path, or the result of require or of ecs.get.
func (x *completing) ofLocal() {
	value := x.s.values[x.s.path[0]]
	switch {
	case len(value.path) > 0 && !slices.Contains(x.s.locals, value.path[0]):
		if v, ok := x.c.lookUp(append(slices.Clone(value.path), x.s.path[1:]...)); ok {
			if t, ok := v.(*lua.LTable); ok {
				x.entries(t, "")
			}
		}
	case value.call != nil && value.call.function == "require" && len(x.s.path) <= mostPath:
		v := x.c.module(value.call.text)
		for _, name := range x.s.path[1:] {
			v = fieldRaw(v, name)
		}
		if t, ok := v.(*lua.LTable); ok {
			x.entries(t, "")
		}
	case value.call != nil && len(x.s.path) == 1:
		x.fields(x.c.resultOf(value.call))
	}
}

// fields adds the fields of a schema.
func (x *completing) fields(schema *ecs.Schema) {
	if schema == nil {
		return
	}
	for i := range schema.Fields {
		x.add(schema.Fields[i].Name, "field", schema.Fields[i].Kind.String())
	}
}

// entries adds the keys of a table that stand after a dot.
func (x *completing) entries(t *lua.LTable, path string) {
	if proxy.Over(t) != "" {
		return
	}
	t = proxy.Unwrap(t)
	n := 0
	for key, v := range lua.All(t) {
		if n++; n > mostLookedAt {
			return
		}
		name, ok := key.(lua.LString)
		_, function := v.(*lua.LFunction)
		if ok && diag.IsName(string(name)) && (function || !x.s.colon) {
			x.add(string(name), v.Type().String(), detailOf(path, string(name), v))
		}
	}
}

// detailOf says more about an entry of a table.
func detailOf(path, name string, v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LFunction:
		if path == "ecs" {
			return bindings.Form(name)
		}
	case lua.LNumber, lua.LBool:
		return v.String()
	case lua.LString:
		return fmt.Sprintf("%q", diag.CutAt(string(v), 40))
	case *lua.LUserData:
		return fault.Kind(v)
	}
	return ""
}

// lookUp follows a path from the globals, past all metatables; ok is false where it leads nowhere.
func (c *Console) lookUp(path []string) (v lua.LValue, ok bool) {
	if len(path) == 0 || len(path) > mostPath {
		return nil, false
	}
	v = c.globals().RawGetString(path[0])
	if v == lua.LNil {
		if v = c.host.binding.Named(nil, path[0], c.host.declarations); v == nil {
			return nil, false
		}
	}
	for _, name := range path[1:] {
		if v = fieldRaw(v, name); v == lua.LNil {
			return nil, false
		}
	}
	return v, true
}

// fieldRaw returns a field of a table past its metatable; nil of Lua for other values.
func fieldRaw(v lua.LValue, name string) lua.LValue {
	t, ok := v.(*lua.LTable)
	if !ok || proxy.Over(t) != "" {
		return lua.LNil
	}
	return proxy.Unwrap(t).RawGetString(name)
}

// module returns what a script has returned, nil of Lua if none of that name runs.
func (c *Console) module(name string) lua.LValue {
	for _, file := range requirable("", name) {
		if m := c.host.live[file]; m != nil {
			return m.exports
		}
	}
	return lua.LNil
}

// resultOf returns the schema of what a call gives: of ecs.get and ecs.resource.
func (c *Console) resultOf(call *scannedCall) *ecs.Schema {
	b := c.host.binding
	switch name := cmp.Or(call.text, call.last); call.function {
	case "ecs.get", "ecs.component":
		if v := b.Named(nil, name, nil); v != nil {
			return b.FieldsOf(v)
		}
	case "ecs.resource":
		return b.ResourceSchema(call.text)
	}
	return nil
}
