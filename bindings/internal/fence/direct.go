package fence

import (
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// direct calls a function of the host without reflection, or with what reflection needs
// prepared, if the arguments fit: enter is called before it then. It returns how many results it
// has pushed.
type direct func(L *lua.LState, enter func(*lua.LState)) (results int, ok bool)

// taken is how an argument becomes a value of one Go type, if it can; given is how a result
// is pushed, and how many values that makes.
type (
	taken[T any] func(L *lua.LState) (T, bool)
	given[T any] func(L *lua.LState, v T) int
)

// word is a whole number of 64 bits: of the kind int, uint64 and so on, or an entity.
type word uint64

// shapes are the types that stand for all which look the same in a call, each with a reason to
// be told from the others.
var shapes = struct{ number, word, text, yes, pointer reflect.Type }{
	float64Type, reflect.TypeFor[word](), reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[unsafe.Pointer](),
}

// shapeOf returns the shape of a type, nil if it has none. The type of a pointer is kept
// beside the shape by whoever takes or gives one.
func shapeOf(t reflect.Type) reflect.Type {
	switch kind := t.Kind(); {
	case isForeign(t):
	case kind == reflect.Float64:
		return shapes.number
	case kind >= reflect.Int && kind <= reflect.Uint64 && t.Size() == shapes.word.Size():
		return shapes.word
	case kind == reflect.String:
		return shapes.text
	case kind == reflect.Bool:
		return shapes.yes
	case kind == reflect.Pointer && t.Name() == "":
		return shapes.pointer
	}
	return nil
}

// shaped returns a function as one of the type that has the shapes of its parameters and results
// in their place; nil where one of them has none, and for a variadic function.
//
// Why is that right? A call passes a value by its size, and by what is a pointer, a float or
// neither in it, whatever its type is called. So the code of a function is that of its shape,
// too: the compiler itself shares the code of generic functions in this way. And a receiver is
// the first parameter of a method.
func shaped(fn reflect.Value) any {
	t := fn.Type()
	in, out := make([]reflect.Type, t.NumIn()), make([]reflect.Type, t.NumOut())
	if len(in) > 4 || t.IsVariadic() {
		return nil
	}
	for i := range in {
		if in[i] = shapeOf(t.In(i)); in[i] == nil {
			return nil
		}
	}
	for i := range out {
		if out[i] = shapeOf(t.Out(i)); t.Out(i) == errorType {
			out[i] = errorType
		} else if out[i] == nil {
			return nil
		}
	}
	place := reflect.New(t)
	place.Elem().Set(fn)
	return reflect.NewAt(reflect.FuncOf(in, out, false), place.UnsafePointer()).Elem().Interface()
}

// at returns which argument of a script the ith parameter of the signature gets, both counted
// from 0 and from 1: the call of the script does not count.
func (x *hostFunction) at(i int) int {
	if x.asks >= 0 && i > x.asks {
		return i
	}
	return i + 1
}

// number, text and yes take what the ith parameter gets.
func (x *hostFunction) number(i int) taken[float64] {
	at := x.at(i)
	return func(L *lua.LState) (float64, bool) { return lua.NumberAt(L, at) }
}

func (x *hostFunction) text(i int) taken[string] {
	at := x.at(i)
	return func(L *lua.LState) (string, bool) { return lua.TextAt(L, at) }
}

func (x *hostFunction) yes(i int) taken[bool] {
	at := x.at(i)
	return func(L *lua.LState) (bool, bool) { return lua.BoolAt(L, at) }
}

// word takes whole numbers and entities.
func (x *hostFunction) word(i int) taken[word] {
	at, s := x.at(i), scalarOf(x.sig.In(i))
	low, high := s.low, s.high
	if s.kind < reflect.Uint {
		return func(L *lua.LState) (word, bool) {
			n, ok := lua.NumberAt(L, at)
			return word(int64(n)), ok && whole(n, low, high)
		}
	}
	return func(L *lua.LState) (word, bool) {
		v := lua.At(L, at)
		return word(v.Float()), s.fits(v)
	}
}

// pointer takes the host's pointers of exactly the type of the parameter, and nil except for a
// receiver; and for the parameter that asks for it the call of the script.
func (f *Fence) pointer(x *hostFunction, i int) taken[unsafe.Pointer] {
	if i == x.asks {
		return func(*lua.LState) (unsafe.Pointer, bool) { return unsafe.Pointer(f.calls.ForHost()), true }
	}
	at, t, receiver := x.at(i), x.sig.In(i), i < x.self
	return func(L *lua.LState) (unsafe.Pointer, bool) {
		v := lua.At(L, at)
		if ud := v.Userdata(); ud != nil && reflect.TypeOf(ud.Value) == t {
			return reflect.ValueOf(ud.Value).UnsafePointer(), true
		}
		return nil, !receiver && lua.IsNil(v) && at <= L.GetTop()
	}
}

func giveNumber(L *lua.LState, v float64) int {
	lua.PushNumber(L, v)
	return 1
}

func giveText(L *lua.LState, s string) int {
	lua.PushValue(L, lua.Text(s))
	return 1
}

func giveYes(L *lua.LState, b bool) int {
	lua.PushBool(L, b)
	return 1
}

func giveNothing(*lua.LState, struct{}) int { return 0 }

func giveSigned(L *lua.LState, w word) int   { return giveNumber(L, float64(int64(w))) }
func giveUnsigned(L *lua.LState, w word) int { return giveNumber(L, float64(w)) }

// giveWord returns how a function gives its whole number.
func (x *hostFunction) giveWord() given[word] {
	if x.sig.Out(0).Kind() < reflect.Uint {
		return giveSigned
	}
	return giveUnsigned
}

// givePointer returns how a function gives its pointer.
func (f *Fence) givePointer(x *hostFunction) given[unsafe.Pointer] {
	to := x.sig.Out(0).Elem()
	return func(L *lua.LState, p unsafe.Pointer) int {
		L.Push(f.out(reflect.NewAt(to, p)))
		return 1
	}
}

// giveError raises an error that a function has returned.
func (x *hostFunction) giveError(L *lua.LState, err error) int {
	x.raise(L, err)
	return 0
}

// or is the value that a function returns, or its error.
type or[T any] struct {
	value T
	err   error
}

func either[T any](v T, err error) or[T] { return or[T]{v, err} }

// orError raises the error of a function, or gives its value.
func orError[T any](x *hostFunction, give given[T]) given[or[T]] {
	return func(L *lua.LState, v or[T]) int {
		x.raise(L, v.err)
		return give(L, v.value)
	}
}

// directly returns how a function with one of the usual signatures is called without
// reflection, nil for all others. Those are functions of up to two parameters of any shape, of
// most of three, and some of four; the receiver is one of them, and so is the call of the script.
func (f *Fence) directly(x *hostFunction, of reflect.Value) direct {
	fn := shaped(of)
	if n := x.sig.NumOut(); fn == nil || n > 2 || n == 2 && x.sig.Out(1) != errorType {
		return nil
	}
	switch x.sig.NumIn() {
	case 0:
		return of0(f, x, fn)
	case 3:
		return firstOfThree(f, x, fn)
	case 4:
		if shapeOf(x.sig.In(0)) == shapes.pointer {
			return fourth(f, x, fn)
		}
		return nil
	}
	switch shapeOf(x.sig.In(0)) {
	case shapes.number:
		return first(f, x, fn, x.number(0))
	case shapes.word:
		return first(f, x, fn, x.word(0))
	case shapes.text:
		return first(f, x, fn, x.text(0))
	case shapes.yes:
		return first(f, x, fn, x.yes(0))
	}
	return first(f, x, fn, f.pointer(x, 0))
}

// fourth is directly for some functions of four parameters, of which the first is a pointer: the
// receiver, the call of the script or another one.
func fourth(f *Fence, x *hostFunction, fn any) direct {
	for _, of := range [...]direct{
		of4(f, x, fn, x.number(1), x.number(2), x.number(3)), of4(f, x, fn, x.text(1), x.number(2), x.number(3)),
		of4(f, x, fn, x.word(1), x.word(2), x.word(3)), of4(f, x, fn, x.word(1), x.number(2), x.number(3)),
		of4(f, x, fn, x.word(1), x.text(2), x.number(3)), of4(f, x, fn, x.word(1), x.word(2), x.number(3)),
	} {
		if of != nil {
			return of
		}
	}
	return nil
}

// first is directly for a function whose first parameter is known. Why are there fewer shapes
// for a third parameter? Each way to call is code of its own.
func first[A any](f *Fence, x *hostFunction, fn any, a taken[A]) direct {
	n := x.sig.NumIn()
	if n == 1 {
		return of1(f, x, fn, a)
	}
	switch shape := shapeOf(x.sig.In(1)); {
	case shape == shapes.number && n == 2:
		return of2(f, x, fn, a, x.number(1))
	case shape == shapes.word && n == 2:
		return of2(f, x, fn, a, x.word(1))
	case shape == shapes.text && n == 2:
		return of2(f, x, fn, a, x.text(1))
	case shape == shapes.yes && n == 2:
		return of2(f, x, fn, a, x.yes(1))
	case n == 2:
		return of2(f, x, fn, a, f.pointer(x, 1))
	}
	return nil
}

// firstOfThree is first for three parameters, secondOfThree where two are known.
func firstOfThree(f *Fence, x *hostFunction, fn any) direct {
	second, pointer := shapeOf(x.sig.In(1)), shapeOf(x.sig.In(0)) == shapes.pointer
	switch {
	case pointer && second == shapes.yes:
		return secondOfThree(f, x, fn, f.pointer(x, 0), x.yes(1))
	case pointer && second == shapes.pointer:
		return secondOfThree(f, x, fn, f.pointer(x, 0), f.pointer(x, 1))
	case pointer:
		return ofThree(f, x, fn, f.pointer(x, 0))
	}
	switch shapeOf(x.sig.In(0)) {
	case shapes.number:
		return ofThree(f, x, fn, x.number(0))
	case shapes.word:
		return ofThree(f, x, fn, x.word(0))
	case shapes.text:
		return ofThree(f, x, fn, x.text(0))
	}
	return nil
}

// ofThree is firstOfThree where the second parameter is a number, a word or a text.
func ofThree[A any](f *Fence, x *hostFunction, fn any, a taken[A]) direct {
	switch shapeOf(x.sig.In(1)) {
	case shapes.number:
		return secondOfThree(f, x, fn, a, x.number(1))
	case shapes.word:
		return secondOfThree(f, x, fn, a, x.word(1))
	case shapes.text:
		return secondOfThree(f, x, fn, a, x.text(1))
	}
	return nil
}

func secondOfThree[A, B any](f *Fence, x *hostFunction, fn any, a taken[A], b taken[B]) direct {
	switch shapeOf(x.sig.In(2)) {
	case shapes.number:
		return of3(f, x, fn, a, b, x.number(2))
	case shapes.word:
		return of3(f, x, fn, a, b, x.word(2))
	case shapes.text:
		return of3(f, x, fn, a, b, x.text(2))
	case shapes.yes:
		return of3(f, x, fn, a, b, x.yes(2))
	}
	return nil
}

// of0 returns how a function without parameters is called, if it has one of the usual
// results, or none.
func of0(f *Fence, x *hostFunction, fn any) direct {
	switch fn := fn.(type) {
	case func():
		return call0(func() (_ struct{}) { fn(); return }, giveNothing)
	case func() float64:
		return call0(fn, giveNumber)
	case func() word:
		return call0(fn, x.giveWord())
	case func() string:
		return call0(fn, giveText)
	case func() bool:
		return call0(fn, giveYes)
	case func() unsafe.Pointer:
		return call0(fn, f.givePointer(x))
	case func() error:
		return call0(fn, x.giveError)
	case func() (float64, error):
		return call0(func() or[float64] { return either(fn()) }, orError(x, giveNumber))
	case func() (word, error):
		return call0(func() or[word] { return either(fn()) }, orError(x, x.giveWord()))
	case func() (string, error):
		return call0(func() or[string] { return either(fn()) }, orError(x, giveText))
	case func() (bool, error):
		return call0(func() or[bool] { return either(fn()) }, orError(x, giveYes))
	case func() (unsafe.Pointer, error):
		return call0(func() or[unsafe.Pointer] { return either(fn()) }, orError(x, f.givePointer(x)))
	}
	return nil
}

// of1 is of0 for one parameter, of2 for two, of3 for three, of4 for a pointer and three.
func of1[A any](f *Fence, x *hostFunction, fn any, a taken[A]) direct {
	n := len(x.params)
	switch fn := fn.(type) {
	case func(A):
		return call1(n, func(v A) (_ struct{}) { fn(v); return }, a, giveNothing)
	case func(A) float64:
		return call1(n, fn, a, giveNumber)
	case func(A) word:
		return call1(n, fn, a, x.giveWord())
	case func(A) string:
		return call1(n, fn, a, giveText)
	case func(A) bool:
		return call1(n, fn, a, giveYes)
	case func(A) unsafe.Pointer:
		return call1(n, fn, a, f.givePointer(x))
	case func(A) error:
		return call1(n, fn, a, x.giveError)
	case func(A) (float64, error):
		return call1(n, func(v A) or[float64] { return either(fn(v)) }, a, orError(x, giveNumber))
	case func(A) (word, error):
		return call1(n, func(v A) or[word] { return either(fn(v)) }, a, orError(x, x.giveWord()))
	case func(A) (string, error):
		return call1(n, func(v A) or[string] { return either(fn(v)) }, a, orError(x, giveText))
	case func(A) (bool, error):
		return call1(n, func(v A) or[bool] { return either(fn(v)) }, a, orError(x, giveYes))
	case func(A) (unsafe.Pointer, error):
		return call1(n, func(v A) or[unsafe.Pointer] { return either(fn(v)) }, a, orError(x, f.givePointer(x)))
	}
	return nil
}

func of2[A, B any](f *Fence, x *hostFunction, fn any, a taken[A], b taken[B]) direct {
	n := len(x.params)
	switch fn := fn.(type) {
	case func(A, B):
		return call2(n, func(v A, w B) (_ struct{}) { fn(v, w); return }, a, b, giveNothing)
	case func(A, B) float64:
		return call2(n, fn, a, b, giveNumber)
	case func(A, B) word:
		return call2(n, fn, a, b, x.giveWord())
	case func(A, B) string:
		return call2(n, fn, a, b, giveText)
	case func(A, B) bool:
		return call2(n, fn, a, b, giveYes)
	case func(A, B) unsafe.Pointer:
		return call2(n, fn, a, b, f.givePointer(x))
	case func(A, B) error:
		return call2(n, fn, a, b, x.giveError)
	case func(A, B) (float64, error):
		return call2(n, func(v A, w B) or[float64] { return either(fn(v, w)) }, a, b, orError(x, giveNumber))
	case func(A, B) (word, error):
		return call2(n, func(v A, w B) or[word] { return either(fn(v, w)) }, a, b, orError(x, x.giveWord()))
	case func(A, B) (string, error):
		return call2(n, func(v A, w B) or[string] { return either(fn(v, w)) }, a, b, orError(x, giveText))
	case func(A, B) (bool, error):
		return call2(n, func(v A, w B) or[bool] { return either(fn(v, w)) }, a, b, orError(x, giveYes))
	case func(A, B) (unsafe.Pointer, error):
		return call2(n, func(v A, w B) or[unsafe.Pointer] { return either(fn(v, w)) }, a, b, orError(x, f.givePointer(x)))
	}
	return nil
}

func of3[A, B, C any](f *Fence, x *hostFunction, fn any, a taken[A], b taken[B], c taken[C]) direct {
	n := len(x.params)
	switch fn := fn.(type) {
	case func(A, B, C):
		return call3(n, func(u A, v B, w C) (_ struct{}) { fn(u, v, w); return }, a, b, c, giveNothing)
	case func(A, B, C) float64:
		return call3(n, fn, a, b, c, giveNumber)
	case func(A, B, C) word:
		return call3(n, fn, a, b, c, x.giveWord())
	case func(A, B, C) string:
		return call3(n, fn, a, b, c, giveText)
	case func(A, B, C) bool:
		return call3(n, fn, a, b, c, giveYes)
	case func(A, B, C) unsafe.Pointer:
		return call3(n, fn, a, b, c, f.givePointer(x))
	case func(A, B, C) error:
		return call3(n, fn, a, b, c, x.giveError)
	}
	return nil
}

func of4[A, B, C any](f *Fence, x *hostFunction, fn any, a taken[A], b taken[B], c taken[C]) direct {
	n, p := len(x.params), f.pointer(x, 0)
	switch fn := fn.(type) {
	case func(unsafe.Pointer, A, B, C):
		return call4(n, func(t unsafe.Pointer, u A, v B, w C) (_ struct{}) { fn(t, u, v, w); return }, p, a, b, c, giveNothing)
	case func(unsafe.Pointer, A, B, C) float64:
		return call4(n, fn, p, a, b, c, giveNumber)
	case func(unsafe.Pointer, A, B, C) word:
		return call4(n, fn, p, a, b, c, x.giveWord())
	case func(unsafe.Pointer, A, B, C) string:
		return call4(n, fn, p, a, b, c, giveText)
	case func(unsafe.Pointer, A, B, C) bool:
		return call4(n, fn, p, a, b, c, giveYes)
	case func(unsafe.Pointer, A, B, C) unsafe.Pointer:
		return call4(n, fn, p, a, b, c, f.givePointer(x))
	case func(unsafe.Pointer, A, B, C) error:
		return call4(n, fn, p, a, b, c, x.giveError)
	}
	return nil
}

// call0 returns how a function without parameters is called; call1 is for one parameter, call2
// for two, call3 for three, call4 for a pointer and three, of which scripts give n.
func call0[R any](fn func() R, out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		if L.GetTop() != 0 {
			return 0, false
		}
		enter(L)
		return out(L, fn()), true
	}
}

func call1[A, R any](n int, fn func(A) R, in taken[A], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, ok := in(L)
		if !ok || L.GetTop() != n {
			return 0, false
		}
		enter(L)
		return out(L, fn(a)), true
	}
}

func call2[A, B, R any](n int, fn func(A, B) R, first taken[A], second taken[B], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L)
		b, two := second(L)
		if !one || !two || L.GetTop() != n {
			return 0, false
		}
		enter(L)
		return out(L, fn(a, b)), true
	}
}

func call3[A, B, C, R any](n int, fn func(A, B, C) R, first taken[A], second taken[B], third taken[C], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L)
		b, two := second(L)
		c, three := third(L)
		if !one || !two || !three || L.GetTop() != n {
			return 0, false
		}
		enter(L)
		return out(L, fn(a, b, c)), true
	}
}

func call4[A, B, C, R any](n int, fn func(unsafe.Pointer, A, B, C) R, p taken[unsafe.Pointer], first taken[A], second taken[B], third taken[C], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		q, ok := p(L)
		a, one := first(L)
		b, two := second(L)
		c, three := third(L)
		if !ok || !one || !two || !three || L.GetTop() != n {
			return 0, false
		}
		enter(L)
		return out(L, fn(q, a, b, c)), true
	}
}
