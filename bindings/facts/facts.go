// Package facts has what the text of a script says about its functions, for those who
// declare systems of them.
//
// A function travels through the VM as a prototype, which has no names of fields and no
// places but lines. Whoever has read the text knows more: a [Source] finds it by the
// prototype. There are no facts about texts that are gone, nor about functions of other
// texts. A declaration without facts means the same. Its functions are slower, because they
// get a table for each row, and a fault in an option stands at the whole declaration.
package facts

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Source is what the host knows of the texts of scripts: functions and calls are found
// by their prototypes.
type Source interface {
	// Each returns what the text says of a function over rows; nil for other functions.
	Each(proto *lua.FunctionProto) *Each
	// Options returns the places of the options with which an instruction, a call,
	// declares a system: of the table that it is called with, or of that in which one of
	// the functions is written out. Nil: the text does not say.
	Options(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]OptionPlace
}

// OptionPlace is where the key of an option stands, and where its value begins.
type OptionPlace struct{ Key, Value diag.Place }

// Each is what the text says of a function over rows. Where the function names
// fields of a parameter directly (p.x) and does nothing else with it, its second form
// takes those fields as parameters and returns the ones that it writes: plain numbers
// instead of a table per row.
type Each struct {
	Params []Param            // after the entity
	Scalar *lua.FunctionProto // the second form, nil if there is none
}

// Param is what a function does with one of its parameters.
type Param struct {
	Table bool // the second form takes it as a table, too
	Uses  []Use
}

// Use is what a function does with one field of a parameter.
type Use struct {
	Field    string
	At       diag.Place // where it is a mistake if there is no such field; nowhere: it may be right
	Assigned diag.Place // the last assignment; nowhere if there is none
}

// SecondForm makes a closure of the second form of a function: a name in a function means
// one captured variable, so both forms share those of the same name. It is nil when the
// forms do not capture alike.
func SecondForm(first *lua.LFunction, form *lua.FunctionProto) *lua.LFunction {
	var captured []int
	for _, name := range form.DbgUpvalues {
		for i, known := range lua.Proto(first).DbgUpvalues {
			if known == name {
				captured = append(captured, i)
			}
		}
	}
	if len(captured) != int(form.NumUpvalues) {
		return nil
	}
	return lua.Reform(first, form, captured)
}
