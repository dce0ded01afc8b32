package machine

import (
	"fmt"
	"testing"
)

// fixedTable makes a fixed table with text keys and a list. Assignments are counted in asked.
func fixedTable(h *Heap, asked *int, keys []*Str, list int) *Table {
	t := h.NewFixed(list, len(keys))
	for i, k := range keys {
		t.SetStr(k, Number(float64(i)))
	}
	for i := range list {
		t.SetInt(i+1, Number(float64(10*i)))
	}
	meta := h.NewTable(0, 1)
	meta.SetString("__newindex", OfFunction(NewNative("", func(*Call) { *asked++ })))
	t.Fix(meta)
	return t
}

// keysOf makes so many keys.
func keysOf(n int) (keys []*Str) {
	for i := range n {
		keys = append(keys, NewStr(fmt.Sprintf("k%d", i)))
	}
	return keys
}

// TestFixedTablesAsk: no way to assign a key changes a fixed table, although the same place in
// the code has just assigned the same keys of tables that are not fixed. With many keys, the
// fixed table has a dictionary.
func TestFixedTablesAsk(t *testing.T) {
	const program = `
		local function assign(o)
			o.k0 = 100
			o.k1 = nil
			o.k1 = "text"
			o.fresh = true
			o["k" .. 1] = 7
			o[1] = 8
			o[3] = 9
			local i = 2
			o[i] = 10
			o[i] = nil
			o[i] = "b"
			o[true] = 1
		end
		local function plain()
			local o = { 1, 2 }
			for i, k in ipairs(keys) do o[k] = i end
			return o
		end
		local function read(o) return o.k0, o.lacking end
		for round = 1, 3 do
			assign(plain())
			assign(fixed)
			local x, y = read({ k0 = 5, lacking = 6 })
			if x ~= 5 or y ~= 6 then unknown() end
			x, y = read(fixed)
			if x ~= 0 or y ~= nil then unknown() end
		end`
	for _, keys := range []int{2, 8, 40, 300} {
		h := newHost(Options{})
		asked := 0
		names := keysOf(keys) // of all tables: a place in the code knows keys by their texts
		fixed := fixedTable(h.vm.Heap, &asked, names, 2)
		list := h.vm.Heap.NewTable(0, 0)
		for i, k := range names {
			list.SetInt(i+1, Text(k))
		}
		h.env.SetString("fixed", OfTable(fixed))
		h.env.SetString("keys", OfTable(list))
		h.env.SetString("ipairs", OfFunction(NewNative("ipairs", func(c *Call) {
			c.Push(OfFunction(NewNative("", func(c *Call) {
				i := int(c.Arg(2).Float()) + 1
				v := c.Arg(1).Table().GetInt(i)
				if v.IsNil() {
					c.Return(0)
					return
				}
				c.Push(Number(float64(i)))
				c.Push(v)
				c.Return(2)
			})))
			c.Push(c.Arg(1))
			c.Push(Number(0))
			c.Return(3)
		})))
		if _, r := h.run(t, program); r != nil {
			t.Fatal(r)
		}
		if asked != 3*11 {
			t.Errorf("%d keys: asked %d times, want %d", keys, asked, 3*11)
		}
		if err := fixed.Check(); err != nil {
			t.Errorf("%d keys: %v", keys, err)
		}
		for i, k := range names {
			if got := fixed.GetStr(k); !got.Equal(Number(float64(i))) {
				t.Errorf("%d keys: %s is %s", keys, k.String(), show(got))
			}
		}
		if n := fixed.Entries(); n != keys+2 || !fixed.GetInt(1).Equal(Number(0)) || !fixed.GetInt(2).Equal(Number(10)) {
			t.Errorf("%d keys: %d entries, items %s, %s", keys, n, show(fixed.GetInt(1)), show(fixed.GetInt(2)))
		}
	}
}

// TestFixedShapesAreRenewed: a fixed table keeps a fixed shape when new trees of shapes begin, so
// that what has learnt a shape since never meets it.
func TestFixedShapesAreRenewed(t *testing.T) {
	h := newHost(Options{})
	asked := 0
	fixed := fixedTable(h.vm.Heap, &asked, keysOf(3), 0)
	h.env.SetString("fixed", OfTable(fixed))
	h.vm.Heap.newTree()
	for range 2 {
		if _, r := h.run(t, `
			local function assign(o) o.k1 = 5 end
			assign({ k0 = 1, k1 = 2, k2 = 3 }) assign(fixed) assign(fixed)
			if fixed.k1 ~= 1 then unknown() end`); r != nil {
			t.Fatal(r)
		}
	}
	if asked != 4 || !fixed.shape.fixed || fixed.shape.retired {
		t.Errorf("asked %d times, shape fixed %v, retired %v", asked, fixed.shape.fixed, fixed.shape.retired)
	}
	if err := fixed.Check(); err != nil {
		t.Error(err)
	}
}

