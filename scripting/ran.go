package scripting

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// Ran says what ran where: rows, calls and time by kernels, by the VM, and in functions of
// the host. The three times have nothing in common, but those of a system whose functions call
// an ecs.kernel: that has a record of its own, too. Its fields are documented in bindings/rows:
// go doc bindings/rows.Ran.
type Ran = rows.Ran

// Effort is the part of one of the three in a [Ran].
type Effort = rows.Effort

// SystemRan is the record of a system of a script, or of a kernel that one has made by
// ecs.kernel.
type SystemRan struct {
	Script string
	System string // or the name of the kernel
	Called bool   // it is one of ecs.kernel
	Ran
}

// Ran returns the records of all loaded systems and kernels, by script and name. A system
// goes on with the record of the one whose place it has taken.
func (h *Host) Ran() []SystemRan {
	var list []SystemRan
	for _, m := range h.modules() {
		for _, sys := range eachOf(m.script) {
			list = append(list, SystemRan{sys.Script, sys.Name, sys.Called(), ranOf(sys)})
		}
	}
	slices.SortFunc(list, func(a, b SystemRan) int {
		return cmp.Or(cmp.Compare(a.Script, b.Script), cmp.Compare(a.System, b.System))
	})
	return list
}

// ranOf returns the record of a system as it is now. The time of the VM in it is without
// that of the host's functions.
func ranOf(sys *bindings.System) Ran {
	if sys.Ran == nil {
		return Ran{}
	}
	r := *sys.Ran
	r.VM.Time = max(r.VM.Time-r.Foreign.Time, 0)
	return r
}
