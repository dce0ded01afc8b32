package scripting

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// ErrLimit is what errors.Is finds in an error that says that a limit was
// reached; [Error].Limit says which. A script that raises an error with the same
// words is believed: it accuses only itself.
var ErrLimit = diag.ErrLimit

// brokenByTailCall is how the machine fails when a tail call has too many values:
// it panics while it writes the traceback, so the line is lost.
const brokenByTailCall = "index out of range [-1]"

// reword puts the machine's own words into ours, notes the limit that a message
// names, and cuts what is too long to be read.
func reword(e *Error, limits *Limits) {
	e.Message = shorten(e.Message) // first: all that follows takes time for its length
	switch {
	case e.Message == "stack overflow" || strings.HasSuffix(e.Message, "lua callstack overflow"):
		depth := int64(limits.Depth)
		e.Message = fmt.Sprintf("stack overflow: %s of %s calls in each other (Limits.Depth)", diag.Grouped(depth+1), diag.Grouped(depth))
	case strings.HasSuffix(e.Message, "registry overflow"), strings.Contains(e.Message, brokenByTailCall):
		e.Message = fmt.Sprintf("stack overflow: the calls in each other hold more than %s values", diag.Grouped(registers))
	}
	for _, w := range vmMessages {
		if strings.Contains(e.Message, w.sign) {
			e.Message = w.theirs.ReplaceAllString(e.Message, w.ours)
		}
	}
	e.Message = operators.Replace(e.Message)
	if m := namesLimit.FindStringSubmatch(e.Message); m != nil && e.Limit == "" {
		e.Limit = m[1]
	}
}

// namesLimit finds the limit that a message names.
var namesLimit = regexp.MustCompile(`\(Limits\.(\w+)\)`)

// vmMessages are what the machine says of mistakes that everybody makes, and how
// Lua says it. Most messages hold none of the signs, and cost no more than that.
var vmMessages = []struct {
	sign   string
	theirs *regexp.Regexp
	ours   string
}{
	{"cannot perform ", regexp.MustCompile(`cannot perform (\w+) operation between (\w+) and (\w+)`), "attempt to perform arithmetic: $2 «$1» $3"},
	{"non-table object", regexp.MustCompile(`attempt to index a non-table object\((\w+)\) with key '([^']*)'`), `attempt to index a $1 value with key "$2"`},
	{"non-function object", regexp.MustCompile(`attempt to call a non-function object`), "attempt to call a value that is no function"},
	{"__len undefined", regexp.MustCompile(`__len undefined`), "attempt to get the length of a value that has none"},
	{"__unm undefined", regexp.MustCompile(`__unm undefined`), "attempt to perform arithmetic on a value that is no number"},
	{"too many recursions in ", regexp.MustCompile(`too many recursions in [gs]ettable`), "more than 100 tables are asked in a row by __index or __newindex; perhaps they lead in a circle"},
	{"for statement init", regexp.MustCompile(`for statement init must be a number`), `a "for" needs numbers, and its first value is none`},
	{"for statement limit", regexp.MustCompile(`for statement limit must be a number`), `a "for" needs numbers, and its last value is none`},
	{"for statement step", regexp.MustCompile(`for statement step must be a number`), `a "for" needs numbers, and its step is none`},
}

// operators are the machine's names for them, between the marks that machineWords
// puts there.
var operators = strings.NewReplacer("«add»", "+", "«sub»", "-", "«mul»", "*", "«div»", "/", "«mod»", "%", "«pow»", "^", "«concat»", "..")
