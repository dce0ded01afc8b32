package syntax

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

var (
	show = flag.String("show", "", "print the texts with this mistake that are not reported as they should be; two for those with two")
	most = flag.Int("mistakes", 200, "texts in which each mistake is planted, and random texts with faults; from 1000 on all texts of the repository")
)

// A mistake is one that people make: a token of some kinds is replaced by another text, in
// which $ stands for the token.
type mistake struct {
	name, kinds, with string
}

// operators are the binary ones that are no unary ones.
const operators = "or and < > <= >= ~= == .. + * / % ^"

// mistakes are all that are planted.
var mistakes = []mistake{
	{"no end", "end", " "},
	{"no )", ")", " "},
	{"no }", "}", " "},
	{"no ,", ",", " "},
	{"no then", "then", " "},
	{"no do", "do", " "},
	{"no =", "=", " "},
	{"no (", "(", " "},
	{"end twice", "end", "end end"},
	{") twice", ")", "))"},
	{"} twice", "}", "}}"},
	{"= twice", "=", "= ="},
	{", twice", ",", ",,"},
	{"then twice", "then", "then then"},
	{"do twice", "do", "do do"},
	{"!=", "==", "!="},
	{"&&", "and", "&&"},
	{"+=", "=", "+="},
	{"continue", "then", "then continue"},
	{"else if", "elseif", "else if"},
	{"string", kindString, ""},
	{"no {", "{", " "},
	{"no function", "function", " "},
	{"no until", "until", " "},
	{"no operator", operators, " "},
	{"misspelt", keywords, "?"},
	{"then as ,", "then", ","},
	{"then as do", "then", "do"},
	{"then as {", "then", "{"},
	{"return early", "local", "return 1 $"},
	{"\" twice", kindString, "$\""},
	{"token gone", "", " "},
	{"token twice", "", "$ $"},
}

// at reports whether the mistake can be made with a token.
func (m mistake) at(src string, at spot) bool {
	switch {
	case m.name == "string" || m.name == "\" twice":
		return at.kind == kindString && src[at.to-1] != ']'
	case m.name == "+=" && (at.table || at.declares):
		return false
	case m.name == "misspelt" && len(at.kind) < 3, m.name == "return early" && !at.first:
		return false
	}
	return m.kinds == "" || slices.Contains(strings.Fields(m.kinds), at.kind)
}

// text is what stands there instead of a token.
func (m mistake) text(r *rand.Rand, src string, at spot) string {
	token := src[at.from:at.to]
	switch m.name {
	case "string":
		return token[:len(token)-1] + " "
	case "misspelt":
		i := r.IntN(len(token) - 1)
		return token[:i] + token[i+1:i+2] + token[i:i+1] + token[i+2:]
	}
	return strings.ReplaceAll(m.with, "$", token)
}

// A spot is a token of a text, with what is known of it.
type spot struct {
	token
	from, to int
	opener   token // of the block or bracket that it closes
	next     int   // line of the token after it
	table    bool  // it stands in a constructor
	declares bool  // it stands in the line of a local or a for
}

// spotsIn returns the tokens of a text that is right.
func spotsIn(src string) []spot {
	lx := newParser("p", src).lx
	var list []spot
	var open []token
	for {
		tok := lx.next()
		if len(list) > 0 {
			list[len(list)-1].next = tok.line
		}
		if tok.kind == kindEnd {
			return list
		}
		at := spot{token: tok, from: tok.at, to: lx.pos}
		at.table = len(open) > 0 && open[len(open)-1].kind == "{"
		line := strings.TrimSpace(src[at.from-at.column+1 : at.from])
		at.declares = strings.Contains(line, "local") || strings.Contains(line, "for")
		switch tok.kind {
		case "function", "if", "while", "for", "repeat", "(", "{", "[":
			open = append(open, tok)
		case "do":
			if n := len(open); n > 0 && (open[n-1].kind == "while" || open[n-1].kind == "for") {
				open[n-1].kind += " do" // the word belongs to the loop
			} else {
				open = append(open, tok)
			}
		case "end", "until", ")", "}", "]":
			at.opener = open[len(open)-1]
			open = open[:len(open)-1]
		}
		list = append(list, at)
	}
}

