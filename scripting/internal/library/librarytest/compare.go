package librarytest

import (
	"fmt"
	"regexp"
	"strings"
)

// Normal removes the differences that the package documents and what no test
// can know: the sign of not-a-number, the sign of zero, which PUC Lua confuses
// in constants, addresses, which of the stacks overflows, and the words of Lua's own error messages.
func Normal(out string) string {
	for _, known := range []struct{ expr, instead string }{
		{`-(nan|inf)`, "$1"},
		{`-0`, "0"},
		{`(C )?stack overflow[^\t\n]*`, "stack overflow"},
		{`(table|function|thread): (builtin: )?(0x)?[0-9a-f]+`, "$1"},
		{`p:[0-9]+: attempt to compare`, "attempt to compare"}, // from table.sort: see the package doc
		{`(attempt to|cannot|bad argument|invalid|for statement|'for'|wrong number|malformed|__[a-z]+ undefined|"__tostring|'tostring')[^\t\n]*`, "E"},
	} {
		out = regexp.MustCompile(known.expr).ReplaceAllString(out, known.instead)
	}
	return out
}

// Diff shows the first line that differs.
func Diff(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			show := func(lines []string) string {
				if i < len(lines) {
					return lines[i]
				}
				return "(nothing)"
			}
			return fmt.Sprintf(" in line %d\n got %q\nwant %q", i+1, show(a), show(b))
		}
	}
	return ""
}

// Numbered writes a script with the numbers of its lines.
func Numbered(src string) string {
	var out strings.Builder
	for i, line := range strings.Split(src, "\n") {
		fmt.Fprintf(&out, "%3d %s\n", i+1, line)
	}
	return out.String()
}
