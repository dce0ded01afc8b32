package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
)

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
