// Package misuse judges how a package answers wrong uses: it calls each function that the
// package exports in each situation, with random arguments, and allows documented outcomes
// only.
//
// There are two nouns. An API is what a package exports, found in its source, with the
// situations in which a call is made; Print shows which was called where, and fails for what was
// left out, so a new name has to be given what it needs. Calls make the calls of one seed.
package misuse

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// API is what is called, and what may come of it.
type API struct {
	Docs       map[string]string // of what is called: "New", "Host.Step"
	Situations []string
	// Left says why something is left out: a name, or a name and a situation with an @
	// between them.
	Left map[string]string
	// Named reports whether an error is one that the package's docs name.
	Named func(error) bool
	// Prefix is what the text of a documented panic begins with.
	Prefix string

	reached map[string]map[string]int
}

// Exported adds the functions and methods that the package in a folder exports, with their
// docs; with names of types only their methods.
func (a *API) Exported(t testing.TB, dir string, types ...string) {
	t.Helper()
	if a.Docs == nil {
		a.Docs = map[string]string{}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				a.add(fn, types)
			}
		}
	}
}

// add adds a function, or a method of an exported type.
func (a *API) add(fn *ast.FuncDecl, types []string) {
	if fn.Recv == nil {
		if len(types) == 0 {
			a.Docs[fn.Name.Name] = fn.Doc.Text()
		}
		return
	}
	of := fn.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	name := of.(*ast.Ident).Name
	if ast.IsExported(name) && (len(types) == 0 || slices.Contains(types, name)) {
		a.Docs[name+"."+fn.Name.Name] = fn.Doc.Text()
	}
}

// left reports whether a call is left out.
func (a *API) left(name, where string) bool {
	return a.Left[name] != "" || a.Left[name+"@"+where] != ""
}

// Print shows which function was called where, and fails for one that was left out of a
// situation without a reason, and for a reason without a function.
func (a *API) Print(t testing.TB) {
	t.Helper()
	names, whole := slices.Sorted(maps.Keys(a.Docs)), !t.Failed() && !strings.Contains(flag.Lookup("test.run").Value.String(), "seed=")
	var out strings.Builder
	fmt.Fprintf(&out, "%-26s %s\n", "", strings.Join(a.Situations, " "))
	for _, name := range names {
		fmt.Fprintf(&out, "%-26s", name)
		var missed []string
		for _, where := range a.Situations {
			n := a.reached[name][where]
			fmt.Fprintf(&out, " %*d", len(where), n)
			if n == 0 && !a.left(name, where) {
				missed = append(missed, where)
			}
		}
		out.WriteByte('\n')
		if len(missed) > 0 && whole {
			t.Errorf("no wrong use of %s was tried in %q: give the test what it needs, or say in Left why not", name, missed)
		}
	}
	t.Log("\n" + out.String())
	for key := range a.Left {
		name, where, one := strings.Cut(key, "@")
		if _, ok := a.Docs[name]; !ok || one && !slices.Contains(a.Situations, where) {
			t.Errorf("Left has %q, which there is not", key)
		}
	}
}

// Calls make random calls of an API.
type Calls struct {
	testing.TB
	*rand.Rand
	API *API
	// Receivers are values by the name of their type. Functions are called by their names;
	// generic ones are written out.
	Receivers map[string][]any
	Functions map[string]any
	// Result gets each result of a call: to close what was opened.
	Result func(reflect.Value)

	offers map[reflect.Type][]reflect.Value
	decks  map[string][]string // by situation: what is still to be called
	trace  []string
}

// Among returns a function for API.Named: whether an error wraps one of a list.
func Among(list ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(list, func(named error) bool { return errors.Is(err, named) })
	}
}

// NewCalls makes the calls of a seed.
func NewCalls(t testing.TB, a *API, seed uint64) *Calls {
	return &Calls{
		TB: t, Rand: rand.New(rand.NewPCG(seed, 13)), API: a, Receivers: map[string][]any{}, Functions: map[string]any{},
		offers: map[reflect.Type][]reflect.Value{}, decks: map[string][]string{},
	}
}

