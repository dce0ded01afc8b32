package lualib

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
