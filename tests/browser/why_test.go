package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestWhy asks which system and line has changed an entity: what it got, what wrote its values, who ended it.
func TestWhy(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.pulse && perigee.view.state.sprites > 8000`)
	g.js(ctx, `document.querySelector('details.card summary').click()`)
	g.until(ctx, `document.querySelector('.why + .foot button')`)
	g.js(ctx, `document.querySelector('.why + .foot button').click()`)
	g.until(ctx, `document.querySelectorAll('.why .despawn').length > 0 && document.querySelectorAll('.why .by .chip').length > 3`)
	g.js(ctx, `document.querySelector('details.card').scrollIntoView()`)
	g.shot(ctx, "why-all")

	// A ship, its values, and its end.
	g.js(ctx, `const q = document.querySelector('.query input'); q.value = 'Health, Velocity'; document.querySelector('.query').requestSubmit()`)
	g.until(ctx, `document.querySelectorAll('.row').length > 5 && [...document.querySelectorAll('.row span')].every(r => !r.textContent.includes('Label'))`)
	g.js(ctx, `document.querySelector('.row').click()`)
	g.until(ctx, `document.querySelector('h2') && document.querySelector('h2').textContent.startsWith('ENTITY')`)
	g.js(ctx, `document.querySelector('details.card').open = true`)
	g.until(ctx, `document.querySelector('.why + .foot input')`)
	g.js(ctx, `document.querySelector('.why + .foot input').click()`)
	g.until(ctx, `document.querySelectorAll('.why .write').length >= 2`)
	g.js(ctx, `document.querySelector('.why').scrollIntoView()`)
	g.shot(ctx, "why")
	g.js(ctx, `[...document.querySelectorAll('.foot button')].find(b => b.textContent === 'despawn').click()`)
	g.until(ctx, `document.querySelector('.why .despawn') && document.querySelector('h2 .tag.parked')`)
	g.shot(ctx, "why-despawned")
	g.do(ctx, screen(390, 844, 2, true, "light"))
	g.js(ctx, `document.querySelector('.why').scrollIntoView()`)
	g.shot(ctx, "why-phone")

	// A line leads to its script.
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.js(ctx, `[...document.querySelectorAll('.foot button')].find(b => b.textContent === '← all entities').click()`)
	g.until(ctx, `document.querySelectorAll('.why .by .chip').length > 0`)
	g.shot(ctx, "why-light")
	g.js(ctx, `document.querySelector('.why .by .chip').click()`)
	g.until(ctx, `document.querySelectorAll('.code > div').length > 3`)
	g.quiet()
}
