//go:build !machine

package stdlib

import (
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/library/verb"
	lua "github.com/yuin/gopher-lua"
)

// string.format. The conversions themselves are in package verb.

// piecesPerCharge is how many parts of a format are charged together: to ask the meter for
// each would take longer than the part.
const piecesPerCharge = 32

// pieceSteps is what a part takes.
const pieceSteps = 5

// format is string.format. It copies the text between the verbs, and measures the result
// as it grows.
func (lib *Library) format(a args) int {
	format := a.text(1)
	var out []byte
	argument, pieces := 1, 0
	for format != "" {
		if pieces++; pieces%piecesPerCharge == 0 {
			charge(a.LState, piecesPerCharge*pieceSteps)
		}
		percent := strings.IndexByte(format, '%')
		if percent < 0 {
			percent = len(format)
		}
		out = append(out, format[:percent]...)
		format = format[percent:]
		if strings.HasPrefix(format, "%%") {
			out = append(out, '%')
			format = format[2:]
			continue
		}
		if format == "" {
			break
		}
		v, rest, wrong := verb.Read(format[1:])
		if wrong != nil {
			raiseAt(a.LState, 1, wrong)
		}
		format = rest
		argument++
		have := len(out)
		out = lib.converted(a, v, out, argument)
		fits(a.LState, len(out))
		alloc(a.LState, len(out)-have)
	}
	charge(a.LState, pieces%piecesPerCharge*pieceSteps)
	alloc(a.LState, len(out))
	return a.results(lua.LString(out))
}

// converted appends the nth argument to a text.
func (lib *Library) converted(a args, v verb.Verb, out []byte, n int) []byte {
	switch v.Letter {
	case 'c':
		return v.AppendByte(out, byte(a.integer(n)))
	case 'd', 'i':
		return v.AppendSigned(out, int64(a.integer(n)))
	case 'o', 'u', 'x', 'X':
		return v.AppendUnsigned(out, a.number(n))
	case 'e', 'E', 'f', 'g', 'G':
		x := a.number(n)
		if steps := v.Steps(x); steps > 0 {
			charge(a.LState, steps)
		}
		return v.AppendFloat(out, x)
	case 'q':
		alloc(a.LState, 2*len(a.text(n)))
		return verb.AppendQuoted(out, a.text(n))
	}
	text := lib.toText(a.LState, a.any(n))
	fits(a.LState, len(out)+v.Length(len(text))) // before it is copied
	return v.AppendText(out, text)
}
