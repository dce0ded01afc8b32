package scripting

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// Ran says what ran where: rows, calls and time by kernels, by the VM, and in functions of
// the host. The three times have nothing in common, and are together no longer than the runs of the
// system were. What an ecs.kernel does for a system
// that calls it is in the records of both; [Ran.Own] leaves it out of the system's, so that records
// can be added up. The fields are documented in bindings/rows: go doc bindings/rows.Ran.
type Ran = rows.Ran

// Effort is the part of one of the three in a [Ran].
type Effort = rows.Effort

// SystemRan is the record of a system of a script, or of a kernel that one has made by
// ecs.kernel.
type SystemRan struct {
	Script string
	System string // or the name of the kernel
	Called bool   // it is one of ecs.kernel
	Gone   bool   // a reload has removed it, or given it another name
	Ran
}

// Ran returns the records of all systems and kernels, by script and name. A system
// goes on with the record of the one whose place it has taken, or that had its name and is gone. Of those
// that are gone, the last thousand are there. Any goroutine may call it, see [Host.Usage].
func (h *Host) Ran() []SystemRan {
	if !h.made() {
		return nil
	}
	return h.readings.ran.read(h, h.ranNow, slices.Clone)
}

// ranNow is Ran of this moment.
func (h *Host) ranNow() []SystemRan {
	var list []SystemRan
	for _, m := range h.modules() {
		for _, sys := range eachOf(m.script) {
			list = append(list, SystemRan{sys.Script, sys.Name, sys.Called(), false, ranOf(sys)})
		}
	}
	if !h.gone() {
		for _, g := range h.binding.Gone() {
			list = append(list, SystemRan{g.Script, g.Name, g.Called, true, shown(g.Ran)})
		}
	}
	slices.SortFunc(list, func(a, b SystemRan) int {
		return cmp.Or(cmp.Compare(a.Script, b.Script), cmp.Compare(a.System, b.System))
	})
	return list
}

// ranOf returns the record of a system as it is now.
func ranOf(sys *bindings.System) Ran {
	if sys.Ran == nil {
		return Ran{}
	}
	return shown(sys.Ran)
}

// shown returns a record in which the time of the VM is without that of the host's functions and of
// kernels that were called. Some of their calls stand for others, and may have taken longer than
// those: of the VM's time they get no more than there is.
func shown(record *Ran) Ran {
	r, c := *record, &record.Callees
	r.Foreign.Time = min(r.Foreign.Time, r.VM.Time)
	r.Callees.Kernel.Time = min(c.Kernel.Time, r.VM.Time-r.Foreign.Time)
	r.Kernel.Time -= c.Kernel.Time - r.Callees.Kernel.Time
	r.VM.Time -= r.Foreign.Time + r.Callees.Kernel.Time
	r.Callees.Foreign.Time = min(c.Foreign.Time, r.Foreign.Time)
	r.Callees.VM.Time = min(max(c.VM.Time-c.Foreign.Time, 0), r.VM.Time)
	return r
}
