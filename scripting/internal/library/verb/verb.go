// Package verb has the conversions of string.format.
//
// There is one noun, the [Verb], such as %5.2f. It is read from a format, says what it takes
// to write a number, and appends arguments to a text as C's printf writes them. It knows no
// values of Lua.
package verb

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// A Verb is one conversion.
type Verb struct {
	Letter    byte
	flags     string // some of "-+ #0"
	width     int    // 0: as wide as the text is
	precision int    // -1: not given
}

// has reports whether a flag is set.
func (v Verb) has(flag byte) bool { return strings.IndexByte(v.flags, flag) >= 0 }

// Read reads a conversion after its percent sign, and returns the rest of the format.
func Read(format string) (v Verb, rest string, wrong *diag.Error) {
	v.precision = -1
	rest = strings.TrimLeft(format, "-+ #0")
	v.flags = format[:len(format)-len(rest)]
	if len(v.flags) > 5 {
		return v, rest, diag.New("invalid format (repeated flags)")
	}
	v.width, rest = twoDigits(rest)
	if strings.HasPrefix(rest, ".") {
		v.precision, rest = twoDigits(rest[1:])
	}
	if rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		return v, rest, diag.New("invalid format (width or precision too long)")
	}
	if rest == "" || strings.IndexByte("cdiouxXeEfgGqs", rest[0]) < 0 {
		wrong = diag.New("invalid option %q to \"format\"", "%"+format[:min(len(format)-len(rest)+1, len(format))])
		if rest != "" {
			wrong.Message += ": there are %c %d %e %f %g %i %o %q %s %u and %x, and a percent sign is written %%"
		} else {
			wrong.Message += ": a percent sign is written %%"
		}
		return v, rest, wrong
	}
	v.Letter = rest[0]
	return v, rest[1:], nil
}

// twoDigits reads a number of at most two digits, and returns the rest of the text.
func twoDigits(text string) (int, string) {
	n, value := 0, 0
	for ; n < min(2, len(text)) && '0' <= text[n] && text[n] <= '9'; n++ {
		value = value*10 + int(text[n]-'0')
	}
	return value, text[n:]
}

// Steps returns how many instructions it takes to write a number with more digits than
// decide it, about 16. Then strconv shifts all digits until the power of two is gone: the more of
// it there is, the more digits there are to shift, and the more often. Measured are 1 to 30
// microseconds, which is what the steps below stand for at ten nanoseconds each.
func (v Verb) Steps(x float64) int {
	const quick = 16
	_, exponent := math.Frexp(x)
	exponent = max(exponent, -exponent)
	if many := v.precision > quick || v.has('#'); !many && (exponent <= 64 || v.Letter|0x20 != 'f') {
		return 0
	}
	return quick + exponent + exponent*exponent/600
}

// pad fills what was appended after a place of the text up to the width: with spaces
// before or after it, or with zeros after the sign, which has so many bytes.
func (v Verb) pad(text []byte, from, sign int, zeros bool) []byte {
	missing := v.width - (len(text) - from)
	if missing <= 0 {
		return text
	}
	fill, at := " ", from
	switch {
	case v.has('-'):
		at = len(text)
	case zeros && v.has('0'):
		fill, at = "0", from+sign
	}
	for range missing {
		text = append(text, fill...)
	}
	copy(text[at+missing:], text[at:])
	for i := range missing {
		text[at+i] = fill[0]
	}
	return text
}

// sign returns what stands before the digits of a number.
func (v Verb) sign(negative bool) string {
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

// digits appends a whole number with at least as many digits as the precision says.
func (v Verb) digits(text []byte, magnitude uint64, base int) []byte {
	if v.precision == 0 && magnitude == 0 {
		return text
	}
	var digits [64]byte
	written := strconv.AppendUint(digits[:0], magnitude, base)
	for range v.precision - len(written) {
		text = append(text, '0')
	}
	return append(text, written...)
}

// AppendByte is %c.
func (v Verb) AppendByte(text []byte, c byte) []byte {
	return v.pad(append(text, c), len(text), 0, false)
}

// AppendText is %s.
func (v Verb) AppendText(text []byte, s string) []byte {
	if v.precision >= 0 && v.precision < len(s) {
		s = s[:v.precision]
	}
	return v.pad(append(text, s...), len(text), 0, false)
}

// Length returns how many bytes %s makes of a text of so many.
func (v Verb) Length(n int) int {
	if v.precision >= 0 {
		n = min(n, v.precision)
	}
	return max(n, v.width)
}

// AppendSigned is %d and %i.
func (v Verb) AppendSigned(text []byte, n int64) []byte {
	from, sign, magnitude := len(text), v.sign(n < 0), uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	text = v.digits(append(text, sign...), magnitude, 10)
	return v.pad(text, from, len(sign), v.precision < 0)
}

// AppendUnsigned is %o, %u, %x and %X. A negative number is shown as its two's complement.
func (v Verb) AppendUnsigned(text []byte, x float64) []byte {
	magnitude := uint64(numbers.Truncate(x))
	if x >= 1<<63 {
		magnitude = uint64(min(x, 1<<64-1<<11))
	}
	from, base, prefix := len(text), 10, ""
	switch v.Letter {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if v.has('#') && magnitude != 0 {
			prefix = "0x"
		}
	}
	text = v.digits(append(text, prefix...), magnitude, base)
	if v.has('#') && base == 8 && (len(text) == from || text[from] != '0') {
		text = append(text, '0')
		copy(text[from+1:], text[from:])
		text[from] = '0'
	}
	text = v.pad(text, from, len(prefix), v.precision < 0)
	if v.Letter == 'X' {
		upper(text[from:])
	}
	return text
}

// upper makes the letters of a number large ones.
func upper(digits []byte) { copy(digits, bytes.ToUpper(digits)) }

// AppendFloat is %e, %f and %g. Go writes the same digits as C; sign, nan and inf are
// written here.
func (v Verb) AppendFloat(text []byte, x float64) []byte {
	from, sign := len(text), v.sign(math.Signbit(x) && !math.IsNaN(x))
	precision := v.precision
	if precision < 0 {
		precision = 6
	}
	text = append(text, sign...)
	finite := false
	switch magnitude := math.Abs(x); {
	case math.IsNaN(x):
		text = append(text, "nan"...)
	case math.IsInf(x, 0):
		text = append(text, "inf"...)
	default:
		text, finite = v.decimal(text, magnitude, precision), true
	}
	if v.Letter < 'a' {
		upper(text[from:])
	}
	return v.pad(text, from, len(sign), finite)
}

// decimal appends the digits of a number that is not negative.
func (v Verb) decimal(text []byte, magnitude float64, precision int) []byte {
	switch letter := v.Letter | 0x20; {
	case v.has('#'):
		return fmt.Appendf(text, "%#."+strconv.Itoa(precision)+string(letter), magnitude)
	case letter == 'g':
		return strconv.AppendFloat(text, magnitude, 'g', max(precision, 1), 64)
	default:
		return strconv.AppendFloat(text, magnitude, letter, precision, 64)
	}
}

// AppendQuoted is %q: the text in quotation marks, so that Lua reads it back.
func AppendQuoted(text []byte, s string) []byte {
	text = append(text, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			text = append(text, '\\', c)
		case '\r':
			text = append(text, `\r`...)
		case 0:
			text = append(text, `\000`...)
		default:
			text = append(text, c)
		}
	}
	return append(text, '"')
}
