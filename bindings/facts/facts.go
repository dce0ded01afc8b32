// Package facts has what the text of a script says about its functions, for those who
// declare systems of them.
//
// A function travels through the VM as a prototype, which has no names of fields and no
// places but lines. Whoever has read the text knows more: a [Source] finds it by the
// prototype. There are no facts about texts that are gone, nor about functions of other
// texts. A declaration without facts means the same; a fault in an option of it stands at the
// whole declaration.
package facts

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Source is what the host knows of the texts of scripts: functions and calls are found
// by their prototypes.
type Source interface {
	// Each returns what the text says of a function over rows; nil for other functions. Nobody
	// changes it, as with Options.
	Each(proto *lua.FunctionProto) *Each
	// Options returns the places of the options with which an instruction, a call,
	// declares a system: of the table that it is called with, or of that in which one of
	// the functions is written out. Nil: the text does not say. Nobody changes the map: the
	// systems of all hosts of a text may share it.
	Options(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]OptionPlace
}

// OptionPlace is where the key of an option stands, and where its value begins. Called says that
// the value is what a call returns.
type OptionPlace struct {
	Key, Value diag.Place
	Called     bool
}

// Each is what the text says of a function over rows.
type Each struct {
	Params []Param // after the entity
	// Elsewhere is by name the last assignment to a field of something that is no parameter.
	Elsewhere map[string]diag.Place
}

// Param is what a function does with one of its parameters.
type Param struct {
	Table bool // the function does something else with it than to name its fields
	Uses  []Use
}

// Use is what a function does with one field of a parameter.
type Use struct {
	Field    string
	At       diag.Place // where it is a mistake if there is no such field; nowhere: it may be right
	Assigned diag.Place // the last assignment; nowhere if there is none
	Changed  diag.Place // the last change of the list that is in the field, as by table.insert; nowhere if there is none
}

// AssignedAt returns where a function last assigns a field of a parameter, counted from 0 after the
// entity, or changes the list in it, if that stands further down; nowhere if it does neither. O(fields that it uses).
func (e *Each) AssignedAt(param int, field string) diag.Place {
	if param < len(e.Params) {
		for i := range e.Params[param].Uses {
			use := &e.Params[param].Uses[i]
			switch {
			case use.Field != field:
			case use.Changed.Line > use.Assigned.Line, use.Changed.Line == use.Assigned.Line && use.Changed.Column > use.Assigned.Column:
				return use.Changed
			default:
				return use.Assigned
			}
		}
	}
	return diag.Place{}
}
