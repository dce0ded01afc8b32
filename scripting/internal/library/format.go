package library

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/verb"
)

// string.format. The conversions themselves are in package verb.

// piecesPerCharge is how many parts of a format are charged together: to ask the budget for
// each would take longer than the part.
const piecesPerCharge = 32

// pieceSteps is what a part takes.
const pieceSteps = 5

// take returns memory for a text that is put together. keep hands it back; whoever is ended
// by an error in between does not.
func (lib *Library) take() []byte {
	buffer := lib.scratch[:0]
	lib.scratch = nil
	return buffer
}

// mostScratch is how many bytes the library keeps, which count for no script.
const mostScratch = 16 << 10

func (lib *Library) keep(buffer []byte) {
	if cap(buffer) <= mostScratch {
		lib.scratch = buffer
	}
}

// format is string.format. It copies the text between the verbs, and measures the result
// as it grows.
func (lib *Library) format(c *machine.Call) {
	a := args{c}
	format, out := a.text(1), lib.take()
	argument, pieces := 1, 0
	for format != "" {
		if pieces++; pieces%piecesPerCharge == 0 {
			a.Charge(piecesPerCharge * pieceSteps)
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
			a.raiseAt(1, wrong)
		}
		format = rest
		argument++
		have := len(out)
		out = lib.converted(a, v, out, argument)
		a.fits(len(out))
		a.Alloc(len(out) - have)
	}
	a.Charge(pieces % piecesPerCharge * pieceSteps)
	a.Alloc(len(out))
	a.pushBytes(out)
	lib.keep(out)
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
			a.Charge(steps)
		}
		return v.AppendFloat(out, x)
	case 'q':
		text := a.text(n)
		a.Alloc(2 * len(text))
		return verb.AppendQuoted(out, text)
	}
	text := lib.toText(a, a.any(n))
	a.fits(len(out) + v.Length(len(text))) // before it is copied
	return v.AppendText(out, text)
}
