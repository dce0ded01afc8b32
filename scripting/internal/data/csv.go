package data

import (
	"bytes"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// csv reads the file as CSV.
func (r *decoder) csv() *diag.Error {
	r.emptyLines()
	r.file.Root = Datum{Kind: List, Offset: uint32(r.at), Members: &Members{}}
	if err := r.header(); err != nil {
		return err
	}
	keys := r.file.Columns
	for r.emptyLines(); r.at < len(r.text); r.emptyLines() {
		row := Datum{Kind: Record, Offset: uint32(r.at), Members: &Members{}}
		if err := r.count(r.at); err != nil {
			return err
		}
		n, full := 0, true
		err := r.row(func(c csvCell) *diag.Error {
			if n++; n > len(keys) {
				return r.fail(c.at, "the row has more cells than the %s in the first row; a cell that has a comma in it stands in quotes", diag.Plural(len(keys), "column"))
			}
			v, err := r.cell(c)
			if err != nil {
				return err
			}
			if v.Kind == Nothing && full { // the keys are its own from here on
				full = false
				row.Keys = append([]string{}, keys[:n-1]...)
			}
			if v.Kind != Nothing {
				row.Items = append(row.Items, v)
				if !full {
					row.Keys = append(row.Keys, keys[n-1])
				}
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case n < len(keys):
			return r.fail(int(row.Offset), "the row has %s, and the first row names %d columns: column %q has none", diag.Plural(n, "cell"), len(keys), diag.Cut(keys[n]))
		case full:
			row.Keys = keys
		}
		r.file.Root.Items = append(r.file.Root.Items, row)
	}
	return nil
}

// emptyLines passes over lines with nothing in them.
func (r *decoder) emptyLines() {
	for r.at < len(r.text) && (r.text[r.at] == '\n' || r.text[r.at] == '\r') {
		r.at++
	}
}

// header reads the names of the columns.
func (r *decoder) header() *diag.Error {
	if r.at >= len(r.text) {
		return r.fail(r.at, "the file is empty: its first row names the columns")
	}
	if err := r.count(r.at); err != nil {
		return err
	}
	begin, seen := r.at, keySet{}
	err := r.row(func(c csvCell) *diag.Error {
		if c.text == "" {
			return r.fail(c.at, "column %d has no name", len(r.file.Columns)+1)
		}
		if _, twice := seen.find(c.text); twice {
			return r.fail(c.at, "two columns are called %q", diag.Cut(c.text))
		}
		seen.add(c.text, uint32(c.at))
		if err := r.count(c.at); err != nil {
			return err
		}
		r.file.Columns = append(r.file.Columns, c.text)
		r.file.Texts += len(c.text)
		return nil
	})
	if err == nil && len(r.file.Columns) == 1 && strings.ContainsAny(r.file.Columns[0], ";\t") {
		return r.fail(begin, "there is one column, called %q: a comma separates columns, not a semicolon or a tab", diag.Cut(r.file.Columns[0]))
	}
	return err
}

// csvCell is one cell: its text without quotes.
type csvCell struct {
	text   string
	quoted bool
	at     int
}

// row reads the cells of a row, and the end of the line.
func (r *decoder) row(visit func(csvCell) *diag.Error) *diag.Error {
	for {
		c, err := r.rawCell()
		if err != nil {
			return err
		}
		if err := visit(c); err != nil {
			return err
		}
		switch {
		case r.next() == ',' && r.at < len(r.text):
			r.at++
		default: // rawCell ends at a comma, at the end of a line or of the file
			r.endOfLine()
			return nil
		}
	}
}

// endOfLine passes over the end of a line.
func (r *decoder) endOfLine() {
	if r.next() == '\r' {
		r.at++
	}
	if r.next() == '\n' {
		r.at++
	}
}

// rawCell reads a cell up to what follows it.
func (r *decoder) rawCell() (csvCell, *diag.Error) {
	begin := r.at
	if r.next() == '"' {
		return r.quotedCell()
	}
	for r.at < len(r.text) && strings.IndexByte(",\r\n", r.text[r.at]) < 0 {
		if r.text[r.at] == '"' {
			return csvCell{}, r.fail(r.at, "a quote stands inside of a cell: put the cell in quotes as a whole, with no blanks before them, and write the quote in it twice")
		}
		r.at++
	}
	text := r.text[begin:r.at]
	trimmed := bytes.TrimLeft(text, " \t")
	return csvCell{text: string(bytes.TrimRight(trimmed, " \t")), at: begin + len(text) - len(trimmed)}, nil
}

// quotedCell reads a cell in quotes.
func (r *decoder) quotedCell() (csvCell, *diag.Error) {
	begin := r.at
	r.at++
	var b strings.Builder
	for {
		n := bytes.IndexByte(r.text[r.at:], '"')
		if n < 0 {
			return csvCell{}, r.fail(begin, "the quote that begins here is never closed")
		}
		b.Write(r.text[r.at : r.at+n])
		if r.at += n + 1; r.next() != '"' {
			break
		}
		b.WriteByte('"')
		r.at++
	}
	after := r.at
	for r.next() == ' ' || r.next() == '\t' {
		r.at++
	}
	if r.at < len(r.text) && strings.IndexByte(",\r\n", r.text[r.at]) < 0 {
		return csvCell{}, r.fail(after, "expected a comma or the end of the line after the closing quote, got %s; a quote inside of a text is written twice", r.shown(r.at))
	}
	return csvCell{text: b.String(), quoted: true, at: begin}, nil
}

// cell returns what a cell means.
func (r *decoder) cell(c csvCell) (v Datum, err *diag.Error) {
	v.Offset = uint32(c.at)
	if err := r.count(c.at); err != nil {
		return v, err
	}
	switch {
	case c.quoted:
	case c.text == "":
		return v, nil
	case c.text == "true" || c.text == "TRUE":
		v.Kind, v.Number = Truth, 1
		return v, nil
	case c.text == "false" || c.text == "FALSE":
		v.Kind = Truth
		return v, nil
	case notFinite(c.text):
		return v, r.fail(c.at, "%s is no number that a game can compute with: leave the cell empty, or put it in quotes to have it as a text", diag.Cut(c.text))
	case decimal(c.text) && !zeroLed(c.text):
		x, why := numberOf(c.text)
		if why != "" {
			return v, r.fail(c.at, "%s: %s", diag.Cut(c.text), why)
		}
		v.Kind, v.Number = Number, x
		return v, nil
	}
	v.Kind, v.Text = Text, c.text
	r.file.Texts += len(c.text)
	return v, nil
}
