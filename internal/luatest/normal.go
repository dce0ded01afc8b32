package luatest

import (
	"regexp"
	"strconv"
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

// long are numbers of fourteen digits, as many as tostring writes.
var long = regexp.MustCompile(`\b[0-9]{14}\b|\b[0-9]+\.[0-9]{6,}(e[+-][0-9]+)?`)

// AsJIT removes from an output in what Lua of scripts is different from LuaJIT, which rounds the
// last digit of a number otherwise where two are equally near: C takes the even one.
func AsJIT(out string) string {
	return long.ReplaceAllStringFunc(AsPUC(out), func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 12, 64)
	})
}
