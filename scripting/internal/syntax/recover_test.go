package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// faultsOf returns the places of all faults of a text.
func faultsOf(src string) string {
	_, err := Parse("p", []byte(src), Options{})
	if err == nil {
		return ""
	}
	fault := err.(*Error)
	var list []string
	for _, f := range append([]*Error{fault}, fault.More...) {
		list = append(list, fmt.Sprintf("%d:%d", f.Line, f.Column))
	}
	return strings.Join(list, " ")
}

// Each text stands beside the places of its faults: all that are there, and none that
// only comes from what was left out after another.
func TestAllFaults(t *testing.T) {
	for src, want := range map[string]string{
		"x = = 1\ny = 2\nz = * 3":                                                                            "1:5 3:5",
		"x = 1 @\ny != 2":                                                                                    "1:7 2:3",
		"if x = 1 then\n  f()\nelse\n  g()\nend\ny = = 2":                                                    "1:6 6:5",
		"for i = 1 10 do\n  f(i)\nend\nwhile x do\n  y = = 1\nend":                                           "1:11 5:7",
		"function f(a b)\n  return ...\nend\nlocal 1 = 2":                                                    "1:14 2:10 4:7",
		"local function f()\n  if a then\n    x = = 1\n  end\n  y = )\n  return 1\nend\nz = 'a":              "3:9 5:7 8:5",
		"ecs.system 'a' {\n  each = function(e)\n    x = = 1\n    y = = 2\n  end,\n  run = = 3,\n}\nz = = 4": "3:9 4:9 6:9 8:5",
		"t = {\n  a = 1,\n  b = = 2,\n  c = 3,\n}\nx = = 1":                                                  "3:7 6:5",
		"f(1,\n  = 2,\n  3)\nx = = 1":                                                                        "2:3 4:5",
		"while true do\n  x = = 1\n  break\nend\nbreak":                                                      "2:7 5:1",
		"x = 3x\ny = '\\300' .. z\nz = = 1":                                                                  "1:5 2:6 3:5",
		"x = = 1\nend\nend":                                                                                  "1:5 2:1 3:1",
		"function f()\n  if a then\n    b()\nend\nreturn 1":                                                  "5:9",
		"if a then\n  b()\nesle\n  c()\nend\nx = = 1":                                                        "3:1 6:5",
		"loacl x = 1\nretrun x":                                                                              "1:1 2:1",
		"if a thne\n  b()\nend\nx = = 1":                                                                     "1:6 4:5",
		"whlie a do\n  b()\nedn\nx = = 1":                                                                    "1:1 3:1 4:5",
		"For i = 1, 3 do\n  b()\nend":                                                                        "1:1",
		"fucntion f(a)\n  a()\nend\nrepaet\n  f()\nuntli a":                                                  "1:1 4:1 6:1",
		"x = [[\na = = 1":                                                                                    "1:5",
		"x = = [[\na = = 1\n]]\ny = = 2":                                                                     "1:5 4:5",
		"x = = 1\nif a then\nb = 2\nelse\nc = = 3\nend\nd = = 4":                                             "1:5 5:5 7:5",
		"x = = 1\n\n--[[\ny = = 2\n]]\nz = = 3":                                                              "1:5 6:5",
		strings.Repeat("x = = 1\n", 30):                                                                      strings.TrimSpace(many20()),
	} {
		if got := faultsOf(src); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func many20() string {
	var list strings.Builder
	for line := range maxFaults {
		fmt.Fprintf(&list, "%d:5 ", line+1)
	}
	return list.String()
}

// In a text as people indent it, every broken statement is reported, and nothing else.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(400) {
		b := breaker{r: rand.New(rand.NewPCG(seed, 7)), line: 1}
		b.block(0, 2+b.r.IntN(6))
		if got, want := faultsOf(b.text.String()), strings.Join(b.want, " "); got != want {
			t.Fatalf("seed %d: got %q, want %q\n%s", seed, got, want, b.text.String())
		}
	}
}

// breaker writes a text with broken statements.
type breaker struct {
	r    *rand.Rand
	text strings.Builder
	line int
	want []string
}

func (b *breaker) write(indent int, text string) {
	b.text.WriteString(strings.Repeat("  ", indent) + text + "\n")
	b.line++
}

// broken writes a statement whose fault is at the mark.
func (b *breaker) broken(indent int, text string) {
	if len(b.want) >= maxFaults-1 {
		text = "x = 1"
	} else {
		b.want = append(b.want, fmt.Sprintf("%d:%d", b.line, 2*indent+strings.Index(text, "#")+1))
	}
	b.write(indent, strings.Replace(text, "#", "", 1))
}

func (b *breaker) block(indent, statements int) {
	for range statements {
		b.statement(indent)
	}
}

func (b *breaker) statement(indent int) {
	inside := func() {
		if indent < 4 {
			b.block(indent+1, 1+b.r.IntN(3))
		}
		b.write(indent, "end")
	}
	switch b.r.IntN(10) {
	case 0:
		b.broken(indent, "x = #= 1")
	case 1:
		b.broken(indent, "local t = { a = #= 1 }")
	case 2:
		b.broken(indent, "f(1, #)")
	case 3:
		b.write(indent, "if a then")
		inside()
	case 4:
		b.write(indent, "for i = 1, 3 do")
		inside()
	case 5:
		b.write(indent, "local function f(a, ...)")
		inside()
	case 6:
		b.write(indent, "g(function(a)")
		if indent < 4 {
			b.block(indent+1, 1+b.r.IntN(3))
		}
		b.write(indent, "end)")
	case 7: // what belongs to a broken head is left out
		if len(b.want) < maxFaults-1 {
			b.broken(indent, "while x #= 1 do")
			b.write(indent+1, "y = 2")
			b.write(indent+1, "break")
			b.write(indent, "end")
		}
	case 8:
		b.write(indent, "if a then")
		b.write(indent+1, "x = 1")
		b.write(indent, "elseif b then")
		inside()
	default:
		b.write(indent, "x = y + 1")
	}
}
