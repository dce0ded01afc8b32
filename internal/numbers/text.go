package numbers

import (
	"math"
	"strconv"
	"strings"
)

// Numbers as text, in both directions, as C writes and reads them in its own locale.
// Go's package strconv does the work; what it writes or accepts otherwise is handled
// here.

// most is what whole numbers of at most 14 digits lie below.
const most = 1e14

// short is the length up to which a numeral is read as it is.
const short = 64

// space lists the white space of the C locale.
const space = " \t\n\v\f\r"

// Format writes a number as C's "%.14g" does, except that nan has no sign.
func Format(v float64) string {
	if v >= 0 && v < 100 && v == math.Trunc(v) && !math.Signbit(v) {
		return strconv.Itoa(int(v)) // which needs no memory
	}
	var digits [32]byte
	return string(Append(digits[:0], v))
}

// Append is Format at the end of a text. Most numbers of scripts are whole; these take a
// short way.
func Append(text []byte, v float64) []byte {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < most:
		if v == 0 && math.Signbit(v) {
			return append(text, "-0"...)
		}
		return strconv.AppendInt(text, int64(v), 10)
	case math.IsNaN(v):
		return append(text, "nan"...)
	case math.IsInf(v, 1):
		return append(text, "inf"...)
	case math.IsInf(v, -1):
		return append(text, "-inf"...)
	}
	return strconv.AppendFloat(text, v, 'g', 14, 64)
}

// Parse reads a decimal number or a hexadecimal integer, with white space around it.
// The characters are checked first, because Go also reads numbers with underscores, "inf"
// and hexadecimal fractions.
func Parse(text string) (float64, bool) {
	if v, ok := whole(text); ok {
		return v, true
	}
	text = strings.Trim(text, space)
	if len(text) > short {
		var ok bool
		if text, ok = compact(text); !ok {
			return 0, false
		}
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || digits == "" {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		if strings.Trim(digits[2:], "0123456789abcdefABCDEF") != "" {
			return 0, false
		}
		text += "p0" // for Go, hexadecimal numbers have an exponent
	} else if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if fault, ok := err.(*strconv.NumError); ok && fault.Err == strconv.ErrRange {
		return v, true // too large is infinite, too small is zero
	}
	return v, err == nil
}

// whole reads a text of a few digits and nothing else.
func whole(text string) (float64, bool) {
	const few = 15 // which are exact as a number
	if text == "" || len(text) > few {
		return 0, false
	}
	v := 0
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		v = v*10 + int(digit)
	}
	return float64(v), true
}

// mostDigits is enough digits to decide which number is nearest to a numeral: 767 digits can.
// strconv reads at most 800 digits of a whole number, and takes a longer one for a smaller
// number.
const mostDigits = 770

// compact returns a numeral of the same value whose length is bounded, and whether the
// text is a numeral at all. The digits after the first 770 matter only in one way, whether
// one of them is not zero: a single digit 1 stands for them.
func compact(text string) (string, bool) {
	out := make([]byte, 0, mostDigits+32)
	i := 0
	if text[0] == '+' || text[0] == '-' {
		out = append(out, text[0])
		i++
	}
	if strings.HasPrefix(text[i:], "0x") || strings.HasPrefix(text[i:], "0X") {
		return compactHex(out, text[i+2:])
	}
	whole := text[i : i+leadingDigits(text[i:])]
	i += len(whole)
	fraction := ""
	if i < len(text) && text[i] == '.' {
		i++
		fraction = text[i : i+leadingDigits(text[i:])]
		i += len(fraction)
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	scale, kept, rest := -len(fraction), 0, false
	for _, digits := range []string{whole, fraction} {
		if kept == 0 {
			digits = strings.TrimLeft(digits, "0") // zeros at the beginning say nothing
		}
		n := min(len(digits), mostDigits-kept)
		out = append(out, digits[:n]...)
		kept += n
		scale += len(digits) - n
		rest = rest || strings.TrimLeft(digits[n:], "0") != ""
	}
	if kept == 0 {
		out = append(out, '0')
	}
	if rest {
		out, scale = append(out, '1'), scale-1
	}
	exponent, ok := exponentOf(text[i:])
	return string(strconv.AppendInt(append(out, 'e'), int64(scale)+exponent, 10)), ok
}

// leadingDigits returns how many decimal digits a text begins with.
func leadingDigits(text string) int {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return i
		}
	}
	return len(text)
}

// exponentOf reads the exponent of a numeral, which follows the digits; there may be none.
func exponentOf(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	digits := strings.TrimLeft(text[1:], "+-")
	if len(text)-len(digits) > 2 || digits == "" {
		return 0, false
	}
	const most = int64(1) << 40 // more than the digits of any text can make up for
	value := int64(0)
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		value = min(value*10+int64(digits[i]-'0'), most)
	}
	if text[1] == '-' {
		value = -value
	}
	return value, true
}

// compactHex is compact for the digits of a hexadecimal numeral. They are exact bits, so a
// long one is infinite.
func compactHex(sign []byte, digits string) (string, bool) {
	if digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) <= mostDigits {
		return string(sign) + "0x0" + digits, true
	}
	return string(sign) + "1e999", true // more than 3,000 bits: infinite
}

// ParseInteger reads an integer in a base from 2 to 36, as C's strtoul does: a sign is
// allowed, a negative number wraps around, and a number that does not fit becomes the
// largest.
func ParseInteger(text string, base int) (float64, bool) {
	text = strings.ToLower(strings.Trim(text, space))
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if base == 16 {
		if hex, ok := strings.CutPrefix(text, "0x"); ok && hex != "" {
			text = hex
		}
	}
	if strings.ContainsAny(text, "_+-") {
		return 0, false
	}
	v, err := strconv.ParseUint(text, base, 64)
	if fault, ok := err.(*strconv.NumError); ok && fault.Err == strconv.ErrRange {
		err = nil
	}
	if negative {
		v = -v
	}
	return float64(v), err == nil
}

// Truncate drops the fraction of a number. A number that no int can hold becomes the
// nearest int, and not-a-number becomes zero: a Go conversion of such a number would differ
// from one processor to another.
func Truncate(v float64) int {
	switch {
	case math.IsNaN(v):
		return 0
	case v >= math.MaxInt:
		return math.MaxInt
	case v <= math.MinInt:
		return math.MinInt
	}
	return int(v)
}
