package machine

import (
	"fmt"
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// What values are and are called, in messages. The author of a script knows neither threads
// nor userdata, and no address: it would differ from run to run, and tell scripts about the
// memory of the host.

// KindName says what a value is, in words: nil, a table, a coroutine, the prefab Boss.
func KindName(v Value) string {
	switch v.Kind() {
	case KindThread:
		return "a coroutine"
	case KindUserdata:
		if d, ok := v.Userdata().Value.(interface{ Describe() string }); ok {
			return d.Describe()
		}
		return fmt.Sprintf("the host's %T", v.Userdata().Value)
	}
	return diag.Article(v.Kind().String())
}

// TypeName is the name of a value's type as messages say it: as in Lua, but in the words of
// KindName for what has no type that scripts know.
func TypeName(v Value) string {
	switch v.Kind() {
	case KindThread, KindUserdata:
		return KindName(v)
	}
	return v.Kind().String()
}

// Written returns a key as messages write it: a text, a number and the like as it is, and
// every other value in the words of KindName.
func Written(key Value) string {
	switch key.Kind() {
	case KindString:
		return key.Str().String()
	case KindNumber:
		if x := key.Float(); math.Abs(x) < 1<<63 && x == math.Trunc(x) {
			return strconv.FormatInt(int64(x), 10)
		}
		return fmt.Sprint(key.Float())
	case KindBoolean:
		return strconv.FormatBool(key.Truth())
	case KindNil:
		return "nil"
	}
	return KindName(key)
}

// UseKey is where the metatable of a table of the host's says what the table can be used for.
const UseKey = "\x00use"

// Use says what can be done with a value of the host that is used for what it is not for: to
// follow a message. It is empty for values of Lua.
func Use(v Value) string {
	use := ""
	switch v.Kind() {
	case KindTable:
		if meta := v.Table().Metatable(); meta != nil {
			if words := meta.GetString(UseKey).Str(); words != nil {
				use = words.String()
			}
		}
	case KindUserdata:
		if d, ok := v.Userdata().Value.(interface{ Use() string }); ok {
			use = d.Use()
		}
	}
	if use != "" {
		use = ": " + use
	}
	return use
}

// asValue is TypeName as Lua says it of an operand, a nil value, with what it can be used for.
func asValue(v Value) string {
	switch kind := v.Kind(); kind {
	case KindThread, KindUserdata:
		return KindName(v) + Use(v)
	default:
		return kind.value() + Use(v)
	}
}

// value is what asValue says of a kind that scripts know: a text for each, which takes no memory.
func (k Kind) value() string {
	return [...]string{"a number value", "a nil value", "a boolean value", "a string value", "a table value", "a function value"}[k]
}

// Prefix is a place as it stands before the message that a script sees, which is a text as
// of Lua: script and line. It is empty for nowhere.
func Prefix(at diag.Place) string {
	if at.Line == 0 {
		return ""
	}
	at.Column = 0
	return at.String() + ": "
}

// Part is a part of what stands at an instruction: of a call an argument, of a chain of the
// operator .. an operand, of a "for" one of its values.
type Part struct {
	N     int    // from 1 on
	Key   string // of the table that is written there, this key, as of [Within]; "": the part as a whole
	Value bool   // the value that the table has under the key
}

// Argument is the nth argument of a call.
func Argument(n int) Part { return Part{N: n} }

// Key is a key of the table that is the nth argument of a call.
func Key(n int, key string) Part { return Part{N: n, Key: key} }

// Item is an item of the list that is the nth argument of a call.
func Item(n int, index Value) Part { return Part{N: n, Key: Within("", Index(index))} }

// Index writes the key of an item of a list.
func Index(i Value) string { return "[" + Written(i) + "]" }

// Within writes a key of a table that stands itself under a key of another one, or under ""
// where it is the outermost: with, [1], with[2], query.with.
func Within(outer, key string) string {
	if outer == "" || key == "" || key[0] == '[' {
		return outer + key
	}
	return outer + "." + key
}

// ValueOf is what the table has under a key that is the nth argument of a call.
func ValueOf(n int, key string) Part { return Part{N: n, Key: key, Value: true} }
