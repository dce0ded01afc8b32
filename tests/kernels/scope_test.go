package kernels_test

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// kind is what a variable holds.
type kind uint8

const (
	aNumber kind = iota
	aBool
	aHandle   // an entity, 0 or nil
	aWord     // one of moods
	maybe     // a number, false or nil
	aRow      // the component of a row, or a table that ecs.get has returned
	maybeRow  // that, or nil
	maybeTrue // true, false or nil
)

// variable is what an expression can name at some place.
type variable struct {
	name   string
	kind   kind
	shape  *shape // of a row
	copied bool   // the row is a copy: what is written into it is lost
	fixed  bool   // it is not assigned
}

// moods are the texts that variables hold.
var moods = []string{`"calm"`, `"angry"`, `"red"`, `""`}

// signature is a function that the file declares.
type signature struct {
	name    string
	kinds   []kind
	shape   *shape // of the parameter that is a row
	returns kind
}

// writer makes one program. What it may name grows and shrinks as it goes.
type writer struct {
	chance
	shapes  map[string]*shape
	scope   []variable
	helpers []signature
	tables  bool // the module-level tables are there
	names   int

	each   bool // inside of a function over rows: e and ctx are there
	loops  int  // around this place, in the same function
	labels bool // the innermost loop has a label continue
	gives  *kind
	wild   int // percent of things that may fail or that kernels do not know
}

// fresh is a name that nothing else has.
func (w *writer) fresh(stem string) string {
	w.names++
	return fmt.Sprintf("%s%d", stem, w.names)
}

// block makes a block in a scope of its own.
func (w *writer) block(fill func(b *node)) *node {
	before := len(w.scope)
	b := body()
	fill(b)
	w.scope = w.scope[:before]
	return b
}

// some returns a variable of one of the kinds, or nil.
func (w *writer) some(fit func(variable) bool) *variable {
	var found *variable
	seen := 0
	for i := range w.scope {
		if fit(w.scope[i]) {
			// Later variables are nearer, and likelier.
			seen += 1 + i/4
			if w.IntN(seen) < 1+i/4 {
				found = &w.scope[i]
			}
		}
	}
	return found
}

func (w *writer) ofKind(k kind) *variable {
	return w.some(func(v variable) bool { return v.kind == k })
}

// place is a field that can be read or written: how it is reached, and what it is.
type place struct {
	form  string
	kids  []*node
	what  string
	field ecs.Field
}

func (p place) node(s sort) *node { return &node{p.what, s, p.form, p.kids} }

// placeOf returns a field of a row whose kind fits. With write, the index of an
// array's element is mostly within it.
func (w *writer) placeOf(v *variable, fit func(ecs.Kind) bool, depth int) (place, bool) {
	type step struct {
		form  string
		what  string
		field ecs.Field
	}
	var found []step
	var look func(form, what string, fields []ecs.Field)
	look = func(form, what string, fields []ecs.Field) {
		for _, f := range fields {
			s := step{form + "." + f.Name, what, f}
			switch {
			case f.Kind == ecs.Struct && f.Len == 0:
				look(s.form, "nested field", f.Fields)
			case fit(f.Kind):
				found = append(found, s)
			}
		}
	}
	look(v.name, "field", v.shape.fields)
	if len(found) == 0 {
		return place{}, false
	}
	s := one(w.chance, found...)
	p := place{form: s.form, what: s.what + " " + s.field.Kind.String(), field: s.field}
	if s.field.Len > 0 {
		p.form += "[$]"
		p.what = "element " + s.field.Kind.String()
		p.kids = []*node{w.index(s.field.Len, depth)}
	}
	return p, true
}

// index is an index into a list of n, mostly within it.
func (w *writer) index(n, depth int) *node {
	last := fmt.Sprint(n)
	return w.choose(
		way{6, func() *node { return num("", fmt.Sprint(1+w.IntN(n))) }},
		way{4, func() *node {
			if depth <= 0 {
				return nil
			}
			return num("computed index", "whole($, 1, "+last+")", w.number(depth-1))
		}},
		way{2, func() *node {
			if v := w.ofKind(aNumber); v != nil {
				return num("computed index", "math.floor("+v.name+") % "+last+" + 1")
			}
			return nil
		}},
		way{1, func() *node {
			if !w.in(w.wild / 3) {
				return nil
			}
			return num("odd index", one(w.chance, "0", "1.5", last+" + 1", "0/0", "-1"))
		}},
	)
}

func isNumber(k ecs.Kind) bool { return k.Integer() || k == ecs.F32 || k == ecs.F64 }
func isKind(want ecs.Kind) func(ecs.Kind) bool {
	return func(k ecs.Kind) bool { return k == want }
}

// field reads a field of some row whose kind fits.
func (w *writer) field(s sort, fit func(ecs.Kind) bool, depth int) *node {
	for range 4 {
		v := w.ofKind(aRow)
		if v == nil {
			return nil
		}
		if p, ok := w.placeOf(v, fit, depth); ok {
			return p.node(s)
		}
	}
	return nil
}

// component is the name of one that has fields, or of any.
func (w *writer) component() string { return one(w.chance, components...) }

func (w *writer) full() *shape {
	for {
		s := w.shapes[w.component()]
		if len(s.fields) > 0 && s.name != "Label" {
			return s
		}
	}
}
