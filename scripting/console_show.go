package scripting

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
	byname "github.com/perigee-ecs/perigee/ecs/fields"
)

// ConsoleValue is a value that a text has returned, as it is shown: a line, and lines below it for what is in
// it. No metamethod is asked.
type ConsoleValue struct {
	Key    string // what stands before the value in its table, such as hp or [3]; empty in a list, and for what is in none
	Text   string // the value in one line, such as 3, "abc" or { 3 entries }
	Kind   string // as type() says it; "entity" for the number of one that is alive, "component" and the like for what stands for one
	Entity ecs.Entity
	Items  []ConsoleValue
	More   int // entries beyond those of Items, as far as they were counted
}

// Bounds of what is shown of the values of a text.
const (
	mostShownValues = 20      // values
	mostShownItems  = 1000    // entries of all tables
	mostShownEach   = 100     // entries of one table
	mostShownDepth  = 6       // tables in each other
	mostShownText   = 4 << 10 // bytes of one text
	mostShownBytes  = 64 << 10
	mostShownFields = 60  // components of an entity that is shown, or names of them
	mostShownLine   = 400 // bytes of a component of an entity
)

// stepsToShow is what it counts to show a value.
const stepsToShow = 50

// showing is the values of a text, being shown.
type showing struct {
	L     *lua.LState
	host  *Host
	items int // entries that may still be shown
	bytes int
	above []*lua.LTable
}

func newShowing(L *lua.LState, h *Host) *showing {
	return &showing{L: L, host: h, items: mostShownItems, bytes: mostShownBytes}
}

// value shows a value, as deep in tables as that.
func (s *showing) value(v lua.LValue, depth int) ConsoleValue {
	charge(s.L, stepsToShow)
	out := ConsoleValue{Kind: v.Type().String()}
	switch v := v.(type) {
	case lua.LNumber:
		out.Text = s.host.library.Text(s.L, v)
		if e, ok := entityIn(float64(v)); ok {
			out.Entity = e // settle asks whether it is alive, when what the text has recorded is done
		}
	case lua.LString:
		out.Text = s.quoted(string(v))
	case *lua.LTable:
		s.table(&out, v, depth)
	case *lua.LFunction:
		out.Text = s.function(v)
	case *lua.LUserData:
		out.Kind = "value"
		out.Text = diag.OneLine(diag.Cut(fault.Kind(v)))
		if schema := s.host.binding.FieldsOf(v); schema != nil {
			out.Text += fieldsOf(schema)
		}
	case *lua.LState:
		out.Kind, out.Text = "coroutine", "a coroutine"
	default:
		out.Text = v.String()
	}
	s.bytes -= len(out.Text)
	return out
}

// entityIn returns the handle that a number may be.
func entityIn(n float64) (ecs.Entity, bool) {
	whole := uint64(n)
	if n < 1 || n >= 1<<53 || float64(whole) != n || ecs.Entity(whole).Generation() == 0 {
		return 0, false
	}
	return ecs.Entity(whole), true
}

// quoted shows a text in quotes, as a script writes it; of a long one the beginning.
func (s *showing) quoted(text string) string {
	most := min(mostShownText, max(s.bytes, 0))
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%s… (%s bytes)", strconv.Quote(strings.ToValidUTF8(text[:most], "")), diag.Grouped(int64(len(text))))
}

// function says where a function stands.
func (s *showing) function(f *lua.LFunction) string {
	if !lua.IsGo(f) {
		if at := fault.OfFunction(s.L, lua.Proto(f)); at.Line > 0 {
			return "function at " + diag.OneLine(at.String())
		}
		return "function"
	}
	if name := s.host.library.NameOf(f); name != "" {
		return "function " + name
	}
	if known, ok := s.host.binding.Resolve(f); ok {
		return "function " + diag.OneLine(known.Name)
	}
	return "function of the host"
}

// fieldsOf lists the fields of a schema, in a line.
func fieldsOf(schema *ecs.Schema) string {
	var names []string
	for i := range schema.Fields {
		if i == mostShownFields {
			names = append(names, "…")
			break
		}
		names = append(names, diag.OneLine(schema.Fields[i].Name))
	}
	if len(names) == 0 {
		return ""
	}
	return " { " + strings.Join(names, ", ") + " }"
}

// table shows a table, without asking its metatable for anything.
func (s *showing) table(out *ConsoleValue, t *lua.LTable, depth int) {
	if proxy.Over(t) != "" {
		out.Text = "a table that is over"
		return
	}
	t = proxy.Unwrap(t)
	for _, above := range s.above {
		if above == t {
			out.Text = "{ … } (a table that this one is in)"
			return
		}
	}
	s.above = append(s.above, t)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	n, list := 0, 0
	for k, v := range lua.All(t) {
		if n++; depth == mostShownDepth || len(out.Items) == mostShownEach || s.items <= 0 || s.bytes <= 0 {
			out.More = max(lua.Entries(t)-len(out.Items), 1)
			n = len(out.Items) + out.More
			break
		}
		s.items--
		item := s.value(v, depth+1)
		if k == lua.LNumber(list+1) {
			list++
		} else {
			item.Key = s.key(k)
		}
		out.Items = append(out.Items, item)
	}
	switch {
	case n == 0:
		out.Text = "{}"
	case list == n && out.More == 0:
		out.Text = "{ " + diag.Count(n, "item", "items") + " }"
	default:
		out.Text = "{ " + diag.Count(n, "entry", "entries") + " }"
	}
}

