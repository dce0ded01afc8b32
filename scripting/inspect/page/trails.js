// Trails: the places where entities were, kept from picture to picture.
const POINTS = 28, MOST = 8192;

export function trailKeeper() {
  let all = new Map(), tick = -1, serial = 0;
  // What is to be drawn: points of x, y, half a width, alpha; and for each trail where its points begin, how many, and the color.
  const shown = { points: new Float32Array(4 * 1024), runs: new Uint32Array(3 * 64), count: 0 };

  /** Begins a picture: trails begin anew when time has gone back. */
  function begin(now) {
    if (now < tick) all.clear();
    tick = now; serial++;
  }
  /** An entity is at x, y, after so many seconds of simulation; it has jumped when it is farther away than far. */
  function add(key, x, y, time, seconds, width, color, far) {
    let t = all.get(key);
    if (!t) {
      if (all.size >= MOST) return;
      all.set(key, t = { p: new Float64Array(3 * (POINTS + 2)), n: 0 });
    }
    const jumped = t.n && (x - t.x) ** 2 + (y - t.y) ** 2 > far * far;
    if (jumped || !t.n) { t.n = 0; t.px = x; t.py = y; t.before = time; }
    else if (t.time < time) { t.px = t.x; t.py = t.y; t.before = t.time; }
    t.x = x; t.y = y; t.time = time; t.seconds = seconds; t.width = width; t.color = color; t.serial = serial;
    // The places that stay lie at least a part of the trail apart.
    if (!t.n || time - t.p[3 * t.n - 1] >= seconds / POINTS) {
      if (t.n === POINTS + 2) { t.p.copyWithin(0, 3); t.n--; }
      t.p[3 * t.n] = x; t.p[3 * t.n + 1] = y; t.p[3 * t.n + 2] = time; t.n++;
    }
  }
  /** Ends a picture: what has faded out is forgotten. */
  function end(time) {
    for (const [key, t] of all) if (t.serial !== serial && !(time - t.time < t.seconds)) all.delete(key);
  }
  /** Works out what is to be drawn between two pictures: part is how far it is to the second one. Places nearer to each other than near count as one. */
  function show(part, time, before, near) {
    shown.count = 0;
    let o = 0;
    for (const t of all.values()) {
      const there = t.serial === serial, now = there ? t.before + (t.time - t.before) * part : before + (time - before) * part;
      if (!(t.width > 0)) continue;
      if (shown.points.length < o + 4 * (POINTS + 3)) shown.points = wider(shown.points);
      if (shown.runs.length < 3 * shown.count + 3) shown.runs = wider(shown.runs);
      const first = o, alpha = (t.color >>> 24) / 255, half = t.width / 2, q = shown.points;
      const point = (x, y, age) => { const left = 1 - age / t.seconds; q[o] = x; q[o + 1] = y; q[o + 2] = half * (.25 + .75 * left); q[o + 3] = alpha * left; o += 4; };
      let k = 0;
      while (k < t.n && now - t.p[3 * k + 2] >= t.seconds) k++;
      if (k > 0 && k < t.n) { // the end lies between two places
        const a = 3 * k - 3, at = now - t.seconds, f = (at - t.p[a + 2]) / (t.p[a + 5] - t.p[a + 2] || 1);
        point(t.p[a] + (t.p[a + 3] - t.p[a]) * f, t.p[a + 1] + (t.p[a + 4] - t.p[a + 1]) * f, t.seconds);
      }
      for (; k < t.n && t.p[3 * k + 2] < now; k++) {
        const x = t.p[3 * k], y = t.p[3 * k + 1];
        if (o === first || (x - q[o - 4]) ** 2 + (y - q[o - 3]) ** 2 > near * near) point(x, y, now - t.p[3 * k + 2]);
      }
      point(there ? t.px + (t.x - t.px) * part : t.x, there ? t.py + (t.y - t.py) * part : t.y, there ? 0 : Math.min(now - t.time, t.seconds));
      const n = (o - first) / 4;
      if (n < 2) { o = first; continue; }
      shown.runs[3 * shown.count] = first / 4; shown.runs[3 * shown.count + 1] = n; shown.runs[3 * shown.count + 2] = t.color & 0xffffff;
      shown.count++;
    }
    return shown;
  }
  const wider = a => { const b = new a.constructor(a.length * 2); b.set(a); return b; };
  return { begin, add, end, show, count: () => all.size, points: () => Math.max(0, ...[...all.values()].map(t => t.n)) };
}
