package hotreload

import (
	"testing"
	"time"
)

func TestBatchDue(t *testing.T) {
	zero := time.Now()
	ms := func(n int) time.Time { return zero.Add(time.Duration(n) * time.Millisecond) }
	for name, test := range map[string]struct {
		change func(b *pendingSet)
		want   int // ms; negative: not due at all
	}{
		"empty":                   {func(b *pendingSet) {}, -1},
		"one move":                {func(b *pendingSet) { b.move(ms(0), ms(0), "f.lua") }, 60},
		"the last move counts":    {func(b *pendingSet) { b.move(ms(0), ms(40), "f.lua"); b.move(ms(90), ms(90), "g.lua") }, 150},
		"late news of old moves":  {func(b *pendingSet) { b.move(ms(0), ms(40), "f.lua"); b.move(ms(10), ms(20), "f.lua") }, 100},
		"no later than the bound": {func(b *pendingSet) { b.move(ms(0), ms(990), "f.lua") }, 1000},
		"a problem alone":         {func(b *pendingSet) { b.complain(Problem{}); b.move(ms(0), ms(0)) }, 60},
		"doubt":                   {func(b *pendingSet) { b.move(ms(0), ms(0), "f.lua"); b.doubt(ms(60), []string{"f.lua"}) }, 120},
		"doubt at the bound":      {func(b *pendingSet) { b.move(ms(0), ms(990), "f.lua"); b.doubt(ms(1000), []string{"f.lua"}) }, 1060},
	} {
		b := newPendingSet(Options{}.filled())
		test.change(&b)
		due, ok := b.due()
		if got := int(due.Sub(zero) / time.Millisecond); ok != (test.want >= 0) || ok && got != test.want {
			t.Errorf("%s: due at %d ms (%v), want %d", name, got, ok, test.want)
		}
	}
}

func TestInboxIsBounded(t *testing.T) {
	box := newInbox()
	for i := range 100_000 {
		box.touch(string(rune('a'+i%26)) + time.Duration(i).String())
		box.name(time.Duration(i).String())
		box.lose(Problem{".", errUnsettled})
		if n := len(box.news.touched) + len(box.news.named); n > maxNews {
			t.Fatalf("%d names in the inbox", n)
		}
	}
	n := box.take()
	if !n.rescan || len(n.problems) != 1 || n.first.IsZero() {
		t.Errorf("rescan %v, problems %v", n.rescan, n.problems)
	}
	if n = box.take(); n.rescan || !n.last.IsZero() {
		t.Error("the inbox was emptied, and is not empty")
	}
}
