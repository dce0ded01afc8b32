// The game: pictures come over a WebSocket, are drawn between the last two ticks, and what the
// player does goes back. picture.go says what a picture looks like.
import { openView } from './api.js';
import { el, slotOf, toast } from './dom.js';
import { glRenderer } from './gl.js';
import { frameOf, imageAtlas } from './images.js';
import { softRenderer } from './soft.js';
import { trailKeeper } from './trails.js';

const HEAD = 64, SPRITE = 12, STYLE = 16, BAR = 20, SHEET = 8, TRAIL = 20, STROKE = 24, WORDS = 11;

export function startView(app) {
  const stage = document.getElementById('stage'), canvas = document.getElementById('picture'), overlay = document.getElementById('overlay');
  const hud = document.getElementById('hud'), pick = document.getElementById('pick'), about = document.getElementById('renderer');
  const over = overlay.getContext('2d');
  const forced = new URLSearchParams(location.search).get('renderer');
  let renderer = (forced !== 'soft' && glRenderer(canvas, forced === 'gl')) || softRenderer(canvas);

  // Each sprite has a record: x, y before and now, angle before and now, size, color, look, and its part of the atlas.
  let data = new Float32Array(WORDS * 1024), bits = new Uint32Array(data.buffer), total = 0;
  let slotX = new Float32Array(4096), slotY = new Float32Array(4096), slotA = new Float32Array(4096), slotTick = new Float64Array(4096).fill(-1);
  let slots = new Uint32Array(1024), bars = [], labels = [], barsBefore = new Map();
  let strokes = [], last = null;
  const atlas = imageAtlas(() => { if (last) read(last); }), trails = trailKeeper();
  let picture = null, serial = 0, arrived = 0, interval = 16.7, fresh = false, unsaid = false;
  const state = { pictures: 0, drawn: 0, sprites: 0, bytes: 0, tick: 0, strokes: 0, images: 0, trails: 0, ms: 0, renderer: renderer.name, fps: 0 };

  // --- pictures
  function read(buffer) {
    const v = new DataView(buffer), now = performance.now();
    if (v.getUint32(0) !== 0x50475631) return;
    const again = last === buffer;
    last = buffer;
    const n = v.getUint32(48, true), styles = v.getUint16(52, true), nLabels = v.getUint16(54, true), nBars = v.getUint16(56, true), flags = v.getUint16(58, true);
    const f = at => v.getFloat32(at, true);
    const bx = f(16), by = f(20), sx = f(24) / 65535, sy = f(28) / 65535;
    const tick = v.getUint32(4, true), time = v.getFloat64(8, true);
    if (picture && tick !== picture.tick) { const gap = now - arrived; if (gap < 500) interval += (gap - interval) * .1; arrived = now; }
    picture = { tick, time, before: picture && !again ? picture.time : picture ? picture.before : time, box: [bx, by, f(24), f(28)], eye: [f(32), f(36)], height: f(40), background: v.getUint32(44, true), camera: !!(flags & 2), more: !!(flags & 1) };
    if (data.length < n * WORDS) { data = new Float32Array(n * WORDS * 1.5 | 0); bits = new Uint32Array(data.buffer); slots = new Uint32Array(n * 1.5 | 0); }
    const rest = v.getUint32(60, true), nSheets = v.getUint16(rest, true), nTrails = v.getUint16(rest + 2, true), nStrokes = v.getUint16(rest + 4, true), sheets = [];
    atlas.begin();
    for (let i = 0, at = rest + 8; i < nSheets; i++, at += SHEET) sheets.push({ rect: atlas.get(v.getUint32(at, true), v.getUint16(at + 4, true)), columns: v.getUint8(at + 6), rows: v.getUint8(at + 7) });
    const parts = new Uint32Array(2 * styles);
    const table = HEAD + n * SPRITE, sizes = new Float32Array(styles), colors = new Uint32Array(styles), looks = new Uint32Array(styles);
    for (let i = 0, at = table; i < styles; i++, at += STYLE) { sizes[i] = f(at); colors[i] = v.getUint32(at + 4, true); looks[i] = v.getUint32(at + 8, true); const s = sheets[v.getUint16(at + 12, true)]; if (s && (looks[i] & 255) === 255) frameOf(s.rect, s, v.getUint16(at + 14, true), parts.subarray(2 * i)); }
    const older = serial++, turn = 2 * Math.PI / 65536;
    for (let i = 0, at = HEAD, o = 0; i < n; i++, at += SPRITE, o += WORDS) {
      const slot = v.getUint32(at, true), x = bx + v.getUint16(at + 4, true) * sx, y = by + v.getUint16(at + 6, true) * sy, a = v.getUint16(at + 8, true) * turn, style = v.getUint16(at + 10, true);
      if (slot >= slotX.length) grow(slot);
      const known = slotTick[slot] === older;
      let px = known ? slotX[slot] : x, py = known ? slotY[slot] : y, pa = known ? slotA[slot] : a;
      if ((x - px) ** 2 + (y - py) ** 2 > (f(24) / 12) ** 2) { px = x; py = y; } // it has jumped
      pa = a - Math.atan2(Math.sin(a - pa), Math.cos(a - pa));
      data[o] = px; data[o + 1] = py; data[o + 2] = x; data[o + 3] = y; data[o + 4] = pa; data[o + 5] = a;
      data[o + 6] = sizes[style]; bits[o + 7] = colors[style]; bits[o + 8] = looks[style]; bits[o + 9] = parts[2 * style]; bits[o + 10] = parts[2 * style + 1];
      slots[i] = slot; slotX[slot] = x; slotY[slot] = y; slotA[slot] = a; slotTick[slot] = serial;
    }
    total = n;
    let at = table + styles * STYLE;
    const before = barsBefore;
    bars = []; barsBefore = new Map();
    for (let i = 0; i < nBars; i++, at += BAR) {
      const slot = v.getUint32(at, true), x = bx + v.getUint16(at + 4, true) * sx, y = by + v.getUint16(at + 6, true) * sy, c = v.getUint32(at + 16, true), p = before.get(slot) || [x, y];
      bars.push({ px: p[0], py: p[1], x, y, w: f(at + 8), h: f(at + 12), color: css(c), part: (c >>> 24) / 255 });
      barsBefore.set(slot, [x, y]);
    }
    labels = [];
    const corner = [], text = new TextDecoder();
    for (let i = 0; i < nLabels; i++) {
      const slot = v.getUint32(at, true), length = v.getUint16(at + 10, true);
      const l = { slot, x: bx + v.getUint16(at + 4, true) * sx, y: by + v.getUint16(at + 6, true) * sy, hud: v.getUint8(at + 8), size: v.getUint8(at + 9), color: css(v.getUint32(at + 12, true)), text: text.decode(new Uint8Array(buffer, at + 16, length)) };
      (l.hud ? corner : labels).push(l);
      at += 16 + length + 3 & ~3;
    }
    corner.sort((a, b) => a.slot - b.slot);
    while (hud.childElementCount > corner.length) hud.lastChild.remove();
    corner.forEach((l, i) => {
      const line = hud.children[i] || hud.appendChild(el('div'));
      if (line.textContent !== l.text) line.textContent = l.text;
      line.style.color = l.color; line.style.fontSize = l.size + 'px';
    });
    at = rest + 8 + nSheets * SHEET;
    trails.begin(tick);
    for (let i = 0; i < nTrails; i++, at += TRAIL) trails.add(v.getUint32(at, true), bx + v.getUint16(at + 4, true) * sx, by + v.getUint16(at + 6, true) * sy, time, f(at + 8), f(at + 12), v.getUint32(at + 16, true), f(24) / 12);
    trails.end(time);
    strokes = [];
    for (let i = 0; i < nStrokes; i++) {
      const length = v.getUint16(at + 2, true);
      strokes.push({ kind: v.getUint8(at), color: css(v.getUint32(at + 4, true)), x: bx + f(at + 8), y: by + f(at + 12), x2: f(at + 16), y2: f(at + 20), text: length ? text.decode(new Uint8Array(buffer, at + STROKE, length)) : '' });
      at += STROKE + length + 3 & ~3;
    }
    state.strokes = nStrokes; state.trails = trails.count(); state.images = atlas.count();
    unsaid = unsaid || !again; // an image that has come is no picture
    state.pictures++; state.sprites = n; state.bytes = buffer.byteLength; state.tick = tick;
    fresh = true;
  }
  function grow(slot) {
    const size = 2 ** Math.ceil(Math.log2(slot + 1)), wider = (a, fill) => { const b = new a.constructor(size); if (fill) b.fill(fill); b.set(a); return b; };
    slotX = wider(slotX); slotY = wider(slotY); slotA = wider(slotA); slotTick = wider(slotTick, -1);
  }
  const css = c => '#' + (c & 0xffffff).toString(16).padStart(6, '0');

  // --- what is seen of the world
  let scale = 1, left = 0, top = 0, ratio = 1;
  function fit() {
    ratio = renderer.soft ? 1 : Math.min(devicePixelRatio || 1, 2);
    const w = Math.max(1, Math.round(stage.clientWidth * ratio)), h = Math.max(1, Math.round(stage.clientHeight * ratio));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    const r = Math.min(devicePixelRatio || 1, 2), ow = Math.round(stage.clientWidth * r), oh = Math.round(stage.clientHeight * r);
    if (overlay.width !== ow || overlay.height !== oh) { overlay.width = ow; overlay.height = oh; }
    const p = picture, [bx, by, bw, bh] = p.box;
    const cx = p.camera ? p.eye[0] : bx + bw / 2, cy = p.camera ? p.eye[1] : by + bh / 2;
    scale = p.camera ? Math.min(h / p.height, w / p.height) : Math.min(w / bw, h / bh);
    if (p.camera && w > h) scale = h / p.height;
    left = cx - w / 2 / scale; top = cy + h / 2 / scale;
  }
  const toWorld = e => { const r = overlay.getBoundingClientRect(), k = canvas.width / Math.max(1, r.width); return [left + (e.clientX - r.left) * k / scale, top - (e.clientY - r.top) * k / scale]; };

  // --- drawing
  let slow = 0, began = performance.now(), frames = 0;
  function draw(now) {
    requestAnimationFrame(draw);
    if (!picture) return;
    fit();
    const t = Math.min(1, Math.max(0, (now - arrived) / Math.max(interval, 4)));
    const start = performance.now();
    renderer.draw(data, bits, total, t, { atlas, trails: trails.show(t, picture.time, picture.before, 2.5 / scale), scale, left, top, background: picture.camera ? picture.background : 0x0b0f1a, box: picture.camera ? null : arena() }, fresh);
    overlays(t);
    if (fresh) { fresh = false; if (unsaid) { unsaid = false; send(new Uint8Array([1])); } }
    state.ms += (performance.now() - start - state.ms) * .05;
    state.drawn++; frames++;
    // Where GL is software, a picture takes long: numbers in memory are faster then.
    if (!renderer.soft && forced !== 'gl' && (slow = Math.max(0, slow + (performance.now() - start > 24 ? 1 : -.5))) > 20) toSoft();
    if (now - began > 1000) {
      state.fps = frames * 1000 / (now - began); frames = 0; began = now;
      about.textContent = `${picture.more ? 'not all of it · ' : ''}${state.sprites.toLocaleString('en')} shapes · ${state.fps.toFixed(0)} fps · ${state.renderer}`;
    }
  }
  function toSoft() {
    const other = canvas.cloneNode();
    canvas.replaceWith(other);
    location.search.includes('renderer') || (renderer = softRenderer(other));
    state.renderer = renderer.name;
    slow = 0;
  }
  const arena = () => { const [x, y, w, h] = picture.box; return [x + w / 22, y + h / 22, x + w * 21 / 22, y + h * 21 / 22]; };
  function overlays(t) {
    const k = overlay.width / canvas.width * scale, x = v => (v - left) * k, y = v => (top - v) * k, r = overlay.width / Math.max(1, stage.clientWidth);
    over.clearRect(0, 0, overlay.width, overlay.height);
    for (const b of bars) {
      const w = b.w * k, h = Math.max(2 * r, b.h * k), bx = x(b.px + (b.x - b.px) * t) - w / 2, by = y(b.py + (b.y - b.py) * t) - h / 2;
      over.fillStyle = '#0009'; over.fillRect(bx - r, by - r, w + 2 * r, h + 2 * r);
      over.fillStyle = b.color; over.fillRect(bx, by, w * b.part, h);
    }
    over.textAlign = 'center'; over.lineJoin = 'round';
    drawStrokes(x, y, k, r);
    for (const l of labels) {
      over.font = `600 ${l.size * r}px system-ui, sans-serif`;
      over.lineWidth = 3 * r; over.strokeStyle = '#0b0f1acc'; over.strokeText(l.text, x(l.x), y(l.y));
      over.fillStyle = l.color; over.fillText(l.text, x(l.x), y(l.y));
    }
    const slot = slotOf(chosen);
    if (chosen && slot < slotX.length && slotTick[slot] === serial) {
      let i = slots.indexOf(slot);
      if (i < 0 || i >= total) return;
      const o = i * WORDS, cx = x(data[o] + (data[o + 2] - data[o]) * t), cy = y(data[o + 1] + (data[o + 3] - data[o + 1]) * t), size = Math.max(10 * r, data[o + 6] * k * .5 + 6 * r);
      over.strokeStyle = '#fff'; over.lineWidth = 1.5 * r; over.setLineDash([5 * r, 4 * r]); over.lineDashOffset = -performance.now() / 40;
      over.beginPath(); over.arc(cx, cy, size, 0, 7); over.stroke(); over.setLineDash([]);
    }
  }
  /** Lines, circles, boxes and texts, with one path for those in a row that have the same color. */
  function drawStrokes(x, y, k, r) {
    const [bx, by] = picture.box;
    let color = '';
    over.lineWidth = 1.6 * r; over.globalAlpha = .9;
    for (const s of strokes) {
      if (s.kind === 3) continue;
      if (s.color !== color) { if (color) over.stroke(); over.beginPath(); over.strokeStyle = color = s.color; }
      const ax = x(s.x), ay = y(s.y);
      if (s.kind === 0) { over.moveTo(ax, ay); over.lineTo(x(bx + s.x2), y(by + s.y2)); }
      else if (s.kind === 1) { over.moveTo(ax + s.x2 * k, ay); over.arc(ax, ay, s.x2 * k, 0, 7); }
      else over.rect(ax, ay, s.x2 * k - (s.x - bx) * k, (s.y - by) * k - s.y2 * k);
    }
    if (color) over.stroke();
    over.globalAlpha = 1; over.font = `600 ${12 * r}px ui-monospace, "DejaVu Sans Mono", monospace`; over.textBaseline = 'middle';
    for (const s of strokes) if (s.kind === 3) {
      over.lineWidth = 3 * r; over.strokeStyle = '#0b0f1acc'; over.strokeText(s.text, x(s.x), y(s.y));
      over.fillStyle = s.color; over.fillText(s.text, x(s.x), y(s.y));
    }
    over.textBaseline = 'alphabetic';
  }
  let chosen = 0;

  // --- the connection
  let ws = null, waits = 300;
  function connect() {
    ws = openView();
    ws.onmessage = e => { waits = 300; try { read(e.data); } catch (x) { console.error(x); } };
    ws.onclose = () => { ws = null; setTimeout(connect, waits = Math.min(waits * 2, 5000)); };
  }
  const send = m => { if (ws && ws.readyState === 1) ws.send(m); };
  const play = m => { if (!app.timeline.state.looking) send(m); }; // an earlier tick is not played

  // --- what the player does
  const letters = /^[a-z]$/, named = { ' ': 'space', Enter: 'enter', Escape: 'escape', Tab: 'tab', Backspace: 'backspace', Shift: 'shift', Control: 'ctrl', Alt: 'alt', ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
  const held = new Set(), ascii = new TextEncoder();
  const key = (name, down) => {
    if (down === held.has(name)) return;
    if (down) held.add(name); else held.delete(name);
    const m = new Uint8Array(2 + name.length);
    m[0] = 2; m[1] = down ? 1 : 0; m.set(ascii.encode(name), 2);
    play(m);
  };
  const nameOf = e => { const k = e.key.toLowerCase(); return letters.test(k) ? k : /^[0-9]$/.test(k) ? 'n' + k : named[e.key]; };
  overlay.addEventListener('keydown', e => { const n = nameOf(e); if (n && n !== 'tab' && !e.ctrlKey && !e.metaKey) { e.preventDefault(); if (!e.repeat) key(n, true); } });
  addEventListener('keyup', e => { const n = nameOf(e); if (n) key(n, false); });
  const release = () => { held.clear(); buttons = 0; send(new Uint8Array([6])); };
  addEventListener('blur', release);
  overlay.addEventListener('blur', release);
  let buttons = 0, pointer = null;
  const floats = (kind, b, ...list) => { const m = new DataView(new ArrayBuffer(4 + 4 * list.length)); m.setUint8(0, kind); m.setUint8(1, b); list.forEach((v, i) => m.setFloat32(4 + 4 * i, v, true)); play(m.buffer); };
  const point = e => { const [x, y] = toWorld(e); floats(3, buttons, x, y); };
  overlay.addEventListener('pointerdown', e => {
    overlay.focus({ preventScroll: true });
    if (pick.getAttribute('aria-pressed') === 'true' || e.altKey) { choose(e); return; }
    overlay.setPointerCapture(e.pointerId);
    buttons |= e.button === 2 ? 2 : 1;
    point(e);
  });
  overlay.addEventListener('pointermove', e => { pointer = e; });
  overlay.addEventListener('pointerup', e => { buttons &= e.button === 2 ? ~2 : ~1; point(e); });
  overlay.addEventListener('pointercancel', e => { buttons = 0; point(e); });
  overlay.addEventListener('contextmenu', e => e.preventDefault());
  overlay.addEventListener('wheel', e => { e.preventDefault(); floats(4, 0, -Math.sign(e.deltaY)); }, { passive: false });
  setInterval(() => { if (pointer) { point(pointer); pointer = null; } gamepad(); }, 16); // at most one for each tick
  let pad = '', padFire = false;
  function gamepad() {
    const g = navigator.getGamepads && [...navigator.getGamepads()].find(p => p && p.connected);
    if (!g) return;
    const dead = v => Math.abs(v) < .15 ? 0 : v, x = dead(g.axes[0] || 0), y = -dead(g.axes[1] || 0), fire = !!(g.buttons[0] && g.buttons[0].pressed);
    if (pad !== x + ' ' + y) { pad = x + ' ' + y; floats(5, 0, x, y); }
    if (fire !== padFire) key('space', padFire = fire);
  }
  // A finger has no keys: a stick, and a button.
  const stick = document.getElementById('stick'), knob = stick.firstElementChild, fire = document.getElementById('fire');
  const lean = e => {
    const r = stick.getBoundingClientRect(), x = (e.clientX - r.left) / r.width * 2 - 1, y = (e.clientY - r.top) / r.height * 2 - 1, long = Math.max(1, Math.hypot(x, y));
    knob.style.transform = `translate(${x / long * 32}px, ${y / long * 32}px)`;
    floats(5, 0, x / long, -y / long);
  };
  stick.onpointerdown = e => { stick.setPointerCapture(e.pointerId); lean(e); };
  stick.onpointermove = e => { if (stick.hasPointerCapture(e.pointerId)) lean(e); };
  stick.onpointerup = stick.onpointercancel = () => { knob.style.transform = ''; floats(5, 0, 0, 0); };
  fire.onpointerdown = () => key('space', true);
  fire.onpointerup = fire.onpointercancel = () => key('space', false);

  // --- a click on an entity
  const picking = on => { pick.setAttribute('aria-pressed', on); stage.classList.toggle('picking', on); };
  pick.onclick = () => picking(pick.getAttribute('aria-pressed') !== 'true');
  function choose(e) {
    const [x, y] = toWorld(e), reach = 14 / scale * ratio;
    let best = -1, least = Infinity;
    for (let i = 0, o = 0; i < total; i++, o += WORDS) {
      const d = Math.hypot(data[o + 2] - x, data[o + 3] - y); // from the middle: what is small lies in what is large
      if (d < reach + data[o + 6] * .5 && d <= least) { least = d; best = i; }
    }
    picking(false);
    if (best < 0) { toast('there is no entity here'); return; }
    import('./api.js').then(api => api.get('/entities/@' + slots[best])).then(one => app.select(one.id)).catch(x => toast(x.message));
  }

  connect();
  requestAnimationFrame(draw);
  return {
    state, release, highlight(id) { chosen = id; },
    focus() { overlay.focus(); },
    /** For tests: where a slot is on the page. */
    where(slot) { const r = overlay.getBoundingClientRect(), k = r.width / canvas.width; return slotTick[slot] === serial ? [r.left + (slotX[slot] - left) * scale * k, r.top + (top - slotY[slot]) * scale * k] : null; },
  };
}
