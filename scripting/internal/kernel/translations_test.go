package kernel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// translateFor translates the first each function of a script for a host of its own, of which only
// what stands in Read and Write of speed is different from others.
func translateFor(t *testing.T, kept *kernel.Translations, text string, host *float64) (*kernel.Translation, error) {
	t.Helper()
	return studied(t, text).translate(kept, false, host)
}

// sharedText is a text that hosts have together.
type sharedText struct {
	text  string
	facts *kernel.ScriptFacts
	each  syntax.FuncID
}

func studied(t *testing.T, text string) sharedText {
	t.Helper()
	tree, err := syntax.Parse("test.lua", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sharedText{text, kernel.Study(tree), analysis.Of(tree).Each[0].Function.ID}
}

// translate is translateFor; shared says that other hosts have the text, too.
func (s sharedText) translate(kept *kernel.Translations, shared bool, host *float64) (*kernel.Translation, error) {
	return kept.Translate(s.facts, s.each, s.signature(shared, host))
}

// signature is what a host has around the function.
func (s sharedText) signature(shared bool, host *float64) *kernel.Signature {
	sig := &kernel.Signature{
		System: "test", Library: library, Global: value, Shared: shared,
		Terms: []kernel.Term{term(bodySchema), term(motionSchema)},
		Captured: func(name string) kernel.Resolved {
			v := value(name)
			v.Read, v.Write = func() (float64, bool) { return *host, true }, func(x float64) { *host = x }
			return v
		},
	}
	fitting(sig, s.text)
	return sig
}

// TestTranslationsAreThoseOfOneHost compares kernels that hosts share with those that a host
// makes for itself, to the last instruction, and each with what its own host has.
func TestTranslationsAreThoseOfOneHost(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	kept := new(kernel.Translations)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var hosts [3]float64
		alone, err := translateFor(t, nil, before+string(text)+"}", &hosts[0])
		if err != nil {
			t.Fatal(file, err)
		}
		s := studied(t, before+string(text)+"}")
		for i := range 2 * len(hosts) {
			p, err := s.translate(kept, i >= len(hosts), &hosts[i%len(hosts)])
			if err != nil {
				t.Fatal(file, err)
			}
			if p.IR() != alone.IR() || p.Text() != alone.Text() || p.Packing() != alone.Packing() {
				t.Errorf("%s: the kernel of host %d differs", file, i)
			}
		}
	}
	if kept.Len() != len(files) || kept.Again() != 5*len(files) {
		t.Errorf("%d kernels are kept of %d functions, and were asked for %d times again", kept.Len(), len(files), kept.Again())
	}
}

// TestTranslationsKeepNoHost: what is kept does not lead to the host that it was made for, and
// is made once when many hosts ask at the same time.
func TestTranslationsKeepNoHost(t *testing.T) {
	for _, shared := range []bool{false, true} {
		keepNoHost(t, shared)
	}
}

