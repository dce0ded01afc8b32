// The panel of time: what is kept of earlier ticks, and what two of them have different.
import { get } from './api.js';
import { bytes, count, el, slotOf } from './dom.js';
import { learned, named, refers } from './fields.js';

let result = null; // survives a change of tabs

export function time(panel, app) {
  const t = app.timeline, s = t.state;
  let closed = false, follows = !result; // the ticks that are proposed go along with the game, until somebody has chosen some
  const kept = el('span'), used = el('i'), box = el('div.bar', { role: 'img' }, used), keep = el('button', { onclick: () => t.keep(!s.keeping) });
  const from = el('input', { type: 'number', min: 0, 'aria-label': 'the earlier tick' }), to = el('input', { type: 'number', min: 0, 'aria-label': 'the later tick' });
  const go = el('button.go', { type: 'submit' }, 'compare'), out = el('div'), problem = el('div.problem');
  const use = (input, word) => el('button', { type: 'button', title: 'take the tick that is shown', onclick: () => { input.value = shown(); follows = false; } }, word);
  const shown = () => s.looking ? s.at : s.newest;
  panel.append(
    el('h2', 'EARLIER TICKS'), el('div.card', el('div', kept, keep), el('div.pad', box, problem)),
    el('h2', 'COMPARE TWO TICKS'),
    el('form.compare', { noValidate: true, onsubmit: e => { e.preventDefault(); compare(); } }, from, use(from, 'this'), el('span', '→'), to, use(to, 'this'), go), out,
    el('h2', 'KEYS'),
    el('dl.keys', ...[[', and .', 'a tick back, a tick on'], ['< and >', 'a second back, a second on'], ['w', 'watch again'], ['m', 'mark this tick, to compare'],
      ['n', 'back to now'], ['r', 'run on from here']].filter(k => k[0] !== 'r' || app.pulse && app.pulse.edit).flatMap(([k, what]) => [el('dt', ...k.split(' and ').flatMap((c, i) => i ? [' ', el('kbd', c)] : [el('kbd', c)])), el('dd', what)])));

  /** The older ticks get gaps: there, the kept one next to it is meant. */
  const meant = tick => tick > s.oldest && tick < s.newest ? t.nearest(tick) : tick;
  function propose() {
    from.value = s.mark || Math.max(s.oldest, t.nearest(shown() - Math.round(1 / s.step))) || 0;
    to.value = shown();
  }
  async function compare() {
    go.disabled = true;
    try {
      await t.refresh();
      if (follows) propose();
      follows = false;
      from.value = meant(+from.value); to.value = meant(+to.value);
      result = await get(`/rewind/changes?from=${+from.value}&to=${+to.value}`);
      await learned(result.components.map(c => c.name));
      if (!closed) show();
    } catch (e) { if (!closed) { result = null; out.replaceChildren(el('div.problem', e.message)); } }
    go.disabled = false;
  }

  const link = (id, tick) => el('button.chip', { title: 'look at it in this tick', onclick: () => t.look(tick).then(() => app.select(id)) }, '#' + slotOf(id));
  const some = (title, ids, n, tick, kind) => n ? el('div.chips', el('b.' + kind, `${count(n)} ${title}`), ...ids.slice(0, 16).map(id => link(id, tick)), n > 16 ? el('small', `and ${count(n - 16)} more`) : null) : null;
  const short = v => /^-?\d+\.\d{3,}$/.test(v) ? String(+(+v).toPrecision(6)) : v.length > 60 ? v.slice(0, 59) + '…' : v;
  function difference(was, is, entity) {
    if (entity) [was, is] = [was, is].map(v => /^(0|\d+v\d+)$/.test(v) ? named(parseInt(v)) : v);
    const d = was !== '' && is !== '' ? +is - +was : NaN;
    return el('span.change', el('s', short(was) || '–'), ' → ', el('b', short(is) || '–'), Number.isFinite(d) && d ? el('small' + (d > 0 ? '.up' : '.down'), (d > 0 ? '+' : '') + +d.toPrecision(4)) : null);
  }
  function show() {
    const r = result, gap = t.seconds(Math.abs(r.to - r.from));
    const nothing = !r.new && !r.gone && !r.changed && !r.in_scripts && !r.resources.length;
    out.replaceChildren(...[
      el('div.foot', el('span', `tick ${count(r.from)} → ${count(r.to)}, ${gap.toFixed(2)} s`), el('span', `${count(r.changed)} changed`)),
      some('new', r.new_ids, r.new, r.to, 'good'), some('gone', r.gone_ids, r.gone, r.from, 'bad'),
      nothing && el('div.empty', 'nothing is different'),
      ...r.components.map(c => el('details.card', { open: (c.fields[0] ? c.fields[0].changed : 0) <= 60 }, el('summary', el('b', c.name), el('small', [c.got && `+${count(c.got)}`, c.lost && `−${count(c.lost)}`, c.fields.length && `${count(Math.max(...c.fields.map(f => f.changed)))} changed`].filter(Boolean).join(' · '))),
        ...c.fields.map(f => el('div.field', el('div.head', el('span', f.field || c.name), el('small', count(f.changed))), ...f.examples.map(x => el('div.example', link(x.entity, r.to), difference(x.was, x.is, refers(c.name, f.field)))))))),
      r.in_scripts ? el('details.card', { open: r.in_scripts <= 60 }, el('summary', el('b', 'what scripts keep'), el('small', count(r.in_scripts))), el('div.field', ...r.scripts.map(x => el('div.example.wide', el('span.way', x.name), difference(x.was, x.is))))) : null,
      r.resources.length ? el('details.card', el('summary', el('b', 'resources'), el('small', count(r.resources.length))), el('div.field', ...r.resources.map(x => el('div.example', el('span.way', x.name), difference(x.was, x.is))))) : null,
    ].filter(Boolean));
  }
  function state() {
    keep.textContent = s.keeping ? 'stop keeping' : 'keep them';
    kept.textContent = s.keeping ? `${count(s.kept || 0)} ticks · ${t.seconds(s.newest - s.oldest).toFixed(1)} s` : 'are not kept';
    const part = s.keeping && s.most ? s.bytes / s.most : 0;
    used.style.width = (part * 100).toFixed(1) + '%';
    box.title = box.ariaLabel = `${bytes(s.bytes || 0)} of ${bytes(s.most || 0)}`;
    problem.textContent = s.error || '';
    for (const b of [from, to]) if (s.keeping && s.newest && +b.value > s.newest) b.value = shown(); // it was given up
    if (result && s.newest && Math.max(result.from, result.to) > s.newest) { result = null; out.replaceChildren(); }
    go.disabled = !s.keeping;
  }
  propose();
  if (result) { from.value = s.mark || result.from; to.value = result.to; show(); }
  from.oninput = to.oninput = () => { follows = false; };
  state();
  let marked = s.mark;
  return {
    pulse() {
      if (follows) propose();
      state();
      if (s.mark !== marked) { marked = s.mark; if (marked) from.value = marked; }
    },
    looked() { if (s.looking) to.value = s.at; },
    close() { closed = true; },
  };
}
