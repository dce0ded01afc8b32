package save

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// arrowKind is a type of Arrow; the numbers are those of the union Type in its Schema.fbs.
type arrowKind uint8

const (
	arrowInt       arrowKind = 2
	arrowFloat     arrowKind = 3
	arrowBinary    arrowKind = 4
	arrowText      arrowKind = 5
	arrowBool      arrowKind = 6
	arrowStruct    arrowKind = 13
	arrowFixed     arrowKind = 15 // bytes of one length
	arrowFixedList arrowKind = 16
)

// arrowField is a column, or a part of one.
type arrowField struct {
	name     string
	kind     arrowKind
	width    int // bits of a number, bytes of arrowFixed, elements of a list
	signed   bool
	children []arrowField
	meta     [][2]string
}

// arrowBatch says how long the parts of a batch are. For each field, in the order in which fields
// stand, nodes has the number of its values; buffers have the bytes of all buffers.
type arrowBatch struct {
	rows    int
	nodes   []int
	buffers []int
}

// bodyAlign is what buffers begin at multiples of; the format advises it.
const bodyAlign = 64

// aligned rounds up to where a buffer may begin.
func aligned(n int) int { return (n + bodyAlign - 1) &^ (bodyAlign - 1) }

// body returns how many bytes the buffers have, with the gaps after them.
func (b *arrowBatch) body() (n int) {
	for _, size := range b.buffers {
		n += aligned(size)
	}
	return n
}

// The constants of Arrow's IPC format: version 5 of the metadata, two kinds of messages.
const (
	metadataVersion = 4
	headerSchema    = 1
	headerBatch     = 3
)

// arrowMagic is what files of Arrow begin and end with.
const arrowMagic = "ARROW1"

// message frames metadata: a marker, its length, and what brings the body to where it may begin.
func message(metadata []byte) []byte {
	size := aligned(8+len(metadata)) - 8
	framed := make([]byte, 8+size)
	binary.LittleEndian.PutUint32(framed, 0xFFFFFFFF)
	binary.LittleEndian.PutUint32(framed[4:], uint32(size))
	copy(framed[8:], metadata)
	return framed
}

// arrowHead returns what a file of a schema begins with. The first message begins at a multiple of
// bodyAlign minus what the magic takes, so that all bodies are aligned.
func arrowHead(fields []arrowField) []byte {
	var f flat
	schema := f.schema(fields)
	m := f.table(flatField{size: 2, value: metadataVersion}, flatField{size: 1, value: headerSchema}, flatField{to: schema}, flatField{size: 8})
	framed := message(f.finish(m))
	pad := bodyAlign - 8 // the magic takes 8 bytes: the message ends aligned if it is as much longer
	grown := make([]byte, len(framed)+pad)
	copy(grown, framed)
	binary.LittleEndian.PutUint32(grown[4:], uint32(len(grown)-8))
	return append([]byte(arrowMagic+"\x00\x00"), grown...)
}

// arrowBatchHead returns what stands before the body of a batch.
func arrowBatchHead(b *arrowBatch) []byte {
	var f flat
	nodes := make([]uint64, 0, 2*len(b.nodes))
	for _, n := range b.nodes {
		nodes = append(nodes, uint64(n), 0) // nothing is null
	}
	buffers, at := make([]uint64, 0, 2*len(b.buffers)), 0
	for _, size := range b.buffers {
		buffers = append(buffers, uint64(at), uint64(size))
		at += aligned(size)
	}
	ns, bs := f.structs(nodes, 2), 0
	bs = f.structs(buffers, 2)
	batch := f.table(flatField{size: 8, value: uint64(b.rows)}, flatField{to: ns}, flatField{to: bs})
	m := f.table(flatField{size: 2, value: metadataVersion}, flatField{size: 1, value: headerBatch}, flatField{to: batch}, flatField{size: 8, value: uint64(at)})
	return message(f.finish(m))
}

// batchPlace says where a batch is: the place of its head, and the lengths of head and body.
type batchPlace struct{ at, head, body int }

