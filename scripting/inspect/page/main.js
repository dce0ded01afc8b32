// The page: its top, its tabs, and what they share.
import { call, listen } from './api.js';
import { console_ } from './console.js';
import { count, el, push, spark, time, toast } from './dom.js';
import { entities } from './entities.js';
import { scripts } from './scripts.js';
import { systems } from './systems.js';
import { world } from './world.js';
import { time as timePanel } from './time.js';
import { timeline } from './timeline.js';
import { startView } from './view.js';

const $ = id => document.getElementById(id);

/** What the panels share. */
export const app = {
  pulse: null, // the last event
  series: { mean: [], max: [], systems: new Map(), longest: new Map() }, // four numbers a second, a quarter of a minute
  selected: 0, // the entity that is looked at
  view: null,
  select(id) { app.selected = id; if (app.view) app.view.highlight(id); show('entities'); },
  script: null, // {path, line} to show
  /** The panel is to show another tick at once. */
  looked() { if (current && current.looked) current.looked(); if (current && current.pulse && app.pulse) current.pulse(app.pulse); },
  openScript(path, line) { app.script = { path, line }; show('scripts'); },
};

// --- light and dark
const dark = matchMedia('(prefers-color-scheme: dark)');
const wanted = () => localStorage.getItem('perigee.theme') || (dark.matches ? 'dark' : 'light');
const paint = () => { document.documentElement.dataset.theme = wanted(); };
paint();
dark.addEventListener('change', paint);
$('theme').onclick = () => { localStorage.setItem('perigee.theme', wanted() === 'dark' ? 'light' : 'dark'); paint(); };

// --- tabs
const panels = { entities, systems, scripts, world, time: timePanel, console: console_ };
const titles = { entities: 'Entities', systems: 'Systems', scripts: 'Scripts', world: 'World', time: 'Time', console: 'Console' };
let current = null, name = '';
app.timeline = timeline(app);
const tabs = {};
for (const key of Object.keys(panels)) {
  tabs[key] = el('button', { onclick: () => open(key), role: 'tab', id: 'tab-' + key }, titles[key]);
  $('tabs').append(tabs[key]);
}
function open(key) { // by a click: where there are keys, what is typed next goes to the panel
  show(key);
  if (current.focus && matchMedia('(pointer: fine)').matches) current.focus();
}
export function show(key) {
  if (current && current.close) current.close();
  for (const [k, b] of Object.entries(tabs)) b.setAttribute('aria-selected', k === key);
  tabs[key].scrollIntoView({ block: 'nearest', inline: 'nearest' });
  name = key;
  $('panel').replaceChildren();
  $('panel').scrollTop = 0;
  current = panels[key]($('panel'), app);
  if (app.pulse && current.pulse) current.pulse(app.pulse);
}

// --- the figures at the top
const figures = {};
function figure(key, title, more = '') {
  const value = el('b', '–');
  const box = el('div.figure' + more, el('span', title), value);
  $('figures').append(box);
  figures[key] = { value, box };
}
figure('tick', 'tick', '.main');
figure('entities', 'entities', '.main');
figure('ms', 'a tick', '.main');
const line = spark(110, 24);
$('figures').append(el('div.figure.wide', el('span', 'the last 15 s'), line));
figure('rate', 'ticks per second', '.wide');
figure('faults', 'faults');

/** A number beside the name of a tab, which takes little room however large it is; 0: a reload was refused. */
function badge(e, n, what) {
  e.textContent = n > 99 ? '99+' : n || '!';
  e.title = n ? `${count(n)} ${what}` : 'a reload was refused';
}

