package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// key is a press of a key, with the focus where it is.
func (g *game) key(name string) string {
	return fmt.Sprintf(`(document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true, cancelable: true }))`, name)
}

// TestRewinding goes back in time on the page: with the slider, with buttons and with keys; it looks at
// an entity there, compares two ticks, watches again, comes back, and runs on from an earlier tick.
func TestRewinding(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.view.state.sprites > 8000 && perigee.pulse && perigee.pulse.rewind`)
	if keeps := eval[bool](g, ctx, `perigee.pulse.rewind.keeping || !document.querySelector('#scrub').hidden`); keeps {
		t.Error("ticks are kept that nobody has asked for")
	}
	g.shot(ctx, "rewind-off")
	g.do(ctx, click("#keep"))
	g.until(ctx, `perigee.timeline.state.ticks.length > 90`)
	g.shot(ctx, "rewind-live")

	// The slider: the picture, the top and the entities are of the tick.
	g.js(ctx, `perigee.select((perigee.pulse.selected, 0)); const w = document.querySelector('#when'), s = perigee.timeline.state; w.value = s.newest - 60; w.oninput(); w.onchange()`)
	g.until(ctx, `document.body.classList.contains('looking') && perigee.pulse.paused && perigee.pulse.tick === perigee.timeline.state.at`)
	g.until(ctx, `perigee.view.state.tick === perigee.timeline.state.at`)
	g.until(ctx, `document.querySelector('#badge').textContent.includes('s ago')`)
	g.do(ctx, click("#tab-entities"))
	g.js(ctx, `document.querySelector('.query input').value = 'Carrier, Health.hp > 1'; document.querySelector('.query').requestSubmit()`)
	g.until(ctx, `document.querySelectorAll('#panel .row').length > 0 && document.querySelectorAll('#panel .row').length < 10`)
	g.js(ctx, `document.querySelector('#panel .row').click()`)
	g.until(ctx, `document.querySelectorAll('#panel .card').length > 4`)
	g.shot(ctx, "rewind-look")
	x := func() float64 {
		return eval[float64](g, ctx, `import('/page/api.js').then(a => a.get('/entities/' + perigee.selected)).then(e => e.components.Position.x)`)
	}
	at := func() float64 { return eval[float64](g, ctx, `perigee.timeline.state.at`) }

	// Keys: a tick and a second back, and on; the entity is elsewhere, and is there again.
	tick, place := at(), x()
	g.js(ctx, g.key(","))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at === %v`, tick-1))
	g.js(ctx, g.key("<"))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at < %v`, tick-20))
	if x() == place {
		t.Errorf("the entity was at %g a second ago, too", place)
	}
	g.js(ctx, g.key(">"))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at > %v`, tick-10))
	for n := 0; at() != tick; n++ {
		was := at()
		g.js(ctx, g.key(map[bool]string{true: ".", false: ","}[was < tick]))
		g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at !== %v`, was))
		if n > 40 {
			t.Fatalf("tick %g, want %g", at(), tick)
		}
	}
	if now := x(); now != place {
		t.Errorf("the entity is at %g in tick %g, and was at %g", now, tick, place)
	}

	// Two ticks compared: entities, and what scripts keep.
	g.js(ctx, g.key("<"))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at < %v`, tick-20))
	g.js(ctx, g.key("m"))
	g.js(ctx, g.key(">"))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.at > %v`, tick-10))
	g.js(ctx, g.key("5"))
	g.until(ctx, `document.querySelector('.compare .go')`)
	g.do(ctx, click(".compare .go"))
	g.until(ctx, `document.querySelectorAll('#panel details.card').length > 2 && document.querySelectorAll("#panel .example").length > 10 && [...document.querySelectorAll("#panel summary")].some(s => s.textContent.includes("what scripts keep"))`)
	if from, to := eval[float64](g, ctx, `+document.querySelectorAll('.compare input')[0].value`), eval[float64](g, ctx, `+document.querySelectorAll('.compare input')[1].value`); from != eval[float64](g, ctx, `perigee.timeline.state.mark`) || to != at() {
		t.Errorf("ticks %g and %g are compared", from, to)
	}
	g.js(ctx, `document.querySelector('#toast').classList.remove('on')`) // it would hide what the picture shows
	g.until(ctx, `getComputedStyle(document.querySelector('#toast')).opacity === '0'`)
	g.shot(ctx, "rewind-compare")
	g.js(ctx, `document.querySelector('#panel .example .chip').click()`)
	g.until(ctx, `perigee.selected && document.querySelector('#panel .card dd')`)

	// Watched again, and back to now: the game goes on where it stood.
	newest := eval[float64](g, ctx, `perigee.timeline.state.newest`)
	before := at()
	g.js(ctx, g.key("w"))
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.watching && perigee.timeline.state.at > %v + 3`, before))
	g.shot(ctx, "rewind-watch")
	g.js(ctx, g.key("w"))
	g.until(ctx, `!perigee.timeline.state.watching`)
	g.do(ctx, click("#now"))
	g.until(ctx, fmt.Sprintf(`!document.body.classList.contains('looking') && !perigee.pulse.paused && perigee.pulse.tick > %v`, newest))

	// An earlier tick becomes the present.
	g.until(ctx, `perigee.timeline.state.kept > 100`)
	g.js(ctx, `const s = perigee.timeline.state; perigee.timeline.look(perigee.timeline.nearest(s.newest - 80))`)
	g.until(ctx, `perigee.timeline.state.looking && !document.querySelector('#runfrom').disabled`)
	from, last := at(), eval[float64](g, ctx, `perigee.timeline.state.newest`)
	g.do(ctx, click("#editfrom"))
	g.until(ctx, fmt.Sprintf(`!perigee.timeline.state.looking && perigee.timeline.state.newest === %v && perigee.pulse.paused && perigee.pulse.tick === %v`, from, from))
	if !(from < last) {
		t.Errorf("from tick %g of %g", from, last)
	}
	g.js(ctx, `perigee.timeline.look(perigee.timeline.state.ticks[10])`)
	g.until(ctx, `perigee.timeline.state.looking`)
	g.js(ctx, g.key("r"))
	g.until(ctx, `!perigee.timeline.state.looking && !perigee.pulse.paused`)

	// A phone, in the light.
	g.until(ctx, `perigee.timeline.state.kept > 40`)
	g.do(ctx, screen(390, 844, 2, true, "light"))
	g.js(ctx, g.key(","))
	g.until(ctx, `perigee.timeline.state.looking && perigee.view.state.tick === perigee.timeline.state.at`)
	if wide := eval[bool](g, ctx, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page is wider than the phone")
	}
	if shown := eval[string](g, ctx, `getComputedStyle(document.querySelector('#stick')).display`); shown != "none" {
		t.Errorf("an earlier tick has a stick to play with: %s", shown)
	}
	g.shot(ctx, "rewind-phone")
	g.do(ctx, click("#tab-time"))
	g.until(ctx, `document.querySelector('.compare .go')`)
	g.shot(ctx, "rewind-phone-time")
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.do(ctx, click(".compare .go"))
	g.until(ctx, `document.querySelectorAll('#panel details.card').length > 2`)
	g.shot(ctx, "rewind-light")
	g.quiet()
}

