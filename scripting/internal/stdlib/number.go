package stdlib

import (
	"math"
	"strconv"
	"strings"
)

const (
	pi   = math.Pi
	most = 1e14 // whole numbers below it have at most 14 digits
)

// space is what the C locale calls white space.
const space = " \t\n\v\f\r"

// formatNumber writes a number as C's "%.14g" does, but nan without a sign.
func formatNumber(v float64) string {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < most:
		if v == 0 && math.Signbit(v) {
			return "-0"
		}
		return strconv.FormatInt(int64(v), 10)
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64))[btoi(v > 0):]
	}
	return strconv.FormatFloat(v, 'g', 14, 64)
}

// btoi helps to cut the plus sign that Go puts in front of infinity.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parseNumber reads a decimal number or a hexadecimal integer with white space
// around it.
func parseNumber(text string) (float64, bool) {
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

// mostDigits is how many digits of a numeral can decide which number is nearest to it:
// 767. strconv takes a whole number of more than 800 for a smaller one.
const mostDigits = 770

// compact returns a numeral of the same value whose length has a bound, and whether the
// text is one at all. The digits after the first 770 only say whether there is
// something there.
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
	digits, kept, scale, point, rest := 0, 0, 0, false, false
loop:
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			break loop
		}
		digits++
		switch {
		case kept == 0 && c == '0': // in front
		case kept < mostDigits:
			out = append(out, c)
			kept++
		default:
			rest = rest || c != '0'
			scale++
		}
		if point {
			scale--
		}
	}
	if digits == 0 {
		return "", false
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

// exponentOf reads what is behind the digits of a numeral.
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
	const most = int64(1) << 40 // beyond all that a text can make up for
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

// compactHex is compact for the digits of a hexadecimal numeral, of which 16 decide.
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

// parseInteger reads an unsigned integer in a base from 2 to 36, as C's strtoul
// does: a sign is allowed, and what does not fit becomes the largest.
func parseInteger(text string, base int) (float64, bool) {
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
