// The bar below the game: earlier ticks, to look at, to watch again, and to run on from.
import { call, get } from './api.js';
import { bytes, count, el, toast } from './dom.js';

const $ = id => document.getElementById(id);

export function timeline(app) {
  const bar = $('timeline'), slider = $('when'), strip = $('strip'), label = $('ago');
  const s = { keeping: false, looking: false, ticks: [], at: 0, newest: 0, oldest: 0, step: 1 / 60, mark: 0, watching: false };
  let resumes = false, wanted = null, busy = false, fetched = 0, dragging = false;

  const seconds = ticks => ticks * s.step;
  const ago = t => { const n = seconds(s.newest - t); return n < .005 ? 'now' : n < 10 ? n.toFixed(2) + ' s ago' : n.toFixed(1) + ' s ago'; };
  /** The kept tick that is next to a number. */
  function nearest(t) {
    let lo = 0, hi = s.ticks.length - 1;
    if (hi < 0) return t;
    while (lo < hi) { const m = (lo + hi) >> 1; if (s.ticks[m] < t) lo = m + 1; else hi = m; }
    return lo > 0 && t - s.ticks[lo - 1] < s.ticks[lo] - t ? s.ticks[lo - 1] : s.ticks[lo];
  }

  function take(r) {
    const was = s.looking;
    Object.assign(s, { keeping: r.keeping, looking: r.looking, at: r.at, oldest: r.oldest, newest: r.newest, kept: r.kept, bytes: r.bytes, most: r.most_bytes, mostTicks: r.most_ticks, error: r.error || '', notes: r.notes || [] });
    if (r.ticks) { s.ticks = r.ticks; fetched = performance.now(); }
    if (was && !s.looking) s.watching = false;
    draw();
  }

  function draw() {
    document.body.classList.toggle('looking', s.looking);
    bar.classList.toggle('on', s.keeping);
    $('keep').hidden = s.keeping;
    $('scrub').hidden = !s.keeping;
    if (!s.keeping) {
      $('keep').lastElementChild.textContent = `keep the last ${seconds(s.mostTicks).toFixed(0)} s, to go back in time`;
      return;
    }
    slider.min = s.oldest; slider.max = Math.max(s.newest, s.oldest + 1);
    if (!dragging) slider.value = s.looking ? s.at : slider.max;
    words(s.looking ? s.at : s.newest);
    $('now').disabled = !s.looking;
    for (const id of ['runfrom', 'editfrom']) { $(id).hidden = !(app.pulse && app.pulse.edit); $(id).disabled = !s.looking || s.at === s.newest; }
    $('watch').classList.toggle('on', s.watching);
    $('watch').setAttribute('aria-pressed', s.watching);
    $('earlier').disabled = !(s.looking ? s.at > s.oldest : s.kept > 1);
    $('later').disabled = !s.looking || s.at === s.newest;
    paint();
  }
  function words(tick) {
    const text = s.error ? 'nothing is kept: ' + s.error : `tick ${count(tick)}` + (s.looking || dragging ? ` · ${ago(tick)}` : ` · now · ${seconds(s.newest - s.oldest).toFixed(1)} s kept`);
    if (label.textContent !== text) label.textContent = text;
    label.classList.toggle('bad', !!s.error);
    slider.setAttribute('aria-valuetext', text);
    $('badge').textContent = `◷ ${ago(tick)}`;
  }
  /** Where there are ticks: dense where all are kept, with gaps where old ones were thinned out. */
  function paint() {
    const r = Math.min(devicePixelRatio || 1, 2), w = Math.round(strip.clientWidth * r), h = Math.round(strip.clientHeight * r);
    if (!w) return;
    if (strip.width !== w || strip.height !== h) { strip.width = w; strip.height = h; }
    const c = strip.getContext('2d'), look = getComputedStyle(document.documentElement), x = t => (t - s.oldest) / Math.max(1, s.newest - s.oldest) * (w - 2 * r);
    c.clearRect(0, 0, w, h);
    c.fillStyle = look.getPropertyValue('--line');
    c.fillRect(0, h / 2 - r / 2, w, r);
    c.fillStyle = look.getPropertyValue('--accent');
    for (const t of s.ticks) if (t >= s.oldest) c.fillRect(x(t), h * .2, Math.max(r, 1), h * .6);
    if (s.mark >= s.oldest && s.mark) { c.fillStyle = look.getPropertyValue('--good'); c.fillRect(x(s.mark) - r, 0, 3 * r, h); }
    if (s.looking) { c.fillStyle = look.getPropertyValue('--warm'); c.fillRect(x(s.at) - r, 0, 3 * r, h); }
  }

  // --- what is asked of the game: one thing at a time, and of looks only the last
  async function ask(body) {
    try { take(await call('POST', '/rewind', body)); return true; } catch (e) { toast(e.message); await refresh(); return false; }
  }
  async function look(tick) {
    if (!s.keeping || !s.kept) return;
    if (!s.looking && wanted === null) { resumes = !!app.pulse && !app.pulse.paused; if (app.view) app.view.release(); }
    wanted = tick;
    if (busy) return;
    busy = true;
    while (wanted !== null) {
      const next = wanted;
      if (!await ask({ look: next })) { wanted = null; s.watching = false; break; }
      if (wanted === next) wanted = null;
      app.looked();
    }
    busy = false;
  }
  async function back(go = resumes) {
    s.watching = false;
    wanted = null;
    if (!s.looking || !await ask({ back: true })) return;
    if (go) await call('POST', '/time', { paused: false }).catch(e => toast(e.message));
    app.looked();
  }
  async function runFrom(go) {
    if (!s.looking) return;
    s.watching = false;
    const at = s.at;
    if (!await ask({ run_from: at })) return;
    if (s.mark > at) s.mark = 0;
    if (s.notes.length) toast(s.notes.join('\n'));
    if (go) await call('POST', '/time', { paused: false }).catch(e => toast(e.message));
    app.looked();
  }
  async function refresh() {
    try { take(await get('/rewind')); } catch (e) { /* the next pulse says what is */ }
  }
  async function keep(on) {
    if (await ask({ keep: on }) && on) refresh();
  }
  /** One kept tick further, back for -1; or so many seconds. */
  async function move(by, time = 0) {
    if (!s.keeping) { if (by < 0) toast('no ticks are kept: switch it on below the game'); return; }
    s.watching = false;
    if (!s.looking) { await refresh(); if (by > 0 && !time) return; }
    const from = wanted !== null ? wanted : s.looking ? s.at : s.newest;
    if (time) return look(nearest(Math.min(s.newest, Math.max(s.oldest, from + Math.round(by * time / s.step)))));
    const k = s.ticks.indexOf(nearest(from)) + by;
    if (k >= 0 && k < s.ticks.length) return look(s.ticks[k]);
  }
  /** Shows the kept ticks one after another, at the speed of the game. */
  async function watch() {
    if (s.watching) { s.watching = false; draw(); return; }
    if (!s.looking) await refresh();
    const from = s.looking && s.at < s.newest ? s.at : s.oldest, began = performance.now();
    s.watching = true;
    await look(nearest(from));
    while (s.watching && s.looking && s.at < s.newest) {
      const speed = app.pulse && app.pulse.scale || 1, t = Math.min(s.newest, from + (performance.now() - began) / 1000 / s.step * speed), next = nearest(t);
      if (next !== s.at) await look(next);
      await new Promise(requestAnimationFrame);
    }
    s.watching = false;
    draw();
  }
  function mark() {
    s.mark = s.looking ? s.at : s.newest;
    toast(`tick ${count(s.mark)} is marked: the panel Time compares it`, true);
    paint();
    app.looked();
  }

  // --- what a person does
  slider.oninput = () => { dragging = true; s.watching = false; const t = nearest(+slider.value); words(t); look(t); };
  slider.onchange = () => { dragging = false; draw(); };
  slider.addEventListener('pointerdown', () => { if (!s.looking) refresh(); });
  slider.addEventListener('keydown', e => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[e.key];
    if (by) { e.preventDefault(); if (e.shiftKey) move(by, 1); else move(by); }
    if (e.key === 'Home') { e.preventDefault(); look(s.oldest); }
    if (e.key === 'End' || e.key === 'Escape') { e.preventDefault(); back(); }
  });
  $('keep').onclick = () => keep(true);
  $('earlier').onclick = () => move(-1);
  $('later').onclick = () => move(1);
  $('watch').onclick = watch;
  $('mark').onclick = mark;
  $('now').onclick = () => back();
  $('runfrom').onclick = () => runFrom(true);
  $('editfrom').onclick = () => runFrom(false);
  new ResizeObserver(paint).observe(strip);

  let first = null;
  return {
    state: s, look, back, move, watch, mark, runFrom, keep, nearest, refresh, seconds,
    pulse(p) {
      bar.hidden = !p.rewind || !p.control;
      if (bar.hidden) return;
      if (!p.rewind.looking && p.tick > 0) {
        if (!first || p.tick < first.tick) first = p;
        s.step = p.tick > first.tick ? (p.time - first.time) / (p.tick - first.tick) : p.time / p.tick || s.step;
      }
      if (!busy && !dragging) take(p.rewind);
      if (s.keeping && !s.looking && !busy && performance.now() - fetched > 900 && !document.hidden) { fetched = performance.now(); refresh(); }
    },
    /** How much is kept, in words. */
    summary: () => `${count(s.kept || 0)} ticks, ${seconds(s.newest - s.oldest).toFixed(1)} s, in ${bytes(s.bytes || 0)} of ${bytes(s.most || 0)}`,
  };
}