// scriptsOfRepository returns the scripts of the repository that are right.
func scriptsOfRepository(t *testing.T) []string {
	var list []string
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".lua") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := Parse("p", text, Options{Concat: noFunction}); err == nil && len(text) < 16<<10 {
			list = append(list, string(text))
		}
		return nil
	})
	if err != nil || len(list) < 100 {
		t.Fatal(len(list), "scripts: ", err)
	}
	return list
}

// tally counts what became of one mistake.
type tally struct{ still, one, more, elsewhere int }

// plant makes the mistake at a place, and counts how it is reported.
func (m mistake) plant(r *rand.Rand, src string, at spot, n *tally) string {
	text := m.planted(src, at, m.text(r, src, at))
	switch faults := faultsIn(text); {
	case faults == nil:
		n.still++
	case len(faults) > 1:
		n.more++
		return m.show("more", text, at, faults)
	case !m.named(faults[0], at):
		n.elsewhere++
		return m.show("elsewhere", text, at, faults)
	default:
		n.one++
	}
	return ""
}

// planted returns the text with another one in the place of a token. A line begins where it
// began, whatever is left out there.
func (m mistake) planted(src string, at spot, text string) string {
	after := src[at.to:]
	if text == " " && at.first {
		text, after = "", strings.TrimLeft(after, " ")
	}
	return src[:at.from] + text + after
}

// faultsIn returns all faults of a text.
func faultsIn(text string) []*Error { return faultsOf("p", text) }

func faultsOf(name, text string) []*Error {
	_, err := Parse(name, []byte(text), Options{Concat: noFunction})
	fault := new(Error)
	if !errors.As(err, &fault) {
		return nil
	}
	return append([]*Error{fault}, fault.More...)
}

// show says what was planted where, and what was reported.
func (m mistake) show(what, text string, at spot, faults []*Error) string {
	return fmt.Sprintf("%s, %s at %d:%d: %v\n%s", m.name, what, at.line, at.column, faults, text)
}

var lineInMessage = regexp.MustCompile(`line (\d+)`)

// named reports whether a problem says in which line the mistake is.
func (m mistake) named(fault *Error, at spot) bool {
	lines := []int{fault.Line}
	for _, word := range lineInMessage.FindAllStringSubmatch(fault.Message, -1) {
		line, _ := strconv.Atoi(word[1])
		lines = append(lines, line)
	}
	return slices.ContainsFunc(lines, func(line int) bool {
		return line == at.line || line == at.next || m.with == " " && line == at.opener.line
	})
}

// leftmost is a text of which no line is indented.
func leftmost(src string) string {
	var text strings.Builder
	for line := range strings.Lines(src) {
		text.WriteString(strings.TrimLeft(line, " \t"))
	}
	return text.String()
}

// A text is one that is right, with its tokens.
type text struct {
	src   string
	spots []spot
}

func tokensOf(src string) text { return text{src, spotsIn(src)} }

// layouts are a text as somebody has written it, and without indentation.
type layouts struct{ indented, leftmost text }

// A text with one mistake has one problem, and its message says in which line the mistake
// is, or where the block or bracket begins that lacks its end. Without indentation nobody
// can know whose end is missing, but there is one problem.
//
// go test -v prints how often it is so, by mistake and layout.
func TestOneMistake(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scripts := scriptsOfRepository(t)
	for seed := range uint64(200) {
		b := breaker{r: rand.New(rand.NewPCG(seed, 8)), line: 1, want: make([]string, maxFaults)}
		b.block(0, 3+b.r.IntN(6))
		scripts = append(scripts, b.text.String())
	}
	var texts []layouts
	for _, src := range scripts {
		texts = append(texts, layouts{tokensOf(src), tokensOf(leftmost(src))})
	}
	for _, m := range mistakes {
		var indented, flat tally
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for i, text := range texts {
			if indented.all() == *most {
				break
			}
			if shown := m.plantOne(r, text.indented, &indented); shown != "" && *show == m.name {
				t.Log(shown)
			}
			if i%3 == 0 {
				m.plantOne(r, text.leftmost, &flat)
			}
		}
		t.Logf("%-12s  %v   without indentation  %v", m.name, indented, flat)
		if indented.share(indented.one) < 0.97 || flat.share(flat.one+flat.elsewhere) < 0.9 || indented.all() < 20 {
			t.Errorf("%s: %v, without indentation %v", m.name, indented, flat)
		}
	}
}

