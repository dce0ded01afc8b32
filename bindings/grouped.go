package bindings

import "strconv"

// Grouped writes a number with a comma after each three digits, as the messages
// about limits do: 50,000,001 of 50,000,000 is told apart at a glance.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1 // the sign belongs to no group
	}
	for at := len(digits) - 3; at > first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
