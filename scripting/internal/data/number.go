package data

import (
	"math"
	"strconv"
	"strings"
)

// numberOf reads the text of a decimal number. why says why no script could hold it as it is
// written; "" for a good one.
func numberOf(text string) (x float64, why string) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && math.IsInf(x, 0):
		return 0, "the number is too large: the largest is about 1.8e308"
	case err != nil:
		return 0, "this is no number"
	case isWhole(text) && math.Abs(x) >= 1<<53 && !writes(x, strings.TrimPrefix(text, "+")):
		return 0, "a whole number of this size would be rounded: up to 9007199254740992 all are exact; write it in quotes to have it as a text"
	}
	return x, ""
}

// writes reports whether a text is how programs write a number: with all of its digits, or with as
// many as tell it apart.
func writes(x float64, text string) bool {
	return strconv.FormatFloat(x, 'f', 0, 64) == text || strconv.FormatFloat(x, 'f', -1, 64) == text
}

// isWhole reports whether the text of a number has neither a point nor an exponent.
func isWhole(text string) bool { return !strings.ContainsAny(text, ".eE") }

// decimal reports whether a text is a decimal number as people write one: an optional sign, digits,
// a point among them or before them, an exponent.
func decimal(text string) bool {
	s := strings.TrimLeft(text, "+-")
	if len(text)-len(s) > 1 {
		return false
	}
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if strings.HasPrefix(s, ".") {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := digits(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// zeroLed reports whether a decimal number has a zero before other digits.
func zeroLed(text string) bool {
	s := strings.TrimLeft(text, "+-")
	return len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9'
}

// digits returns how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// notFinite reports whether a text is how programs write what is no finite number.
func notFinite(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "nan", "inf", "infinity", "-nan", "#num!", "#div/0!", "#n/a", "#value!", "#ref!", "#name?":
		return true
	}
	return false
}
