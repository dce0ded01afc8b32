// Package column computes with one number of each row: what the methods of a batch's columns
// do (x:add, x:madd, x:clamp, …).
//
// Floats are float64 or float32, in place in their chunk, or one number that stands for all
// rows. Each row is read as float64, computed in float64, and its result is stored once, with
// one rounding: so a column gets the same bits as the same words in a loop over b:write. The
// types of the two sides are known outside of the loops: inside, a row costs about a
// nanosecond.
//
// A column may stand on both sides of an operation. Each row is read before it is written, and
// nothing is read from other rows.
package column

import (
	"math"
	"unsafe"
)

// float is what the rows hold.
type float interface{ float32 | float64 }

// Floats are a number of each row.
type Floats struct {
	at     unsafe.Pointer // of the first row
	stride uintptr        // in bytes; 0 where one number stands for all rows
	single bool           // float32
}

// Constant is the same number for all rows. It must live as long as what it returns.
func Constant(v *float64) Floats { return Floats{at: unsafe.Pointer(v)} }

// List are the numbers of a list, one of them a row.
func List(list []float64) Floats {
	return Floats{at: unsafe.Pointer(unsafe.SliceData(list)), stride: unsafe.Sizeof(float64(0))}
}

// Doubles are float64 at a stride in bytes.
func Doubles(at unsafe.Pointer, stride uintptr) Floats { return Floats{at: at, stride: stride} }

// Singles are float32 at a stride in bytes.
func Singles(at unsafe.Pointer, stride uintptr) Floats {
	return Floats{at: at, stride: stride, single: true}
}

// row returns where the number of a row is.
func row[T float](n Floats, i int) *T { return (*T)(unsafe.Add(n.at, uintptr(i)*n.stride)) }

// Row returns the number of a row.
func (n Floats) Row(i int) float64 {
	if n.single {
		return float64(*row[float32](n, i))
	}
	return *row[float64](n, i)
}

// Append appends the numbers of so many rows to a list.
func (n Floats) Append(list []float64, rows int) []float64 {
	for i := range rows {
		list = append(list, n.Row(i))
	}
	return list
}

// Wide returns the numbers as float64: themselves, or copied into a list that it makes longer
// where that is needed.
func (n Floats) Wide(list *[]float64, rows int) Floats {
	if !n.single {
		return n
	}
	*list = n.Append((*list)[:0], rows)
	return List(*list)
}

// Operation changes each of so many numbers by another.
type Operation func(x, v Floats, rows int)

// Operations are those with one operand, by their names in Lua.
var Operations = map[string]Operation{
	"fill": byTypes(fill[float64, float64], fill[float64, float32], fill[float32, float64], fill[float32, float32]),
	"copy": byTypes(fill[float64, float64], fill[float64, float32], fill[float32, float64], fill[float32, float32]),
	"add":  byTypes(add[float64, float64], add[float64, float32], add[float32, float64], add[float32, float32]),
	"sub":  byTypes(sub[float64, float64], sub[float64, float32], sub[float32, float64], sub[float32, float32]),
	"mul":  byTypes(mul[float64, float64], mul[float64, float32], mul[float32, float64], mul[float32, float32]),
	"div":  byTypes(div[float64, float64], div[float64, float32], div[float32, float64], div[float32, float32]),
	"min":  byTypes(lower[float64, float64], lower[float64, float32], lower[float32, float64], lower[float32, float32]),
	"max":  byTypes(raise[float64, float64], raise[float64, float32], raise[float32, float64], raise[float32, float32]),
}

// byTypes chooses between the forms of an operation: the first word of each name is the type
// of the numbers that change, the second that of the operand.
func byTypes(doubleDouble, doubleSingle, singleDouble, singleSingle Operation) Operation {
	return func(x, v Floats, rows int) {
		switch {
		case x.single && v.single:
			singleSingle(x, v, rows)
		case x.single:
			singleDouble(x, v, rows)
		case v.single:
			doubleSingle(x, v, rows)
		default:
			doubleDouble(x, v, rows)
		}
	}
}

// computed returns a result as the VM keeps it, which has one zero only. Columns and loops
// must not differ by a bit. The conversion is for products: without it, some machines would
// round product and sum only once.
func computed(v float64) float64 { return float64(v) + 0 }

func fill[X, V float](x, v Floats, rows int) {
	for i := range rows {
		*row[X](x, i) = X(float64(*row[V](v, i)))
	}
}

func add[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(computed(float64(*p) + float64(*row[V](v, i))))
	}
}

func sub[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(computed(float64(*p) - float64(*row[V](v, i))))
	}
}

func mul[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(computed(float64(*p) * float64(*row[V](v, i))))
	}
}

func div[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(computed(float64(*p) / float64(*row[V](v, i))))
	}
}

// lower is math.min as scripts know it: the operand only where it is less, so that a
// comparison with NaN has the same outcome in columns and loops.
func lower[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(smaller(float64(*p), float64(*row[V](v, i))))
	}
}

// raise is math.max: the operand only where it is more.
func raise[X, V float](x, v Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(larger(float64(*p), float64(*row[V](v, i))))
	}
}

// smaller and larger choose between bits: then the compiler makes no jump of the comparison.
// Where half of the rows are clamped, a jump is foretold wrongly for every second one, which
// costs ten times as much as the comparison.
func smaller(x, v float64) float64 {
	chosen, other := math.Float64bits(x), math.Float64bits(v)
	if v < x {
		chosen = other
	}
	return math.Float64frombits(chosen)
}

func larger(x, v float64) float64 {
	chosen, other := math.Float64bits(x), math.Float64bits(v)
	if v > x {
		chosen = other
	}
	return math.Float64frombits(chosen)
}

// Madd is x = x + v*k. Of k only float64 will do: see Wide.
func Madd(x, v, k Floats, rows int) {
	switch {
	case x.single && v.single:
		madd[float32, float32](x, v, k, rows)
	case x.single:
		madd[float32, float64](x, v, k, rows)
	case v.single:
		madd[float64, float32](x, v, k, rows)
	default:
		madd[float64, float64](x, v, k, rows)
	}
}

// madd has a conversion that keeps the compiler from fusing the two operations into one, which
// rounds differently on some machines.
func madd[X, V float](x, v, k Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(computed(float64(*p) + float64(float64(*row[V](v, i))**row[float64](k, i))))
	}
}

// Clamp is x = math.max(math.min(x, high), low). Of the bounds only float64 will do.
func Clamp(x, low, high Floats, rows int) {
	if x.single {
		clamp[float32](x, low, high, rows)
	} else {
		clamp[float64](x, low, high, rows)
	}
}

func clamp[X float](x, low, high Floats, rows int) {
	for i := range rows {
		p := row[X](x, i)
		*p = X(larger(smaller(float64(*p), *row[float64](high, i)), *row[float64](low, i)))
	}
}

// Sum adds the numbers up in the order of the rows: the sum of floats depends on the order, and
// must be the same in each run.
func (n Floats) Sum(rows int) float64 {
	sum := 0.0
	for i := range rows {
		sum += n.Row(i)
	}
	return sum
}

// Lowest returns the least number, +inf of no rows.
func (n Floats) Lowest(rows int) float64 {
	least := math.Inf(1)
	for i := range rows {
		least = smaller(least, n.Row(i))
	}
	return least
}

// Highest returns the greatest number, -inf of no rows.
func (n Floats) Highest(rows int) float64 {
	most := math.Inf(-1)
	for i := range rows {
		most = larger(most, n.Row(i))
	}
	return most
}
