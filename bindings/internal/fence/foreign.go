package fence

import (
	"reflect"

	gopher "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar" // functions may be written against it
)

// bypass reports whether a Go function gets its arguments from a state of gopher-lua itself.
func bypass(sig reflect.Type) bool {
	n := sig.NumIn()
	return n > 0 && sig.In(n-1) == reflect.TypeFor[*luar.LState]() || sig.ConvertibleTo(reflect.TypeFor[gopher.LGFunction]())
}

// What is said when the host calls a function of a script.
const (
	late    = "the host called a script's function after the call that it was given to"
	tooDeep = "stack overflow: callbacks from the host are more than %d deep in each other"
)
