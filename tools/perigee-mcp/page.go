package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

const (
	mostAnswer = 48 << 10 // bytes of JSON in an answer
	slack      = 16 << 10 // beside the items of a page
)

// paging are the arguments of a list.
type paging struct {
	Limit  int `json:"limit,omitempty" jsonschema:"how many at most; 0: as many as usual"`
	Cursor int `json:"cursor,omitempty" jsonschema:"next of the page before; 0: the beginning"`
}

// page is a part of a list.
type page struct {
	Items []json.RawMessage
	Total int
	Next  int // 0: this is the end
}

// errCursor refuses arguments of a list.
var errCursor = errors.New("limit is a whole number from 0 to 200, and cursor is the next of the page before, or 0")

// mostItems bounds a page.
const mostItems = 200

// check refuses a page that cannot be.
func (p paging) check() error {
	if p.Limit < 0 || p.Limit > mostItems || p.Cursor < 0 {
		return errCursor
	}
	return nil
}

// of returns a page of a list: usual items if no limit is given, and as many as there is room for.
func (p paging) of(all []json.RawMessage, usual int) (page, error) {
	if err := p.check(); err != nil {
		return page{}, err
	}
	if p.Cursor > len(all) {
		return page{}, fmt.Errorf("the list has only %d items by now: begin again without a cursor", len(all))
	}
	if p.Limit == 0 {
		p.Limit = usual
	}
	out := page{Items: []json.RawMessage{}, Total: len(all)}
	size := 0
	for n, item := range all[p.Cursor:] {
		if n == p.Limit || n > 0 && size+len(item) > mostAnswer {
			out.Next = p.Cursor + n
			break
		}
		size += len(item)
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// answer names the items of a page.
func (p page) answer(name string) map[string]any {
	a := map[string]any{name: p.Items, "total": p.Total}
	if p.Next > 0 {
		a["next"] = p.Next
	}
	return a
}

// cut shortens a text, and says so.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 { // not inside of a character
		most--
	}
	return text[:most] + "…"
}
