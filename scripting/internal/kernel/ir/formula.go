package ir

import (
	"strings"

	"github.com/perigee-ecs/perigee/internal/formula"
)

// This file says which operations are formulas of package formula: those need no host, and
// vectors of two float64 can be made of them.

// Modulo is the name of the operator % among functions of Lua's library.
const Modulo = "mod"

// Sine and Cosine are the names of two functions of Lua's library, and sincos is the name of the
// formula of both.
const (
	Sine   = "sin"
	Cosine = "cos"
	sincos = "sincos"
)

// OrdinaryPower is the name of the formula for powers of which [formula.OrdinaryPower] is true:
// those that are constant, as most are.
const OrdinaryPower = "ordinaryPow"

// otherNames are those of functions that the formulas call something else.
var otherNames = map[string]string{"fmod": "Mod", Modulo: "Modulo", OrdinaryPower: "ordinaryPow"}

// FormulaNamed finds the formula of a function of Lua's library.
func FormulaNamed(name string) (formula.Formula, bool) {
	if other := otherNames[name]; other != "" {
		return formula.Find(other)
	}
	if name == "" {
		return formula.Formula{}, false
	}
	return formula.Find(strings.ToUpper(name[:1]) + name[1:])
}

// Formula returns the name of the formula that an operation is, empty for all others. name is
// that of a Call.
func (op Op) Formula(name string) string {
	switch op {
	case Mod:
		return Modulo
	case Sincos:
		return sincos
	case Call:
		if _, ok := FormulaNamed(name); ok {
			return name
		}
	}
	return ""
}
