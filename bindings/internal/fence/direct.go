package fence

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// direct calls a function of the host without reflection, if the arguments fit: enter is
// called before it then. It returns how many results it has pushed.
type direct func(L *lua.LState, enter func(*lua.LState)) (results int, ok bool)

// taken is how an argument becomes a value of one Go type, if it can; given is how a result
// is pushed, and how many values that makes.
type (
	taken[T any] func(L *lua.LState, i int) (T, bool)
	given[T any] func(L *lua.LState, v T) int
)

// takeInt takes whole numbers.
func takeInt(L *lua.LState, i int) (int, bool) {
	x, ok := lua.NumberAt(L, i)
	return int(x), ok && whole(x, math.MinInt, -math.MinInt)
}

func takeEntity(L *lua.LState, i int) (ecs.Entity, bool) {
	x, ok := lua.NumberAt(L, i)
	if !ok {
		return 0, false
	}
	e, why := value.ToEntity(x)
	return e, why == ""
}

func giveNumber(L *lua.LState, x float64) int {
	lua.PushNumber(L, x)
	return 1
}

func giveInt(L *lua.LState, n int) int           { return giveNumber(L, float64(n)) }
func giveEntity(L *lua.LState, e ecs.Entity) int { return giveNumber(L, float64(e)) }

func giveText(L *lua.LState, s string) int {
	lua.PushValue(L, lua.Text(s))
	return 1
}

func giveBool(L *lua.LState, b bool) int {
	lua.PushBool(L, b)
	return 1
}

func giveNothing(*lua.LState, struct{}) int { return 0 }

// giveError raises an error that a function has returned.
func (x *hostFunction) giveError(L *lua.LState, err error) int {
	x.raise(L, err)
	return 0
}

// directly returns how a function with one of the usual signatures is called without
// reflection, nil for all others. Those are functions of up to two numbers, whole numbers,
// texts, booleans and entities, and some of three; each may ask for the call.
func (f *Fence) directly(x *hostFunction, fn any) direct {
	if x.asks == 0 {
		fn = f.withCall(fn)
	}
	for _, of := range [...]direct{
		of0(x, fn),
		of1(x, fn, lua.NumberAt), of1(x, fn, takeInt), of1(x, fn, lua.TextAt), of1(x, fn, lua.BoolAt), of1(x, fn, takeEntity),
		ofTwo(x, fn, lua.NumberAt), ofTwo(x, fn, takeInt), ofTwo(x, fn, lua.TextAt), ofTwo(x, fn, lua.BoolAt), ofTwo(x, fn, takeEntity),
		of3(x, fn, lua.NumberAt, lua.NumberAt, lua.NumberAt), of3(x, fn, takeInt, takeInt, takeInt),
		of3(x, fn, takeEntity, lua.NumberAt, lua.NumberAt), of3(x, fn, takeEntity, lua.TextAt, lua.NumberAt),
		of3(x, fn, takeEntity, takeEntity, lua.NumberAt), of3(x, fn, lua.TextAt, lua.NumberAt, lua.NumberAt),
	} {
		if of != nil {
			return of
		}
	}
	return nil
}

// ofTwo is of2 with any second parameter.
func ofTwo[A any](x *hostFunction, fn any, a taken[A]) direct {
	for _, of := range [...]direct{
		of2(x, fn, a, lua.NumberAt), of2(x, fn, a, takeInt), of2(x, fn, a, lua.TextAt), of2(x, fn, a, lua.BoolAt), of2(x, fn, a, takeEntity),
	} {
		if of != nil {
			return of
		}
	}
	return nil
}

// of0 returns how a function without parameters is called, if it has one of the usual
// results, or none.
func of0(x *hostFunction, fn any) direct {
	switch fn := fn.(type) {
	case func():
		return call0(func() (_ struct{}) { fn(); return }, giveNothing)
	case func() float64:
		return call0(fn, giveNumber)
	case func() int:
		return call0(fn, giveInt)
	case func() string:
		return call0(fn, giveText)
	case func() bool:
		return call0(fn, giveBool)
	case func() ecs.Entity:
		return call0(fn, giveEntity)
	case func() error:
		return call0(fn, x.giveError)
	}
	return nil
}

// of1 is of0 for one parameter, of2 for two, of3 for three.
func of1[A any](x *hostFunction, fn any, a taken[A]) direct {
	switch fn := fn.(type) {
	case func(A):
		return call1(func(v A) (_ struct{}) { fn(v); return }, a, giveNothing)
	case func(A) float64:
		return call1(fn, a, giveNumber)
	case func(A) int:
		return call1(fn, a, giveInt)
	case func(A) string:
		return call1(fn, a, giveText)
	case func(A) bool:
		return call1(fn, a, giveBool)
	case func(A) ecs.Entity:
		return call1(fn, a, giveEntity)
	case func(A) error:
		return call1(fn, a, x.giveError)
	}
	return nil
}

func of2[A, B any](x *hostFunction, fn any, a taken[A], b taken[B]) direct {
	switch fn := fn.(type) {
	case func(A, B):
		return call2(func(v A, w B) (_ struct{}) { fn(v, w); return }, a, b, giveNothing)
	case func(A, B) float64:
		return call2(fn, a, b, giveNumber)
	case func(A, B) int:
		return call2(fn, a, b, giveInt)
	case func(A, B) string:
		return call2(fn, a, b, giveText)
	case func(A, B) bool:
		return call2(fn, a, b, giveBool)
	case func(A, B) ecs.Entity:
		return call2(fn, a, b, giveEntity)
	case func(A, B) error:
		return call2(fn, a, b, x.giveError)
	}
	return nil
}

func of3[A, B, C any](x *hostFunction, fn any, a taken[A], b taken[B], c taken[C]) direct {
	switch fn := fn.(type) {
	case func(A, B, C):
		return call3(func(u A, v B, w C) (_ struct{}) { fn(u, v, w); return }, a, b, c, giveNothing)
	case func(A, B, C) float64:
		return call3(fn, a, b, c, giveNumber)
	case func(A, B, C) int:
		return call3(fn, a, b, c, giveInt)
	case func(A, B, C) string:
		return call3(fn, a, b, c, giveText)
	case func(A, B, C) bool:
		return call3(fn, a, b, c, giveBool)
	case func(A, B, C) ecs.Entity:
		return call3(fn, a, b, c, giveEntity)
	case func(A, B, C) error:
		return call3(fn, a, b, c, x.giveError)
	}
	return nil
}

func call0[R any](fn func() R, out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		if L.GetTop() != 0 {
			return 0, false
		}
		enter(L)
		return out(L, fn()), true
	}
}

func call1[A, R any](fn func(A) R, in taken[A], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, ok := in(L, 1)
		if !ok || L.GetTop() != 1 {
			return 0, false
		}
		enter(L)
		return out(L, fn(a)), true
	}
}

func call2[A, B, R any](fn func(A, B) R, first taken[A], second taken[B], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L, 1)
		b, two := second(L, 2)
		if !one || !two || L.GetTop() != 2 {
			return 0, false
		}
		enter(L)
		return out(L, fn(a, b)), true
	}
}

func call3[A, B, C, R any](fn func(A, B, C) R, first taken[A], second taken[B], third taken[C], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L, 1)
		b, two := second(L, 2)
		c, three := third(L, 3)
		if !one || !two || !three || L.GetTop() != 3 {
			return 0, false
		}
		enter(L)
		return out(L, fn(a, b, c)), true
	}
}
