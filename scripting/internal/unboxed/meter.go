//go:build !machine

package unboxed

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	lua "github.com/yuin/gopher-lua"
)

const (
	endless = math.MaxInt64
	// often is after how many instructions the meter is asked again.
	often = 1024
)

// tell tells the meter what was executed since it was told.
func (f *Evaluator) tell() {
	if f.meter != nil {
		f.meter.Take(f.taken)
		f.meter.TakeBytes(f.made)
		f.quota -= f.taken
	}
	f.taken, f.made = 0, 0
}

// afford reports whether a value of so many bytes, and so many steps besides, is within
// what is left up to the next question. If not, the VM does what is next.
func (f *Evaluator) afford(bytes, steps int64) bool {
	if f.meter == nil {
		return true
	}
	steps += stdlib.StepsOf(bytes)
	if f.taken+steps >= f.quota && (!f.settle() || steps >= f.quota) {
		return false
	}
	return bytes == 0 || f.made+bytes <= f.meter.Room()
}

// spend counts what afford has allowed, or less.
func (f *Evaluator) spend(bytes, steps int64) {
	f.taken += steps + stdlib.StepsOf(bytes)
	f.made += bytes
}

// Afford implements vm.Caller.
func (f *Evaluator) Afford(steps int64) bool { return f.afford(0, steps) }

// Spend implements vm.Caller.
func (f *Evaluator) Spend(steps int64) { f.taken += steps }

// onMachine calls what was pushed on the VM, which executes instructions of its
// own. Where that raises an error the meter is asked before the next call.
func (f *Evaluator) onMachine(L *lua.LState, args, results int) {
	quota := f.quota
	f.quota, f.alone = 0, false
	L.Call(args, results)
	if f.quota = quota; f.meter != nil {
		f.quota = min(quota, f.meter.Left()-f.margin())
	}
}

// margin is how many instructions are executed between two questions whether there
// are any left, at most: no instruction twice.
func (f *Evaluator) margin() int64 { return int64(len(f.code)) + 2 }

// settle tells the meter, has it do what is due, and reports whether there are
// instructions left up to the next place where this is asked: a jump back, or the
// next call. If not, the VM is to go on, which stops at the right one.
func (f *Evaluator) settle() bool {
	if f.meter == nil {
		f.taken = 0
		return true
	}
	f.tell()
	f.meter.Attend()
	f.quota = min(often, f.meter.Left()-f.margin())
	return f.quota > 0
}
