package luatest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// known are the differences from PUC Lua that LUA.md lists, and what no test can know: the
// sign of not-a-number, the sign of zero, addresses, which of the stacks overflows, and
// the words of Lua's own errors. Their places stay.
var known = []struct {
	expr    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`-(nan|inf)`), "$1"},
	{regexp.MustCompile(`-0\b`), "0"},
	{regexp.MustCompile(`(C )?stack overflow[^\t\n]*`), "stack overflow"},
	{regexp.MustCompile(`(table|function|thread): (builtin: )?(0x)?[0-9a-f]+`), "$1"},
	{regexp.MustCompile(`\\(r|13)`), "\\r"}, // how luajit writes %q
	{regexp.MustCompile(`\\9\b`), "\t"},
	{regexp.MustCompile(`\\0+`), "\\0"},
	{regexp.MustCompile(`p:[0-9]+: attempt to compare`), "attempt to compare"}, // from table.sort: see package library
	{regexp.MustCompile(`(attempt to|a "for" needs|"for … in" needs|cannot|bad argument|invalid|for statement|'for'|wrong number|malformed|__[a-z]+ undefined|"__tostring|'tostring')[^\t\n]*`), "E"},
}

// AsPUC removes from an output in what Lua of scripts is different from PUC Lua.
func AsPUC(out string) string {
	for _, k := range known {
		out = k.expr.ReplaceAllString(out, k.instead)
	}
	return out
}

// infinite is a list with infinity in it, and value one of its values. Where one divides by zero, or raises it to a power, the sign of infinity
// is that of the zero, and so is its place in a list that was sorted.
var (
	infinite = regexp.MustCompile(`\{[^{}]*=inf\b[^{}]*\}`)
	value    = regexp.MustCompile(`=[^ {}]*`)
)

// written are numbers; overflow is the place of an error of which LuaJIT does not always know it.
var (
	written  = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?`)
	overflow = regexp.MustCompile(`p:[0-9]+: stack overflow`)
)

// digits is how many of a number tostring writes at most.
const digits = 14

// AsJIT removes from an output in what Lua of scripts is different from LuaJIT, which rounds the
// last digit of a number otherwise where two are equally near: C takes the even one. It also tells the constants 0 and -0 of a function
// apart, and PUC Lua does not.
func AsJIT(out string) string {
	out = overflow.ReplaceAllString(AsPUC(out), "stack overflow")
	out = infinite.ReplaceAllStringFunc(out, func(list string) string {
		values := value.FindAllString(list, -1)
		slices.Sort(values)
		return strings.Join(values, " ")
	})
	return written.ReplaceAllStringFunc(out, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		mantissa, _, _ := strings.Cut(number, "e")
		if err != nil || len(strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "0")) < digits-1 {
			return number
		}
		return strconv.FormatFloat(v, 'g', digits-2, 64)
	})
}
