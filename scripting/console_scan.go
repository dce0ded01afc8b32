package scripting

import (
	"slices"
	"strings"
)

// The text before a place is scanned, and not parsed, since it is about to be written. What it cannot tell, it leaves out.

// scanned is what a text says of the place where it ends.
type scanned struct {
	nothing bool         // a comment, a number: no name stands there
	quoted  bool         // in a text in quotes
	typed   string       // of the name, or of the text in quotes
	path    []string     // the names before it, with dots or a colon between them
	colon   bool         // the last of these is a colon
	call    *scannedCall // a dot after a call stands before it
	called  []string     // the function whose argument the text in quotes is
	braces  []string     // what stands before the braces around the place
	locals  []string
	values  map[string]scannedValue // of locals, where they are a path or a call
}

// scannedCall is a call in the text.
type scannedCall struct {
	function string // a path, with dots
	text     string // the first argument that is a text, without quotes
	last     string // the last name among the arguments
}

// scannedValue is what a local is given: a path or a call.
type scannedValue struct {
	path []string
	call *scannedCall
}

// lexeme is a piece of the text: a name, a number, a text, or a sign.
type lexeme struct {
	kind byte // 'n' for a name, '0' for a number, '"' for a text, else the sign; 'k' for a word of the language
	text string
}

// mostLocals bounds the locals of a text: the last ones are known. mostArguments bounds what is looked at of the arguments of a call,
// from either end.
const mostLocals, mostArguments = 1000, 100

// scan scans a text. O(its bytes).
func scan(text string) scanned {
	s := scanned{values: map[string]scannedValue{}}
	lexemes, open := s.read(text)
	s.noteLocals(lexemes)
	if s.nothing {
		return s
	}
	if open {
		s.quoted = true
		s.called = calledBefore(lexemes)
		return s
	}
	if n := len(lexemes); n > 0 && inName(text[len(text)-1]) {
		last := lexemes[n-1]
		if last.kind == '0' {
			s.nothing = true
			return s
		}
		s.typed, lexemes = last.text, lexemes[:n-1]
	}
	s.before(lexemes)
	return s
}

// read splits a text. open says that it ends in a text in quotes, which s.typed has then.
func (s *scanned) read(text string) (lexemes []lexeme, open bool) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "--"):
			end := endOfComment(text, i+2)
			if end < 0 {
				s.nothing = true
				return lexemes, false
			}
			i = end
		case c == '"' || c == '\'':
			end := endOfQuotes(text, i)
			if end < 0 {
				s.typed = text[i+1:]
				return lexemes, true
			}
			lexemes = append(lexemes, lexeme{'"', text[i+1 : end-1]})
			i = end
		case c == '[' && levelOf(text[i:]) >= 0:
			level := levelOf(text[i:])
			begin := i + level + 2
			end := strings.Index(text[begin:], "]"+strings.Repeat("=", level)+"]")
			if end < 0 {
				s.typed = text[begin:]
				return lexemes, true
			}
			lexemes = append(lexemes, lexeme{'"', text[begin : begin+end]})
			i = begin + end + level + 2
		case inName(c):
			end := i + 1
			for end < len(text) && (inName(text[end]) || c <= '9' && text[end] == '.') {
				end++
			}
			lexemes = append(lexemes, lexemeOf(text[i:end]))
			i = end
		default:
			lexemes = append(lexemes, lexeme{c, text[i : i+1]})
			i++
		}
	}
	return lexemes, false
}

// lexemeOf makes the lexeme of a name, a word of the language or a number.
func lexemeOf(word string) lexeme {
	switch {
	case word[0] <= '9':
		return lexeme{'0', word}
	case slices.Contains(reserved, word):
		return lexeme{'k', word}
	}
	return lexeme{'n', word}
}

// inName reports whether a byte may be one of a name or a number.
func inName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// levelOf returns the level of a long bracket at the beginning of a text, below 0 if there is none.
func levelOf(text string) int {
	level := 0
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '=':
			level++
		case '[':
			return level
		default:
			return -1
		}
	}
	return -1
}

// endOfComment returns where a comment ends whose text begins at a place; below 0: with the text.
func endOfComment(text string, from int) int {
	if level := levelOf(text[from:]); level >= 0 && text[from] == '[' {
		end := strings.Index(text[from:], "]"+strings.Repeat("=", level)+"]")
		if end < 0 {
			return -1
		}
		return from + end + level + 2
	}
	end := strings.IndexByte(text[from:], '\n')
	if end < 0 {
		return -1
	}
	return from + end + 1
}

// endOfQuotes returns where the text in quotes ends that begins at a place; below 0: with the whole text. A line ends it, too.
func endOfQuotes(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[from], '\n':
			return i + 1
		}
	}
	return -1
}

// pathTo returns the names with dots between them with which the lexemes end, and how many lexemes they are.
func pathTo(lexemes []lexeme) (path []string, n int) {
	for n < len(lexemes) {
		m := lexemes[len(lexemes)-1-n]
		if m.kind != 'n' {
			return nil, 0
		}
		path = append(path, m.text)
		n++
		if n == len(lexemes) || len(path) > mostPath {
			break
		}
		if before := lexemes[len(lexemes)-1-n].kind; before != '.' && before != ':' {
			break
		}
		n++
	}
	slices.Reverse(path)
	return path, n
}

