package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// Unwrap returns the table that has the content of t: t itself, unless t is a proxy.
// Whoever bypasses metatables must ask it.
func Unwrap(t *lua.LTable) *lua.LTable { return value.Unwrap(t) }

// Over says what is wrong with a table that a script must not use any more, and nothing
// for all other tables. Whoever bypasses metatables must ask it.
func Over(t *lua.LTable) string { return value.Over(t) }

// Error is a fault of a script: package diag says what it holds.
type Error = diag.Error

// Protect runs body, which calls a script, and returns what failed as an *Error, panics
// included; nil when nothing did.
func Protect(body func() error) *Error { return value.Protect(body) }

// Limits bound what scripts record.
type Limits = tx.Limits

// Budget bounds what calls of scripts may use. The script host has one.
type Budget = tx.Budget

// What runs functions over rows is in package exec. These are its types that hosts and
// compilers of functions use.
type (
	System      = exec.System      // a system as a script declared it
	ScriptError = exec.ScriptError // of an entity for which a function has failed

	KernelSource = exec.KernelSource // what it is made of
)