// Offer gives arguments of a type, in place of what was offered before.
func Offer[T any](c *Calls, values ...T) {
	list := make([]reflect.Value, len(values))
	for i := range values {
		list[i] = reflect.ValueOf(&values[i]).Elem()
	}
	c.offers[reflect.TypeFor[T]()] = list
}

// Next returns what is called next in a situation, so that one round calls all of it. It
// returns "" at the end of a round.
func (c *Calls) Next(where string) string {
	deck, begun := c.decks[where]
	if !begun {
		deck = slices.Sorted(maps.Keys(c.API.Docs))
		deck = slices.DeleteFunc(deck, func(name string) bool { return c.API.left(name, where) })
		c.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	}
	if len(deck) == 0 {
		delete(c.decks, where)
		return ""
	}
	c.decks[where] = deck[1:]
	return deck[0]
}

// Call calls a function with random arguments, now and then twice with the same ones, and judges
// what comes of it. Elsewhere, another goroutine makes the call while this one waits.
func (c *Calls) Call(name, where string, elsewhere bool) {
	c.Helper()
	f, ok := c.find(name)
	if !ok {
		c.Errorf("%s: there is nothing to call it of: give the test what it needs", name)
		return
	}
	in := make([]reflect.Value, f.Type().NumIn())
	for i := range in {
		in[i] = c.argument(f.Type().In(i))
	}
	c.trace = append(c.trace, where+": "+name+describe(in))
	c.note(name, where)
	for range 1 + max(c.IntN(4)-2, 0) {
		out, panicked := c.make(f, in, elsewhere)
		c.judge(name, out, panicked)
	}
}

// note counts a call.
func (c *Calls) note(name, where string) {
	r := &c.API.reached
	if *r == nil {
		*r = map[string]map[string]int{}
	}
	if (*r)[name] == nil {
		(*r)[name] = map[string]int{}
	}
	(*r)[name][where]++
}

// find returns a function, or a method of one of the receivers.
func (c *Calls) find(name string) (f reflect.Value, ok bool) {
	typ, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		f, ok := c.Functions[name]
		return reflect.ValueOf(f), ok
	}
	list := c.Receivers[typ]
	if len(list) == 0 {
		return f, false
	}
	of := reflect.ValueOf(list[c.IntN(len(list))])
	if f = of.MethodByName(method); !f.IsValid() && of.Kind() != reflect.Pointer {
		p := reflect.New(of.Type()) // the method of a pointer, and a value to call it of
		p.Elem().Set(of)
		f = p.MethodByName(method)
	}
	return f, f.IsValid()
}

// argument makes an argument: one of those that were offered, or one of its kind.
func (c *Calls) argument(t reflect.Type) reflect.Value {
	if list := c.offers[t]; len(list) > 0 {
		return list[c.IntN(len(list))]
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Slice:
		for range c.IntN(4) {
			v = reflect.Append(v, c.argument(t.Elem()))
		}
	case reflect.Func:
		if c.IntN(3) > 0 {
			return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return zeros(t) })
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(pick(c, int64(-1), 0, 1, 3, 1<<(bits.UintSize*5/8)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(pick(c, uint64(0), 1, 7, 200) & (1<<t.Bits() - 1))
	case reflect.Float64, reflect.Float32:
		v.SetFloat(pick(c, 0, 0.1, 1, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)))
	case reflect.Bool:
		v.SetBool(c.IntN(2) == 0)
	case reflect.String:
		v.SetString(pick(c, "", "a", "no such thing", "\x00\xff"))
	}
	return v
}

func pick[T any](c *Calls, list ...T) T { return list[c.IntN(len(list))] }

// zeros are the results of a function that does nothing.
func zeros(t reflect.Type) []reflect.Value {
	out := make([]reflect.Value, t.NumOut())
	for i := range out {
		out[i] = reflect.Zero(t.Out(i))
	}
	return out
}

