package fence

import (
	"math"
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// direct calls a function of the host without reflection, if the arguments fit: enter is
// called before it then. It returns how many results it has pushed.
type direct func(L *lua.LState, enter func(*lua.LState)) (results int, ok bool)

// taken is how an argument becomes a value of one Go type, if it can; given is how a result
// is pushed.
type (
	taken[T any] func(L *lua.LState, i int) (T, bool)
	given[T any] func(L *lua.LState, v T)
)

// takeInt takes whole numbers.
func takeInt(L *lua.LState, i int) (int, bool) {
	x, ok := lua.NumberAt(L, i)
	return int(x), ok && whole(x, math.MinInt, -math.MinInt)
}

func takeBool(L *lua.LState, i int) (bool, bool) {
	b, ok := L.Get(i).(lua.LBool)
	return bool(b), ok
}

func takeEntity(L *lua.LState, i int) (ecs.Entity, bool) {
	x, ok := lua.NumberAt(L, i)
	if !ok {
		return 0, false
	}
	e, why := value.ToEntity(x)
	return e, why == ""
}

func giveInt(L *lua.LState, n int)           { lua.PushNumber(L, float64(n)) }
func giveEntity(L *lua.LState, e ecs.Entity) { lua.PushNumber(L, float64(e)) }
func giveText(L *lua.LState, s string)       { L.Push(lua.LString(s)) }
func giveBool(L *lua.LState, b bool)         { L.Push(lua.LBool(b)) }

// directly returns how a function with one of the usual signatures is called without
// reflection, nil for all others.
func directly(fn reflect.Value) direct {
	for _, of := range [...]func(any) direct{ofNumbers, ofWholes, ofTexts, ofEntities} {
		if d := of(fn.Interface()); d != nil {
			return d
		}
	}
	return nil
}

func ofNumbers(fn any) direct {
	in, out := taken[float64](lua.NumberAt), given[float64](lua.PushNumber)
	switch fn := fn.(type) {
	case func():
		return of0(func() int { fn(); return 0 }, nil)
	case func() float64:
		return of0(fn, out)
	case func() bool:
		return of0(fn, giveBool)
	case func(float64):
		return of1(without1(fn), in, nil)
	case func(float64) float64:
		return of1(fn, in, out)
	case func(float64) bool:
		return of1(fn, in, giveBool)
	case func(float64, float64):
		return of2(without2(fn), in, in, nil)
	case func(float64, float64) float64:
		return of2(fn, in, in, out)
	case func(float64, float64) bool:
		return of2(fn, in, in, giveBool)
	case func(float64, float64, float64):
		return of3(func(a, b, c float64) int { fn(a, b, c); return 0 }, in, in, in, nil)
	case func(float64, float64, float64) float64:
		return of3(fn, in, in, in, out)
	}
	return nil
}

func ofWholes(fn any) direct {
	switch fn := fn.(type) {
	case func() int:
		return of0(fn, giveInt)
	case func(int):
		return of1(without1(fn), takeInt, nil)
	case func(int) int:
		return of1(fn, takeInt, giveInt)
	case func(int) float64:
		return of1(fn, takeInt, lua.PushNumber)
	case func(int) bool:
		return of1(fn, takeInt, giveBool)
	case func(int) string:
		return of1(fn, takeInt, giveText)
	case func(int, int):
		return of2(without2(fn), takeInt, takeInt, nil)
	case func(int, int) int:
		return of2(fn, takeInt, takeInt, giveInt)
	case func(int, int) bool:
		return of2(fn, takeInt, takeInt, giveBool)
	case func(bool):
		return of1(without1(fn), takeBool, nil)
	}
	return nil
}

func ofTexts(fn any) direct {
	in := taken[string](lua.TextAt)
	switch fn := fn.(type) {
	case func() string:
		return of0(fn, giveText)
	case func(string):
		return of1(without1(fn), in, nil)
	case func(string) string:
		return of1(fn, in, giveText)
	case func(string) float64:
		return of1(fn, in, lua.PushNumber)
	case func(string) int:
		return of1(fn, in, giveInt)
	case func(string) bool:
		return of1(fn, in, giveBool)
	case func(string, float64):
		return of2(without2(fn), in, lua.NumberAt, nil)
	case func(string, string):
		return of2(without2(fn), in, in, nil)
	}
	return nil
}

func ofEntities(fn any) direct {
	switch fn := fn.(type) {
	case func() ecs.Entity:
		return of0(fn, giveEntity)
	case func(ecs.Entity):
		return of1(without1(fn), takeEntity, nil)
	case func(ecs.Entity) float64:
		return of1(fn, takeEntity, lua.PushNumber)
	case func(ecs.Entity) bool:
		return of1(fn, takeEntity, giveBool)
	case func(ecs.Entity) string:
		return of1(fn, takeEntity, giveText)
	case func(ecs.Entity) ecs.Entity:
		return of1(fn, takeEntity, giveEntity)
	case func(ecs.Entity, float64):
		return of2(without2(fn), takeEntity, lua.NumberAt, nil)
	case func(ecs.Entity, string):
		return of2(without2(fn), takeEntity, lua.TextAt, nil)
	case func(ecs.Entity, ecs.Entity) float64:
		return of2(fn, takeEntity, takeEntity, lua.PushNumber)
	case func(ecs.Entity, ecs.Entity) bool:
		return of2(fn, takeEntity, takeEntity, giveBool)
	}
	return nil
}

// without1 and without2 give a function a result that nobody pushes.
func without1[A any](fn func(A)) func(A) int { return func(a A) int { fn(a); return 0 } }

func without2[A, B any](fn func(A, B)) func(A, B) int {
	return func(a A, b B) int { fn(a, b); return 0 }
}

// of0 calls a function without parameters. Nothing is pushed where out is nil.
func of0[R any](fn func() R, out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		if L.GetTop() != 0 {
			return 0, false
		}
		enter(L)
		return out.push(L, fn()), true
	}
}

// of1 is of0 for one parameter, of2 for two, of3 for three.
func of1[A, R any](fn func(A) R, in taken[A], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, ok := in(L, 1)
		if !ok || L.GetTop() != 1 {
			return 0, false
		}
		enter(L)
		return out.push(L, fn(a)), true
	}
}

func of2[A, B, R any](fn func(A, B) R, first taken[A], second taken[B], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L, 1)
		b, two := second(L, 2)
		if !one || !two || L.GetTop() != 2 {
			return 0, false
		}
		enter(L)
		return out.push(L, fn(a, b)), true
	}
}

func of3[A, B, C, R any](fn func(A, B, C) R, first taken[A], second taken[B], third taken[C], out given[R]) direct {
	return func(L *lua.LState, enter func(*lua.LState)) (int, bool) {
		a, one := first(L, 1)
		b, two := second(L, 2)
		c, three := third(L, 3)
		if !one || !two || !three || L.GetTop() != 3 {
			return 0, false
		}
		enter(L)
		return out.push(L, fn(a, b, c)), true
	}
}

// push pushes a result, and returns how many that makes.
func (out given[R]) push(L *lua.LState, r R) int {
	if out == nil {
		return 0
	}
	out(L, r)
	return 1
}