func keepNoHost(t *testing.T, shared bool) {
	kept := new(kernel.Translations)
	s := studied(t, before+"function(e, p, v, ctx)\np.x = p.x + speed * ctx.dt speed = speed + 1 end }")
	gone := make(chan struct{})
	func() {
		host := new(float64)
		runtime.AddCleanup(host, func(done chan struct{}) { close(done) }, gone)
		_, _ = s.translate(kept, shared, host)
	}()
	for end := time.Now().Add(10 * time.Second); ; runtime.GC() {
		select {
		case <-gone:
		case <-time.After(time.Millisecond):
			if time.Now().Before(end) {
				continue
			}
			t.Error("the host of a kernel is kept")
		}
		break
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := s.translate(kept, shared, new(float64)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if kept.Len() != 1 {
		t.Errorf("%d kernels are kept of one function", kept.Len())
	}
}

// TestTranslationsAreBounded: scripts that come to ever new kernels do not fill the memory.
func TestTranslationsAreBounded(t *testing.T) {
	kept, most := &kernel.Translations{Most: 40 << 10}, 0
	for i := range 60 {
		text := before + "function(e, p, v, ctx)\n"
		for k := range 40 {
			text += fmt.Sprintf("p.x = p.x * %d + p.y\n", i*100+k)
		}
		if _, err := translateFor(t, kept, text+"end }", new(float64)); err != nil {
			t.Fatal(err)
		}
		most = max(most, kept.Len())
	}
	if most < 5 || most > 40 {
		t.Errorf("%d of 60 large kernels are kept at a time", most)
	}
}

// TestPrecedentsAreBounded: a function that a script gives to systems of ever new names does not fill the memory, however
// large it is, and each new system takes the place of the oldest.
func TestPrecedentsAreBounded(t *testing.T) {
	large := before + "function(e, p, v, ctx)\n"
	for k := range 40 {
		large += fmt.Sprintf("p.x = p.x * %d + p.y\n", k+2)
	}
	for _, c := range []struct {
		text        string
		most        int
		least, more int // precedents that are kept
	}{
		{before + "function(e, p, v, ctx)\np.x = p.x + ctx.dt end }", 20 << 10, 20, 200},
		{large + "end }", 100 << 10, 5, 20},
		{large + "end }", 100, 0, 0}, // not even one kernel has room: the last is kept all the same
	} {
		kept, s := &kernel.Translations{Most: c.most}, studied(t, c.text)
		named := func(name string) {
			sig := &kernel.Signature{
				System: name, Library: library, Global: value, Shared: true, Captured: value,
				Terms: []kernel.Term{term(bodySchema), term(motionSchema)},
			}
			if _, err := kept.Lower(s.facts, s.each, sig); err != nil {
				t.Fatal(err)
			}
			if err := kept.Sound(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for i := range 400 {
			named(fmt.Sprint("test", i))
		}
		if n := kept.Precedents(); n < c.least || n > c.more || kept.Len() < max(n, 1) {
			t.Errorf("%d bytes: %d precedents and %d kernels are kept", c.most, n, kept.Len())
		}
		again := kept.Again()
		if named("test399"); kept.Again() != again+1 {
			t.Error("the newest is not found")
		}
		if named("test7"); kept.Again() != again+1 {
			t.Error("the oldest is kept")
		}
		if named("test7"); kept.Again() != again+2 {
			t.Error("what comes again is not kept")
		}
	}
}

// TestPrecedentsOfOneKernel: texts of which the kernels are the same have one entry, and their precedents go one by one.
func TestPrecedentsOfOneKernel(t *testing.T) {
	kept, host := &kernel.Translations{Most: 50 << 10}, new(float64)
	text := before + "function(e, p, v, ctx)\np.x = p.x + ctx.dt end }"
	var last sharedText
	for range 300 {
		last = studied(t, text)
		if _, err := last.translate(kept, true, host); err != nil {
			t.Fatal(err)
		}
		if err := kept.Sound(); err != nil {
			t.Fatal(err)
		}
	}
	if n := kept.Precedents(); kept.Len() != 1 || n < 10 || n > 200 {
		t.Errorf("%d precedents of %d kernels are kept", n, kept.Len())
	}
	if again := kept.Again(); again != 299 {
		t.Errorf("the kernel was asked for %d times again", again)
	}
}

// TestPrecedentsAtTheSameTime: hosts that come to kernels and precedents while others push them out leave all in order.
func TestPrecedentsAtTheSameTime(t *testing.T) {
	kept, text := &kernel.Translations{Most: 2 << 10}, before+"function(e, p, v, ctx)\np.x = p.x + speed * %d end }"
	var texts []sharedText
	for i := range 20 {
		texts = append(texts, studied(t, fmt.Sprintf(text, i)))
	}
	var all sync.WaitGroup
	for from := range 4 {
		all.Go(func() {
			for i := range 200 {
				if _, err := texts[(from*3+i*7)%len(texts)].translate(kept, true, new(float64)); err != nil {
					t.Error(err)
				}
				if err := kept.Sound(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestWhatIsTriedServesInTheSameOrder: of more kernels than a dry run has room for, the first ones are known to the step that asks
// for all in the same order, whether hosts share translations or not; and what other hosts have made is not.
func TestWhatIsTriedServesInTheSameOrder(t *testing.T) {
	const n = 20
	var texts []sharedText
	for i := range n {
		texts = append(texts, studied(t, fmt.Sprintf("%sfunction(e, p, v, ctx)\np.x = p.x + %d end }", before, i)))
	}
	for what, shared := range map[string]*kernel.Translations{"alone": nil, "shared": {}} {
		lower := func(tried *kernel.Tried, s sharedText) *kernel.Lowered {
			l, err := tried.Lower(s.facts, s.each, s.signature(true, new(float64)))
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		tried := kernel.NewTried(shared, 1200)
		for _, s := range texts {
			if l := lower(tried, s); l.Known() {
				t.Errorf("%s: a kernel is known before it was kept", what)
			} else {
				tried.Keep(l)
			}
		}
		known := 0
		for i, s := range texts {
			if lower(tried, s).Known() {
				known++
			} else if known < i {
				break
			}
		}
		if known < 3 || known == n {
			t.Errorf("%s: %d of %d kernels are known", what, known, n)
		}
		if lower(kernel.NewTried(shared, 1200), texts[0]).Known() {
			t.Errorf("%s: a kernel is known that others have made", what)
		}
	}
}
