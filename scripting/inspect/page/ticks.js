// Ticks, run by run: the last two seconds and the slowest as bars, and the chosen one as a flame chart with a lane for
// each worker.
import { get } from './api.js';
import { count, el, svg, time, visible, wider } from './dom.js';

const lane = 26, top = 20;

export function ticks(panel, app) {
  const slow = el('div.bars.slow'), last = el('div.bars'), title = el('b'), info = el('div.flame-info'), cut = el('div.cut-legend'), rows = el('tbody');
  const live = el('button', { title: 'show the newest tick, again and again', onclick: () => { chosen = 0; look(); } }, 'live');
  const whole = el('button', { title: 'the whole tick', onclick: () => { zoom = null; draw(); } }, '⟷ all'), chart = document.createElementNS(svg, 'svg');
  chart.setAttribute('class', 'flame');
  const all = el('div', { hidden: true }, el('h2', 'THE SLOWEST TICKS SINCE THIS IS OPEN, AND THE LAST ONES'), el('div.strip', slow, last), cut, el('div.foot', title, el('span', live, ' ', whole, ' ', wider(draw))), chart, info,
    el('h2', 'ITS LONGEST RUNS'), el('table.runs', rows)), none = el('div.empty');
  panel.append(none, all);
  let chosen = 0, tick = null, zoom = null, closed = false, busy = false;

  async function look() {
    if (busy) return;
    busy = true;
    try {
      const kept = await get('/ticks');
      if (closed) return;
      const newest = kept.ticks.length ? kept.ticks[kept.ticks.length - 1].tick : 0;
      const shown = chosen || newest;
      if (shown && (!tick || tick.tick !== shown)) {
        const one = await get('/ticks/' + shown);
        if (closed) return;
        tick = one;
        all.hidden = false; // it has its width from now on
        draw();
      }
      bars(slow, kept.slowest);
      bars(last, kept.ticks, 3); // the rare slow ones stand beside them
      all.hidden = !tick;
      none.hidden = !!tick;
      none.textContent = waiting();
    } catch (e) {
      if (!closed && chosen) chosen = 0; // it is not kept any more
      if (!closed) (tick ? title : none).textContent = e.message;
    } finally { busy = false; }
  }
  /** What is said while there is no tick to be shown: they are kept from the moment on in which this is open. */
  const waiting = () => !app.pulse || !app.pulse.paused ? 'Ticks are kept while this is open: waiting for the first one.'
    : 'The game is paused, and ticks are kept only while this is open. ' + (app.pulse.control ? 'Make one step (.) to see how it goes, or let the game go on (P).' : 'When it goes on, they are shown here.');
  /** Draws bars; those of more than some times the median are as high as it goes, and have a cap that says so. */
  function bars(box, list, times = Infinity) {
    const us = list.map(t => t.us).sort((a, b) => a - b), most = Math.max(1, Math.min(us[us.length - 1] || 0, times * (us[us.length >> 1] || 0)));
    const beyond = us.filter(t => t > most);
    list.forEach((t, n) => {
      const b = box.children[n] || box.appendChild(el('button', el('i')));
      b.onclick = () => { chosen = t.tick; zoom = null; look(); };
      b.title = `tick ${count(t.tick)}: ${time(t.us)}, ${count(t.entities)} entities` + (t.failures ? `, ${t.failures} failed` : '') + (t.us > most ? '; it is longer than its bar' : '');
      b.className = (tick && t.tick === tick.tick ? 'on' : '') + (t.failures ? ' bad' : '') + (t.us > most ? ' cut' : '');
      b.firstChild.style.height = Math.min(100, Math.max(3, t.us / most * 100)) + '%';
    });
    while (box.children.length > list.length) box.lastChild.remove();
    if (box === last) cut.replaceChildren(...beyond.length ? [el('i'), `${count(beyond.length)} of the last took longer than ${time(most)}, up to ${time(us[us.length - 1])}`] : []);
  }

  // --- the flame chart
  const make = (name, attributes, ...children) => {
    const e = document.createElementNS(svg, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  function draw() {
    if (!tick) return;
    const width = chart.clientWidth || 400, [from, to] = zoom || [0, Math.max(1, tick.us)], x = us => (us - from) / (to - from) * width;
    const workers = Math.max(0, ...tick.bars.map(b => b.worker)) + 1, height = top + workers * lane;
    chart.setAttribute('height', height);
    live.classList.toggle('on', !chosen);
    title.textContent = `tick ${count(tick.tick)} · ${time(tick.us)}` + (tick.fixed_steps > 1 ? ` · ${tick.fixed_steps} fixed steps` : '') + (tick.left_out ? ` · ${count(tick.left_out)} runs are not kept` : '');
    whole.disabled = !zoom;
    const shapes = [];
    const piece = (kind, at, us, y, h, about, label) => {
      about = visible(about);
      if (label) label = visible(label);
      const a = Math.max(0, x(at)), w = Math.min(width, x(at + us)) - a;
      if (!(us > 0) || w <= 0) return;
      const g = make('g', { class: kind, 'data-about': about }, make('rect', { x: a.toFixed(2), y, width: Math.max(.6, w - (w > 3 ? .6 : 0)).toFixed(2), height: h, rx: w > 6 ? 2 : 0 }));
      const letters = Math.floor((w - 6) / 6.1);
      if (label && letters > 2) g.append(make('text', { x: (a + 3).toFixed(1), y: y + h / 2 + 3.5 }, label.length > letters ? label.slice(0, letters - 1) + '…' : label));
      shapes.push(g);
      return g;
    };
    // Phases, from their first run to their last one.
    const phases = [];
    for (const b of tick.bars) {
      const name = (b.fixed ? 'fixed ' : '') + b.phase, end = b.settled_us + b.commands_us + b.observers_us;
      const p = phases.find(p => p.name === name);
      if (p) { p.from = Math.min(p.from, b.at_us); p.to = Math.max(p.to, end); } else phases.push({ name, from: b.at_us, to: end });
    }
    for (const p of phases) {
      const g = piece('phase', p.from, p.to - p.from, 1, top - 5, `${p.name}: ${time(p.to - p.from)}; click to look closer`, p.name);
      if (g) g.onclick = () => { zoom = [p.from, p.to]; draw(); };
    }
    piece('rest', 0, tick.inputs_us, top, lane - 4, `before the systems: inputs and changes of the program, ${time(tick.inputs_us)}`, 'inputs');
    for (const b of tick.bars) {
      const y = top + b.worker * lane, about = `${b.system}: ${time(b.us)}` + (b.rows ? `, ${count(b.rows)} rows` : '') + `, at ${time(b.at_us)}` + (workers > 1 ? `, worker ${b.worker}` : '') + (b.passed ? ', it has passed' : '');
      piece('run', b.at_us, b.us, y, lane - 4, about, b.system);
      piece('commands', b.settled_us, b.commands_us, top, lane - 4, `commands of ${b.system}: ${time(b.commands_us)}`);
      piece('observers', b.settled_us + b.commands_us, b.observers_us, top, lane - 4, `observers, after ${b.system}: ${time(b.observers_us)}`);
    }
    if (tick.despawns_us > 0) piece('rest', tick.us - tick.despawns_us, tick.despawns_us, top, lane - 4, `about here: entities that were named for the end of the tick, ${time(tick.despawns_us)}`, 'despawns');
    chart.replaceChildren(...shapes);
    if (!chart.matches(':hover')) info.textContent = 'Blue is a function, orange its commands, green its observers. Point at one to read it; turn the wheel, or click a phase, to look closer.';
    const total = new Map();
    for (const b of tick.bars) total.set(b.system, (total.get(b.system) || 0) + b.us + b.commands_us + b.observers_us);
    rows.replaceChildren(...[...total].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([name, us]) => {
      const i = el('i');
      i.style.width = us / tick.us * 100 + '%';
      return el('tr', el('td.name', name), el('td', el('div.bar', { title: (us / tick.us * 100).toFixed(1) + ' % of the tick' }, i)), el('td.n', time(us)));
    }));
  }
  chart.onpointermove = chart.onpointerdown = e => {
    const g = e.target.closest('g');
    if (g) info.textContent = g.dataset.about;
  };
  chart.addEventListener('wheel', e => {
    if (!tick) return;
    e.preventDefault();
    const [from, to] = zoom || [0, tick.us], part = e.offsetX / (chart.clientWidth || 1), at = from + part * (to - from), range = (to - from) * (e.deltaY > 0 ? 1.25 : .8);
    zoom = range >= tick.us ? null : [Math.max(0, at - part * range), Math.min(tick.us, at + (1 - part) * range)];
    draw();
  }, { passive: false });

  let drawn = 0; // for a width
  const size = new ResizeObserver(() => { if (chart.clientWidth !== drawn) { drawn = chart.clientWidth; draw(); } });
  size.observe(panel);
  look();
  return { pulse() { if (!document.hidden) look(); }, close() { closed = true; size.disconnect(); document.body.classList.remove('wide'); } };
}
