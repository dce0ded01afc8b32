package syntax

import (
	"errors"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// FuzzParse feeds random text to both stages. Whatever is accepted compiles or
// gives an *Error; nothing panics, inside or outside.
func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"local a, b = 1, 2 a, b = b, a", "for k, v in next, {} do break end", "goto x ::x:: while true do do local y f = function() return y end break end end",
		"x = {1, 2, y = f(), ...}", "return function(a, ...) return ... end", "t[#t] = nil a.b.c[1] = 'x' .. 1 .. [[y]]", "repeat until not nil and 1 or false",
		"if a then elseif not b then else return end", "#!shebang\nx = 0x1F + 1e5 -- c", "function a.b:c() self.x = -2 ^ 3 end", "f'a'{}(1):m''", "x += 1", "a != b",
	} {
		f.Add([]byte(src))
	}
	concat := &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return 0 }}
	f.Fuzz(func(t *testing.T, src []byte) {
		fault := new(Error)
		for _, opts := range []Options{{}, {Concat: concat, Pop: concat}} {
			tree, err := Parse("p", src, opts)
			if err != nil {
				if !errors.As(err, &fault) {
					t.Fatalf("%T is not *Error", err)
				}
				noPanic(t, fault)
				continue
			}
			if _, err := tree.Compile(Additions{}); err != nil {
				if !errors.As(err, &fault) {
					t.Fatalf("%T is not *Error", err)
				}
				noPanic(t, fault)
			}
		}
	})
}

// noPanic fails for errors that come from the last line of defence.
func noPanic(t *testing.T, fault *Error) {
	t.Helper()
	if fault.panicked {
		t.Fatalf("panic inside: %v", fault)
	}
}
