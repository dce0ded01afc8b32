package lualib

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxPatterns is how many compiled patterns a library keeps.
const maxPatterns = 64

// matcher prepares to match the pattern given as second argument.
func (lib *Library) matcher(a args, text string, anchors bool) *matcher {
	source := a.text(2)
	key := source
	if !anchors {
		key = "\x00" + source // ^ means something else there
	}
	p, ok := lib.patterns[key]
	if !ok {
		charge(a.LState, len(source))
		compiled, err := compilePattern(source, anchors)
		if err != nil {
			raise(a.LState, err.Error())
		}
		if len(lib.patterns) >= maxPatterns {
			clear(lib.patterns)
		}
		p = compiled
		lib.patterns[key] = p
	}
	return &matcher{L: a.LState, pattern: p, text: text}
}

// start converts the third argument of find and match to an offset.
func (a args) start(text string) int {
	first := a.integerOr(3, 1)
	if first < 0 {
		first += len(text) + 1
	}
	return min(max(first-1, 0), len(text))
}

func (lib *Library) find(a args) int {
	text := a.text(1)
	from := a.start(text)
	if source := a.text(2); lua.LVAsBool(a.Get(4)) || !strings.ContainsAny(source, "^$*+?.([%-") {
		charge(a.LState, (len(text)-from)/bytesPerStep)
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

// first finds the first match at or behind an offset; -1 if there is none.
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

// gmatch returns an iterator over all matches.
func (lib *Library) gmatch(a args) int {
	text := a.text(1)
	m := lib.matcher(a, text, false)
	from := 0
	step := func(a args) int {
		m.L, m.steps, m.reported = a.LState, 0, 0
		start, end := -1, -1
		if from <= len(text) {
			start, end = m.first(from)
		}
		if start < 0 {
			from = len(text) + 1
			return a.results(lua.LNil)
		}
		from = end
		if end == start {
			from++
		}
		return m.pushCaptures(start, end, true)
	}
	return a.results(bind([]entry{{"gmatch", step}})[0].fn)
}

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

// replacement is what a match becomes; false and nil keep it.
func (m *matcher) replacement(a args, start, end int) string {
	var value lua.LValue
	switch by := a.Get(3).(type) {
	case *lua.LTable:
		value = a.GetTable(by, m.capture(0, start, end))
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
		raise(a.LState, fmt.Sprintf("invalid replacement value (a %s)", typeName(value)))
	}
	return plainText(value)
}

// expandSteps is what it costs to put a replacement together.
const expandSteps = 16

// expand fills captures into a replacement text.
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

// inserted is the text of %0 to %9 in a replacement.
func (m *matcher) inserted(n, start, end int) string {
	switch {
	case n == 0:
		return m.text[start:end]
	case n > max(m.pattern.captures, 1):
		raise(m.L, "invalid capture index")
	}
	return plainText(m.capture(n-1, start, end))
}