let before = null, faultBadge = null, warned = null;
function pulse(p) {
  $('veil').classList.toggle('on', !p.answering);
  if (!p.answering) { // the figures stay as they are
    $('veil').textContent = 'The game makes no steps and does not answer';
    return;
  }
  const now = performance.now();
  app.pulse = p;
  $('name').textContent = p.name || 'Perigee';
  document.title = (p.name ? p.name + ' · ' : '') + 'Perigee';
  document.body.classList.toggle('blind', !p.view);
  if (p.view && !app.view) app.view = startView(app);
  $('stage').classList.toggle('plays', p.control);
  app.timeline.pulse(p);
  tabs.time.hidden = !p.rewind || !p.control;
  tabs.console.hidden = !p.edit;
  figures.tick.value.textContent = count(p.tick);
  figures.entities.value.textContent = count(p.entities);
  figures.ms.value.textContent = p.ticks ? time(p.mean_us) : '–';
  figures.faults.value.textContent = count(p.faults);
  figures.faults.box.classList.toggle('bad', p.faults > 0);
  if (before && now - before.now > 450) figures.rate.value.textContent = (Math.max(0, p.tick - before.tick) / (now - before.now) * 1000).toFixed(0);
  if (!before || now - before.now > 900) before = { tick: p.tick, now };
  if (p.ticks) {
    push(app.series.mean, p.mean_us);
    push(app.series.max, p.max_us);
    for (const t of p.times) {
      let list = app.series.systems.get(t.name);
      if (!list) app.series.systems.set(t.name, list = []);
      push(list, t.mean_us);
      let longest = app.series.longest.get(t.name);
      if (!longest) app.series.longest.set(t.name, longest = []);
      push(longest, t.max_us);
    }
    line.draw(app.series.mean);
  }
  $('pause').classList.toggle('on', p.paused);
  for (const id of ['pause', 'step', 'scale']) $(id).disabled = !p.control;
  if (document.activeElement !== $('scale')) $('scale').value = String(p.scale);
  if (p.warnings && !warned) tabs.world.append(warned = el('em.warn'));
  if (!p.warnings && warned) { warned.remove(); warned = null; }
  if (warned) badge(warned, p.warnings, 'warnings');
  const bad = p.faults > 0 || p.last_reload && p.last_reload.refused;
  if (bad && !faultBadge) tabs.scripts.append(faultBadge = el('em', '!'));
  if (!bad && faultBadge) { faultBadge.remove(); faultBadge = null; }
  if (faultBadge) badge(faultBadge, p.faults, 'faults');
  if (current && current.pulse) current.pulse(p);
}
listen(pulse, text => {
  $('veil').textContent = text;
  $('veil').classList.add('on');
  if (!app.pulse) toast(text);
});

// --- controls
const pace = body => call('POST', '/time', body).catch(e => toast(e.message));
const past = () => app.timeline.state.looking;
$('pause').onclick = () => past() ? app.timeline.back(true) : pace({ paused: !(app.pulse && app.pulse.paused) });
$('step').onclick = () => past() ? app.timeline.move(1) : pace({ paused: true, steps: 1 });
$('scale').onchange = () => { pace({ scale: +$('scale').value }); $('scale').blur(); };
addEventListener('keydown', e => {
  if (e.target.matches('input:not([type=range]), select, textarea') || e.target.id === 'overlay' && !past() || e.ctrlKey || e.metaKey || e.altKey) return;
  const t = app.timeline, going = { ',': () => t.move(-1), '<': () => t.move(-1, 1), '>': () => t.move(1, 1), w: t.watch, m: t.mark, n: () => t.back(), r: () => t.runFrom(true) }[e.key];
  if (going && app.pulse && app.pulse.rewind && app.pulse.control && (e.key !== 'r' || app.pulse.edit)) { going(); e.preventDefault(); return; }
  if (e.key === 'p') $('pause').click();
  else if (e.key === '.') $('step').click();
  else if (e.key === 'i') $('pick').click();
  else if (e.key === '/') { show('entities'); e.preventDefault(); document.querySelector('.query input').focus(); }
  else if ((e.key === 'c' || e.key === '`') && !tabs.console.hidden) { if (name !== 'console') show('console'); e.preventDefault(); current.focus(); }
  else if ('123456'.includes(e.key) && !tabs[Object.keys(panels)[e.key - 1]].hidden) show(Object.keys(panels)[e.key - 1]);
});

show('entities');
globalThis.perigee = app; // for the console, and for tests
