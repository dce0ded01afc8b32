// The schedule as a picture: phases as bands, stages as columns, the systems of a stage below each other. A chosen
// system shows what it touches, and which others cannot run beside it, and why.
import { get } from './api.js';
import { count, el, svg, time, toast, wider } from './dom.js';

export function schedule(panel, app) {
  const head = el('span'), plan = el('div.plan'), lines = document.createElementNS(svg, 'svg'), detail = el('div.plan-detail', { hidden: true });
  panel.append(el('h2', 'THE ORDER OF SYSTEMS, AND WHO RUNS BESIDE WHOM'), el('div.foot', head, wider(draw)), plan, detail);
  let stages = [], orders = [], boxes = new Map(), known = '', chosen = '', conflicts = [], closed = false, beats = 0;

  async function refresh() {
    let all;
    try { all = await get('/schedule'); } catch (e) { if (!closed) head.textContent = e.message; return; }
    if (closed) return;
    const shape = JSON.stringify([all.stages.map(s => s.systems.map(o => [o.name, o.enabled])), all.orders]);
    stages = all.stages; orders = all.orders;
    if (shape !== known) { known = shape; build(); }
    numbers();
  }
  function build() {
    boxes = new Map();
    const bands = [];
    stages.forEach((st, n) => {
      const title = (st.fixed ? 'fixed ' : '') + st.phase;
      let band = bands[bands.length - 1];
      if (!band || band.title !== title) bands.push(band = { title, columns: el('div.columns') });
      band.columns.append(el('div.column', { title: `stage ${n + 1}` + (st.why ? ': ' + st.why : '') }, ...st.systems.map(s => box(s, st, n))));
    });
    plan.replaceChildren(lines, ...bands.map(b => el('section', el('h3', b.title), b.columns)));
    if (chosen) choose(boxes.has(chosen) ? chosen : ''); // its conflicts may be others
    else draw();
  }
  function box(s, stage, n) {
    const fill = el('i'), took = el('small');
    const b = el('button.box', { onclick: () => choose(chosen === s.name ? '' : s.name), onpointerenter: () => { if (!chosen) tell(s.name); } }, el('span', s.name), took, fill);
    b.classList.toggle('off', !s.enabled);
    boxes.set(s.name, { b, fill, took, s, stage, n });
    return b;
  }
  const mean = s => { const l = app.series.systems.get(s.name); return l && l.length ? l.reduce((a, b) => a + b) / l.length : s.mean_us; };
  /** Times, shades, and the slowest system of each stage, which make up the critical path. */
  function numbers() {
    const us = new Map(stages.flatMap(st => st.systems.map(s => [s.name, mean(s)]))), most = Math.max(1, ...us.values());
    let critical = 0, total = 0;
    for (const st of stages) {
      const longest = Math.max(...st.systems.map(s => us.get(s.name)));
      critical += longest;
      for (const s of st.systems) {
        const o = boxes.get(s.name), t = us.get(s.name);
        if (!o) continue;
        total += t;
        o.fill.style.width = t / most * 100 + '%';
        o.b.style.setProperty('--share', Math.round(Math.sqrt(t / most) * 42) + '%');
        o.took.textContent = t > 0 ? time(t) : '';
        o.b.classList.toggle('critical', t === longest && t > 0 && st.systems.length > 1);
      }
    }
    head.textContent = `${count(us.size)} systems, ${count(stages.length)} stages · critical path ${time(critical)} of ${time(total)}`;
    head.title = 'The slowest system of each stage: a tick takes no less than these together, with any number of workers.';
  }

  // --- one system
  async function choose(name) {
    chosen = name; conflicts = [];
    tell(name);
    draw();
    if (!name) return;
    try {
      const all = await get('/schedule/' + encodeURIComponent(name));
      if (closed || chosen !== name) return;
      conflicts = all.conflicts;
      tell(name, all.left_out);
      draw();
    } catch (e) { if (!closed) toast(e.message); }
  }
  /** Components that two systems share, of which one at least writes. */
  const shared = (a, b) => [...a.writes.filter(c => b.writes.includes(c) || b.reads.includes(c)), ...b.writes.filter(c => a.reads.includes(c))];
  function tell(name, more = 0) {
    const o = boxes.get(name);
    detail.hidden = !o;
    if (!o) return;
    const { s, stage, n } = o;
    const names = (title, list, to = x => el('span.chip', x)) => list.length ? el('div.chips', el('small', title), ...list.slice(0, 40).map(to)) : null;
    const link = x => el('button.chip', { onclick: () => choose(x) }, x);
    const same = stage.systems.filter(x => x.name !== name).map(x => x.name);
    const groups = new Map();
    for (const c of conflicts) {
      const mine = c.by === name, key = {
        serial: mine ? '' : 'these are not parallel', order: 'the order was asked for', query: 'they share a query',
        write: `both write ${c.component}`, read: mine ? `it writes ${c.component}, which these read` : `it reads ${c.component}, which these write`,
        tag: `${mine ? 'it writes' : 'these write'} the tag ${c.component}, which stamps whole chunks`, between: 'others come between',
      }[c.kind];
      if (key) groups.set(key, [...(groups.get(key) || []), c]);
    }
    detail.replaceChildren(...[
      el('div.foot', el('b', name), chosen ? el('button', { title: 'close', onclick: () => choose('') }, '×') : el('small', 'click it to see its conflicts')),
      names('reads', s.reads), names('writes', s.writes), names('reads the event', s.event ? [s.event] : []),
      names('runs after', orders.filter(r => r.second === name).map(r => r.first), link), names('runs before', orders.filter(r => r.first === name).map(r => r.second), link),
      names('runs beside', same, link),
      !s.parallel && el('p', 'Not parallel' + (s.serial ? ': ' + s.serial : '') + '. Lines lead to those that touch the same components.'),
      stage.why && stage.systems[0].name === name && s.parallel && el('p', `It begins stage ${n + 1}: ${stage.why}`),
      groups.size && el('p', 'Not at the same time as:'),
      ...[...groups].slice(0, 20).map(([text, list]) => el('div.chips', el('span', text), ...list.slice(0, 40).map(c => { const b = link(c.with); b.title = c.text; return b; }), list.length > 40 && el('small', `and ${count(list.length - 40)} more`))),
      groups.size > 20 || more ? el('small', 'and more') : null,
    ].filter(Boolean));
  }

  // --- lines
  function draw() {
    lines.replaceChildren();
    const origin = plan.getBoundingClientRect(), room = plan.scrollHeight;
    lines.setAttribute('width', plan.clientWidth); lines.setAttribute('height', room);
    for (const o of boxes.values()) o.b.classList.remove('chosen', 'meets', 'ordered');
    const at = o => { const r = o.b.getBoundingClientRect(); return [r.left - origin.left + r.width / 2, r.top - origin.top + r.height / 2, r.height / 2]; };
    const line = (a, b, kind) => {
      const [x1, m1, h1] = at(a), [x2, m2, h2] = at(b), path = document.createElementNS(svg, 'path');
      const way = Math.abs(m2 - m1) < 8 ? 0 : Math.sign(m2 - m1); // down, up, or over the top of a row
      const y1 = m1 + (way || -1) * h1, y2 = m2 - (way || 1) * h2, bend = way ? way * Math.min(50, Math.abs(y2 - y1) / 2 + 4) : -10;
      path.setAttribute('d', `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - (way ? bend : -bend)} ${x2},${y2}`);
      path.setAttribute('class', kind);
      lines.append(path);
    };
    const me = boxes.get(chosen);
    for (const r of orders.length <= 60 || me ? orders : []) {
      const a = boxes.get(r.first), b = boxes.get(r.second);
      if (!a || !b || me && me !== a && me !== b) continue;
      line(a, b, 'order');
      if (me) (a === me ? b : a).b.classList.add('ordered');
    }
    if (!me) return;
    me.b.classList.add('chosen');
    const meets = new Set(conflicts.filter(c => ['read', 'write', 'tag', 'query'].includes(c.kind)).map(c => c.with));
    for (const o of boxes.values()) if (o !== me && shared(me.s, o.s).length) meets.add(o.s.name);
    for (const name of meets) {
      const o = boxes.get(name);
      if (!o) continue;
      if (meets.size <= 60) line(me, o, 'meet');
      o.b.classList.add('meets');
    }
  }

  const size = new ResizeObserver(draw);
  size.observe(plan);
  refresh();
  return {
    pulse() { if (document.hidden) return; if (++beats % 8 === 0) refresh(); else if (stages.length) numbers(); },
    close() { closed = true; size.disconnect(); document.body.classList.remove('wide'); },
  };
}