// arrowTail returns what a file ends with.
func arrowTail(fields []arrowField, blocks []batchPlace) []byte {
	var f flat
	words := make([]uint64, 0, 3*len(blocks))
	for _, b := range blocks {
		words = append(words, uint64(b.at), uint64(b.head), uint64(b.body))
	}
	batches := f.structs(words, 3)
	none := f.structs(nil, 3)
	schema := f.schema(fields)
	footer := f.finish(f.table(flatField{size: 2, value: metadataVersion}, flatField{to: schema}, flatField{to: none}, flatField{to: batches}))
	tail := append([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}, footer...) // first the end of the stream
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(footer)))
	return append(tail, arrowMagic...)
}

// schema writes a schema and returns its place.
func (f *flat) schema(fields []arrowField) int {
	list := f.references(f.fields(fields))
	return f.table(flatField{size: 2}, flatField{to: list})
}

// fields writes fields and returns their places.
func (f *flat) fields(fields []arrowField) []int {
	places := make([]int, len(fields))
	for i := range fields {
		places[i] = f.field(&fields[i])
	}
	return places
}

// field writes a field and returns its place.
func (f *flat) field(a *arrowField) int {
	name, children := f.text(a.name), f.references(f.fields(a.children))
	meta := 0
	if len(a.meta) > 0 {
		var pairs []int
		for _, pair := range a.meta {
			key, value := f.text(pair[0]), f.text(pair[1])
			pairs = append(pairs, f.table(flatField{to: key}, flatField{to: value}))
		}
		meta = f.references(pairs)
	}
	typ := 0
	switch a.kind {
	case arrowInt:
		signed := uint64(0)
		if a.signed {
			signed = 1
		}
		typ = f.table(flatField{size: 4, value: uint64(a.width)}, flatField{size: 1, value: signed})
	case arrowFloat:
		typ = f.table(flatField{size: 2, value: uint64(a.width / 32)}) // 1 is single, 2 is double
	case arrowFixed, arrowFixedList:
		typ = f.table(flatField{size: 4, value: uint64(a.width)})
	default:
		typ = f.table()
	}
	return f.table(flatField{to: name}, flatField{size: 1}, flatField{size: 1, value: uint64(a.kind)}, flatField{to: typ}, flatField{}, flatField{to: children}, flatField{to: meta})
}

// String describes a field for those who read a save: "x f64", "at {x f64, y f64}[3]".
func (a *arrowField) String() string {
	switch a.kind {
	case arrowInt:
		sign := "u"
		if a.signed {
			sign = "i"
		}
		return fmt.Sprintf("%s %s%d", a.name, sign, a.width)
	case arrowFloat:
		return fmt.Sprintf("%s f%d", a.name, a.width)
	case arrowStruct:
		var parts []string
		for i := range a.children {
			parts = append(parts, a.children[i].String())
		}
		return fmt.Sprintf("%s {%s}", a.name, strings.Join(parts, ", "))
	case arrowFixedList:
		return fmt.Sprintf("%s[%d]", a.children[0].String(), a.width)
	}
	return a.name
}

// arrowWriter writes one file.
type arrowWriter struct {
	to     io.Writer
	fields []arrowField
	at     int
	blocks []batchPlace
	zeros  [bodyAlign]byte
	err    error
}

// beginArrow begins a file.
func beginArrow(to io.Writer, fields []arrowField) *arrowWriter {
	w := &arrowWriter{to: to, fields: fields}
	w.write(arrowHead(fields))
	return w
}

// write writes bytes, unless something has gone wrong before.
func (w *arrowWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
		w.at += len(b)
	}
}

// batch writes the head of a batch; its buffers follow.
func (w *arrowWriter) batch(b *arrowBatch) {
	head := arrowBatchHead(b)
	w.blocks = append(w.blocks, batchPlace{w.at, len(head), b.body()})
	w.write(head)
}

// buffer writes one buffer of a batch.
func (w *arrowWriter) buffer(b []byte) {
	w.write(b)
	w.write(w.zeros[:aligned(len(b))-len(b)])
}

// end ends the file.
func (w *arrowWriter) end() error {
	w.write(arrowTail(w.fields, w.blocks))
	return w.err
}
