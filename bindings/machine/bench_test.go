package machine

import (
	"fmt"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// The tables of the machine beside those of gopher-lua, by their methods.

func BenchmarkListSet(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		o := NewHeap().NewTable(0, 0)
		for i := range b.N {
			o.SetInt(i%100000+1, Number(float64(i)))
		}
	})
	b.Run("gopher", func(b *testing.B) {
		o := &lua.LTable{}
		for i := range b.N {
			o.RawSetInt(i%100000+1, lua.LNumber(i))
		}
	})
}

func BenchmarkListAppend(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		h := NewHeap()
		for range b.N {
			o := h.NewTable(0, 0)
			for i := 1; i <= 1000; i++ {
				o.SetInt(i, Number(1))
			}
		}
	})
	b.Run("gopher", func(b *testing.B) {
		for range b.N {
			o := &lua.LTable{}
			for i := 1; i <= 1000; i++ {
				o.RawSetInt(i, lua.LNumber(1))
			}
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	x, y, z := NewStr("x"), NewStr("y"), NewStr("z")
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		h := NewHeap()
		for range b.N {
			o := h.NewTable(0, 3)
			o.SetStr(x, Number(1))
			o.SetStr(y, Number(2))
			o.SetStr(z, Number(3))
		}
	})
	b.Run("gopher", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			o := &lua.LTable{}
			o.RawSetString("x", lua.LNumber(1))
			o.RawSetString("y", lua.LNumber(2))
			o.RawSetString("z", lua.LNumber(3))
		}
	})
}

func BenchmarkTextKeys(b *testing.B) {
	for _, n := range []int{5, 50, 1000, 100000} {
		var keys []Value
		for i := range n {
			keys = append(keys, String(fmt.Sprint("key", i)))
		}
		b.Run(fmt.Sprint("own/", n), func(b *testing.B) {
			o := NewHeap().NewTable(0, 0)
			for _, k := range keys {
				o.Set(k, True)
			}
			b.ResetTimer()
			for i := range b.N {
				o.Get(keys[i%n])
			}
		})
		b.Run(fmt.Sprint("gopher/", n), func(b *testing.B) {
			o := &lua.LTable{}
			for _, k := range keys {
				o.RawSetString(k.Str().s, lua.LTrue)
			}
			b.ResetTimer()
			for i := range b.N {
				o.RawGetString(keys[i%n].Str().s)
			}
		})
	}
}

func BenchmarkSparse(b *testing.B) {
	const n = 10000
	b.Run("own", func(b *testing.B) {
		o := NewHeap().NewTable(0, 0)
		for i := range b.N {
			o.SetInt(i%n*7919, Number(1))
		}
	})
	b.Run("gopher", func(b *testing.B) {
		o := &lua.LTable{}
		for i := range b.N {
			o.RawSetH(lua.LNumber(i%n*7919), lua.LNumber(1))
		}
	})
}

func BenchmarkNext(b *testing.B) {
	const n = 1000
	b.Run("own", func(b *testing.B) {
		o := NewHeap().NewTable(0, 0)
		for i := range n {
			o.SetString(fmt.Sprint("k", i), True)
		}
		k := Nil
		for range b.N {
			k, _, _ = o.Next(k)
		}
	})
	b.Run("gopher", func(b *testing.B) {
		o := &lua.LTable{}
		for i := range n {
			o.RawSetString(fmt.Sprint("k", i), lua.LTrue)
		}
		var k lua.LValue = lua.LNil
		for range b.N {
			k, _ = o.Next(k)
		}
	})
}
