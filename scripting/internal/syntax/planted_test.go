package syntax

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
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
// which $ stands for the token. Some change several tokens, see changes.
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
	{"2 commas", ",", " "},
	{"3 commas", ",", " "},
	{"all commas", ",", " "},
	{"commas of a list and of one in it", ",", " "},
	{") as ,", ")", ","},
	{"no { inside", "{", " "},
	{"function as", "function", "elseif return fn then funct = lambda ( do local"},
	{"( as \"", "(", "\""},
	{"braces", "then do )", "{"},
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
	case m.name == "no { inside" || strings.Contains(m.name, "commas"):
		return at.kind == m.kinds && at.table
	case m.name == "braces":
		return at.kind == "then" || at.kind == "do" && strings.HasSuffix(at.around.kind, " do") || at.kind == ")" && at.params
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
	case "function as":
		words := strings.Fields(m.with)
		return words[r.IntN(len(words))]
	}
	return strings.ReplaceAll(m.with, "$", token)
}

// A change puts a text in the place of a token.
type change struct {
	spot
	text string
}

// changes returns what the mistake changes where it is made with a token, and how many
// problems that is.
func (m mistake) changes(r *rand.Rand, src string, spots []spot, at spot) (list []change, problems int) {
	switch {
	case m.name == "braces":
		return m.braces(spots, at), 1
	case m.name == "commas of a list and of one in it":
		inner := func(s spot) bool {
			return s.kind == "," && s.around.at > at.from && slices.Contains(strings.Fields("{ ( (function"), s.around.kind) && faulty(m.planted(src, change{s, " "}))
		}
		rest := spots[slices.IndexFunc(spots, func(s spot) bool { return s.at == at.at })+1:]
		next := slices.IndexFunc(rest, func(s spot) bool { return s.around.at == at.around.at && (s.kind == "," || s.kind == "}") })
		if i := slices.IndexFunc(rest[:max(next, 0)], inner); i >= 0 && faulty(m.planted(src, change{at, " "})) {
			return []change{{at, " "}, {rest[i], " "}}, 2
		}
		return nil, 0
	case strings.HasSuffix(m.name, "commas"):
		for _, s := range spots {
			if s.kind == "," && s.around.at == at.around.at && faulty(m.planted(src, change{s, " "})) {
				list = append(list, change{s, " "})
			}
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		most := map[byte]int{'2': 2, '3': 3, 'a': min(max(2, len(list)), maxFaults)}[m.name[0]]
		if len(list) < most {
			return nil, 0
		}
		list = list[:most]
		slices.SortFunc(list, func(a, b change) int { return a.from - b.from })
		return list, most
	}
	return []change{{at, m.text(r, src, at)}}, 1
}

// braces writes a block as C has it.
func (m mistake) braces(spots []spot, at spot) []change {
	list := []change{{at, "{"}}
	if at.kind != "do" {
		list[0].text = ") {"
	}
	for _, s := range spots {
		switch {
		case s.at == at.around.at && (s.kind == "if" || s.kind == "while"):
			list = append(list, change{s, s.kind + " ("})
		case s.around.at == at.around.at && s.kind == "else":
			list = append(list, change{s, "} else {"})
		case s.around.at == at.around.at && s.kind == "elseif":
			return nil
		case s.around.at == at.around.at && s.kind == "end":
			list = append(list, change{s, "}"})
		}
	}
	if at.around.kind == "while do" {
		list[0].text = ") {"
	}
	return list
}

// faulty reports whether the parser finds a fault.
func faulty(src string) bool {
	p := newParser("p", src)
	p.chunk()
	return p.lx.fault != nil
}

// A spot is a token of a text, with what is known of it.
type spot struct {
	token
	from, to int
	opener   token // of the block or bracket that it closes
	around   token // the block or bracket that is around it, or that it closes
	params   bool  // it ends the parameters of a function
	next     int   // line of the token after it
	table    bool  // it stands in a constructor
	declares bool  // it stands in the line of a local or a for
}

// spotsIn returns the tokens of a text that is right.
func spotsIn(src string) []spot {
	lx := newParser("p", src).lx
	var list []spot
	var open []token
	params := false // they begin with the next (
	for {
		tok := lx.next()
		if len(list) > 0 {
			list[len(list)-1].next = tok.line
		}
		if tok.kind == kindEnd {
			return list
		}
		at := spot{token: tok, from: tok.at, to: lx.pos}
		if len(open) > 0 {
			at.around = open[len(open)-1]
		}
		at.table, at.params = at.around.kind == "{", at.around.kind == "(function" && tok.kind == ")"
		line := strings.TrimSpace(src[at.from-at.column+1 : at.from])
		at.declares = strings.Contains(line, "local") || strings.Contains(line, "for")
		switch tok.kind {
		case "function", "if", "while", "for", "repeat", "(", "{", "[":
			open = append(open, tok)
			if tok.kind == "(" && params {
				open[len(open)-1].kind, params = "(function", false
			}
			params = params || tok.kind == "function"
		case "do":
			if n := len(open); n > 0 && (open[n-1].kind == "while" || open[n-1].kind == "for") {
				open[n-1].kind += " do" // the word belongs to the loop
				at.around = open[n-1]
			} else {
				open = append(open, tok)
			}
		case "end", "until", ")", "}", "]":
			at.opener = open[len(open)-1]
			open = open[:len(open)-1]
			if at.params {
				at.around = open[len(open)-1]
			}
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

// plant makes the mistake, and counts how it is reported.
func (m mistake) plant(text text, list []change, problems int, n *tally) string {
	broken := m.planted(text.src, list...)
	faults := faultsIn(broken)
	named := 0
	for i, f := range faults[:min(len(faults), problems)] {
		if m.named(f, list[i].spot) && (problems == 1 || strings.HasPrefix(f.Message, "expected \",\"")) {
			named++
		}
	}
	switch {
	case faults == nil:
		n.still++
	case len(faults) != problems:
		n.more++
		return m.show("more", broken, list[0].spot, faults)
	case named < problems:
		n.elsewhere++
		return m.show("elsewhere", broken, list[0].spot, faults)
	default:
		n.one++
	}
	return ""
}

// planted returns the text with others in the place of tokens. A line begins where it
// began, whatever is left out there.
func (m mistake) planted(src string, list ...change) string {
	list = slices.SortedFunc(slices.Values(list), func(a, b change) int { return b.from - a.from })
	for _, c := range list {
		after := src[c.to:]
		if c.text == " " && c.first {
			c.text, after = "", strings.TrimLeft(after, " ")
		}
		src = src[:c.from] + c.text + after
	}
	return src
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
		for i := range 2 * len(texts) { // a mistake that few texts have room for is made at two places of each
			text := texts[i%len(texts)]
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
	for range 8 {
		at, ok := m.draw(r, text.src, text.spots)
		if !ok {
			break
		}
		if list, problems := m.changes(r, text.src, text.spots, at); list != nil {
			return m.plant(text, list, problems, n)
		}
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
			text := l.planted(src, change{second, b})
			if !faulty(text) || !faulty(m.planted(src, change{first, a})) {
				continue // one of them is still Lua
			}
			text = m.planted(text, change{first, a})
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
	// Over all texts it is 95 %; of few, chance may find fewer: two deviations of a sample of this size.
	const wanted = 0.95
	if bound := wanted - 2*math.Sqrt(wanted*(1-wanted)/float64(all)); float64(both) < bound*float64(all) {
		t.Errorf("%d of %d, fewer than %.1f %%", both, all, 100*bound)
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
