// The API, with the token. The token comes in the fragment of the URL, which browsers do not
// send; it is kept for this tab, and taken out of the address.
let token = decodeURIComponent(location.hash.slice(1)) || sessionStorage.getItem('perigee.token') || '';
if (location.hash.length > 1) history.replaceState(null, '', location.pathname + location.search);
sessionStorage.setItem('perigee.token', token);

export class Failure extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

/** Calls a route and returns its JSON. @throws Failure */
export async function call(method, path, body) {
  const answer = await fetch('/api/v1' + path, {
    method, headers: { Authorization: 'Bearer ' + token }, body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Failure(answer.status, json.error ? json.error.text : answer.statusText);
  return json;
}

/** Fetches an image of sprites, as it is. @throws Failure */
export async function image(id) {
  const answer = await fetch('/api/v1/images/' + id, { headers: { Authorization: 'Bearer ' + token } });
  if (!answer.ok) throw new Failure(answer.status, answer.statusText);
  return answer.blob();
}

export const get = path => call('GET', path);

/** Opens the stream of pictures. */
export function openView() {
  const ws = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/api/v1/view', ['perigee.view.v1', 'perigee.token.' + token]);
  ws.binaryType = 'arraybuffer';
  return ws;
}

/** Calls on(pulse) for each event, and lost(text) while there is no connection. Never ends. */
export async function listen(on, lost) {
  for (;;) {
    try {
      const answer = await fetch('/api/v1/events', { headers: { Authorization: 'Bearer ' + token } });
      if (!answer.ok) throw new Failure(answer.status, (await answer.json()).error.text);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the game has ended');
        rest += value;
        for (let end; (end = rest.indexOf('\n\n')) >= 0; rest = rest.slice(end + 2)) {
          const data = rest.slice(0, end).split('\n').find(l => l.startsWith('data: '));
          if (data) on(JSON.parse(data.slice(6)));
        }
      }
    } catch (e) {
      lost(e instanceof Failure ? e.message : 'no connection to the game');
    }
    await new Promise(done => setTimeout(done, 1000));
  }
}
