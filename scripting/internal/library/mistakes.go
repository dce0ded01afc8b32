package library

import (
	"cmp"

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
	lib.vm.Meant = func(t *machine.Table, field string, called bool) (string, int) {
		if called {
			return Meant(t, field, machine.KindFunction)
		}
		names := namesIn(t, func(k machine.Kind) bool { return k != machine.KindFunction })
		return diag.DidYouMean(field, names), diag.StepsToSuggest(field, names)
	}
	lib.vm.MeantOfText = lib.meantOfText
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
	names := namesIn(t, func(k machine.Kind) bool { return k == wanted })
	return cmp.Or(advice(t, field), diag.DidYouMean(field, names)), diag.StepsToSuggest(field, names)
}

// namesIn lists names of fields of a table whose values are of some kinds.
func namesIn(t *machine.Table, wanted func(machine.Kind) bool) (names []string) {
	key, v, _ := t.Next(machine.Nil)
	for looked := 0; !key.IsNil() && looked < maxMeant; looked++ {
		if key.IsString() && wanted(v.Kind()) {
			names = append(names, key.Str().String())
		}
		key, v, _ = t.Next(key)
	}
	return names
}

// meantOfText is Meant for a method of texts. Names that are longer than any of theirs by far are
// not compared with them.
func (lib *Library) meantOfText(method string) string {
	t := lib.vm.Meta(machine.String("")).GetString("__index").Table()
	if t == nil || len(method) > longestMethod {
		return ""
	}
	return cmp.Or(advice(t, method), diag.DidYouMean(method, namesIn(t, func(k machine.Kind) bool { return k == machine.KindFunction })))
}

const longestMethod = 24

// advice says what to write for a function that other languages, or other versions of Lua, have in
// the place of a table of the library; "" for any other name. A table is known by a function that
// it alone has.
func advice(t *machine.Table, field string) string {
	for _, of := range advices {
		if fn := t.GetString(of.sign).Function(); fn != nil && fn.Name() == of.sign {
			if words := of.words[field]; words != "" {
				return ": " + words
			}
		}
	}
	return ""
}

// advices are what advice says, by a function that only the table in question has.
var advices = []struct {
	sign  string
	words map[string]string
}{
	{"floor", map[string]string{
		"rnd": "did you mean math.random?", "rand": "did you mean math.random?", "randint": "write math.random(low, high)",
		"randomint": "write math.random(low, high)", "random_int": "write math.random(low, high)",
		"round": "write math.floor(x + 0.5)", "trunc": "write x - math.fmod(x, 1)", "int": "write math.floor(x)", "integer": "write math.floor(x)",
		"clamp": "write math.max(low, math.min(high, x))", "lerp": "write a + (b - a) * t",
		"sign": "write x > 0 and 1 or x < 0 and -1 or 0", "mod": "write a % b", "sqr": "write x * x", "square": "write x * x",
		"cbrt": "write x ^ (1 / 3)", "hypot": "write math.sqrt(x * x + y * y)", "ln": "did you mean math.log?", "log2": "write math.log(x) / math.log(2)",
		"inf": "did you mean math.huge?", "infinity": "did you mean math.huge?",
		"tointeger": "write math.floor(x)", "type": "all numbers are of one type", "ult": "all numbers are floats",
		"distance": "write math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)", "dist": "write math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)",
	}},
	{"gmatch", map[string]string{
		"split": "write for part in text:gmatch(\"[^,]+\") do … end", "trim": "write text:match(\"^%s*(.-)%s*$\")",
		"contains": "write text:find(part, 1, true)", "includes": "write text:find(part, 1, true)", "indexof": "write text:find(part, 1, true)",
		"indexOf": "write text:find(part, 1, true)", "startswith": "write text:sub(1, #start) == start", "startsWith": "write text:sub(1, #start) == start",
		"starts_with": "write text:sub(1, #start) == start", "endswith": "write text:sub(-#ending) == ending", "endsWith": "write text:sub(-#ending) == ending",
		"ends_with": "write text:sub(-#ending) == ending", "replace": "write text:gsub(old, new)", "substr": "write text:sub(first, last)",
		"substring": "write text:sub(first, last)", "slice": "write text:sub(first, last)", "length": "write #text", "size": "write #text",
		"toupper": "did you mean upper?", "toUpperCase": "did you mean upper?", "tolower": "did you mean lower?", "toLowerCase": "did you mean lower?",
		"uppercase": "did you mean upper?", "lowercase": "did you mean lower?", "join": "write table.concat(list, \", \")", "concat": "texts are joined by ..",
		"gfind": "did you mean gmatch?", "charAt": "write text:sub(i, i)", "dump": "no script can read compiled code", "repeat": "did you mean rep?",
		"tonumber": "write tonumber(text)", "pack": "it is not in Lua 5.1", "unpack": "it is not in Lua 5.1",
	}},
	{"concat", map[string]string{
		"getn": "write #list", "setn": "lists have no fixed length", "unpack": "write unpack(list)", "pack": "write { … }", "push": "write list[#list + 1] = x, or table.insert(list, x)",
		"append": "write list[#list + 1] = x, or table.insert(list, x)", "add": "write list[#list + 1] = x, or table.insert(list, x)",
		"pop": "write table.remove(list)", "shift": "write table.remove(list, 1)", "delete": "write table.remove(list, i), or t.key = nil", "erase": "write table.remove(list, i), or t.key = nil",
		"length": "write #list", "size": "write #list", "count": "write #list", "len": "write #list", "join": "write table.concat(list, \", \")",
		"foreach": "write for k, v in pairs(t) do … end", "foreachi": "write for i, v in ipairs(t) do … end", "each": "write for k, v in pairs(t) do … end",
		"move": "copy the items in a loop", "copy": "write local copy = {} for k, v in pairs(t) do copy[k] = v end", "clone": "write local copy = {} for k, v in pairs(t) do copy[k] = v end",
		"clear": "write t = {}", "new": "write {}", "find": "go through the items with ipairs", "contains": "go through the items with ipairs, or keep a table with the items as keys",
		"indexof": "go through the items with ipairs", "indexOf": "go through the items with ipairs", "keys": "write for k in pairs(t) do … end", "values": "write for _, v in pairs(t) do … end",
		"isempty": "write next(t) == nil", "reverse": "go through the items from #list down to 1",
	}},
}

// maxMeant is how many fields of a table are looked at for a wrong name.
const maxMeant = 100

// withheld are the functions of os that no script has, with what to use.
var withheld = map[string]string{
	"exit": ": the host decides when it ends", "execute": ": they run no programs", "remove": noFiles, "rename": noFiles, "tmpname": noFiles,
	"getenv": ": the host exposes what they may know", "setlocale": "",
	"date": ": os.time gives the seconds", "difftime": ": subtract the times",
}

const noFiles = ": they have no files; what must last is kept in ecs.state, or by the host"
