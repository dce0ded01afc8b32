package save

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// CSV writes the values of a component as text: a line of names, and a line for each entity with its
// handle and the fields, those of structs and the elements of arrays each in a column ("at.x",
// "marks[2]"). Values with Go pointers are one column. Text that a spreadsheet would take for a formula gets a
// leading apostrophe. The error wraps [ecs.ErrUnknown] where the save has no such component, ErrTooLarge
// for one of more than 65,536 columns, ErrDamaged, or is one of w. O(bytes of the tables with it).
func (f *File) CSV(w io.Writer, component string) error {
	if w == nil {
		return fmt.Errorf("save: %w: there is nothing to write to", ecs.ErrConflict)
	}
	b := bufio.NewWriter(w)
	if err := f.csv(b, component); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// csv is CSV without the name of the package in errors.
func (f *File) csv(w *bufio.Writer, component string) error {
	r, i, err := f.component(component)
	if err != nil {
		return err
	}
	x := &exporter{to: w}
	if r.encoded(i) {
		x.line([]string{"entity", "value"})
		err = r.eachEncoded(i, func(handle uint64, value []byte, text bool) {
			x.line([]string{strconv.FormatUint(handle, 10), encodedText(value, text)})
		})
		return cmp.Or(err, x.err)
	}
	columns := 0
	for j := range r.of[i].from.leaves {
		columns += r.of[i].from.leaves[j].per
	}
	if columns > mostColumns {
		return fmt.Errorf("%w: component %q would have %d columns, %d are possible", ErrTooLarge, component, columns, mostColumns)
	}
	names, cells := cellsOf("", r.of[i].from.schema.Fields, 0)
	x.line(append([]string{"entity"}, names...))
	err = r.each(i, func(handle uint64, value []byte) { x.row(handle, value, cells) })
	return cmp.Or(err, x.err)
}

// mostColumns bounds the columns of a CSV file.
const mostColumns = 1 << 16

// encodedText shows a value that a codec has written.
func encodedText(value []byte, text bool) string {
	if text {
		return string(value)
	}
	return hex.EncodeToString(value)
}

// exporter writes one component as text.
type exporter struct {
	to  *bufio.Writer
	err error
}

// row writes one entity.
func (x *exporter) row(handle uint64, value []byte, cells []textColumn) {
	line := []string{strconv.FormatUint(handle, 10)}
	for _, c := range cells {
		line = append(line, c.text(value))
	}
	x.line(line)
}

// line writes a line.
func (x *exporter) line(cells []string) {
	for i, text := range cells {
		if i > 0 {
			x.write(",")
		}
		x.write(escaped(text))
	}
	x.write("\n")
}

// write writes text, unless something has gone wrong before.
func (x *exporter) write(text string) {
	if x.err == nil {
		_, x.err = x.to.WriteString(text)
	}
}

// escaped returns a cell as CSV has it.
func escaped(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t", rune(text[0])) {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			text = "'" + text
		}
	}
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// textColumn is a place of a value that has a column of its own.
type textColumn struct {
	at    int
	kind  schema.Kind
	names []string
}

// cellsOf lists the columns of fields that lie at a place.
func cellsOf(within string, fields []schema.Field, at int) (names []string, cells []textColumn) {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			name, place := within+f.Name, at+int(f.Offset)+j*int(f.Stride)
			if f.Len > 0 {
				name = fmt.Sprintf("%s[%d]", name, j+1)
			}
			if f.Kind == schema.Struct {
				n, c := cellsOf(name+".", f.Fields, place)
				names, cells = append(names, n...), append(cells, c...)
				continue
			}
			names, cells = append(names, name), append(cells, textColumn{at: place, kind: f.Kind, names: f.Names})
		}
	}
	return names, cells
}

// text shows the place of a value.
func (c *textColumn) text(value []byte) string {
	b := value[c.at:]
	switch c.kind {
	case schema.Bool:
		return strconv.FormatBool(b[0] != 0)
	case schema.I8:
		return strconv.Itoa(int(int8(b[0])))
	case schema.U8:
		return strconv.Itoa(int(b[0]))
	case schema.Enum:
		if int(b[0]) < len(c.names) {
			return c.names[b[0]]
		}
		return strconv.Itoa(int(b[0]))
	case schema.I16:
		return strconv.Itoa(int(int16(binary.LittleEndian.Uint16(b))))
	case schema.U16:
		return strconv.Itoa(int(binary.LittleEndian.Uint16(b)))
	case schema.I32:
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b))))
	case schema.U32:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10)
	case schema.I64:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	case schema.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	case schema.F64:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	}
	return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
}
