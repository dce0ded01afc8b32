package syntax

import (
	"errors"
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

// A mistake is one that people make: a token of a kind is replaced by another text.
type mistake struct {
	name, kind, with string
}

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
	lx := lexer{name: "p", src: src, line: 1, lines: []int{0}}
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
		at := spot{token: tok, from: lx.lines[tok.line-1] + tok.column - 1, to: lx.pos}
		at.table = len(open) > 0 && open[len(open)-1].kind == "{"
		line := strings.TrimSpace(src[lx.lines[tok.line-1]:at.from])
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
func (m mistake) plant(src string, at spot, n *tally) {
	text := src[:at.from] + m.with + src[at.to:]
	if m.kind == kindString {
		text = src[:at.to-1] + " " + src[at.to:]
	}
	_, err := Parse("p", []byte(text), Options{Concat: noFunction})
	switch fault := new(Error); {
	case !errors.As(err, &fault):
		n.still++
	case len(fault.More) > 0:
		n.more++
	case !m.named(fault, at):
		n.elsewhere++
	default:
		n.one++
	}
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
	for _, m := range mistakes {
		var indented, flat tally
		for i, src := range scripts {
			m.plantOne(r, src, &indented)
			if i%4 == 0 {
				m.plantOne(r, leftmost(src), &flat)
			}
		}
		t.Logf("%-10s  %v   without indentation  %v", m.name, indented, flat)
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
func (m mistake) plantOne(r *rand.Rand, src string, n *tally) {
	var spots []spot
	for _, at := range spotsIn(src) {
		if at.kind == m.kind && !(m.kind == kindString && src[at.to-1] == ']') && !(m.name == "+=" && (at.table || at.declares)) {
			spots = append(spots, at)
		}
	}
	if len(spots) > 0 {
		m.plant(src, spots[r.IntN(len(spots))], n)
	}
}

var noFunction = &lua.LFunction{IsG: true}