// key shows what stands before a value.
func (s *showing) key(k lua.LValue) string {
	switch k := k.(type) {
	case lua.LString:
		if diag.IsName(string(k)) && len(k) <= 100 {
			return string(k)
		}
		text := strings.ToValidUTF8(string(k[:min(len(k), 100)]), "")
		if len(k) > 100 {
			return "[" + strconv.Quote(text) + "…]"
		}
		return "[" + strconv.Quote(text) + "]"
	case lua.LNumber:
		return "[" + s.host.library.Text(s.L, k) + "]"
	}
	return "[" + diag.OneLine(diag.Cut(fault.Written(k))) + "]"
}

// settle says of the numbers in a value which entities they are, once the changes of the text are made. An entity
// that is shown whole has its components among the items.
func (c *Console) settle(v *ConsoleValue, whole bool) {
	for i := range v.Items {
		c.settle(&v.Items[i], false)
	}
	w := c.host.world
	if v.Entity == 0 || !w.Alive(v.Entity) {
		v.Entity = 0
		return
	}
	v.Kind, v.Text = "entity", "entity "+v.Text
	of := byname.Of(w)
	var names []string
	for _, id := range w.Raw().Components(v.Entity, nil) {
		if len(names) == mostShownFields {
			v.More++
			continue
		}
		name := diag.OneLine(w.Raw().Schema(id).Name)
		names = append(names, name)
		if whole {
			v.Items = append(v.Items, ConsoleValue{Key: name, Kind: "component", Text: shownComponent(of, v.Entity, id, w.Raw().Schema(id))})
		}
	}
	if !whole {
		v.More = 0
		v.Text += " (" + diag.CutAt(strings.Join(names, ", "), 200) + ")"
	}
}

// shownComponent shows the fields of a component of an entity, in a line.
func shownComponent(of byname.Fields, e ecs.Entity, id ecs.ComponentID, schema *ecs.Schema) string {
	v, err := of.Get(e, id, "")
	all, _ := v.(map[string]any)
	if err != nil {
		return "{ … }" // a number that no float64 has exactly, for example
	}
	var text strings.Builder
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if v, ok := all[f.Name]; ok && text.Len() < mostShownLine {
			if text.Len() > 0 {
				text.WriteString(", ")
			}
			text.WriteString(f.Name + " = ")
			writeField(&text, f.Kind, v)
		}
	}
	if text.Len() == 0 {
		return "{}"
	}
	return diag.OneLine("{ " + diag.CutAt(text.String(), mostShownLine) + " }")
}

// writeField writes the value of a field, as far as there is room in the line.
func writeField(text *strings.Builder, kind ecs.Kind, v any) {
	switch v := v.(type) {
	case float64:
		form, bits := byte('f'), 64
		if kind == ecs.F32 {
			bits = 32
		}
		if size := math.Abs(v); size >= 1e15 || size < 1e-6 && v != 0 {
			form = 'g'
		}
		text.WriteString(strconv.FormatFloat(v, form, -1, bits))
	case string:
		text.WriteString(strconv.Quote(diag.CutAt(v, mostShownLine)))
	case []any:
		text.WriteString("{ ")
		for i, item := range v {
			if i > 0 {
				text.WriteString(", ")
			}
			if text.Len() > mostShownLine {
				text.WriteString("…")
				break
			}
			writeField(text, kind, item)
		}
		text.WriteString(" }")
	case map[string]any:
		text.WriteString("{ … }")
	case ecs.Entity:
		text.WriteString(strconv.FormatUint(uint64(v), 10))
	default:
		fmt.Fprint(text, v)
	}
}

// String shows the value with what is in it, a line for each entry, indented by two spaces for each table.
func (v *ConsoleValue) String() string {
	if v == nil {
		return "nil"
	}
	var text strings.Builder
	v.write(&text, 0)
	return strings.TrimSuffix(text.String(), "\n")
}

func (v *ConsoleValue) write(text *strings.Builder, depth int) {
	text.WriteString(strings.Repeat("  ", depth))
	if v.Key != "" {
		text.WriteString(v.Key + " = ")
	}
	text.WriteString(v.Text + "\n")
	for i := range v.Items {
		v.Items[i].write(text, depth+1)
	}
	if v.More > 0 {
		fmt.Fprintf(text, "%s… %s\n", strings.Repeat("  ", depth+1), diag.Count(v.More, "more entry", "more entries"))
	}
}
