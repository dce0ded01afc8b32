package save

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// CSV writes the values of a component as text: a line of names, and a line for each entity with its
// handle and the fields, those of structs and the elements of arrays each in a column ("at.x",
// "marks[2]"). Values with Go pointers are one column. Text that a spreadsheet would take for a formula gets a
// leading apostrophe. The error wraps [ecs.ErrUnknown] where the save has no such component, ErrDamaged,
// or is one of w. O(bytes of the tables with it).
func (f *File) CSV(w io.Writer, component string) error {
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
	i := slices.IndexFunc(f.manifest.Components, func(e componentEntry) bool { return e.Name == component && !e.Mark })
	if i < 0 {
		return fmt.Errorf("%w: component %q", ecs.ErrUnknown, component)
	}
	x := &exporter{File: f, saveLoader: &saveLoader{File: f}, to: w, which: i}
	if err := x.File.json(statePart, mostState, &x.entry); err != nil {
		return err
	}
	for j := range f.manifest.Components {
		e := &f.manifest.Components[j]
		s, err := schemaOf(e.Name, e.Version, e.Fields)
		if err != nil || e.Hidden < 0 || e.Hidden > e.Size || e.Size > largest {
			return wrong("component %q: %v", e.Name, err)
		}
		x.of = append(x.of, destination{to: -1, entry: e, from: savedShape(s, e.Hidden)})
	}
	if kept := f.manifest.Components[i].Kept; kept == "heap" || kept == "storage" {
		return x.values()
	}
	return x.tables()
}

// exporter writes one component as text.
type exporter struct {
	*File
	*saveLoader
	to    *bufio.Writer
	which int
	err   error
}

// tables writes a component that lies in tables of rows.
func (x *exporter) tables() error {
	names, cells := cellsOf("", x.of[x.which].from.schema.Fields, 0)
	x.line(append([]string{"entity"}, names...))
	for i := range x.entry.Sets {
		if err := x.table(fmt.Sprintf("archetypes/%04d.arrow", i), x.entry.Sets[i].Components, i, false, cells); err != nil {
			return err
		}
	}
	for i := range x.entry.Pools {
		if err := x.table(fmt.Sprintf("pools/%04d.arrow", i), x.entry.Pools[i].Components, i, true, cells); err != nil {
			return err
		}
	}
	return x.err
}

// table writes the rows of one table, if it has the component.
func (x *exporter) table(name string, components []uint32, i int, pool bool, cells []textColumn) error {
	if !slices.Contains(components, uint32(x.which)) {
		return nil
	}
	rows := &x.entry.Sets
	if pool {
		rows = &x.entry.Pools
	}
	var shapes []*columnar
	first := 2 // buffers before those of the component
	for _, id := range components {
		if int(id) >= len(x.of) {
			return wrong("%s has component %d", name, id)
		}
		if x.of[id].entry.Size == 0 {
			continue
		}
		if int(id) < x.which {
			first += len(x.of[id].from.data)
		}
		shapes = append(shapes, x.of[id].from)
	}
	a, err := x.arrow(name, tableOf(shapes).fields)
	if err != nil {
		return err
	}
	h := x.of[x.which].from
	var values []byte
	for _, c := range (*rows)[i].Chunks {
		if c.N == 0 || a.fits(c.N, shapes...) != nil {
			continue
		}
		buffers, err := a.batch(tableOf(shapes).batch(c.N))
		if err != nil || first+len(h.data) > len(buffers) && h.size > 0 {
			break
		}
		values = slices.Grow(values[:0], c.N*h.size+8)[:c.N*h.size]
		if h.size > 0 {
			scatterAll(h, values, buffers[first:first+len(h.data)], c.N)
		}
		for row := range c.N {
			x.row(binary.LittleEndian.Uint64(buffers[1][8*row:]), values[row*h.size:], cells)
		}
	}
	return a.finish()
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

// values writes a component whose values are encoded.
func (x *exporter) values() error {
	x.line([]string{"entity", "value"})
	for i := range x.entry.Heaps {
		e := &x.entry.Heaps[i]
		if e.Component != x.which || len(e.Rows) != len(e.Bytes) {
			continue
		}
		p, err := x.part(fmt.Sprintf("heap/%04d.arrow", i))
		if err != nil {
			return err
		}
		a, text, err := x.openHeap(p, x.of[x.which].entry.Name)
		if err != nil {
			return err
		}
		for j, rows := range e.Rows {
			if a.fits(rows) != nil || e.Bytes[j] < 0 || e.Bytes[j] > 2*heapBytes {
				break
			}
			buffers, err := a.batch(heapBatch(rows, e.Bytes[j]))
			if err != nil {
				break
			}
			x.batch(buffers, rows, text)
		}
		if err := a.finish(); err != nil {
			return err
		}
	}
	return x.err
}

// batch writes a batch of encoded values.
func (x *exporter) batch(buffers [][]byte, rows int, text bool) {
	last := 0
	for row := range rows {
		end := int(int32(binary.LittleEndian.Uint32(buffers[3][4*(row+1):])))
		if end < last || end > len(buffers[4]) {
			x.err = wrong("values lie over each other")
			return
		}
		value := string(buffers[4][last:end])
		if !text {
			value = fmt.Sprintf("%x", value)
		}
		x.line([]string{strconv.FormatUint(binary.LittleEndian.Uint64(buffers[1][8*row:]), 10), value})
		last = end
	}
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
			names, cells = append(names, name), append(cells, textColumn{place, f.Kind, f.Names})
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
