package vmstate

import (
	"reflect"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestDifferFindsAnotherLayout holds the check to structs that are almost the same.
func TestDifferFindsAnotherLayout(t *testing.T) {
	type theirs struct {
		array []lua.LValue
		top   int
	}
	_ = theirs{array: nil, top: 0} // these are compared by reflection alone
	type alike struct {
		Array []lua.LValue
		Top   int
	}
	type swapped struct {
		Top   int
		Array []lua.LValue
	}
	type renamed struct {
		Items []lua.LValue
		Top   int
	}
	type longer struct {
		Array []lua.LValue
		Top   int
		Size  int
	}
	type narrower struct {
		Array []lua.LValue
		Top   int32
		_     int32
	}
	if why := differ(reflect.TypeFor[theirs](), reflect.TypeFor[alike]()); why != "" {
		t.Error(why)
	}
	for _, other := range []reflect.Type{reflect.TypeFor[swapped](), reflect.TypeFor[renamed](), reflect.TypeFor[longer](), reflect.TypeFor[narrower]()} {
		if differ(reflect.TypeFor[theirs](), other) == "" {
			t.Errorf("%v passes as the struct of which it is another", other)
		}
	}
}

// TestStateShowsWhatRuns asks for the calls of a running script, and for what is in its
// registers and tables, and compares with what gopher-lua says of them.
func TestStateShowsWhatRuns(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal("probe", L.NewFunction(func(L *lua.LState) int {
		f := Running(L)
		if !f.Fn.IsG || f.Parent == nil || f.Parent.Fn.IsG {
			t.Fatal("the innermost call is not that of the function of Go")
		}
		caller := f.Outside(1)
		if caller != f.Parent || f.Outside(0) != f || f.Outside(100) != nil {
			t.Error("Outside counts otherwise than Parent leads")
		}
		if line := caller.Fn.Proto.DbgSourcePositions[caller.At()]; line != 4 {
			t.Errorf("the call is in line %d, want 4", line)
		}
		if v := StateOf(L).Reg.Array[caller.LocalBase]; v != lua.LNumber(7) {
			t.Errorf("the first local of the caller is %v, want 7", v)
		}
		content := TableOf(L.CheckTable(1))
		if len(content.Array) != 3 || len(content.Strdict) != 1 || len(content.Keys) != 1 {
			t.Errorf("the table has %d items and %d keys, want 3 and 1", len(content.Array), len(content.Keys))
		}
		return 0
	}))
	if err := L.DoString("local function f()\n\tlocal seven = 7\n\tlocal t = {1, 2, 3, x = 4}\n\tprobe(t)\n\treturn seven\nend\nf()"); err != nil {
		t.Fatal(err)
	}
	if Running(L) != nil {
		t.Error("a call is left after the script has ended")
	}
}

func TestSetMovesTheTop(t *testing.T) {
	r := Registry{Array: make([]lua.LValue, 4), Top: 1}
	r.Set(2, lua.LTrue)
	r.Set(0, lua.LFalse)
	if r.Top != 3 || r.Array[2] != lua.LTrue || r.Array[0] != lua.LFalse {
		t.Errorf("%+v", r)
	}
}
