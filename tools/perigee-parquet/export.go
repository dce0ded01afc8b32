package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go" // writes Apache Parquet, without cgo
	"github.com/parquet-go/parquet-go/compress/snappy"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// mostColumns bounds the columns of a file, as a save may come from anybody. mostPending is how many values wait
// until they are written, and rowsPerGroup how many rows are together in a file.
const (
	mostColumns  = 4096
	mostPending  = 1 << 18
	rowsPerGroup = 1 << 17
)

// column is a column of the file: a place in each value of the component.
type column struct {
	index int
	kind  ecs.Kind
	names []string
	lists []list // that it is in, the outermost first
	at    int    // of the first element
}

// list is an array that a column lies in.
type list struct{ n, stride int }

// table is a component on its way to columns.
type table struct {
	schema  *parquet.Schema
	columns []column // in the order of their indices
	entity  int      // index of the column with the handles
}

// entityColumn and valueColumn are the columns that are no fields. A field of such a name gets an underscore.
const entityColumn, valueColumn = "entity", "value"

// export writes a component as Parquet, and returns how many rows it has. O(bytes of the component).
func export(f *save.File, component string, to io.Writer) (rows int, err error) {
	s, err := f.Schema(component)
	if err != nil {
		return 0, err
	}
	t, err := tableOf(component, s)
	if err != nil {
		return 0, err
	}
	w := parquet.NewWriter(to, t.schema, parquet.Compression(&snappy.Codec{}), parquet.MaxRowsPerRowGroup(rowsPerGroup))
	var pending []parquet.Row
	values := 0
	flush := func() error {
		_, err := w.WriteRows(pending)
		pending, values = pending[:0], 0
		return err
	}
	err = f.Values(component, func(e ecs.Entity, value []byte) error {
		row := t.row(e, value)
		rows++
		values += len(row)
		if pending = append(pending, row); values > mostPending {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = w.Close()
	}
	return rows, err
}

// tableOf makes the columns of a component. A nil schema is of values that a codec has written.
func tableOf(component string, s *ecs.Schema) (*table, error) {
	t := &table{}
	root := parquet.Group{entityColumn: parquet.Uint(64)}
	paths := [][]string{{entityColumn}}
	if s == nil {
		root[valueColumn] = parquet.Leaf(parquet.ByteArrayType)
		paths, t.columns = append(paths, []string{valueColumn}), append(t.columns, column{})
	} else if err := t.fields(root, s.Fields, 0, nil, nil, &paths); err != nil {
		return nil, fmt.Errorf("component %q: %w", component, err)
	}
	t.schema = parquet.NewSchema("component", root)
	for i, path := range paths {
		leaf, ok := t.schema.Lookup(path...)
		if !ok {
			return nil, fmt.Errorf("component %q: the file has no column %q", component, path)
		}
		if i == 0 {
			t.entity = leaf.ColumnIndex
		} else {
			t.columns[i-1].index = leaf.ColumnIndex
		}
	}
	return t, nil
}

// fields adds fields to a group, at a place of the value.
func (t *table) fields(to parquet.Group, fields []ecs.Field, at int, within []string, lists []list, paths *[][]string) error {
	for i := range fields {
		f := &fields[i]
		name := f.Name
		for to[name] != nil {
			name += "_"
		}
		path := append(append([]string{}, within...), name)
		inner := append([]list{}, lists...)
		if f.Len > 0 {
			path, inner = append(path, "list", "element"), append(inner, list{f.Len, int(f.Stride)})
		}
		var node parquet.Node
		if f.Kind == ecs.Struct {
			group := parquet.Group{}
			if err := t.fields(group, f.Fields, at+int(f.Offset), path, inner, paths); err != nil {
				return err
			}
			if len(group) == 0 { // Parquet has no groups of nothing
				continue
			}
			node = group
		} else {
			if node = nodes[f.Kind]; node == nil {
				return fmt.Errorf("field %s has the kind %s", f.Name, f.Kind)
			}
			*paths, t.columns = append(*paths, path), append(t.columns, column{kind: f.Kind, names: f.Names, lists: inner, at: at + int(f.Offset)})
			if len(t.columns) > mostColumns {
				return fmt.Errorf("it would have more than %d columns", mostColumns)
			}
		}
		if f.Len > 0 {
			node = parquet.List(node)
		}
		to[name] = node
	}
	return nil
}

// nodes are the columns of the kinds of fields.
var nodes = map[ecs.Kind]parquet.Node{
	ecs.Bool: parquet.Leaf(parquet.BooleanType),
	ecs.I8:   parquet.Int(8), ecs.I16: parquet.Int(16), ecs.I32: parquet.Int(32), ecs.I64: parquet.Int(64),
	ecs.U8: parquet.Uint(8), ecs.U16: parquet.Uint(16), ecs.U32: parquet.Uint(32), ecs.U64: parquet.Uint(64),
	ecs.F32: parquet.Leaf(parquet.FloatType), ecs.F64: parquet.Leaf(parquet.DoubleType),
	ecs.Ref: parquet.Uint(64), ecs.Enum: parquet.String(),
}

// row makes the row of an entity: its values, column by column.
func (t *table) row(e ecs.Entity, value []byte) parquet.Row {
	by := make([][]parquet.Value, len(t.columns)+1)
	by[t.entity] = []parquet.Value{parquet.Int64Value(int64(e)).Level(0, 0, t.entity)}
	for i := range t.columns {
		c := &t.columns[i]
		if c.kind == 0 {
			by[c.index] = []parquet.Value{parquet.ByteArrayValue(append([]byte{}, value...)).Level(0, 0, c.index)}
			continue
		}
		by[c.index] = c.values(nil, value, c.at, 0, 0)
	}
	var row parquet.Row
	for _, list := range by {
		row = append(row, list...)
	}
	return row
}

// values appends the elements of a column in a value. repeated is the level at which the first of them
// repeats: 0 for a new row, 1 for a new element of the outermost list, and so on.
func (c *column) values(to []parquet.Value, value []byte, at, depth, repeated int) []parquet.Value {
	if depth == len(c.lists) {
		return append(to, c.value(value[at:]).Level(repeated, depth, c.index))
	}
	for i := range c.lists[depth].n {
		to = c.values(to, value, at+i*c.lists[depth].stride, depth+1, repeated)
		repeated = depth + 1
	}
	return to
}

// value reads one.
func (c *column) value(b []byte) parquet.Value {
	little := binary.LittleEndian
	switch c.kind {
	case ecs.Bool:
		return parquet.BooleanValue(b[0] != 0)
	case ecs.I8:
		return parquet.Int32Value(int32(int8(b[0])))
	case ecs.U8:
		return parquet.Int32Value(int32(b[0]))
	case ecs.I16:
		return parquet.Int32Value(int32(int16(little.Uint16(b))))
	case ecs.U16:
		return parquet.Int32Value(int32(little.Uint16(b)))
	case ecs.I32, ecs.U32:
		return parquet.Int32Value(int32(little.Uint32(b)))
	case ecs.F32:
		return parquet.FloatValue(math.Float32frombits(little.Uint32(b)))
	case ecs.F64:
		return parquet.DoubleValue(math.Float64frombits(little.Uint64(b)))
	case ecs.Enum:
		if int(b[0]) < len(c.names) {
			return parquet.ByteArrayValue([]byte(c.names[b[0]]))
		}
		return parquet.ByteArrayValue([]byte(strconv.Itoa(int(b[0]))))
	}
	return parquet.Int64Value(int64(little.Uint64(b)))
}
