package fault

import (
	"regexp"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// The VM says what has gone wrong in a text and in nothing else. Here, where it raises,
// is the one place where that text is looked at.

// withoutPrefix takes the place off that the VM has put before its text.
func withoutPrefix(text, place string) string { return strings.TrimPrefix(text, place) }

// ends are the texts of the VM by which a call ends that has used too much. The last is how
// it fails when a tail call has too many values: it panics while it looks for the line.
var ends = map[string]diag.Kind{
	"stack overflow":                         diag.Overflow,
	"lua callstack overflow":                 diag.Overflow,
	"registry overflow":                      diag.Registers,
	"runtime error: index out of range [-1]": diag.Registers,
}

// inOurWords puts the VM's words into ours, and says which kind of fault they are.
func inOurWords(text string) (string, diag.Kind) {
	if kind, known := ends[text]; known {
		return text, kind
	}
	for _, w := range vmMessages {
		if strings.Contains(text, w.sign) {
			text = w.theirs.ReplaceAllString(text, w.ours)
		}
	}
	return text, diag.Fault
}

// isMistake reports whether the VM says that an instruction has failed by the types of its
// values: mistake says it better.
func isMistake(text string) bool {
	for _, sign := range [...]string{"cannot perform ", "non-function object", "__len undefined", "__unm undefined"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return isComparison(text)
}

// isComparison reports whether the VM says that two values have no order.
func isComparison(text string) bool { return strings.HasPrefix(text, "attempt to compare ") }

// vmMessages are what the VM says of mistakes that everybody makes, and how Lua says it.
// Most messages hold none of the signs, and cost no more than that.
var vmMessages = []struct {
	sign   string
	theirs *regexp.Regexp
	ours   string
}{
	{"too many recursions in ", regexp.MustCompile(`too many recursions in [gs]ettable`), "more than 100 tables are asked in a row by __index or __newindex; perhaps they lead in a circle"},
	{"attempt to compare userdata", regexp.MustCompile(`userdata`), "a value of the host"}, // by functions of Go
	{"for statement init", regexp.MustCompile(`for statement init must be a number`), `a "for" needs numbers, and its first value is none`},
	{"for statement limit", regexp.MustCompile(`for statement limit must be a number`), `a "for" needs numbers, and its last value is none`},
	{"for statement step", regexp.MustCompile(`for statement step must be a number`), `a "for" needs numbers, and its step is none`},
}
