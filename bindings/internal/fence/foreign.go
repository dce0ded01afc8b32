package fence

import (
	"reflect"

	luar "layeh.com/gopher-luar" // functions may be written against it
)

// bypass reports whether a Go function gets its arguments from a state of gopher-lua itself.
func bypass(sig reflect.Type) bool {
	n := sig.NumIn()
	return n > 0 && sig.In(n-1) == reflect.TypeFor[*luar.LState]()
}
