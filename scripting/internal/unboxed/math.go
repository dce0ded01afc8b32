//go:build !machine

package unboxed

import (
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/scripting/internal/library/maths"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	lua "github.com/yuin/gopher-lua"
)

// Math returns what stands for the functions of math that take numbers, give one and
// do nothing else.
func Math(lib *stdlib.Library) map[*lua.LFunction]vm.GoFunc {
	goFuncs := map[*lua.LFunction]vm.GoFunc{}
	one, two := maths.Functions()
	for name, fn := range one {
		goFuncs[lib.Math(name)] = unary(fn)
	}
	for name, fn := range two {
		goFuncs[lib.Math(name)] = binary(fn)
	}
	goFuncs[lib.Math("max")], goFuncs[lib.Math("min")] = most, least
	return goFuncs
}

func unary(fn func(float64) float64) vm.GoFunc {
	return func(_ vm.Caller, call []vm.Register) bool {
		if len(call) < 2 || call[1].Value != nil {
			return false
		}
		call[0].Set(fn(call[1].Number))
		return true
	}
}

func binary(fn func(x, y float64) float64) vm.GoFunc {
	return func(_ vm.Caller, call []vm.Register) bool {
		if len(call) < 3 || call[1].Value != nil || call[2].Value != nil {
			return false
		}
		call[0].Set(fn(call[1].Number, call[2].Number))
		return true
	}
}

// most and least keep the first of what compares equal, as math.max and math.min do.
func most(_ vm.Caller, call []vm.Register) bool {
	return choose(call, func(x, best float64) bool { return x > best })
}

func least(_ vm.Caller, call []vm.Register) bool {
	return choose(call, func(x, best float64) bool { return x < best })
}

func choose(call []vm.Register, better func(x, best float64) bool) bool {
	if len(call) < 2 {
		return false
	}
	for i := 1; i < len(call); i++ {
		if call[i].Value != nil {
			return false
		}
	}
	best := call[1].Number
	for _, r := range call[2:] {
		if better(r.Number, best) {
			best = r.Number
		}
	}
	call[0].Set(best)
	return true
}