// opened returns where the innermost bracket stands that is open at the end of the lexemes, below 0 if all are closed.
func opened(lexemes []lexeme) int {
	depth := 0
	for i := len(lexemes) - 1; i >= 0; i-- {
		switch lexemes[i].kind {
		case ')', '}', ']':
			depth++
		case '(', '{', '[':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// calledBefore returns the function that is called with what follows the lexemes as an argument, also within braces.
func calledBefore(lexemes []lexeme) []string {
	if path, n := pathTo(lexemes); n > 0 { // f "text"
		return path
	}
	for at := opened(lexemes); at >= 0; at = opened(lexemes[:at]) {
		if path, n := pathTo(lexemes[:at]); n > 0 {
			return path
		}
		if lexemes[at].kind != '{' {
			break
		}
	}
	return nil
}

// before finds out what stands before the name that is being typed.
func (s *scanned) before(lexemes []lexeme) {
	n := len(lexemes)
	if n == 0 || lexemes[n-1].kind != '.' && lexemes[n-1].kind != ':' {
		if at := opened(lexemes); at >= 0 && lexemes[at].kind == '{' {
			s.braces, _ = pathTo(lexemes[:at])
		}
		return
	}
	s.colon = lexemes[n-1].kind == ':'
	lexemes = lexemes[:n-1]
	path, taken := pathTo(lexemes)
	if s.path = path; taken > 0 && taken < len(lexemes) && slices.Contains([]byte{'.', ':'}, lexemes[len(lexemes)-1-taken].kind) {
		s.path = nil // what is before it is no name
	}
	if len(s.path) > 0 {
		return
	}
	s.nothing = true
	if n := len(lexemes); n > 0 && lexemes[n-1].kind == ')' {
		if at := opened(lexemes[:n-1]); at >= 0 {
			s.call = callOf(lexemes[:at], lexemes[at+1:n-1])
			s.nothing = s.call == nil
		}
	}
}

// callOf makes the call of a function, which the first lexemes end with, with arguments; nil if it has no name.
func callOf(function, arguments []lexeme) *scannedCall {
	path, _ := pathTo(function)
	if len(path) == 0 {
		return nil
	}
	call := &scannedCall{function: strings.Join(path, ".")}
	for _, m := range arguments[:min(len(arguments), mostArguments)] {
		if m.kind == '"' {
			call.text = m.text
			break
		}
	}
	for _, m := range slices.Backward(arguments[max(0, len(arguments)-mostArguments):]) {
		if m.kind == 'n' {
			call.last = m.text
			break
		}
	}
	return call
}

// noteLocals notes the names that the text declares, wherever: scopes are left out. O(lexemes). It goes from the end to the
// beginning, so that it knows the bracket that comes next.
func (s *scanned) noteLocals(lexemes []lexeme) {
	known := map[string]bool{}
	add := func(name string) {
		if len(s.locals) < mostLocals && !known[name] {
			known[name] = true
			s.locals = append(s.locals, name)
		}
	}
	closing := closings(lexemes)
	opening := len(lexemes) // the first "(" from the lexeme at hand on
	taken := -1             // the one that the parameters stand after that were noted last
	for i, m := range slices.Backward(lexemes) {
		if m.kind == '(' {
			opening = i
		}
		if m.kind != 'k' || m.text != "local" && m.text != "for" && m.text != "function" {
			continue
		}
		names := lexemes[i+1:]
		if m.text == "function" {
			if opening == taken {
				continue
			}
			taken = opening
			names = lexemes[min(opening+1, len(lexemes)):]
		} else if len(names) > 1 && names[0].text == "function" {
			names = names[1:2]
		}
		var declared []string
		for len(names) > 0 && names[0].kind == 'n' {
			declared = append(declared, names[0].text)
			add(names[0].text)
			if names = names[1:]; len(names) == 0 || names[0].kind != ',' {
				break
			}
			names = names[1:]
		}
		if m.text == "local" && len(declared) == 1 && len(names) > 1 && names[0].kind == '=' {
			if _, later := s.values[declared[0]]; !later {
				s.values[declared[0]] = valueOf(names[1:], closing[len(lexemes)-len(names)+1:])
			}
		}
	}
	slices.Reverse(s.locals)
}

// closings returns for each "(" how many lexemes after it the bracket stands that closes it, 0 if none does.
func closings(lexemes []lexeme) []int {
	closing := make([]int, len(lexemes))
	var open []int
	for i, m := range lexemes {
		switch m.kind {
		case '(', '{', '[':
			open = append(open, i)
		case ')', '}', ']':
			if last := len(open) - 1; last >= 0 {
				closing[open[last]] = i - open[last]
				open = open[:last]
			}
		}
	}
	return closing
}

// valueOf reads the path or the call that lexemes begin with, of which closing says where their brackets are closed. O(1).
func valueOf(lexemes []lexeme, closing []int) scannedValue {
	n := 0
	for n < len(lexemes) && n < 2*mostPath && (n%2 == 0 && lexemes[n].kind == 'n' || n%2 == 1 && lexemes[n].kind == '.') {
		n++
	}
	path, taken := pathTo(lexemes[:n])
	if taken == 0 {
		return scannedValue{}
	}
	if n == len(lexemes) {
		return scannedValue{path: path}
	}
	switch rest := lexemes[n:]; rest[0].kind {
	case '"':
		return scannedValue{call: callOf(lexemes[:n], rest[:1])}
	case '(':
		if end := closing[n]; end > 0 {
			return scannedValue{call: callOf(lexemes[:n], rest[1:end])}
		}
		return scannedValue{}
	}
	return scannedValue{path: path}
}
