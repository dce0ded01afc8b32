// The panel of systems: how long each takes, as a line, in running order or the slowest first; their order as a picture;
// and ticks, run by run.
import { call, get } from './api.js';
import { count, el, segments, spark, time, toast } from './dom.js';
import { schedule } from './schedule.js';
import { ticks } from './ticks.js';

let slowest = false, view = 'times'; // both survive a change of tabs
const each = new Map(); // rows of a system in a tick: so do they

export function systems(panel, app) {
  const box = el('div'), views = { times, order: schedule, ticks };
  let current = null;
  const show = key => { if (current) current.close(); box.replaceChildren(); view = key; current = views[key](box, app); if (app.pulse) current.pulse(app.pulse); };
  panel.append(segments({ times: 'times', order: 'order', ticks: 'ticks' }, view, show), box);
  show(view);
  return { pulse(p) { current.pulse(p); }, close() { current.close(); } };
}

/** The states of a system that has failed. */
const means = {
  monitoring: s => `it has failed in its last run (${count(s.failures)} times so far), but not often enough to be parked: it goes on, and is healthy again after a run without a failure`,
  parked: s => `it has failed too often (${count(s.failures)} times so far), and does not run until it is tried again${s.script ? ', or its script is loaded anew' : ''}`,
  'half-open': () => 'it was parked, and is being tried again: it is healthy if that goes well, and parked for longer if it has failed again',
  blocked: s => `it does not run, since a system that it requires does not${s.blocker ? ': ' + s.blocker : ''}`,
};

/** The list, with how long each system takes. */
function times(panel, app) {
  const order = el('button', { onclick: () => { slowest = !slowest; label(); fill(); } });
  const label = () => { order.textContent = slowest ? 'slowest first' : 'in running order'; };
  label();
  const graph = spark(420, 64, 'var(--accent)'), peak = spark(420, 64, 'var(--warm)'), legend = el('div.foot');
  const body = el('tbody');
  panel.append(el('h2', 'A TICK, THE LAST 15 SECONDS'), el('div.card', el('div', legend), graph), el('h2', 'WHERE THE TIME GOES'), el('div.foot', el('span', ''), order),
    el('table', el('thead', el('tr', el('th', ''), el('th', 'system'), el('th', ''), el('th.n', 'a tick'), el('th.n', 'at most'), el('th.n', 'rows'))), body));
  let list = [], rows = new Map(), closed = false, beats = 0;
  const mark = s => !s.script && !s.kernel ? el('span.tag', 'go') : s.kernel && s.kernel.compiled ? el('span.tag.wasm', { title: s.kernel.reason || 'compiled' }, s.kernel.reason ? 'wasm*' : 'wasm')
    : s.kernel ? el('span.tag.vm', { title: s.kernel.reason }, 'vm') : el('span.tag', 'lua');

  /** The state of what has failed; a click says what it means. */
  const health = s => {
    const text = means[s.health] ? means[s.health](s) : s.health;
    return el('button.tag.' + s.health, { type: 'button', title: text, 'aria-label': `${s.health}: ${text}`, onclick: e => { e.stopPropagation(); toast(`${s.name}, ${s.health}: ${text}`); } }, s.health);
  };

  /** What switches a system on and off, if that is allowed. */
  const control = s => app.pulse && app.pulse.edit ? el('input', {
    type: 'checkbox', checked: s.enabled, title: s.enabled ? 'it runs: click to switch it off' : 'it is switched off: click to let it run', 'aria-label': s.name,
    onchange: () => call('PATCH', '/systems/' + encodeURIComponent(s.name), { enabled: !s.enabled }).then(refresh).catch(e => { toast(e.message); refresh(); }),
  }) : s.enabled ? '' : el('span.tag', 'off');

  /** What makes a step of one system, while the game is paused. */
  const alone = s => app.pulse && app.pulse.edit && app.pulse.control && app.pulse.paused && s.enabled && el('button.alone', {
    title: 'one tick in which this system alone runs', 'aria-label': 'run ' + s.name + ' alone for a tick',
    onclick: e => { e.stopPropagation(); call('POST', '/time', { steps: 1, only: s.name }).then(refresh).catch(e => toast(e.message)); },
  }, '▶');

  function fill() {
    rows = new Map();
    const all = slowest ? [...list].sort((a, b) => mean(b.name) - mean(a.name)) : list;
    let group = '';
    body.replaceChildren(...all.flatMap(s => {
      const line = spark(76, 20), n = { time: el('td.n'), max: el('td.n'), rows: el('td.n'), line };
      const name = el('td.name', s.name, mark(s), s.health !== 'healthy' && health(s));
      if (s.script) { name.title = s.script + (s.kernel && s.kernel.reason ? `:${s.kernel.line}: ${s.kernel.reason}` : ''); name.onclick = () => app.openScript(s.script, s.kernel ? s.kernel.line : 0); name.style.cursor = 'pointer'; }
      const tr = el('tr', el('td.switch', control(s), alone(s)), name, el('td', line), n.time, n.max, n.rows);
      if (!s.enabled) tr.className = 'off';
      rows.set(s.name, n);
      const head = (s.fixed ? 'fixed ' : '') + s.phase;
      if (slowest || head === group) return [tr];
      group = head;
      return [el('tr.group', el('td', { colSpan: 6 }, head)), tr];
    }));
    numbers(app.pulse);
  }
  const mean = name => { const l = app.series.systems.get(name); return l && l.length ? l.reduce((a, b) => a + b) / l.length : 0; };
  function numbers(p) {
    if (!p) return;
    if (p.ticks) for (const t of p.times) each.set(t.name, Math.round(t.rows / p.ticks));
    for (const [name, n] of rows) { // also while the game is paused: then these are of its last ticks
      const series = app.series.systems.get(name);
      if (!series) continue;
      n.line.draw(series);
      n.time.textContent = time(mean(name));
      n.max.textContent = time(Math.max(...app.series.longest.get(name)));
      n.rows.textContent = each.get(name) ? count(each.get(name)) : '';
    }
    graph.draw(app.series.mean);
    const m = app.series;
    if (m.mean.length) legend.replaceChildren(el('span', 'mean ' + time(m.mean.reduce((a, b) => a + b) / m.mean.length)), el('span', 'longest ' + time(Math.max(...m.max))));
  }
  async function refresh() {
    try { list = (await get('/systems')).systems; } catch (e) { return; }
    if (!closed) fill();
  }
  refresh();
  let paused = false;
  return { pulse(p) { if (++beats % 12 === 0 || p.paused !== paused) { paused = p.paused; refresh(); } else numbers(p); }, close() { closed = true; } };
}
