package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// Source is what the host knows of the texts of scripts: functions and calls are found
// by their prototypes. Those of other texts, or of texts that are gone, have no facts.
type Source interface {
	// Each returns what the text says of a function over rows; nil for other functions.
	Each(proto *lua.FunctionProto) *EachFacts
	// OptionLines returns the lines of the options with which an instruction, a call,
	// declares a system: of the table that it is called with, or of that in which one of
	// the functions is written out. Nil: the text does not say.
	OptionLines(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]int
}

// EachFacts is what the text says of a function over rows. Where the function names
// fields of a parameter directly (p.x) and does nothing else with it, its second form
// takes those fields as parameters and returns the ones that it writes: plain numbers
// instead of a table per row.
type EachFacts struct {
	Params []ParamFacts       // after the entity
	Scalar *lua.FunctionProto // the second form, nil if there is none
}

// ParamFacts is what a function does with one of its parameters.
type ParamFacts struct {
	Table bool // the second form takes it as a table, too
	Uses  []FieldUse
}

// FieldUse is what a function does with one field of a parameter.
type FieldUse struct {
	Field    string
	Line     int // where it is named first
	Assigned int // the line of the last assignment, 0: there is none
}

// facts returns what the text says of a function over rows.
func (m *Module) facts(fn *lua.LFunction) *EachFacts {
	if m.opts.Source != nil && fn != nil {
		if facts := m.opts.Source.Each(fn.Proto); facts != nil {
			return facts
		}
	}
	return &EachFacts{}
}

// closure makes a closure of another form of a function: a name in a function means one
// captured variable, so both forms share those of the same name.
func closure(first *lua.LFunction, form *lua.FunctionProto) *lua.LFunction {
	second := &lua.LFunction{Env: first.Env, Proto: form}
	for _, name := range form.DbgUpvalues {
		for i, known := range first.Proto.DbgUpvalues {
			if known == name {
				second.Upvalues = append(second.Upvalues, first.Upvalues[i])
			}
		}
	}
	if len(second.Upvalues) != int(form.NumUpvalues) {
		return nil
	}
	return second
}

// optionLines returns the lines of the options of the table with which the running
// call declares a system.
func (a *args) optionLines(t *lua.LTable) map[string]int {
	if a.m.opts.Source == nil {
		return nil
	}
	var functions []*lua.FunctionProto
	for _, key := range []string{"each", "batch", "run"} {
		if fn, ok := t.RawGetString(key).(*lua.LFunction); ok && !fn.IsG {
			functions = append(functions, fn.Proto)
		}
	}
	caller, pc := frame(a.L, 1)
	return a.m.opts.Source.OptionLines(caller, pc, functions)
}

// frame returns the function of a level of the stack, and the instruction at which it
// is; nil when that is no function of a script.
func frame(L *lua.LState, level int) (*lua.FunctionProto, int) {
	if f := vmstate.Running(L).Outside(level); f != nil && !f.Fn.IsG {
		return f.Fn.Proto, f.At()
	}
	return nil, 0
}
