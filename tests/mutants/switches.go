package main

// switches is the file that each mutated package gets besides. Each function takes
// whether its mistake is to be made; without, it does what the text did.
const switches = `package %s

import (
	"cmp"
	"os"
	"strconv"
)

// mutant is the number of the mistake to make.
var mutant = func() int {
	n, _ := strconv.Atoi(os.Getenv("PERIGEE_MUTANT"))
	return n
}()

type mutant_integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutant_number interface{ mutant_integer | ~float32 | ~float64 }

func mutant_near[T mutant_number](more, less bool, v T) T {
	if more {
		return v + 1
	}
	if less {
		return v - 1
	}
	return v
}

func mutant_noInteger[T mutant_integer](on bool, v T) T {
	if on {
		return ^T(0) - 12
	}
	return v
}

func mutant_noString[T ~string](on bool, v T) T {
	if on {
		return "\x00 no such"
	}
	return v
}

func mutant_choose[T any](on bool, other, v T) T {
	if on {
		return other
	}
	return v
}

func mutant_less[T cmp.Ordered](edge, not bool, a, b T) bool {
	return (a < b || edge && a == b) != not
}

func mutant_lessEqual[T cmp.Ordered](edge, not bool, a, b T) bool {
	return (a < b || !edge && a == b) != not
}

func mutant_greater[T cmp.Ordered](edge, not bool, a, b T) bool {
	return (a > b || edge && a == b) != not
}

func mutant_greaterEqual[T cmp.Ordered](edge, not bool, a, b T) bool {
	return (a > b || !edge && a == b) != not
}

func mutant_add[T mutant_number](on bool, a, b T) T {
	if on {
		return a - b
	}
	return a + b
}

func mutant_sub[T mutant_number](on, swapped bool, a, b T) T {
	if on {
		return a + b
	}
	if swapped {
		return b - a
	}
	return a - b
}

func mutant_mul[T mutant_number](on bool, a, b T) T {
	if on {
		return a + b
	}
	return a * b
}

func mutant_quo[T mutant_number](on, swapped bool, a, b T) T {
	if on {
		return a * b
	}
	if swapped {
		return b / a
	}
	return a / b
}

func mutant_rem[T mutant_integer](on, swapped bool, a, b T) T {
	if on {
		return a / b
	}
	if swapped {
		return b %% a
	}
	return a %% b
}

func mutant_and[T mutant_integer](on bool, a, b T) T {
	if on {
		return a | b
	}
	return a & b
}

func mutant_or[T mutant_integer](on bool, a, b T) T {
	if on {
		return a & b
	}
	return a | b
}

func mutant_xor[T mutant_integer](on bool, a, b T) T {
	if on {
		return a | b
	}
	return a ^ b
}

func mutant_andNot[T mutant_integer](on bool, a, b T) T {
	if on {
		return a & b
	}
	return a &^ b
}
`
