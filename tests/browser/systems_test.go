package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/perigee-ecs/perigee/ecs"
)

// between has a function called between two steps.
func (g *game) between(do func(w *ecs.World)) {
	g.Helper()
	done := make(chan bool)
	if !g.pace.Do(func() { defer close(done); do(g.host.World()) }) {
		g.Fatal("the loop has ended")
	}
	<-done
}

// narrow holds that the page is no wider than a screen.
func (g *game) narrow(ctx context.Context) {
	g.Helper()
	if eval[bool](g, ctx, `document.documentElement.scrollWidth > innerWidth || document.querySelector('#panel').scrollWidth > document.querySelector('#panel').clientWidth`) {
		g.Error("the page is wider than the screen")
	}
}

// mixers are systems of Go of which some run beside each other.
func mixers(w *ecs.World, n int) (list []ecs.System) {
	position, _ := w.Raw().ComponentNamed("Position")
	velocity, _ := w.Raw().ComponentNamed("Velocity")
	for k := range n {
		terms := [][]ecs.Term{{ecs.Read(position)}, {ecs.Read(velocity)}, {ecs.Read(position), ecs.Read(velocity)}, {ecs.Write(velocity)}}[min(k%8, 3)]
		q := w.Query(terms...)
		list = append(list, ecs.System{Name: fmt.Sprintf("mix.%03d", k), Phase: ecs.Audio, Parallel: true, Queries: []*ecs.Query{q}, Run: func(t *ecs.Tick) error {
			for end := time.Now().Add(time.Duration(1+k%8) * min(20, time.Duration(300/n)) * time.Microsecond); time.Now().Before(end); {
			}
			return nil
		}})
	}
	list[5].After = []string{"mix.000"}
	return list
}

// TestTheOrderOfSystems shows the schedule as a picture: who runs beside whom, who cannot, and why.
func TestTheOrderOfSystems(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.between(func(w *ecs.World) { must(t, w.Schedule().Add(mixers(w, 12)...)) })
	g.until(ctx, `window.perigee && perigee.pulse && perigee.view && perigee.view.state.sprites > 1000`)
	g.do(ctx, click("#tab-systems"))
	g.js(ctx, `document.querySelector('.segments [data-key=order]').click()`)
	g.until(ctx, `document.querySelectorAll('.plan .box').length > 40 && document.querySelector('.plan .box.critical') && perigee.series.mean.length > 6`)
	g.until(ctx, `document.querySelector('.column').title.startsWith('stage 1') && document.querySelector('#panel .foot span').textContent.includes('critical path')`)
	g.shot(ctx, "systems-order-top")
	g.js(ctx, `[...document.querySelectorAll('.box')].find(b => b.textContent.startsWith('mix.003')).click()`)
	g.until(ctx, `document.querySelector('.plan-detail b').textContent === 'mix.003' && [...document.querySelectorAll('.plan-detail .chips span')].some(s => s.textContent === 'both write Velocity') && document.querySelectorAll('.plan path.meet').length > 2`)
	if text := eval[string](g, ctx, `[...document.querySelectorAll('.plan-detail .chip')].find(b => b.textContent === 'mix.004').title`); text != `"mix.003" and "mix.004" both write "Velocity"` {
		t.Error(text)
	}
	g.js(ctx, `document.querySelector('.box.chosen').scrollIntoView({block: 'center'})`)
	g.shot(ctx, "systems-order-chosen")
	g.js(ctx, `[...document.querySelectorAll('.foot button')].find(b => b.textContent.includes('wide')).click()`)
	g.until(ctx, `document.body.matches('.wide') && document.querySelector('.plan').clientWidth > 900`)
	g.js(ctx, `document.querySelector('#panel').scrollTop = 0`)
	g.shot(ctx, "systems-order")

	// A phone, in the light; and three hundred systems more.
	g.do(ctx, screen(390, 844, 2, true, "light"))
	g.js(ctx, `document.querySelector('.box.chosen').scrollIntoView({block: 'center'})`)
	g.narrow(ctx)
	g.shot(ctx, "systems-order-phone")
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.between(func(w *ecs.World) {
		many := mixers(w, 300)
		must(t, w.Schedule().Change(names(many), many))
	})
	g.until(ctx, `document.querySelectorAll('.plan .box').length > 320`)
	g.js(ctx, `document.querySelector('#panel').scrollTop = 0; document.querySelector('.box.chosen').scrollIntoView({block: 'center'})`)
	g.shot(ctx, "systems-order-many")
	g.js(ctx, `document.querySelector('.segments [data-key=times]').click()`)
	g.until(ctx, `!document.body.matches('.wide') && document.querySelectorAll('#panel tbody tr').length > 320`)

	// A switch is there for each system.
	g.js(ctx, `document.querySelector('input[aria-label="mix.007"]').click()`)
	g.until(ctx, `document.querySelector('input[aria-label="mix.007"]') && !document.querySelector('input[aria-label="mix.007"]').checked && document.querySelector('tr.off')`)
	g.shot(ctx, "systems-switch")

	// While the game is paused, a button of each system makes a tick in which it alone runs.
	g.until(ctx, `!document.querySelector('button.alone')`)
	g.js(ctx, `document.querySelector('#pause').click()`)
	g.until(ctx, `document.querySelectorAll('button.alone').length > 300`)
	var runs, tick uint64
	look := func() (total, n uint64) {
		g.between(func(w *ecs.World) {
			for _, s := range w.Schedule().Stats(nil) {
				total += s.Runs + s.Skipped
			}
			_, n = w.Time()
		})
		return total, n
	}
	for total, n := look(); tick != n; total, n = look() { // steps that were due
		runs, tick = total, n
	}
	g.js(ctx, `document.querySelector('button.alone[aria-label*="mix.008"]').click()`)
	for total, n := look(); n != tick+1 || total != runs+1; total, n = look() {
		if n > tick+1 || ctx.Err() != nil {
			t.Fatalf("%d runs in %d ticks", total-runs, n-tick)
		}
	}
	g.shot(ctx, "systems-alone")
	g.quiet()
}

