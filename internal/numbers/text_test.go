package numbers

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestLongNumerals holds that a numeral of any length is the number that it is nearest
// to, and that what is none is refused, as when it is read digit by digit.
func TestLongNumerals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("0123456789"[random.IntN(10)])
		}
		return b.String()
	}
	zeros := strings.Repeat("0", 900)
	texts := []string{
		zeros, "." + zeros, zeros + ".", zeros + "1", "." + zeros + "1", "0." + zeros + "1e900", "1" + zeros, "1" + zeros + "e-900",
		"1" + zeros + "1e-900", "9007199254740993" + zeros + "e-900", "9007199254740993" + zeros + "1e-901", "9007199254740993." + zeros + "1",
		"9007199254740992." + strings.Repeat("9", 2000), "." + zeros, zeros + "e5", zeros + "e", zeros + "e+", zeros + "e+-1", zeros + "..", "." + zeros + ".",
		"1e" + zeros + "5", "1e-" + zeros + "5", "1e" + strings.Repeat("9", 100), "1e-" + strings.Repeat("9", 100), zeros + "e" + strings.Repeat("9", 100),
		"0x" + zeros + "ff", "0x" + strings.Repeat("f", 300), "0x" + strings.Repeat("f", 100), "0x" + zeros + "g", "+" + zeros + "7", "-" + zeros + "7", "+-" + zeros,
		strings.Repeat("x", 100), "1" + zeros + "x", "nan" + zeros, "1" + zeros + "_0", strings.Repeat(" ", 100) + "12" + strings.Repeat("\n", 100),
	}
	for range 3000 {
		text := digits(random.IntN(900)) + "." + digits(random.IntN(900)) + "e" + strconv.Itoa(random.IntN(700)-350)
		texts = append(texts, text, "-"+text)
	}
	for _, text := range texts {
		got, ok := Parse(text)
		want, wantOK := slowly(strings.Trim(text, space))
		if ok != wantOK || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%.60q of %d bytes: got %v %v, want %v %v", text, len(text), got, ok, want, wantOK)
		}
	}
}

// slowly reads a numeral as Parse reads short ones.
func slowly(text string) (float64, bool) {
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || digits == "" {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		text += "p0"
	} else if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false
	}
	if exact, _, err := big.ParseFloat(text, 10, 9000, big.ToNearestEven); err == nil && !strings.ContainsAny(text, "xX") {
		v, _ := exact.Float64() // strconv is wrong for more than 800 digits in front of the point
		return v, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if fault, ok := err.(*strconv.NumError); ok && fault.Err == strconv.ErrRange {
		return v, true
	}
	return v, err == nil
}
