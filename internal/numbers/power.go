package numbers

import "math"

// Power is the operator ^ and math.pow. math.Pow returns x ^ 1 as it is, even if it is a
// signalling not-a-number; adding 0 makes it a quiet one, as all other operators do.
func Power(x, y float64) float64 {
	v := math.Pow(x, y)
	if v != v {
		return v + 0
	}
	return v
}
