// XMLHttpRequest in a previewed page: for files of the workspace, as the browser's own has it for a blob.
import { expect, it } from 'vitest';
import { openPreview } from '../../support/browser/preview-page.ts';

/** Runs in the test's page and in a preview. Gives the events and the results of requests for `url`. */
const tellRequests = async (url: string): Promise<unknown> => {
  const types = ['', 'text', 'json', 'arraybuffer', 'blob'] as const;
  const run = (type: XMLHttpRequestResponseType) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      const events: string[] = [];
      const note = ({ type: name }: Event) => events.push(`${name} ${request.readyState}`);
      request.onreadystatechange = note;
      for (const name of ['loadstart', 'progress', 'error', 'abort', 'timeout'] as const) {
        request.addEventListener(name, note);
      }
      request.onload = note;
      request.onloadend = async (event) => {
        note(event);
        const { response, status, statusText } = request;
        const text =
          response instanceof ArrayBuffer || response instanceof Blob
            ? await new Response(response).text()
            : response;
        const length = request.getResponseHeader('Content-Length');
        const kind = Object.prototype.toString.call(response);
        // Firefox reports no sizes of a blob.
        const sizes = type === 'blob' ? [] : [event.loaded, event.total];
        resolve([events, kind, text, status, statusText, length, ...sizes]);
      };
      request.open('GET', url);
      request.responseType = type;
      request.setRequestHeader('Accept', '*/*');
      request.send();
    });
  return Promise.all(types.map(run));
};

const data = '{ "sea": "tide", "é": [1, 2] }';

async function logOf(script: string, files: Readonly<Record<string, string>> = {}) {
  const { open, preview } = await openPreview({
    'index.html': `<script type="module">${script}</script>`,
    ...files,
  });
  await open();
  const { messages } = await preview.readConsole();
  return messages.map(({ level, text }) => `${level} ${text}`);
}

it('gives a file as the browser gives a blob, with the same events', async () => {
  const url = URL.createObjectURL(new Blob([data], { type: 'application/json' }));
  const expected = await tellRequests(url);
  URL.revokeObjectURL(url);
  const log = await logOf(
    `const tell = ${String(tellRequests)}; console.log(JSON.stringify(await tell('/data.json')));`,
    { 'data.json': data },
  );
  expect(log).toEqual([`log ${JSON.stringify(expected)}`]);
});

it('says of a file that is not there 404, and of what is sent that nobody takes it', async () => {
  const log = await logOf(
    `
    const ask = (method, url) => new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      request.onload = () => resolve(['load', request.status, request.statusText, request.response]);
      request.onerror = () => resolve(['error', request.status, request.readyState]);
      request.send();
    });
    console.log(JSON.stringify([await ask('GET', 'none.json'), await ask('HEAD', 'a.txt'), await ask('POST', '/save')]));
    try { new XMLHttpRequest().open('GET', 'a.txt', false); } catch ({ name }) { console.log(name); }`,
    { 'a.txt': 'a' },
  );
  expect(log).toEqual([
    'request POST /save failed: a preview has no server. It can only get files.',
    'log [["load",404,"Not Found",""],["load",200,"OK",""],["error",0,4]]',
    "request a.txt can't be loaded: a preview answers no synchronous XMLHttpRequest. Open it with async.",
    'log InvalidAccessError',
  ]);
});

it('is aborted, used again, and read as XML and in another encoding', async () => {
  const log = await logOf(
    `
    const request = new XMLHttpRequest();
    const events = [];
    for (const name of ['load', 'abort', 'loadend']) request.addEventListener(name, () => events.push(name));
    const done = () => new Promise((resolve) => request.addEventListener('loadend', resolve, { once: true }));
    request.open('GET', 'a.xml');
    request.send();
    request.abort();
    events.push(request.readyState);
    request.open('GET', 'a.xml');
    const loaded = done();
    request.send();
    await loaded;
    console.log(JSON.stringify(events), request.responseXML.documentElement.localName, request.responseText);
    request.open('GET', 'a.txt');
    request.overrideMimeType('text/plain; charset=iso-8859-1');
    const again = done();
    request.send();
    await again;
    console.log(request.responseText, request.responseXML);`,
    { 'a.xml': '<tide/>', 'a.txt': 'é' },
  );
  expect(log).toEqual(['log ["abort","loadend",0,"load","loadend"] tide <tide/>', 'log Ã© null']);
});

it('reaches no other host', async () => {
  const log = await logOf(`
    const request = new XMLHttpRequest();
    request.open('GET', 'https://api.test/a.json');
    request.onerror = () => console.log('refused', request.status);
    request.send();`);
  expect(log).toContain('log refused 0');
  expect(log.join()).toContain('https://api.test/a.json was refused (connect-src)');
});
