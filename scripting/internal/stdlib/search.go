package stdlib

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/internal/numbers"
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
func (lib *Library) pattern(a args, anchors bool) *pattern {
	key := patternText{a.text(2), anchors}
	if len(key.text) <= longestKept {
		if p, ok := lib.patterns[key]; ok {
			return p
		}
	}
	charge(a.LState, len(key.text))
	p, err := compilePattern(key.text, anchors)
	if err != nil {
		raise(a.LState, "%s", err.Error())
	}
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
	return &matcher{L: a.LState, pattern: lib.pattern(a, anchors), text: text}
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
	start, end := m.first(from)
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
	start, end := m.first(from)
	if start < 0 {
		return a.results(lua.LNil)
	}
	return m.pushCaptures(start, end, true)
}

// first finds the first match at or after an offset. It returns -1, -1 if there is none.
// It takes O(text × match), and all of it is counted by the steps of match.
func (m *matcher) first(from int) (start, end int) {
	defer m.report()
	for start = from; start <= len(m.text); start++ {
		if end = m.match(0, start); end >= 0 {
			return start, end
		}
		if m.pattern.anchored {
			break
		}
	}
	return -1, -1
}

// An iterator is the function that string.gmatch returns, and everything that it needs, in one
// allocation. Its text and its pattern can be found through a captured variable, as with any
// function, so they count as held by the script.
type iterator struct {
	matcher
	from  int // where to look next
	fn    lua.LFunction
	box   lua.LUserData // the iterator itself
	outer lua.Upvalue   // leads to the box
	list  [1]*lua.Upvalue
}

// iteratorBytes is about how much memory an iterator takes, without its text and its pattern.
const iteratorBytes = 650

// gmatch is string.gmatch: an iterator over all matches.
func (lib *Library) gmatch(a args) int {
	it := &iterator{matcher: matcher{text: a.text(1), pattern: lib.pattern(a, false)}}
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
	it.L, it.steps, it.reported = L, 0, 0
	start, end := -1, -1
	if it.from <= len(it.text) {
		start, end = it.first(it.from)
	}
	if start < 0 {
		it.from = len(it.text) + 1
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
	return iteratorBytes, []lua.LValue{lua.LString(it.text), it.pattern.box()}
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
	for more := true; more && count < limit; more = !m.pattern.anchored && at <= len(text) {
		end := m.match(0, at)
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
	m.report()
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
		return m.expand(plainText(by), start, end)
	}
	switch {
	case lua.LVIsFalse(value):
		return m.text[start:end]
	case !isText(value):
		raise(a.LState, "invalid replacement value (%s)", fault.Kind(value))
	}
	return plainText(value)
}

// expandSteps is what it takes to put a replacement together.
const expandSteps = 16

// expand puts captures into a replacement text, in the place of %0 to %9.
func (m *matcher) expand(by string, start, end int) string {
	percent := strings.IndexByte(by, '%')
	if percent < 0 {
		return by
	}
	charge(m.L, expandSteps+2*len(by))
	var out strings.Builder
	for i := 0; i < len(by); i++ {
		c := by[i]
		if c == '%' && i+1 < len(by) {
			i++
			c = by[i]
			if '0' <= c && c <= '9' {
				inserted := m.inserted(int(c-'0'), start, end)
				fits(m.L, out.Len()+len(inserted))
				alloc(m.L, len(inserted))
				out.WriteString(inserted)
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}

// inserted returns the text of %0 to %9 in a replacement.
func (m *matcher) inserted(n, start, end int) string {
	switch {
	case n == 0 || n == 1 && m.pattern.captures == 0:
		return m.text[start:end]
	case n > m.pattern.captures:
		raise(m.L, "invalid capture index")
	case m.ends[n-1] == atPosition:
		return numbers.Format(float64(m.begins[n-1] + 1))
	}
	return m.text[m.begins[n-1]:m.ends[n-1]]
}