// TestTablesFixedInPlace: a table of any kind that becomes a fixed one has what it had, in the
// order of pairs, and asks for each assignment, as a table that was made fixed; what the host sets
// past the metatable is there. It stays fixed when it is cleared, and when it gets an earlier content back.
func TestTablesFixedInPlace(t *testing.T) {
	const assign = `
		local function assign(o, list)
			o.k0 = 100 o.k1 = nil o.fresh = true o[1] = 8 o[2] = nil o[3] = 9 o[4] = "x" o[true] = 1
			local i, k = 1, "k0" o[i] = 5 o[k] = 6 o[#o + 1] = 3
		end
		assign({ k0 = 1, k1 = 2, 1, 2 }) assign(made()) assign(fixed) assign({ k0 = 1, k1 = 2 }) assign(fixed)`
	content := func(t *Table) (all string) {
		for k, v, _ := t.Next(Nil); !k.IsNil(); k, v, _ = t.Next(k) {
			all += show(k) + "=" + show(v) + " "
		}
		return fmt.Sprint(all, t.Len())
	}
	for _, keys := range []int{0, 2, 8, 40, 300} {
		for _, list := range []int{0, 3} {
			h := newHost(Options{})
			asked, names := 0, keysOf(keys)
			meta := h.vm.Heap.NewTable(0, 1)
			meta.SetString("__newindex", OfFunction(NewNative("", func(*Call) { asked++ })))
			make := func() *Table {
				x := h.vm.Heap.NewTable(list, 0)
				for i, k := range names {
					x.SetStr(k, Number(float64(i)))
				}
				for i := range list {
					x.SetInt(i+1, Number(float64(10*i)))
				}
				x.NoteAbsent("gone")
				return x
			}
			x := make()
			before := content(x)
			if !x.FixInPlace(meta) || !x.Sealed() || content(x) != before || len(x.Absent()) > 0 {
				t.Fatalf("%d keys, %d items: %s is %s", keys, list, before, content(x))
			}
			check := func(when, want string) {
				t.Helper()
				asked = 0
				h.env.SetString("fixed", OfTable(x))
				h.env.SetString("made", OfFunction(NewNative("made", func(c *Call) { c.Push(OfTable(make())) })))
				if _, r := h.run(t, assign); r != nil {
					t.Fatal(r)
				}
				if err := x.Check(); err != nil || asked != 2*11 || content(x) != want {
					t.Errorf("%d keys, %d items, %s: asked %d times, %s, want %s, %v", keys, list, when, asked, content(x), want, err)
				}
			}
			check("fixed", before)
			var was Contents
			was.Take(x)
			l := was.Outline()
			x.Set(String("added"), True)
			x.SetInt(list+1, Number(7))
			check("changed by the host", content(x))
			if x.GetString("added") != True || !x.GetInt(list+1).Equal(Number(7)) {
				t.Errorf("%d keys, %d items: what the host has set is not there", keys, list)
			}
			was.Put(x)
			check("put back", before)
			x.Clear()
			check("cleared", "0")
			if !x.Lay(&l) {
				t.Error("it cannot be laid")
			}
			check("laid", before)
		}
	}
	h := newHost(Options{})
	if far := h.vm.Heap.NewForeign(noContent{}); far.FixInPlace(h.vm.Heap.NewTable(0, 0)) {
		t.Error("a table that has its content elsewhere is fixed")
	}
}

// noContent is the content of a table that is empty elsewhere.
type noContent struct{}

func (noContent) Get(Value) Value                      { return Nil }
func (noContent) Set(Value, Value)                     {}
func (noContent) Next(Value) (key, value Value, n int) { return Nil, Nil, 0 }
func (noContent) Len() int                             { return 0 }
func (noContent) Entries() int                         { return 0 }
func (noContent) Clear()                               {}
func (noContent) Walk(*Walk) int                       { return 0 }
func (noContent) Metatable() *Table                    { return nil }
func (noContent) SetMetatable(*Table)                  {}
