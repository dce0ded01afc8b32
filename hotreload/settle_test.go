package hotreload

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a notifier for tests that put their own news into the inbox.
type mute struct{ stop chan struct{} }

func (m mute) watch(string) error { return nil }
func (m mute) forget(string)      {}
func (m mute) run()               { <-m.stop }
func (m mute) close() error       { close(m.stop); return nil }

// told runs a test in simulated time in which only the test tells what happens.
func told(t *testing.T, opts Options, test func(r rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := rig{disk: newDisk(t), sets: newSets()}
		w, err := newWatcher(r.root, r.sets, withPoll(opts.filled()))
		r.must(err)
		r.w = w
		w.notifier = mute{make(chan struct{})}
		w.loop.notifier = w.notifier
		w.running.Go(w.notifier.run)
		r.must(w.loop.start(time.Now()))
		w.running.Go(func() { w.loop.run(w.stop) })
		defer r.close()
		test(r)
	})
}

// withPoll keeps newWatcher from opening a watch that the test replaces.
func withPoll(o Options) Options { o.Poll = true; return o }

func (r rig) saveAndTell(name, text string) {
	r.write(name, text)
	r.w.box.touch(name)
}

// after demands that a set was handed over exactly this long after start.
func (r rig) after(start, at time.Time, want time.Duration) {
	r.t.Helper()
	if got := at.Sub(start); got != want {
		r.t.Errorf("handed over after %v, want %v", got, want)
	}
}

func TestSettleCountsFromTheLastEvent(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		for i := range 3 {
			r.saveAndTell("f.lua", fmt.Sprint("part ", i))
			time.Sleep(40 * time.Millisecond)
		}
		r.after(start, r.expect([]string{"f.lua"}, nil), 80*time.Millisecond+60*time.Millisecond)
	})
}

func TestMaxWaitEndsAnEndlessSave(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		for i := range 60 {
			r.saveAndTell("f.lua", fmt.Sprint("line ", i))
			time.Sleep(20 * time.Millisecond)
		}
		r.after(start, r.expect([]string{"f.lua"}, nil), time.Second)
		r.after(start, r.expect([]string{"f.lua"}, nil), 59*20*time.Millisecond+60*time.Millisecond)
	})
}

func TestMaxWaitIsAtLeastSettle(t *testing.T) {
	told(t, Options{Settle: 200 * time.Millisecond, MaxWait: time.Millisecond}, func(r rig) {
		start := time.Now()
		r.saveAndTell("f.lua", edited)
		r.after(start, r.expect([]string{"f.lua"}, nil), 200*time.Millisecond)
	})
}

func TestThousandSavesInASecond(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		for i := range 1000 {
			r.saveAndTell("f.lua", fmt.Sprint("save ", i))
			time.Sleep(time.Millisecond)
		}
		r.after(start, r.expect([]string{"f.lua"}, nil), time.Second)
		time.Sleep(time.Minute)
		if len(r.sets) > 1 {
			t.Errorf("%d more sets, want at most one", len(r.sets))
		}
		if got := r.known("f.lua"); got != "save 999" {
			t.Errorf("last content is %q", got)
		}
	})
}

// known returns the content of a file, and fails if it is not what the watcher
// takes as known.
func (r rig) known(name string) string {
	r.t.Helper()
	reading := r.w.loop.read(name)
	if v := r.w.ledger.judge(reading); v != same {
		r.t.Errorf("%q is not known as it is: difference %d, %v", name, v, reading.err)
	}
	return r.read(name)
}

func TestRenameInProgressIsNoRemoval(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		r.rename("f.lua", "f.lua~")
		r.w.box.touch("f.lua")
		time.Sleep(100 * time.Millisecond) // one look has found nothing
		r.write("f.lua", edited)           // and this raises no event at all
		r.after(start, r.expect([]string{"f.lua"}, nil), 120*time.Millisecond)
	})
}

func TestRemovalTakesTwoLooks(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		r.remove("f.lua")
		r.w.box.touch("f.lua")
		r.after(start, r.expect(nil, []string{"f.lua"}), 120*time.Millisecond)
	})
}

// TestRenameIsOneSet: a host that saw the new name before the old one was gone
// would find the same systems declared twice.
func TestRenameIsOneSet(t *testing.T) {
	told(t, Options{}, func(r rig) {
		r.rename("f.lua", "g.lua")
		r.w.box.touch("g.lua")
		time.Sleep(30 * time.Millisecond)
		r.w.box.touch("f.lua")
		r.expect([]string{"g.lua"}, []string{"f.lua"})
	})
}

// TestLateDoubtWaitsAlone: what goes missing between the two looks of a set does
// not hold up the set again, and gets a second look of its own.
func TestLateDoubtWaitsAlone(t *testing.T) {
	told(t, Options{}, func(r rig) {
		r.saveAndTell("g.lua", "return 1")
		r.expect([]string{"g.lua"}, nil)
		start := time.Now()
		r.remove("f.lua")
		r.w.box.touch("f.lua")
		time.Sleep(61 * time.Millisecond)
		r.remove("g.lua")
		r.w.box.touch("g.lua")
		r.after(start, r.expect(nil, []string{"f.lua"}), 121*time.Millisecond)
		r.after(start, r.expect(nil, []string{"g.lua"}), 181*time.Millisecond)
	})
}

func TestSavesWhileTheSinkIsAtWorkAreOneSet(t *testing.T) {
	told(t, Options{}, func(r rig) {
		got := make(sets) // without room: waits until the test fetches
		r.w.loop.sink = got
		r.saveAndTell("f.lua", edited)
		time.Sleep(time.Second)
		for i := range 2000 {
			r.saveAndTell(fmt.Sprintf("g%d.lua", i%5), fmt.Sprint("save ", i))
			time.Sleep(time.Millisecond)
		}
		if first := <-got; !first.is(Change{Changed: []string{"f.lua"}}) {
			t.Errorf("first set is %+v", first.Change)
		}
		want := []string{"g0.lua", "g1.lua", "g2.lua", "g3.lua", "g4.lua"}
		if second := <-got; !second.is(Change{Changed: want}) {
			t.Errorf("second set is %+v", second.Change)
		}
		if text := r.known("g4.lua"); text != "save 1999" {
			t.Errorf("last content is %q", text)
		}
	})
}
