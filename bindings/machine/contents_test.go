package machine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// contentOp makes one random change of a table. The same random numbers make the same change.
func contentOp(r *rand.Rand, t *Table) {
	values := []Value{Nil, Nil, Number(1.5), True, String("text"), Number(math.NaN()), Number(math.Copysign(0, -1))}
	v := values[r.IntN(len(values))]
	switch n := r.IntN(24); r.IntN(8) {
	case 0, 1:
		t.SetInt(t.Len()+1, v)
	case 2:
		t.SetInt(n+1, v)
	case 3:
		t.SetString(fmt.Sprintf("k%d", n), v)
	case 4:
		t.Set(String(fmt.Sprintf("computed%d", n)), v)
	case 5:
		if t.Len() > 0 {
			t.Remove(1 + n%t.Len())
		}
	case 6:
		t.Set([]Value{Number(float64(-n)), Number(float64(n) + 0.5), True, False, Number(float64(n * 10))}[n%5], v)
	case 7:
		if t.Len() > 0 && n < 12 {
			t.Insert(1+n%t.Len(), v)
		}
	}
}

// described lists a table in the order of pairs, with what else scripts can tell apart.
func described(t *Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d max %v:", t.Len(), t.MaxN())
	for k, v, _ := t.Next(Nil); !k.IsNil(); k, v, _ = t.Next(k) {
		for _, x := range []Value{k, v} {
			if s := x.Str(); s != nil {
				fmt.Fprintf(&b, " %q", s.s)
			} else {
				fmt.Fprintf(&b, " %x", x.n)
			}
		}
	}
	return b.String()
}

// TestContentsGoesOnAsTheTable: a table that gets contents back, in its heap or by an outline in
// another one, and the table that it was taken of are the same after all that is done to both.
func TestContentsGoesOnAsTheTable(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range *tables * 4 {
		heap := NewHeap()
		first, second, third := heap.NewTable(0, r.IntN(5)), heap.NewTable(0, r.IntN(9)), NewHeap().NewTable(0, 0)
		for range r.IntN(60) {
			contentOp(r, first)
		}
		for range r.IntN(40) {
			contentOp(r, second)
		}
		var c Contents
		c.Take(second) // so that its memory holds something else
		c.Take(first)
		for range r.IntN(30) {
			contentOp(r, second)
		}
		c.Put(second)
		l := c.Outline()
		if err := l.Check(); err != nil {
			t.Fatalf("the outline of a table cannot be: %v\n%s", err, described(first))
		}
		if !third.Lay(&l) {
			t.Fatal("an outline has a key twice")
		}
		again := rand.Uint64()
		for i := range 60 {
			for _, x := range []*Table{first, second, third} {
				if err := x.Check(); err != nil {
					t.Fatalf("after %d changes: %v", i, err)
				}
			}
			if a, b, c := described(first), described(second), described(third); a != b || a != c {
				t.Fatalf("after %d changes\n the table is %s\n put back      %s\n laid          %s", i, a, b, c)
			}
			for _, x := range []*Table{first, second, third} {
				contentOp(rand.New(rand.NewPCG(again, uint64(i))), x)
			}
		}
	}
}

// TestContentsTakesNothingAnew: taking contents again, and putting it, need no new memory.
func TestContentsTakesNothingAnew(t *testing.T) {
	table := NewHeap().NewTable(0, 0)
	for i := range 20 {
		table.SetInt(i+1, Number(float64(i)))
		table.SetString(fmt.Sprint("k", i), String("x"))
		table.Set(Number(-float64(i)-1), True)
	}
	var c Contents
	c.Take(table)
	if n := testing.AllocsPerRun(20, func() { c.Take(table); c.Put(table) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := table.Check(); err != nil {
		t.Error(err)
	}
}

// TestOutlinesThatCannotBe are refused.
func TestOutlinesThatCannotBe(t *testing.T) {
	one, text := Number(1), String("a")
	for want, l := range map[string]Outline{
		"is nil":                {List: []Value{one, Nil}, ListCapacity: 2},
		"has room for 1":        {List: []Value{one, one}, ListCapacity: 1},
		"has room for 9223372":  {ListCapacity: math.MaxInt},
		"no text":               {Keys: []LaidKey{{one, one}}},
		"too long":              {Keys: []LaidKey{{String(strings.Repeat("k", longestKey+1)), one}}},
		"a dictionary of 1":     {Keys: []LaidKey{{text, one}}, Dict: 3},
		"a dictionary of 5":     {Keys: make([]LaidKey, 5), Dict: 4},
		"gone has a value":      {Keys: []LaidKey{{Nil, one}}, Dict: 4},
		"NaN":                   {Keys: []LaidKey{{Number(math.NaN()), one}}, Dict: 4},
		"-0":                    {Keys: []LaidKey{{Number(math.Copysign(0, -1)), one}}, Dict: 4},
		"in the list and among": {List: []Value{one}, ListCapacity: 1, Keys: []LaidKey{{one, one}}, Dict: 4},
		"belongs to the list":   {Keys: []LaidKey{{one, one}}, Dict: 4},
		"a record of 129":       {Keys: make([]LaidKey, 129)},
	} {
		if err := l.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, l := range []Outline{{Keys: []LaidKey{{text, one}, {String("a"), one}}}, {Keys: []LaidKey{{True, one}, {True, one}}, Dict: 4}} {
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		table := NewHeap().NewTable(0, 0)
		if table.Lay(&l) || table.Entries() != 0 || table.Check() != nil {
			t.Error("a key twice is taken")
		}
	}
}
