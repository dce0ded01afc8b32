package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// ErrLimit is what errors.Is finds in an error that says that a limit was
// reached; [Error].Limit says which.
var ErrLimit = diag.ErrLimit

// reword says which limit was reached when the VM has ended a call by a limit of its own,
// and cuts a message that is too long.
func reword(e *Error, limits *Limits) {
	e.Message = diag.CutShown(e.Message)
	switch e.Kind {
	case diag.Overflow:
		depth := int64(limits.Depth)
		e.Limit = "Depth"
		e.Message = fmt.Sprintf("stack overflow: %s of %s calls in each other (Limits.Depth)%s", diag.Grouped(depth+1), diag.Grouped(depth), recursion(e.Trace))
	case diag.Registers:
		e.Message = fmt.Sprintf("stack overflow: the calls in each other hold more than %s values, the most that there may be%s", diag.Grouped(int64(limits.registers())), recursion(e.Trace))
	}
}

// recursion says which functions call themselves, or each other, where the innermost calls of a
// trace are those of one or two functions; "" for any other trace.
func recursion(trace diag.Trace) string {
	const looked = 6
	if len(trace) < looked {
		return ""
	}
	name := func(i int) string { return trace[i].Called() }
	for i := 2; i < looked; i++ {
		if name(i) != name(i-2) || name(i) == "" {
			return ""
		}
	}
	if name(0) == name(1) {
		return ": " + name(0) + " calls itself too deeply, or without end"
	}
	if name(1) == "" {
		return ""
	}
	return ": " + name(0) + " and " + name(1) + " call each other too deeply, or without end"
}

// unknownName returns what to say of a name that nothing has set: what to use for it, where it is
// well known, or what was found that is like it.
func unknownName(name, alike string) string {
	if words := elsewhere[name]; words != "" {
		return ": " + words
	}
	return alike
}

// elsewhere says what to use for names that other versions of Lua have, or other languages.
var elsewhere = map[string]string{
	"load": noCode, "loadstring": noCode, "loadfile": noCode, "dofile": noCode, "include": noCode, "import": noCode,
	"io": "scripts have no files: ecs.log writes to the log, and what must last is kept in ecs.state, or by the host", "file": "scripts have no files",
	"debug": "errors show their place and the calls around them by themselves", "package": noCode, "module": "a file returns a table of what others may use",
	"getfenv": "each file has variables of its own, and no function has others", "setfenv": "each file has variables of its own, and no function has others",
	"collectgarbage": "memory is freed by itself", "newproxy": "use setmetatable({}, …)", "gcinfo": "memory is freed by itself",
	"bit": noBits, "bit32": noBits, "utf8": "it is not in Lua 5.1: texts are bytes",
	"null": nothing, "None": nothing, "nill": nothing, "NULL": nothing, "undefined": nothing, "Nil": nothing, "NIL": nothing, "nullptr": nothing, "none": nothing,
	"True": "did you mean true?", "TRUE": "did you mean true?", "False": "did you mean false?", "FALSE": "did you mean false?",
	"self": "functions that are declared with a colon have it, such as function t:name() … end", "this": "did you mean self? Functions that are declared with a colon have it",
	"range": "write for i = 1, n do … end", "len": "write #list", "str": "did you mean tostring?", "int": "did you mean math.floor?", "float": "did you mean tonumber?",
	"throw": raised, "raise": raised, "Error": raised, "panic": raised, "typeof": "did you mean type?", "printf": "write print(string.format(…))", "println": "did you mean print?",
	"echo": "did you mean print?", "puts": "did you mean print?", "console": "did you mean print?", "log": "did you mean ecs.log, or math.log?", "Math": "did you mean math?", "new": "call the function that makes the value, such as Unit.new()",
	"abs": "did you mean math.abs?", "min": "did you mean math.min?", "max": "did you mean math.max?", "floor": "did you mean math.floor?", "ceil": "did you mean math.ceil?",
	"sqrt": "did you mean math.sqrt?", "sin": "did you mean math.sin?", "cos": "did you mean math.cos?", "random": "did you mean math.random, or ecs.random?", "pi": "did you mean math.pi?",
	"sleep": "a script does not wait: use ecs.after, or count ticks", "wait": "a script does not wait: use ecs.after, or count ticks", "delay": "a script does not wait: use ecs.after, or count ticks",
}

const (
	noCode  = "a script is made of files alone: require gives what another file returns"
	noBits  = "there are no bit operators in Lua 5.1"
	nothing = "did you mean nil?"
	raised  = "did you mean error?"
)
