package scripting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// unknownNames finds what the functions of a script name and nothing can have
// set. It would be an error when they run; so a misspelt name is told at the save.
// env is the script's environment after its top level has run.
func (vm *interpreter) unknownNames(m *module, env *lua.LTable) []*Error {
	return append(unknownGlobals(m, env), vm.unknownMembers(m, env)...)
}

// unknownGlobals finds the globals that functions read and that neither the
// library, nor the top level, nor any assignment in the text has set. A script
// that uses _G may set anything under names that cannot be foreseen: nothing
// is said of it before it runs.
func unknownGlobals(m *module, env *lua.LTable) []*Error {
	reads, sets := map[string][]int{}, map[string]bool{}
	globals(m.program.Proto, reads, sets)
	if len(reads["_G"]) > 0 || sets["_G"] {
		return nil
	}
	var problems []*Error
	for name, lines := range reads {
		if sets[name] || env.RawGetString(name) != lua.LNil {
			continue
		}
		meant := howToRequire(name)
		if meant == "" {
			meant = diag.DidYouMean(name, names(env, m.text))
		}
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			e := &Error{Script: m.name, Line: line, Message: fmt.Sprintf("unknown name %q%s", name, meant)}
			problems = append(problems, e)
		}
	}
	return problems
}

// globals collects the names that functions read, with the lines, and set. It looks
// at the bytecode rather than at the tree, because the bytecode knows of each name
// whether it is a local.
func globals(proto *lua.FunctionProto, reads map[string][]int, sets map[string]bool) {
	for at, instruction := range proto.Code {
		// An instruction has its code in the highest six bits, the number of a
		// constant in the lowest eighteen.
		constant := func() string { return proto.Constants[instruction&(1<<18-1)].String() }
		switch int(instruction >> 26) {
		case lua.OP_GETGLOBAL:
			reads[constant()] = append(reads[constant()], proto.DbgSourcePositions[at])
		case lua.OP_SETGLOBAL:
			sets[constant()] = true
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		globals(inner, reads, sets)
	}
}

// unknownMembers finds the fields of the script's ecs and host tables that they
// do not have, and that it sets nowhere.
func (vm *interpreter) unknownMembers(m *module, env *lua.LTable) []*Error {
	reads, sets := members(m.program.Proto)
	known := map[string]bool{}
	for _, s := range sets {
		known[s.table+"."+s.name] = true
	}
	var problems []*Error
	for _, r := range reads {
		if strings.HasPrefix(r.table, fileTable) {
			continue // it may get more fields later
		}
		t := vm.required(env, r.table)
		if t == nil || known[r.table+"."+r.name] || t.RawGetString(r.name) != lua.LNil {
			continue
		}
		e := &Error{Script: m.name, Line: r.line, Message: noSuchField(t, r.table, r.name)}
		if !slices.ContainsFunc(problems, func(p *Error) bool { return p.Line == e.Line && p.Message == e.Message }) {
			problems = append(problems, e)
		}
	}
	return problems
}

// silentModules finds the fields that a script looks for in files which return nothing:
// require gives true for them, which has none. Whoever has forgotten the return reads
// otherwise that a boolean was indexed, in another file.
func (l *loader) silentModules(m *module) []*Error {
	if m.env == nil {
		return nil
	}
	if require, ok := m.env.RawGetString("require").(*lua.LFunction); !ok || !require.IsG {
		return nil
	}
	reads, sets := members(m.program.Proto)
	var problems []*Error
	for _, use := range append(reads, sets...) {
		name, isFile := strings.CutPrefix(use.table, fileTable)
		if !isFile {
			continue
		}
		file, _ := l.resolve(m.name, name)
		other := l.fresh[file]
		if other == nil && l.texts[file] == nil {
			other = l.vm.live[file]
		}
		if other == nil || !other.silent {
			continue
		}
		message := fmt.Sprintf("there is no %q: %s returns nothing; end it with a return, such as return { %s = … }", use.name, file, use.name)
		problems = append(problems, &Error{Script: m.name, Line: use.line, Message: message})
	}
	return problems
}

// required returns a script's own ecs or host table; nil when it has put another
// require into the place of the host's.
func (vm *interpreter) required(env *lua.LTable, name string) *lua.LTable {
	require, ok := env.RawGetString("require").(*lua.LFunction)
	if !ok || !require.IsG {
		return nil
	}
	if err := vm.state.CallByParam(lua.P{Fn: require, NRet: 1, Protect: true}, lua.LString(name)); err != nil {
		return nil
	}
	t, _ := vm.state.Get(-1).(*lua.LTable)
	vm.state.Pop(1)
	return t
}

// noSuchField says what an access to a field that the table lacks says when it runs.
func noSuchField(t *lua.LTable, table, name string) string {
	var names []string
	t.ForEach(func(k, _ lua.LValue) { names = append(names, k.String()) })
	if table == "host" {
		return fmt.Sprintf("the host exposes no %q%s", name, diag.DidYouMean(name, names))
	}
	return bindings.Lacks(name, names)
}

// member is a field of one of the host's tables that a script names: the spawn of
// ecs.spawn.
type member struct {
	table string // what was required: "ecs" or "host"; of a file after fileTable
	name  string
	line  int
}

// members finds the fields of the host's tables, and of what other files return, that a
// script reads, and those that it sets, by the local into which it has put the table with require.
//
// It looks at the bytecode rather than at the tree, because the bytecode knows which
// local each name is. Only what is certain is found: a local that is assigned
// once, with a plain require, and read by its own name. A table that went another
// way is left to the moment at which the function runs. Nothing is known of a
// function elsewhere that gets the table and adds fields when systems run.
func members(proto *lua.FunctionProto) (reads, sets []member) {
	s := memberSearch{changed: map[*holder]bool{}}
	s.function(proto, nil)
	for _, f := range s.found {
		switch {
		case s.changed[f.in]:
		case f.set:
			sets = append(sets, f.member)
		default:
			reads = append(reads, f.member)
		}
	}
	return reads, sets
}

// holder is a local that holds what require gave.
type holder struct{ table string }

type memberSearch struct {
	found   []foundMember
	changed map[*holder]bool // those that are assigned again, or of which fields are set by computed names
}

type foundMember struct {
	member
	in  *holder
	set bool
}

// memberScan goes through the code of one function.
type memberScan struct {
	*memberSearch
	proto    *lua.FunctionProto
	outer    []*holder       // by upvalue; nil: another value
	locals   map[int]*holder // by register
	fetched  map[int]*holder // registers into which an upvalue went last
	texts    map[int]string  // registers into which a constant went last
	captured map[int]bool    // registers that inner functions share
	targets  map[int]bool    // of jumps: what stands before them need not have run
}

func (s *memberSearch) function(proto *lua.FunctionProto, outer []*holder) {
	scan := memberScan{
		memberSearch: s, proto: proto, outer: outer, targets: jumpTargets(proto),
		locals: map[int]*holder{}, fetched: map[int]*holder{}, texts: map[int]string{}, captured: map[int]bool{},
	}
	for at := 0; at < len(proto.Code); at++ {
		at += scan.instruction(at)
	}
}

// jumpTargets lists the places that are reached in another way than from the
// instruction before them.
func jumpTargets(proto *lua.FunctionProto) map[int]bool {
	targets := map[int]bool{}
	for at, code := range proto.Code {
		switch op, _, _, _ := parts(code); op {
		case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP:
			targets[at+1+int(code&(1<<18-1))-(1<<17-1)] = true
		case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP, lua.OP_LOADBOOL:
			targets[at+2] = true
		}
	}
	return targets
}

// parts takes an instruction apart: six bits of code, eight, nine and nine bits of
// operands.
func parts(code uint32) (op, a, b, c int) {
	return int(code >> 26), int(code>>18) & 0xff, int(code) & 0x1ff, int(code>>9) & 0x1ff
}

// instruction looks at one instruction and returns how many of the words after it belong to it.
func (s *memberScan) instruction(at int) (more int) {
	op, a, b, c := parts(s.proto.Code[at])
	switch op {
	case lua.OP_GETTABLEKS, lua.OP_SELF:
		if name, ok := s.key(c); ok {
			s.note(s.holderOf(at, b), name, at, false)
		}
	case lua.OP_SETTABLEKS, lua.OP_SETTABLE:
		s.set(a, b, at)
		return 0
	case lua.OP_LOADK:
		s.overwrite(a)
		s.texts[a] = s.constant(at)
		return 0
	case lua.OP_GETUPVAL:
		s.overwrite(a)
		s.fetched[a] = s.outer[b]
		return 0
	case lua.OP_SETUPVAL:
		if s.outer[b] != nil {
			s.changed[s.outer[b]] = true
		}
		return 0
	case lua.OP_CLOSURE:
		s.overwrite(a)
		return s.closure(at)
	case lua.OP_CLOSE:
		for register := range s.captured {
			if register >= a {
				delete(s.captured, register)
			}
		}
		return 0
	case lua.OP_CALL:
		for register := range s.locals {
			if register > a {
				s.overwrite(register) // the call's own
			}
		}
		s.overwrite(a)
		if table := s.required(at); table != "" {
			s.locals[a] = &holder{table}
		}
		return 0
	case lua.OP_SETGLOBAL, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_JMP, lua.OP_RETURN, lua.OP_NOP, lua.OP_SETLIST:
		return 0
	case lua.OP_LOADNIL:
		for register := a; register <= b; register++ {
			s.overwrite(register)
		}
	}
	s.overwrite(a)
	return 0
}

// overwrite notes that a register gets another value. When inner functions share
// it, the local has another value for them, too.
func (s *memberScan) overwrite(register int) {
	if s.locals[register] != nil && s.captured[register] {
		s.changed[s.locals[register]] = true
	}
	delete(s.locals, register)
	delete(s.fetched, register)
	delete(s.texts, register)
}

// required returns what the call at a place requires: it is require("ecs"), of
// the global, and nothing jumps into the middle of it or to its end.
func (s *memberScan) required(at int) string {
	if at < 2 || s.targets[at-1] || s.targets[at] || s.targets[at+1] {
		return ""
	}
	_, a, b, c := parts(s.proto.Code[at])
	global, function, _, _ := parts(s.proto.Code[at-2])
	load, argument, _, _ := parts(s.proto.Code[at-1])
	if b != 2 || c != 2 || global != lua.OP_GETGLOBAL || function != a || load != lua.OP_LOADK || argument != a+1 || s.constant(at-2) != "require" {
		return ""
	}
	name := s.constant(at - 1)
	if name != "ecs" && name != "host" {
		name = fileTable + name
	}
	return name
}

// fileTable begins what stands for the table that another file returns.
const fileTable = "file "

// constant returns the constant that an instruction with one operand names.
func (s *memberScan) constant(at int) string {
	return s.proto.Constants[s.proto.Code[at]&(1<<18-1)].String()
}

// holderOf returns the local whose value the instruction at a place finds in a
// register: one of this function's, or an outer one that was just fetched.
func (s *memberScan) holderOf(at, register int) *holder {
	if h := s.locals[register]; h != nil || at == 0 || s.targets[at] {
		return h
	}
	if op, a, b, _ := parts(s.proto.Code[at-1]); op == lua.OP_GETUPVAL && a == register {
		return s.outer[b]
	}
	return nil
}

// key returns the name that an operand stands for: a constant, or a register that
// holds one.
func (s *memberScan) key(operand int) (name string, ok bool) {
	const isConstant = 1 << 8
	if operand&isConstant != 0 {
		return s.proto.Constants[operand&^isConstant].String(), true
	}
	name, ok = s.texts[operand]
	return name, ok
}

// set notes an assignment to a field of what a register holds. Between the place
// where the table was fetched and this one there is the code of the value, with
// jumps perhaps: to take too much for certain does no harm here.
func (s *memberScan) set(register, key, at int) {
	in := s.locals[register]
	if in == nil {
		in = s.fetched[register]
	}
	if name, ok := s.key(key); ok {
		s.note(in, name, at, true)
	} else if in != nil {
		s.changed[in] = true // by whatever name
	}
}

func (s *memberScan) note(in *holder, name string, at int, set bool) {
	if in != nil {
		s.found = append(s.found, foundMember{member{in.table, name, s.proto.DbgSourcePositions[at]}, in, set})
	}
}

// closure goes into an inner function. After the instruction that makes it there is
// one word for each of its upvalues, which is not an instruction: it says where the
// upvalue's value comes from.
func (s *memberScan) closure(at int) (more int) {
	inner := s.proto.FunctionPrototypes[s.proto.Code[at]&(1<<18-1)]
	upvalues := make([]*holder, inner.NumUpvalues)
	for i := range upvalues {
		switch op, _, b, _ := parts(s.proto.Code[at+1+i]); op {
		case lua.OP_MOVE:
			upvalues[i] = s.locals[b]
			s.captured[b] = true
		case lua.OP_GETUPVAL:
			upvalues[i] = s.outer[b]
		}
	}
	s.function(inner, upvalues)
	return len(upvalues)
}