func (n tally) all() int { return n.one + n.more + n.elsewhere }

func (n tally) share(of int) float64 { return float64(of) / float64(max(n.all(), 1)) }

func (n tally) String() string {
	return fmt.Sprintf("one problem %5.1f %% of %3d, at another line %2d, more problems %2d, still Lua %3d",
		100*n.share(n.one), n.all(), n.elsewhere, n.more, n.still)
}

// plantOne makes the mistake at one place of a text, if there is one.
func (m mistake) plantOne(r *rand.Rand, text text, n *tally) string {
	if at, ok := m.draw(r, text.src, text.spots); ok {
		return m.plant(r, text.src, at, n)
	}
	return ""
}

// draw chooses one of some tokens for the mistake.
func (m mistake) draw(r *rand.Rand, src string, spots []spot) (spot, bool) {
	var fit []spot
	for _, at := range spots {
		if m.at(src, at) {
			fit = append(fit, at)
		}
	}
	if len(fit) == 0 {
		return spot{}, false
	}
	return fit[r.IntN(len(fit))], true
}

var noFunction = &lua.LFunction{IsG: true}

// Two mistakes, each in a function of its own, are two problems, each at its place.
func TestTwoMistakes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var both, one, other, more int
	scripts := scriptsOfRepository(t)
	r.Shuffle(len(scripts), func(i, j int) { scripts[i], scripts[j] = scripts[j], scripts[i] })
	for _, src := range scripts {
		if both+one+other+more >= *most {
			break
		}
		parts := functionsIn(src)
		if len(parts) < 2 {
			continue
		}
		for range 12 {
			m, l := mistakes[r.IntN(len(mistakes))], mistakes[r.IntN(len(mistakes))]
			i := r.IntN(len(parts) - 1)
			first, ok1 := m.draw(r, src, parts[i])
			second, ok2 := l.draw(r, src, parts[i+1+r.IntN(len(parts)-i-1)])
			if !ok1 || !ok2 {
				continue
			}
			a, b := m.text(r, src, first), l.text(r, src, second)
			text := l.planted(src, second, b)
			if faultsIn(text) == nil || faultsIn(m.planted(src, first, a)) == nil {
				continue // one of them is still Lua
			}
			text = m.planted(text, first, a)
			faults := faultsIn(text)
			named := slices.ContainsFunc(faults, func(f *Error) bool { return m.named(f, first) })
			too := slices.ContainsFunc(faults, func(f *Error) bool { return l.named(f, second) })
			switch {
			case len(faults) > 2:
				more++
			case named && too && len(faults) == 2:
				both++
				continue
			case len(faults) == 2:
				other++
			default:
				one++
			}
			if *show == "two" {
				t.Log(m.show(l.name, text, first, faults), second.line, second.column)
			}
		}
	}
	all := both + one + other + more
	t.Logf("both %.1f %% of %d, one problem %d, at other lines %d, more than two %d", 100*float64(both)/float64(all), all, one, other, more)
	if float64(both) < 0.95*float64(all) {
		t.Errorf("%d of %d", both, all)
	}
}

// functionsIn returns the tokens of each outermost function of a text.
func functionsIn(src string) (list [][]spot) {
	spots := spotsIn(src)
	from := -1
	for i, at := range spots {
		if from < 0 && at.kind == "function" {
			from = i
		}
		if from >= 0 && at.kind == "end" && at.opener.at == spots[from].at {
			list = append(list, spots[from:i+1])
			from = -1
		}
	}
	return list
}
