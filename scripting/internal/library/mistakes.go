package library

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// What the library tells the machine, and what the machine asks it.

// serve ties the library to its machine.
func (lib *Library) serve() {
	if limit := lib.opts.MaxTable; limit > 0 {
		lib.vm.Heap.MaxEntries = limit
		lib.vm.Heap.TooLarge = lib.tooLarge
	}
	lib.vm.Caught = lib.note
	lib.vm.Ended = lib.ended
	lib.vm.Meant = func(t *machine.Table, field string) (string, int) {
		return Meant(t, field, machine.KindFunction)
	}
}

// tooLarge ends the script that runs, whatever it catches, with the error about a table that
// would get so many entries. The host itself may fill a table as it likes.
func (lib *Library) tooLarge(entries int) {
	th := lib.vm.Running()
	if th.Here().Line == 0 {
		return
	}
	e := diag.Reached("Table", "table too large: %s of %s entries", diag.Grouped(int64(entries)), diag.Grouped(int64(lib.opts.MaxTable)))
	lib.vm.Refuse(e)
	th.Fail(e)
}

// note remembers an error that a script catches.
func (lib *Library) note(r *machine.Raised) {
	if r.Value.IsString() {
		lib.caught.Note(r.Value.Str().String(), r.Err)
	}
}

// Meant says what a script may have meant by a field that a table does not have: one of the
// table whose value is of the wanted kind, or one of Lua that is not here. It takes as long
// as that many instructions.
// The caller charges the steps: a script could catch the error and try again in a
// loop.
func Meant(t *machine.Table, field string, wanted machine.Kind) (words string, steps int) {
	if why, known := withheld[field]; known && !t.GetString("clock").IsNil() {
		return ": os." + field + " is not available to scripts" + why, 0
	}
	var names []string
	key, v, _ := t.Next(machine.Nil)
	for looked := 0; !key.IsNil() && looked < maxMeant; looked++ {
		if key.IsString() && v.Kind() == wanted {
			names = append(names, key.Str().String())
		}
		key, v, _ = t.Next(key)
	}
	return diag.DidYouMean(field, names), diag.StepsToSuggest(field, names)
}

// maxMeant is how many fields of a table are looked at for a wrong name.
const maxMeant = 100

// withheld are the functions of os that no script has, with what to use.
var withheld = map[string]string{
	"exit": ": the host decides when it ends", "execute": "", "remove": "", "rename": "", "tmpname": "", "getenv": "", "setlocale": "",
	"date": ": os.time gives the seconds", "difftime": ": subtract the times",
}
