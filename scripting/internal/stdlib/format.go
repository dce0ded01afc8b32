package stdlib

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// string.format: verbs are read and written here. Package fmt gets only a precision and a
// letter, for the flag #.

// A verb is one conversion of string.format, such as %5.2f.
type verb struct {
	flags     string // some of "-+ #0"
	width     int    // 0: as wide as the text is
	precision int    // -1: not given
	letter    byte
}

// has reports whether a flag is set.
func (v verb) has(flag byte) bool { return strings.IndexByte(v.flags, flag) >= 0 }

// piecesPerCharge is how many parts of a format are charged together: to ask the meter for
// each would take longer than the part.
const piecesPerCharge = 32

// pieceSteps is what a part takes.
const pieceSteps = 5

// format is string.format. It copies the text between the verbs, and measures the result
// as it grows.
func (lib *Library) format(a args) int {
	format := a.text(1)
	var out strings.Builder
	argument, pieces := 1, 0
	for format != "" {
		if pieces++; pieces%piecesPerCharge == 0 {
			charge(a.LState, piecesPerCharge*pieceSteps)
		}
		percent := strings.IndexByte(format, '%')
		if percent < 0 {
			percent = len(format)
		}
		out.WriteString(format[:percent])
		format = format[percent:]
		if strings.HasPrefix(format, "%%") {
			out.WriteByte('%')
			format = format[2:]
			continue
		}
		if format == "" {
			break
		}
		var v verb
		v, format = a.verb(format[1:])
		argument++
		text := v.format(lib, a, argument)
		fits(a.LState, out.Len()+len(text))
		alloc(a.LState, len(text))
		out.WriteString(text)
	}
	charge(a.LState, pieces%piecesPerCharge*pieceSteps)
	alloc(a.LState, out.Len())
	return a.results(lua.LString(out.String()))
}

// verb reads a conversion after its percent sign, and returns the rest of the format.
func (a args) verb(format string) (verb, string) {
	v := verb{precision: -1}
	rest := strings.TrimLeft(format, "-+ #0")
	v.flags = format[:len(format)-len(rest)]
	if len(v.flags) > 5 {
		raise(a.LState, "invalid format (repeated flags)")
	}
	v.width, rest = twoDigits(rest)
	if strings.HasPrefix(rest, ".") {
		v.precision, rest = twoDigits(rest[1:])
	}
	if rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		raise(a.LState, "invalid format (width or precision too long)")
	}
	if rest == "" || strings.IndexByte("cdiouxXeEfgGqs", rest[0]) < 0 {
		raise(a.LState, "invalid option %q to \"format\"", "%"+format[:min(len(format)-len(rest)+1, len(format))])
	}
	v.letter = rest[0]
	return v, rest[1:]
}

// twoDigits reads a number of at most two digits, and returns the rest of the text.
func twoDigits(text string) (int, string) {
	n := 0
	for n < min(2, len(text)) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	value, _ := strconv.Atoi(text[:n])
	return value, text[n:]
}

// format converts the nth argument to text.
func (v verb) format(lib *Library, a args, n int) string {
	switch v.letter {
	case 'c':
		return v.pad("", string([]byte{byte(a.integer(n))}), false)
	case 'd', 'i':
		return v.signed(int64(a.integer(n)))
	case 'o', 'u', 'x', 'X':
		return v.unsigned(a.number(n))
	case 'e', 'E', 'f', 'g', 'G':
		x := a.number(n)
		v.weigh(a.LState, x)
		return v.float(x)
	case 'q':
		alloc(a.LState, 2*len(a.text(n)))
		return quoted(a.text(n))
	}
	text := lib.toText(a.LState, a.any(n))
	if v.precision >= 0 && v.precision < len(text) {
		text = text[:v.precision]
	}
	return v.pad("", text, false)
}

// weigh charges for a number that is written with more digits than decide it, about 16.
// Then strconv goes through all bits of the power of two.
func (v verb) weigh(L *lua.LState, x float64) {
	const quick = 16
	_, exponent := math.Frexp(x)
	switch exponent = max(exponent, -exponent); {
	case v.precision > quick || v.has('#'):
		charge(L, quick+exponent/4)
	case exponent > 64 && v.letter|0x20 == 'f':
		charge(L, exponent/4)
	}
}

// pad fills a text up to the width: with spaces before or after it, or with zeros between
// the sign and the digits.
func (v verb) pad(sign, digits string, zeros bool) string {
	missing := v.width - len(sign) - len(digits)
	switch {
	case missing <= 0:
		return sign + digits
	case v.has('-'):
		return sign + digits + strings.Repeat(" ", missing)
	case zeros && v.has('0'):
		return sign + strings.Repeat("0", missing) + digits
	}
	return strings.Repeat(" ", missing) + sign + digits
}

// sign returns what stands before the digits of a number.
func (v verb) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case v.has('+'):
		return "+"
	case v.has(' '):
		return " "
	}
	return ""
}

// digits writes a whole number with at least as many digits as the precision says.
func (v verb) digits(magnitude uint64, base int) string {
	text := strconv.FormatUint(magnitude, base)
	if v.precision == 0 && magnitude == 0 {
		return ""
	}
	return strings.Repeat("0", max(v.precision-len(text), 0)) + text
}

// signed is %d and %i.
func (v verb) signed(n int64) string {
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	return v.pad(v.sign(n < 0), v.digits(magnitude, 10), v.precision < 0)
}

// unsigned is %o, %u, %x and %X. A negative number is shown as its two's complement.
func (v verb) unsigned(x float64) string {
	magnitude := uint64(truncate(x))
	if x >= 1<<63 {
		magnitude = uint64(min(x, 1<<64-1<<11))
	}
	base, prefix := 10, ""
	switch v.letter {
	case 'o':
		base = 8
	case 'x', 'X':
		base, prefix = 16, "0x"
	}
	digits := v.digits(magnitude, base)
	if !v.has('#') || base == 16 && magnitude == 0 {
		prefix = ""
	}
	if v.has('#') && base == 8 && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	text := v.pad(prefix, digits, v.precision < 0)
	if v.letter == 'X' {
		text = strings.ToUpper(text)
	}
	return text
}

// float is %e, %f and %g. Go writes the same digits as C; sign, nan and inf are written
// here.
func (v verb) float(x float64) string {
	sign := v.sign(math.Signbit(x) && !math.IsNaN(x))
	precision := v.precision
	if precision < 0 {
		precision = 6
	}
	var digits string
	switch magnitude := math.Abs(x); {
	case math.IsNaN(x):
		digits = "nan"
	case math.IsInf(x, 0):
		digits = "inf"
	case v.has('#'):
		digits = fmt.Sprintf("%#."+strconv.Itoa(precision)+strings.ToLower(string(v.letter)), magnitude)
	case v.letter == 'g' || v.letter == 'G':
		digits = strconv.FormatFloat(magnitude, 'g', max(precision, 1), 64)
	default:
		digits = strconv.FormatFloat(magnitude, v.letter|0x20, precision, 64)
	}
	if v.letter < 'a' {
		digits = strings.ToUpper(digits)
	}
	finite := !math.IsNaN(x) && !math.IsInf(x, 0)
	return v.pad(sign, digits, finite)
}

// quoted is %q: the text in quotation marks, so that Lua reads it back.
func quoted(text string) string {
	replace := strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`)
	return `"` + replace.Replace(text) + `"`
}
