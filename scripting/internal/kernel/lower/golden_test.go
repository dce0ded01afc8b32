package lower_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
)

// TestRules compares what each rule makes of a few lines with the file
// beside them. Each file of testdata is about one subject; a line that begins with ---
// names a case and the body of a function follows, over a Unit u and a Gear o that
// rows may lack. The answer is the kernel, or the reason why there is none with its place
// in the body; lines that begin with | repeat the text. The mark § stands before each token
// that is such a reason, see TestReasonsPointAtTheirToken.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range kerneltest.Cases(strings.ReplaceAll(string(text), "§", "")) {
			fmt.Fprintf(&b, "--- %s\n| %s\n%s\n", c.Name, strings.ReplaceAll(c.Body, "\n", "\n| "), outcome(t, c))
		}
		golden.Expect(t, strings.TrimSuffix(file, ".lua")+".ir", b.String())
	}
}

// outcome says what becomes of a function.
func outcome(t *testing.T, c kerneltest.Case) string {
	s, err := kerneltest.Parse(c.Body)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	f, err := s.Lower(strings.HasSuffix(c.Name, "(f32)"))
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	if err := ir.Check(f); err != nil {
		t.Errorf("%s: %v\n%s", c.Name, err, f)
	}
	roundTrip(t, c.Name, f)
	return f.String()
}

// TestReasonsPointAtTheirToken lays the text of each case out in random ways, and holds that
// the reasons for which a function, or a branch of it, has no translation point at the
// tokens that are marked.
func TestReasonsPointAtTheirToken(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.lua")
	judged := 0
	for i, file := range files {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range kerneltest.Cases(string(text)) {
			for range 8 {
				body, want := laidOut(rng, c.Body)
				if got := tokens(t, kerneltest.Case{Name: c.Name, Body: body}); !slices.Equal(got, want) {
					t.Fatalf("%s: %s: reasons at %v, want them at %v\n%s", file, c.Name, got, want, body)
				}
			}
			judged += strings.Count(c.Body, "§")
		}
	}
	if judged < 100 {
		t.Errorf("only %d reasons are marked", judged)
	}
}

// laidOut puts random blanks and comments before the lines of a body and before its marks.
// It returns the text without the marks, and their places.
func laidOut(rng *rand.Rand, body string) (text string, marks []place) {
	blanks := []string{"", "", " ", "\t", "  \t ", "--[[ näher ]] ", "\n\t", "\n\n-- zwölf\n "}
	blank := func() string { return blanks[rng.IntN(len(blanks))] }
	var b strings.Builder
	for i, line := range strings.Split(body, "\n") {
		for k, part := range strings.Split(line, "§") {
			if k > 0 {
				marks = append(marks, place{})
			}
			if whole := i == 0 && strings.HasPrefix(strings.TrimPrefix(body, "§"), "function("); !whole || k > 0 && b.Len() > 0 {
				b.WriteString(blank())
			}
			if k > 0 {
				laid := b.String()
				marks[len(marks)-1] = place{strings.Count(laid, "\n") + 1, len(laid) - strings.LastIndex(laid, "\n")}
			}
			b.WriteString(part)
		}
		b.WriteString("\n")
	}
	return b.String(), marks
}

// place is a line of a body and a column in bytes, from 1.
type place struct{ line, column int }

// tokens returns the places of the reasons in a body, in the order of the text.
func tokens(t *testing.T, c kerneltest.Case) (list []place) {
	s, err := kerneltest.Parse(c.Body)
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Name, err, c.Body)
	}
	f, err := s.Lower(strings.HasSuffix(c.Name, "(f32)"))
	if refusal, ok := errors.AsType[*lower.Refusal](err); ok {
		return []place{{refusal.Line(), refusal.Column()}}
	}
	for _, l := range f.Fallbacks {
		list = append(list, place{l.Line - 1, l.Column}) // the text has a line before the body
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Or(a.line-b.line, a.column-b.column) })
	return list
}

// roundTrip holds that the text of a kernel is all that there is of it, but for what
// belongs to the host.
func roundTrip(t *testing.T, name string, f *ir.Func) {
	t.Helper()
	again, err := kerneltest.Read(f.String())
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, f)
		return
	}
	again.Memory = f.Memory
	if err := ir.Check(again); err != nil || again.String() != f.String() {
		t.Errorf("%s: %v, read again it is another one: %s", name, err, golden.Difference(f.String(), again.String()))
	}
}

// TestLargeFunctions holds that a function of thousands of statements has no kernel,
// and that a smaller one has.
func TestLargeFunctions(t *testing.T) {
	for n, want := range map[int]bool{1000: true, 7000: false} {
		s, err := kerneltest.Parse(strings.Repeat("u.x = u.x + u.y\n", n))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Lower(false)
		if err == nil != want || err != nil && !strings.Contains(err.Error(), "a function of this size") {
			t.Errorf("%d statements: %v", n, err)
		}
	}
}

// TestOtherFunctions holds what is said of a function that is not in the text.
func TestOtherFunctions(t *testing.T) {
	s, err := kerneltest.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LowerOther(); err == nil || !strings.Contains(err.Error(), "a function that is not written out in its system's table") {
		t.Error(err)
	}
}

// unreached are reasons that no text here leads to, and why.
var unreached = map[string]string{
	"a function of this size (with those that it calls at most %d statements, %d locals and %d parts of expressions)": "it takes thousands of lines: TestLargeFunctions",
	"a component of this size": "it would have 4 GiB",
	"the operator %s":          "the parser has no other",
	"the number %s":            "the parser lets no other pass",
	"this statement":           "the parser has no other",
	"this expression":          "the parser has no other",
}

// TestEveryReasonHasACase holds that each reason for which lower refuses a
// function, as it stands in the source, is among the expected outcomes.
func TestEveryReasonHasACase(t *testing.T) {
	outcomes := ""
	files, _ := filepath.Glob("testdata/*.ir")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		outcomes += string(text)
	}
	for place, format := range reasons(t) {
		words := regexp.QuoteMeta(format) // in a fallback, quotes have a backslash before them
		for verb, any := range map[string]string{"%q": `\\?"[^\n]*"`, "%s": `[^\n]+`, "%d": `\d+`, "%v": `[^\n]+`} {
			words = strings.ReplaceAll(words, verb, any)
		}
		found := regexp.MustCompile(`(refused: line \d+, column \d+:|fallback line \d+ column \d+( rare)?) "?([\w.]+:\d+:\d+: )?` + words + " is not available").MatchString(outcomes)
		if _, known := unreached[format]; found == known && format != "%s" {
			t.Errorf("%s: %q: a case is there: %t, and it is among those that no text leads to: %t", place, format, found, known)
		}
	}
}

// reasons returns the formats of all refusals in the source, by their places.
func reasons(t *testing.T) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, file := range files {
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			method, isMethod := call.Fun.(*ast.SelectorExpr)
			format, isText := call.Args[1].(*ast.BasicLit)
			if isMethod && isText && (method.Sel.Name == "refuse" || method.Sel.Name == "refuseNow") {
				if words, err := strconv.Unquote(format.Value); err == nil {
					list[set.Position(call.Pos()).String()] = words
				}
			}
			return true
		})
	}
	if len(list) < 80 {
		t.Fatalf("only %d reasons were found", len(list))
	}
	return list
}
