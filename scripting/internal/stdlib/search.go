//go:build !machine

package stdlib

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/library/pattern"
	lua "github.com/yuin/gopher-lua"
)

// The functions of string that search: find, match, gmatch and gsub. They share one
// cache of compiled patterns for each library, which holds at most maxPatterns times
// longestKept bytes of text.

// maxPatterns is how many compiled patterns a library keeps; then it begins anew.
const maxPatterns = 64

// longestKept is how long the text of a kept pattern is at most: what the library keeps
// counts for no script.
const longestKept = 256

// patternText is the text of a pattern, and how it is read.
type patternText struct {
	text    string
	anchors bool // ^ at the beginning is an anchor
}

// pattern returns the pattern that is the second argument. Only a call that compiles it is
// charged for that.
func (lib *Library) pattern(a args, anchors bool) *boxedPattern {
	key := patternText{a.text(2), anchors}
	if len(key.text) <= longestKept {
		if p, ok := lib.patterns[key]; ok {
			return p
		}
	}
	charge(a.LState, len(key.text))
	compiled, err := pattern.Compile(key.text, anchors)
	if err != nil {
		raise(a.LState, "%s", err.Error())
	}
	p := &boxedPattern{Pattern: compiled}
	if len(key.text) <= longestKept {
		if len(lib.patterns) >= maxPatterns {
			clear(lib.patterns)
		}
		// The text may be part of a larger one, which the key would keep alive.
		key.text = strings.Clone(key.text)
		lib.patterns[key] = p
	}
	return p
}

// matcher prepares to match a text with the pattern that is the second argument.
func (lib *Library) matcher(a args, text string, anchors bool) *matcher {
	m := &matcher{L: a.LState}
	m.Matcher = pattern.Matcher{Pattern: lib.pattern(a, anchors).Pattern, Text: text, Payer: payer{a.LState}}
	return m
}

// A matcher matches a pattern against a text, for a call on a thread.
type matcher struct {
	pattern.Matcher
	L *lua.LState
}

// payer pays for matches from the budget of a thread.
type payer struct{ L *lua.LState }

// Charge, Text and Fail implement pattern.Payer.
func (p payer) Charge(steps int) { charge(p.L, steps) }

func (p payer) Text(have, piece int) {
	fits(p.L, have+piece)
	alloc(p.L, piece)
}

func (p payer) Fail(message string) { raise(p.L, "%s", message) }

// boxedPattern is a pattern, and the Lua value that stands for it.
type boxedPattern struct {
	*pattern.Pattern
	boxed *lua.LUserData // see box; nil until it is asked for
}

// box returns the pattern as a Lua value, always the same one. So a count of what scripts
// hold counts a pattern once, however many iterators share it.
func (p *boxedPattern) box() *lua.LUserData {
	if p.boxed == nil {
		p.boxed = &lua.LUserData{Value: p, Metatable: lua.LNil}
	}
	return p.boxed
}

// Held returns how many bytes the pattern takes, and the values that it leads to: none.
func (p *boxedPattern) Held() (int64, []lua.LValue) { return p.Bytes(), nil }

// capture returns the ith capture of a match from start to end.
func (m *matcher) capture(i, start, end int) lua.LValue {
	from, to := m.Capture(i, start, end)
	if to < 0 {
		return lua.LNumber(from + 1)
	}
	return part(m.L, m.Text, from, to)
}

// pushCaptures pushes all captures and returns how many they are. whole: without captures,
// it pushes the whole match.
func (m *matcher) pushCaptures(start, end int, whole bool) int {
	n := m.Values(whole)
	for i := range n {
		m.L.Push(m.capture(i, start, end))
	}
	return n
}

// start returns the third argument of find and match as an offset of the text.
// It lies in the text or at its end, so slices from it never fail.
func (a args) start(text string) int {
	first := a.integerOr(3, 1)
	if first < 0 {
		first += len(text) + 1
	}
	return min(max(first-1, 0), len(text))
}

// find is string.find: where a text or a pattern is found, and the captures.
func (lib *Library) find(a args) int {
	text := a.text(1)
	from := a.start(text)
	if source := a.text(2); a.plain(source) {
		charge(a.LState, (len(text)-from)/bytesPerStep)
		if len(source) > len(text)-from {
			return a.results(lua.LNil)
		}
		reading(a.LState, source)
		at := strings.Index(text[from:], source)
		if at < 0 {
			return a.results(lua.LNil)
		}
		return a.results(lua.LNumber(from+at+1), lua.LNumber(from+at+len(source)))
	}
	m := lib.matcher(a, text, true)
	start, end := m.First(from)
	if start < 0 {
		return a.results(lua.LNil)
	}
	a.results(lua.LNumber(start+1), lua.LNumber(end))
	return 2 + m.pushCaptures(start, end, false)
}