// TestRewindingIsLooking: without Edit, the past is shown and cannot be gone on from; what is kept ends when it
// is switched off.
func TestRewindingIsLooking(t *testing.T) {
	g, ctx := play(t, false)
	g.do(ctx, chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.pulse && perigee.pulse.rewind`)
	g.do(ctx, click("#keep"))
	g.until(ctx, `perigee.timeline.state.ticks.length > 30`)
	g.do(ctx, click("#earlier"))
	g.until(ctx, `perigee.timeline.state.looking`)
	if shown := eval[bool](g, ctx, `!document.querySelector('#runfrom').hidden || !document.querySelector('#editfrom').hidden`); shown {
		t.Error("there is a button to run on")
	}
	tick := eval[float64](g, ctx, `perigee.timeline.state.newest`)
	g.js(ctx, g.key("r"))
	g.do(ctx, click("#pause"))
	g.until(ctx, fmt.Sprintf(`!perigee.timeline.state.looking && perigee.pulse.tick > %v`, tick))
	g.do(ctx, click("#tab-time"))
	g.until(ctx, `document.querySelector('#panel .card button').textContent === 'stop keeping'`)
	g.js(ctx, `document.querySelector('#panel .card button').click()`)
	g.until(ctx, `!perigee.timeline.state.keeping && !document.querySelector('#keep').hidden`)
	g.quiet()
}
