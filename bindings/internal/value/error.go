package value

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Protect runs body, which calls a script, and returns what failed as an *diag.Error,
// panics included; nil when nothing did.
func Protect(body func() error) (e *diag.Error) {
	defer func() {
		if r := recover(); r != nil {
			e = diag.New("the Lua interpreter has failed in this call, which is undone; please report it: %v", r)
		}
	}()
	if err := body(); err != nil {
		return Caught(err)
	}
	return nil
}

// Caught turns what a protected call returned into an *diag.Error. Of a long message it keeps what
// reports show: each of them copies it.
func Caught(err error) *diag.Error {
	e := fault.Caught(err, said)
	e.Message = diag.CutShown(e.Message)
	if e.Line == 0 {
		e.Put(e.Trace.Place())
	}
	return e
}

// said returns what a script passed to error(), as text.
func said(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString, lua.LNumber:
		return v.String()
	case *lua.LTable:
		switch s := v.RawGetString("message").(type) {
		case lua.LString, lua.LNumber:
			return s.String()
		}
		return "error(" + Listing(v) + ")"
	case nil, *lua.LNilType:
		return "error(nil)"
	default:
		return "error(" + Describe(v) + ")"
	}
}