// plain reports whether find looks for a text as it is: the script says so, or the text
// has no character with a meaning in patterns.
func (a args) plain(source string) bool {
	if lua.LVAsBool(a.Get(4)) {
		return true
	}
	reading(a.LState, source)
	return !strings.ContainsAny(source, "^$*+?.([%-")
}

// match is string.match: the captures of the first match.
func (lib *Library) match(a args) int {
	text := a.text(1)
	from := a.start(text)
	m := lib.matcher(a, text, true)
	start, end := m.First(from)
	if start < 0 {
		return a.results(lua.LNil)
	}
	return m.pushCaptures(start, end, true)
}

// An iterator is the function that string.gmatch returns, and everything that it needs, in one
// allocation. Its text and its pattern can be found through a captured variable, as with any
// function, so they count as held by the script.
type iterator struct {
	matcher
	pattern *boxedPattern
	from    int // where to look next
	fn      lua.LFunction
	box     lua.LUserData // the iterator itself
	outer   lua.Upvalue   // leads to the box
	list    [1]*lua.Upvalue
}

// iteratorBytes is about how much memory an iterator takes, without its text and its pattern.
const iteratorBytes = 400

// gmatch is string.gmatch: an iterator over all matches.
func (lib *Library) gmatch(a args) int {
	it := &iterator{pattern: lib.pattern(a, false)}
	it.Text, it.Pattern = a.text(1), it.pattern.Pattern
	grow(a.LState, iteratorBytes)
	it.box.Value, it.box.Metatable = it, lua.LNil
	it.outer.Close()
	it.outer.SetValue(&it.box)
	it.list[0] = &it.outer
	it.fn = lua.LFunction{IsG: true, GFunction: it.next, Upvalues: it.list[:]}
	a.Push(&it.fn)
	return 1
}

// next returns the captures of the next match, and nil after the last one. After an empty
// match it goes on one byte further.
func (it *iterator) next(L *lua.LState) int {
	it.L = L
	it.Again(payer{L})
	start, end := -1, -1
	if it.from <= len(it.Text) {
		start, end = it.First(it.from)
	}
	if start < 0 {
		it.from = len(it.Text) + 1
		L.Push(lua.LNil)
		return 1
	}
	it.from = end
	if end == start {
		it.from++
	}
	return it.pushCaptures(start, end, true)
}

// Held returns how many bytes the iterator takes, and the values that it leads to.
func (it *iterator) Held() (int64, []lua.LValue) {
	return iteratorBytes, []lua.LValue{lua.LString(it.Text), it.pattern.box()}
}

// gsub is string.gsub. The result is measured as it grows: replacements can make a text
// that is much longer than the old one.
func (lib *Library) gsub(a args) int {
	text := a.text(1)
	m := lib.matcher(a, text, true)
	switch a.Get(3).(type) {
	case lua.LString, lua.LNumber, *lua.LTable, *lua.LFunction:
	default:
		a.expected(3, "string, function or table")
	}
	limit := a.integerOr(4, len(text)+1)
	var out strings.Builder
	count, at := 0, 0
	for more := true; more && count < limit; more = !m.Pattern.Anchored() && at <= len(text) {
		end := m.Match(at)
		if end >= 0 {
			count++
			charge(a.LState, 4)
			replacement := m.replacement(a, at, end)
			fits(a.LState, out.Len()+len(replacement))
			alloc(a.LState, len(replacement))
			out.WriteString(replacement)
		}
		if end > at {
			at = end
			continue
		}
		out.WriteString(text[at:min(at+1, len(text))])
		at++
	}
	m.Report()
	rest := text[min(at, len(text)):]
	newText(a.LState, out.Len()+len(rest))
	out.WriteString(rest)
	return a.results(lua.LString(out.String()), lua.LNumber(count))
}

// replacement returns the text that replaces a match. False and nil keep the match.
func (m *matcher) replacement(a args, start, end int) string {
	var value lua.LValue
	switch by := a.Get(3).(type) {
	case *lua.LTable:
		value = indexed(a.LState, by, m.capture(0, start, end))
	case *lua.LFunction:
		a.Push(by)
		a.Call(m.pushCaptures(start, end, true), 1)
		value = a.Get(-1)
		a.Pop(1)
	default:
		return m.Expand(plainText(by), start, end)
	}
	switch {
	case lua.LVIsFalse(value):
		return m.Text[start:end]
	case !isText(value):
		raise(a.LState, "invalid replacement value (%s)", fault.Kind(value))
	}
	return plainText(value)
}