// describe shows the arguments of a call.
func describe(in []reflect.Value) string {
	parts := make([]string, len(in))
	for i, v := range in {
		switch k := v.Kind(); {
		case k <= reflect.Float64 || k == reflect.String || k == reflect.Slice && v.Type().Elem().Kind() <= reflect.String:
			parts[i] = fmt.Sprintf("%.80q", fmt.Sprint(v.Interface()))
		case k == reflect.Interface && !v.IsNil():
			parts[i] = fmt.Sprintf("%.60s", v.Elem().Type().String())
		case k == reflect.Pointer || k == reflect.Func || k == reflect.Interface || k == reflect.Map || k == reflect.Slice:
			parts[i] = fmt.Sprintf("%.60s", fmt.Sprintf("%v nil:%v", v.Type(), v.IsNil()))
		default:
			parts[i] = fmt.Sprintf("%.60s", v.Type().String())
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// make makes a call, and goes through what it has returned.
func (c *Calls) make(f reflect.Value, in []reflect.Value, elsewhere bool) (out []reflect.Value, panicked *failure) {
	run := func() {
		defer func() {
			if cause := recover(); cause != nil {
				stack := make([]byte, 4<<10)
				panicked = &failure{cause, string(stack[:runtime.Stack(stack, false)])}
			}
		}()
		if f.Type().IsVariadic() {
			out = f.CallSlice(in)
		} else {
			out = f.Call(in)
		}
		for _, v := range out {
			walk(v)
		}
	}
	if !elsewhere {
		run()
		return out, panicked
	}
	done := make(chan bool)
	go func() { defer close(done); run() }()
	<-done
	return out, panicked
}

// failure is a panic.
type failure struct {
	cause any
	stack string
}

// walk goes some steps through a loop that a call has returned, or ends what it has begun.
func walk(v reflect.Value) {
	if v.Kind() != reflect.Func || v.IsNil() {
		return
	}
	switch t := v.Type(); {
	case t.NumIn() == 0:
		v.Call(nil)
	case t.NumIn() == 1 && t.In(0).Kind() == reflect.Func:
		n := 0
		v.Call([]reflect.Value{reflect.MakeFunc(t.In(0), func([]reflect.Value) []reflect.Value {
			n++
			return []reflect.Value{reflect.ValueOf(n < 3)}
		})})
	}
}

// judge demands one of the documented outcomes.
func (c *Calls) judge(name string, out []reflect.Value, panicked *failure) {
	c.Helper()
	for _, v := range out {
		if err, ok := v.Interface().(error); ok && v.Type() == reflect.TypeFor[error]() {
			if c.Expect(name, err); err == nil {
				continue
			}
		}
		if c.Result != nil {
			c.Result(v)
		}
	}
	if panicked == nil {
		return
	}
	err, _ := panicked.cause.(error)
	switch _, broken := err.(runtime.Error); {
	case broken || err == nil || !c.API.Named(err) || !strings.HasPrefix(err.Error(), c.API.Prefix):
		c.Fault("%s panicked with %v\n%s", name, panicked.cause, panicked.stack)
	case !strings.Contains(c.API.Docs[name], "panic"):
		c.Fault("%s panicked with %v, and its doc does not say so:\n%s", name, err, c.API.Docs[name])
	}
}

// Expect demands that an error is nil or named.
func (c *Calls) Expect(what string, err error) {
	c.Helper()
	if err != nil && !c.API.Named(err) {
		c.Fault("%s returned an error without a name, %T: %v", what, err, err)
	}
}

// Fault reports what is wrong, with the calls before it.
func (c *Calls) Fault(format string, args ...any) {
	c.Helper()
	last := c.trace[max(0, len(c.trace)-5):]
	c.Errorf(format+"\nafter %s", append(args, cmp.Or(strings.Join(last, "\n      "), "nothing"))...)
}
