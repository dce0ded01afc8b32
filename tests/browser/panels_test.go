package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTimesWhilePaused: the list of systems keeps its figures when the game is paused, and when the panel is opened then.
func TestTimesWhilePaused(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse && perigee.series.mean.length > 4`)
	g.do(ctx, click("#tab-systems"))
	const shown = `[...document.querySelectorAll('tbody tr:not(.group)')].filter(r => r.children[3].textContent && r.children[4].textContent).length > 20`
	g.until(ctx, shown)
	g.do(ctx, click("#pause"))
	g.until(ctx, `perigee.pulse.paused && perigee.pulse.ticks === 0 && document.querySelector('button.alone')`)
	if !eval[bool](g, ctx, shown) {
		t.Error("the times are gone while the game is paused")
	}
	g.do(ctx, click("#tab-world"), click("#tab-systems"))
	g.until(ctx, `document.querySelector('button.alone')`)
	if !eval[bool](g, ctx, shown+` && [...document.querySelectorAll('tbody tr:not(.group)')].some(r => r.children[5].textContent)`) {
		t.Error("there are no times in a panel that was opened while the game is paused")
	}
}

// TestComparingWithGaps: the ticks that the panel of time proposes go along with the game, and a tick that was thinned out is
// compared by the one next to it.
func TestComparingWithGaps(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse && perigee.pulse.rewind`)
	g.do(ctx, click("#keep"))
	g.until(ctx, `perigee.timeline.state.ticks.length > 5`)
	g.do(ctx, click("#tab-time"))
	g.js(ctx, `window.proposed = +document.querySelector('.compare [aria-label="the later tick"]').value`)
	g.until(ctx, `(t => t.some((tick, i) => i && tick > t[i - 1] + 1))(perigee.timeline.state.ticks)`)
	if !eval[bool](g, ctx, `+document.querySelector('.compare [aria-label="the later tick"]').value > proposed`) {
		t.Error("the tick that is proposed stays behind")
	}
	g.js(ctx, `const ticks = perigee.timeline.state.ticks, from = document.querySelector('.compare [aria-label="the earlier tick"]');
		from.value = ticks.find((tick, i) => i && tick > ticks[i - 1] + 1) - 1; from.dispatchEvent(new Event('input'));
		document.querySelector('.compare').requestSubmit()`)
	g.until(ctx, `document.querySelector('#panel details.card') || document.querySelector('#panel div > .problem')?.textContent`)
	if text := eval[string](g, ctx, `[...document.querySelectorAll('#panel .problem')].map(p => p.textContent).join('')`); text != "" {
		t.Errorf("the comparison says %q", text)
	}
}

// TestOnAPhone: what stands in the bar of time is not cut off, and what is said of a system leaves room for the picture.
func TestOnAPhone(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(390, 844, 2, true, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse && perigee.pulse.rewind`)
	g.do(ctx, click("#keep"))
	g.until(ctx, `perigee.timeline.state.ticks.length > 5`)
	g.js(ctx, `document.querySelector('#ago').textContent = 'tick 123,456 · now · 30.0 s kept'`)
	if eval[bool](g, ctx, `(e => e.scrollWidth > e.clientWidth)(document.querySelector('#ago'))`) {
		t.Error("the tick in the bar of time is cut off")
	}
	g.js(ctx, `document.querySelector('#tab-systems').click(); document.querySelector('.segments [data-key=order]').click()`)
	g.until(ctx, `document.querySelectorAll('.plan .box').length > 20`)
	if eval[bool](g, ctx, `[...document.querySelectorAll('.foot button')].some(b => b.clientHeight > 30)`) {
		t.Error("a button has two lines")
	}
	g.js(ctx, `[...document.querySelectorAll('.box')].find(b => b.textContent.startsWith('damage.apply')).click()`)
	g.until(ctx, `document.querySelector('.plan-detail')?.textContent.includes('Not at the same time')`)
	if eval[bool](g, ctx, `document.querySelector('.plan-detail').clientHeight > .55 * document.querySelector('#panel').clientHeight`) {
		t.Error("what is said of a system hides the picture")
	}
	g.narrow(ctx)
	g.shot(ctx, "phone-order")
}

// TestWhyOfTheConsole: a text that was typed has no file to be opened, and is no link.
func TestWhyOfTheConsole(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse`)
	g.js(ctx, `import('/page/api.js').then(async a => {
		await a.call('POST', '/time', { paused: true });
		await a.call('POST', '/journal', { on: true });
		const typed = await a.call('POST', '/console', { text: 'local e = ecs.spawn(Position { x = 1 }) ecs.set(e, Position { x = 2 }) return e' });
		perigee.select(typed.values[0].entity);
	})`)
	g.until(ctx, `document.querySelectorAll('#panel details').length > 0`)
	g.js(ctx, `[...document.querySelectorAll('#panel details')].at(-1).open = true`)
	g.until(ctx, `document.querySelector('.why .by')?.textContent.includes('console:1')`)
	if eval[bool](g, ctx, `[...document.querySelectorAll('.why .by button')].some(b => b.textContent.includes('console'))`) {
		t.Error("a text that was typed is a link to a file")
	}
}