// names are the names of systems.
func names(list []ecs.System) (all []string) {
	for i := range list {
		all = append(all, list[i].Name)
	}
	return all
}

// TestTicksAsFlames shows the last ticks and the slowest, and one of them run by run.
func TestTicksAsFlames(t *testing.T) {
	g, ctx := play(t, false)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	slow := false // of the goroutine of the world
	g.between(func(w *ecs.World) {
		must(t, w.Schedule().Add(append(mixers(w, 8), ecs.System{Name: "hiccup", Phase: ecs.Physics, Run: func(*ecs.Tick) error {
			if slow {
				time.Sleep(150 * time.Millisecond)
			}
			slow = false
			return nil
		}})...))
	})
	g.until(ctx, `window.perigee && perigee.pulse`)
	g.do(ctx, click("#tab-systems"))
	g.js(ctx, `document.querySelector('.segments [data-key=ticks]').click()`)
	g.until(ctx, `document.querySelectorAll('.bars:not(.slow) button').length === 120 && document.querySelectorAll('.flame .run').length > 20`)
	g.between(func(*ecs.World) { slow = true })
	g.until(ctx, `document.querySelectorAll('.bars.slow button').length === 16 && / 1\d\d\.\d ms/.test(document.querySelector('.bars.slow button').title)`)
	// Among the last ones, it is higher than there is room: that is said.
	g.until(ctx, `[...document.querySelectorAll('.bars:not(.slow) button.cut')].some(b => / 1\d\d\.\d ms.*longer than its bar/.test(b.title))`)
	if text := eval[string](g, ctx, `document.querySelector('.cut-legend').textContent`); !strings.Contains(text, "longer than") || !strings.Contains(text, "up to 1") {
		t.Errorf("below the bars, there is %q", text)
	}
	g.shot(ctx, "systems-ticks-cut")
	g.js(ctx, `document.querySelector('.bars.slow button').click()`)
	g.until(ctx, `document.querySelector('#panel tbody td').textContent === 'hiccup'`)
	g.js(ctx, `document.querySelector('.flame [data-about^=hiccup]').dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))`)
	g.until(ctx, `/^hiccup: 1\d\d\.\d ms, at /.test(document.querySelector('.flame-info').textContent)`)
	g.shot(ctx, "systems-ticks-slow")
	g.js(ctx, `document.querySelector('.flame .phase').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	g.until(ctx, `!document.querySelectorAll('#panel .foot span button')[1].disabled`)
	g.shot(ctx, "systems-ticks-zoom")
	g.js(ctx, `const b = document.querySelectorAll('#panel .foot span button'); b[1].click(); b[0].click(); b[2].click()`)
	g.until(ctx, `document.body.matches('.wide') && document.querySelector('.flame').clientWidth > 900 && !/hiccup/.test(document.querySelector('#panel tbody td').textContent)`)
	g.do(ctx, click("#pause"))
	g.until(ctx, `perigee.pulse.paused`)
	g.shot(ctx, "systems-ticks")
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.shot(ctx, "systems-ticks-light")
	g.do(ctx, screen(390, 844, 2, true, "dark"))
	g.narrow(ctx)
	g.shot(ctx, "systems-ticks-phone")
	g.quiet()
}

// TestEntitiesAsATree opens branches by parent and by another relation, and selects in them.
func TestEntitiesAsATree(t *testing.T) {
	g, ctx := play(t, false)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.between(func(w *ecs.World) {
		top := w.Spawn()
		for n := range 250 {
			e := w.Spawn()
			must(t, w.SetParent(e, top))
			if n < 3 {
				must(t, w.SetParent(w.Spawn(), e))
			}
		}
		targets, err := w.Relation("Targets", ecs.RelationOptions{})
		must(t, err)
		a, b := w.Spawn(), w.Spawn()
		must(t, targets.Set(a, b))
		must(t, targets.Set(b, a))
	})
	g.until(ctx, `window.perigee && perigee.pulse && document.querySelector('.segments')`)
	g.js(ctx, `document.querySelector('.segments [data-key=tree]').click()`)
	g.until(ctx, `document.querySelector('.tree .branch') && [...document.querySelectorAll('.branch small')].some(s => s.textContent === '250')`)
	g.js(ctx, `[...document.querySelectorAll('.branch')].find(b => b.textContent.endsWith('250')).querySelector('.fold').click()`)
	g.until(ctx, `document.querySelectorAll('.tree .branch').length > 100 && document.querySelector('.tree .more')`)
	g.js(ctx, `[...document.querySelectorAll('.branch')].filter(b => b.style.paddingLeft === '20px')[0].querySelector('.fold').click()`)
	g.until(ctx, `[...document.querySelectorAll('.branch')].some(b => b.style.paddingLeft === '36px')`)
	g.js(ctx, `document.querySelector('.branch small').scrollIntoView(); [...document.querySelectorAll('.branch')].find(b => b.textContent.endsWith('250')).scrollIntoView({block: 'center'})`)
	g.shot(ctx, "entities-tree")
	g.do(ctx, screen(390, 844, 2, true, "light"))
	g.narrow(ctx)
	g.shot(ctx, "entities-tree-phone")
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.js(ctx, `document.querySelector('.tree .more').click()`)
	g.until(ctx, `document.querySelectorAll('.tree .branch').length > 200`)

	// Another relation, which comes round.
	g.js(ctx, `const s = document.querySelector('#panel select'); s.value = 'Targets'; s.onchange()`)
	g.until(ctx, `document.querySelectorAll('.tree .branch').length === 1`)
	g.js(ctx, `document.querySelector('.fold').click()`)
	g.until(ctx, `document.querySelectorAll('.tree .branch').length === 2`)
	g.js(ctx, `document.querySelectorAll('.fold')[1].click()`)
	g.until(ctx, `document.querySelectorAll('.tree .branch').length === 3 && document.querySelectorAll('.branch')[2].textContent.startsWith('↻')`)
	g.shot(ctx, "entities-tree-light")
	g.js(ctx, `document.querySelector('.branch .name').click()`)
	g.until(ctx, `perigee.selected && document.querySelector('h2') && document.querySelector('h2').textContent.startsWith('ENTITY')`)
	g.quiet()
}
