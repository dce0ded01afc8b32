// The panel of entities: search, list, values.
import { call, get } from './api.js';
import { count, el, push, segments, slotOf, spark, toast, visible } from './dom.js';
import { find, isName, learn, learned, link, named, refers, writable } from './fields.js';
import { common, tree } from './tree.js';
import { why } from './why.js';

let query = '', shape = 'list'; // both survive a change of tabs

export function entities(panel, app) {
  const input = el('input', { value: query, placeholder: 'Position, !Frozen, Health.hp < 50 or #75', spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-label': 'A query' });
  const problem = el('div.problem'), chips = el('div.chips'), list = el('div.rows'), foot = el('div.foot'), detail = el('div');
  const lately = why(app, 0), flat = el('div', chips, problem, list, foot, lately.card), branches = el('div');
  const found = el('div', segments({ list: 'list', tree: 'tree' }, shape, key => { shape = key; turn(); }), flat, branches);
  let grown = null; // the tree, while it is shown
  const turn = () => {
    if (grown) { grown.close(); grown = null; branches.replaceChildren(); }
    flat.hidden = shape === 'tree';
    if (shape === 'tree') grown = tree(branches, app);
  };
  panel.append(el('form.query', { onsubmit: e => { e.preventDefault(); clearTimeout(input.waits); search(true); } }, input), detail, found);
  let closed = false, shown = null, rows = [];

  const summary = e => Object.entries(e.components).sort((a, b) => common.indexOf(a[0]) - common.indexOf(b[0])).map(([name, v]) => {
    const [first] = Object.entries(v), file = Object.values(v).map(x => e.assets && e.assets[x]).find(Boolean);
    if (file) return `${name} ${file}`;
    return first && typeof first[1] !== 'object' && !common.includes(name) ? `${name} ${value(name, ...first)}` : name;
  });
  /** What an entity has, each part by itself: a text of the game turns nothing beside it. */
  const about = e => { const all = summary(e); return all.length ? all.flatMap((t, i) => [i ? ' · ' : '', el('bdi', t)]) : [e.error || 'no components']; };
  const value = (name, f, v) => `${f} ${refers(name, f) ? named(v) : number(v)}`;

  /** Shows what a query finds; of the name of an entity, this one, and goes there if that is wanted. */
  async function search(go = false) {
    const text = query = input.value;
    const lone = isName(text);
    try {
      const page = lone ? await find(text).then(e => ({ entities: [e] })) : await get(`/entities?limit=40&query=${encodeURIComponent(text)}`);
      if (closed || text !== input.value) return;
      if (lone && go) return app.select(page.entities[0].id);
      if (go && shown) back();
      problem.textContent = '';
      input.classList.remove('bad');
      rows = page.entities;
      list.replaceChildren(...rows.map(e => {
        const row = el('button.row', { onclick: () => app.select(e.id) }, el('b', '#' + e.slot), el('span', ...about(e)));
        row.classList.toggle('on', e.id === app.selected);
        return row;
      }));
      list.hidden = !rows.length;
      old(false);
      foot.replaceChildren(el('span', page.next ? `the first ${rows.length} of ${count(page.rows)} that may match` : `${count(rows.length)} found`));
    } catch (e) {
      if (closed || text !== input.value) return;
      if (go && shown) back(); // what is wrong with it stands above the list
      problem.textContent = e.message;
      input.classList.add('bad');
      old(true);
    }
  }
  /** The list is of an older query, since there is no answer for the newer one. */
  function old(is) {
    list.inert = is;
    list.classList.toggle('old', is);
    if (is) foot.replaceChildren();
  }
  function back() {
    app.selected = 0; shown = null;
    detail.replaceChildren();
    if (app.view) app.view.highlight(0);
    found.hidden = false;
  }
  async function known() {
    try {
      const { components } = await get('/components');
      learn(components);
      if (closed) return;
      chips.replaceChildren(...components.filter(c => c.entities > 0).sort((a, b) => b.entities - a.entities).slice(0, 18).map(c =>
        el('button.chip', { type: 'button', title: 'add it to the query', onclick: () => { input.value = input.value.trim() && !isName(input.value) ? input.value.trim() + ', ' + c.name : c.name; search(); } }, c.name, el('small', count(c.entities)))));
    } catch (e) { if (!closed) problem.textContent = e.message; }
  }

  // --- one entity
  async function look() {
    if (shown && shown.why) shown.why.look();
    if (!app.selected) return;
    let e;
    try { e = await get('/entities/' + app.selected); } catch (x) {
      if (!closed && app.timeline.state.looking) { // it may live in another tick
        if (!shown || shown.id !== app.selected) detail.replaceChildren(el('div.empty', `#${slotOf(app.selected)} does not live in this tick`));
        else if (!shown.dead) shown.title.append(shown.dead = el('span.tag.parked', 'not in this tick'));
        return;
      }
      if (closed || !shown) { if (!closed) toast(x.message); app.selected = 0; return; }
      if (!shown.dead) shown.title.append(shown.dead = el('span.tag.parked'));
      shown.dead.textContent = 'dead';
      app.selected = 0;
      return;
    }
    try { await learned(Object.keys(e.components)); } catch (x) { /* then they are shown as what they are in JSON */ }
    if (closed || e.id !== app.selected) return;
    if (shown && shown.dead) { shown.dead.remove(); shown.dead = null; }
    if (!shown || shown.id !== e.id || shown.names !== namesOf(e)) build(e);
    for (const [name, fields] of Object.entries(e.components)) for (const [f, v] of Object.entries(fields)) {
      const cell = shown.cells.get(name + '.' + f);
      if (!cell) continue;
      cell.show(v);
      if (cell.patch) paint(cell, name, f, v);
      else if (cell.refers) followed(cell, v);
      else if (typeof v === 'number' && !app.timeline.state.looking) { // a history is of the present
        push(cell.series, v, 40);
        if (cell.series.length > 1 && new Set(cell.series).size > 1) { cell.dd.append(cell.line); cell.line.draw(cell.series, 40); }
      }
    }
  }
  /** Says of an entity in a field when it is dead; it is asked now and then. */
  async function followed(cell, id) {
    if (typeof id !== 'number') return;
    if (cell.tag && cell.of !== id) { cell.tag.remove(); cell.tag = null; }
    if (cell.go) { cell.go.hidden = !id && 'disabled' in cell.go; cell.go.disabled = !!cell.tag; }
    if (!id || cell.of === id && performance.now() - cell.at < 1500) return;
    cell.of = id; cell.at = performance.now();
    let dead = false;
    try { await get('/entities/' + id); } catch (x) { dead = x.status === 404; }
    if (cell.of !== id) return;
    if (cell.tag) cell.tag.remove();
    cell.tag = dead ? el('span.tag.parked', app.timeline.state.looking ? 'not in this tick' : 'dead') : null;
    if (dead) cell.dd.append(cell.tag);
    if (cell.go) cell.go.disabled = dead;
  }
  function build(e) {
    const title = el('h2', `ENTITY #${e.slot}  ·  generation ${e.generation}`, e.prefab && el('span.tag', 'prefab'));
    shown = { id: e.id, names: namesOf(e), cells: new Map(), title, why: shown && shown.id === e.id ? shown.why : why(app, e.id) };
    const edit = app.pulse && app.pulse.edit;
    const change = (method, path, body) => call(method, path, body).then(look).catch(x => toast(x.message));
    const write = async (name, f, value) => {
      try { await call('PATCH', '/entities/' + e.id, { set: { [name]: { [f]: value } } }); } catch (x) { toast(x.message); }
      setTimeout(look); // when the field is the game's again
    };
    detail.replaceChildren(...[title, el('div.foot',
      el('button', { onclick: () => { back(); lately.look(); search(); } }, '← all entities'),
      edit && el('span', el('button', { onclick: () => call('POST', '/entities', { copy: e.id }).then(n => app.select(n.id)).catch(x => toast(x.message)) }, 'copy'), ' ',
        el('button', { onclick: () => call('DELETE', '/entities/' + e.id).then(look).catch(x => toast(x.message)) }, 'despawn'))),
      e.parent ? el('div.chips', 'parent', link(app, e.parent)) : null,
      e.children ? el('div.chips', 'children', ...e.children.slice(0, 20).map(c => link(app, c))) : null,
      ...(e.relations || []).map(r => el('div.chips', r.relation, link(app, r.target))),
      ...Object.entries(e.components).map(([name, fields]) => {
        const dl = el('dl');
        for (const [f, v] of Object.entries(fields)) {
          const cell = { series: [], line: spark(70, 14, 'var(--accent)', false), refers: refers(name, f) };
          const one = cell.refers && typeof v === 'number', said = one ? named : x => text(x, f);
          if (edit && typeof v !== 'object') {
            const field = writable(`${name}.${f}`, async raw => {
              if (one && raw.trim() !== '' && raw.trim() !== 'none' && +raw !== 0) {
                if (!isName(raw)) return toast(`${name}.${f} is an entity: #75, or none`);
                try { raw = (await find(raw)).id; } catch (x) { return toast(x.message); }
              } else if (one) raw = 0;
              await write(name, f, typeof v === 'number' && String(raw).trim() !== '' && !isNaN(raw) ? +raw : typeof v === 'boolean' ? raw === 'true' : raw);
            });
            cell.dd = el('dd', field.input);
            cell.show = x => {
              field.show(said(x));
              if (one) cell.go.onclick = () => app.select(x);
              if (one) cell.go.title = cell.go.ariaLabel = 'look at ' + said(x);
            };
            if (one) { cell.dd.classList.add('refers'); cell.dd.append(cell.go = el('button.chip', { type: 'button' }, '↗')); }
          } else {
            const say = el('span');
            let last;
            cell.dd = el('dd', say);
            cell.show = x => {
              const now = JSON.stringify(x);
              if (now === last) return;
              last = now;
              if (one) say.replaceChildren(cell.go = link(app, x)); else if (cell.refers && Array.isArray(x)) say.replaceChildren(...x.map(id => link(app, id)));
              else say.textContent = visible(said(x));
            };
          }
          cell.show(v);
          if (isColor(v, f)) { cell.dd.prepend(cell.patch = el('i.patch')); cell.dd.append(cell.usual = el('small.file')); paint(cell, name, f, v); }
          if (e.assets && e.assets[v]) cell.dd.append(el('small.file', e.assets[v]));
          shown.cells.set(name + '.' + f, cell);
          dl.append(el('dt', f), cell.dd);
        }
        return el('div.card', el('div', el('span', { title: name }, name), edit && el('button', { title: 'remove it', onclick: () => change('PATCH', '/entities/' + e.id, { remove: [name] }) }, '×')), dl.childElementCount ? dl : null);
      }), shown.why.card].filter(Boolean));
    if (e.error) detail.append(el('div.problem', e.error));
    found.hidden = true;
  }

  input.oninput = () => { clearTimeout(input.waits); input.waits = setTimeout(() => search(), 250); };
  found.hidden = !!app.selected;
  turn();
  search();
  known();
  look();
  let beats = 0;
  return {
    pulse() {
      if (document.hidden) return;
      if (app.selected || shown) look(); else if (grown) grown.pulse(); else if (++beats % 4 === 0) { search(); lately.look(); }
      if (beats % 40 === 1) known();
    },
    close() { closed = true; clearTimeout(input.waits); if (grown) grown.close(); },
  };
}

/** What a view of an entity is built for: another one is built where something of it changes. */
const namesOf = e => Object.keys(e.components).join() + JSON.stringify(e.assets || '');
const number = v => typeof v === 'number' ? (Number.isInteger(v) ? v : Math.abs(v) < 1e6 ? v.toFixed(2) : v.toExponential(2)) : v;
/** Colors are written as Lua and Go write them. */
const isColor = (v, f) => /colou?r$/i.test(f) && Number.isInteger(v) && v >= 0;
const usualColors = { 'Label.color': [0xffffff, 'white'] }; // that are drawn where there is none
function paint(cell, name, f, v) {
  const usual = (v & 0xffffff) === 0 && usualColors[`${name}.${f}`];
  cell.patch.style.background = css(usual ? usual[0] : v);
  cell.usual.textContent = usual ? `default: ${usual[1]}` : '';
}
const css = v => '#' + (v & 0xffffff).toString(16).padStart(6, '0');
const text = (v, f) => isColor(v, f) ? '0x' + v.toString(16).padStart(6, '0') : typeof v === 'object' ? JSON.stringify(v) : String(typeof v === 'number' && !Number.isInteger(v) ? +v.toPrecision(7) : v);
