import { describe, expect, it } from 'vitest';
import { createServerFetch, type FetchPort } from '../../../src/core/host-ports/fetch-port.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { openRepl } from '../../support/repl/repl.ts';

const network = { hosts: ['a.net'] };

/** A port that answers each URL as the table says, in its own time. */
function port(answers: Readonly<Record<string, () => Promise<Response> | Response>>): FetchPort {
  return createServerFetch(async (url) => {
    const answer = answers[url];
    if (!answer) throw new TypeError('fetch failed');
    return answer();
  });
}

/** A promise and its two ends. */
function defer<T>() {
  const { promise, resolve } = createDeferred<T>();
  return { promise, resolve };
}

describe("a cell's fetch", () => {
  it('rejects with PermissionDenied unless the cell may use the network, and may be caught', async () => {
    const repl = await openRepl();
    const denied = await repl.run('1;\nawait fetch("https://a.net/x")');
    expect(denied).toMatchObject({
      rolledBack: true,
      error: {
        name: 'PermissionDenied',
        message:
          'This cell may not reach a.net. It needs the permission Repl(net:a.net), which only the user can give.',
        line: 2,
      },
    });
    expect(
      await repl.value(
        'try { await fetch("https://a.net/x") } catch (error) { [error.name, error.code, error instanceof Error] }',
      ),
    ).toBe("[ 'PermissionDenied', 'ERR_ACCESS_DENIED', true ]");
  });

  it('reads an answer in every form', async () => {
    const repl = await openRepl(
      {},
      {
        network: port({
          'https://a.net/json': () => Response.json({ a: [1] }, { headers: { 'x-b': '2' } }),
          'https://a.net/none': () => new Response(null, { status: 204 }),
          'https://a.net/gone': () => new Response('gone', { status: 410, statusText: 'Gone' }),
        }),
      },
    );
    const result = await repl.run(
      `const r = await fetch('https://a.net/json');
       const copy = r.clone();
       const gone = await fetch(new URL('https://a.net/gone'));
       [r.ok, r.status, r.url, r.redirected, r.headers.get('X-B'), await r.json(), r.bodyUsed, (await copy.bytes()).length,
        gone.ok, gone.status, gone.statusText, await gone.text(), (await fetch('https://a.net/none')).status,
        await fetch('https://a.net/lost').catch((error) => error.message), await r.text().catch((error) => error.name)]`,
      { network },
    );
    expect(result.error).toBeUndefined();
    expect(result.display).toBe(
      [
        '[',
        '  true,',
        '  200,',
        "  'https://a.net/json',",
        '  false,',
        "  '2',",
        '  { a: [ 1 ] },',
        '  true,',
        '  9,',
        '  false,',
        '  410,',
        "  'Gone',",
        "  'gone',",
        '  204,',
        "  'fetch of https://a.net/lost failed: the server could not be reached.',",
        "  'TypeError'",
        ']',
      ].join('\n'),
    );
  });

  it('sends method, headers and body', async () => {
    const seen: unknown[] = [];
    const repl = await openRepl(
      {},
      {
        network: createServerFetch(async (url, { method, headers, body }) => {
          seen.push({ url, method, headers, body: body && [...body] });
          return new Response('');
        }),
      },
    );
    await repl.run(
      `await fetch('https://a.net/1', { method: 'post', headers: { 'X-A': '1' }, body: 'é' });
       await fetch('https://a.net/2', { method: 'PUT', body: new URLSearchParams({ a: 'b c' }) });
       await fetch(new Request('https://a.net/3', { method: 'DELETE', body: new Uint8Array([1, 2]).subarray(1) }));`,
      { network },
    );
    expect(seen).toEqual([
      {
        url: 'https://a.net/1',
        method: 'POST',
        headers: [
          ['content-type', 'text/plain;charset=UTF-8'],
          ['x-a', '1'],
        ],
        body: [195, 169],
      },
      {
        url: 'https://a.net/2',
        method: 'PUT',
        headers: [['content-type', 'application/x-www-form-urlencoded;charset=UTF-8']],
        body: [97, 61, 98, 43, 99],
      },
      { url: 'https://a.net/3', method: 'DELETE', headers: [], body: [2] },
    ]);
  });

  it('waits for many answers at once, and for timers beside them', async () => {
    const first = defer<Response>();
    const repl = await openRepl(
      {},
      {
        network: port({
          'https://a.net/1': () => first.promise,
          'https://a.net/2': () => {
            first.resolve(new Response('one'));
            return new Response('two');
          },
        }),
      },
    );
    const { display: result } = await repl.run(
      `const texts = ['1', '2'].map(async (name) => (await fetch('https://a.net/' + name)).text());
       [await new Promise((done) => setTimeout(done, 1, 'timer')), ...await Promise.all(texts)]`,
      { network },
    );
    expect(result).toBe("[ 'timer', 'one', 'two' ]");
  });

  it('is aborted by its signal, and the host hears of it', async () => {
    let heard: AbortSignal | undefined;
    const repl = await openRepl(
      {},
      {
        network: createServerFetch((_url, { signal }) => {
          heard = signal;
          return new Promise(() => {});
        }),
      },
    );
    const { display: result, error } = await repl.run(
      `const aborted = new AbortController();
       setTimeout(() => aborted.abort(new Error('enough')), 1);
       [await fetch('https://a.net/', { signal: aborted.signal }).catch((error) => error.message),
        await fetch('https://a.net/', { signal: AbortSignal.timeout(1) }).catch((error) => error.name),
        await fetch('https://a.net/', { signal: AbortSignal.abort() }).catch((error) => error.name)]`,
      { network },
    );
    expect(error).toBeUndefined();
    expect(result).toBe("[ 'enough', 'TimeoutError', 'AbortError' ]");
    expect(heard?.aborted).toBe(true);
  });

  it.each([
    ['fetch()', 'TypeError'],
    ['fetch("nowhere")', 'TypeError'],
    ['fetch("https://a.net", { method: "GET", body: "x" })', 'TypeError'],
    ['fetch("https://a.net", { headers: { "a b": "1" } })', 'TypeError'],
    ['fetch("https://a.net", { headers: { a: "1\\r\\nb: 2" } })', 'TypeError'],
    ['fetch("https://a.net", { headers: { cookie: "a=1" } })', 'TypeError'],
    ['fetch("https://a.net", { redirect: "elsewhere" })', 'TypeError'],
    ['fetch("https://a.net", { method: "TRACE" })', 'TypeError'],
  ])('refuses %s', async (code, name) => {
    const repl = await openRepl({}, { network: port({}) });
    expect(await repl.run(`await ${code}`, { network })).toMatchObject({ error: { name } });
  });
});

describe('what the host answers late', () => {
  it('never reaches a cell after a roll-back', async () => {
    const late = defer<Response>();
    const repl = await openRepl(
      {},
      {
        network: port({
          'https://a.net/late': () => late.promise,
          'https://a.net/now': () => {
            late.resolve(new Response('late'));
            return new Response('now');
          },
        }),
      },
    );
    await repl.run('const seen = []');
    const failed = await repl.run(
      `fetch('https://a.net/late').then(async (r) => seen.push(await r.text()));
       await new Promise((done) => setTimeout(done, 1));
       throw new Error('no')`,
      { network },
    );
    expect(failed.rolledBack).toBe(true);
    // The first call of this cell would have the number of the late one, if numbers were used again.
    const { display: result } = await repl.run(
      `seen.push(await (await fetch('https://a.net/now')).text());
       await new Promise((done) => setTimeout(done, 1)); seen`,
      { network },
    );
    expect(result).toBe("[ 'now' ]");
  });

  it('never reaches a cell after the one before was cut', async () => {
    let heard: AbortSignal | undefined;
    const repl = await openRepl(
      {},
      {
        network: createServerFetch((_url, { signal }) => {
          heard = signal;
          return new Promise(() => {});
        }),
      },
    );
    const cut = await repl.run('await fetch("https://a.net/")', { network, timeoutMs: 1_000 });
    expect(cut).toMatchObject({ timedOutAfterMs: 1_000, rolledBack: true });
    expect(heard?.aborted).toBe(true);
    expect(await repl.value('1')).toBe('1');
  });

  it('is dropped when its cell has ended, which says so', async () => {
    let heard: AbortSignal | undefined;
    const repl = await openRepl(
      {},
      {
        network: createServerFetch((_url, { signal }) => {
          heard = signal;
          return new Promise(() => {});
        }),
      },
    );
    const result = await repl.run('let state = "open"; fetch("https://a.net/"); 1;', { network });
    expect(result).toMatchObject({ display: '1', rolledBack: false });
    expect(result.stderr).toBe(
      'Unhandled rejection: AbortError: The cell ended before this was done: await it in the cell that starts it.\n    at <anonymous> (cell-1:1)\n',
    );
    expect(heard?.aborted).toBe(true);
    await repl.run('fetch("https://a.net/").catch(() => { state = "told" }); 1', { network });
    expect(await repl.value('state')).toBe("'told'");
  });

  it('starts nothing more from there', async () => {
    const asked: string[] = [];
    const repl = await openRepl(
      {},
      {
        network: createServerFetch((url) => {
          asked.push(url);
          return new Promise(() => {});
        }),
      },
    );
    const { stderr } = await repl.run(
      'fetch("https://a.net/1").catch(() => fetch("https://a.net/2")); await 0; 1',
      { network },
    );
    expect(stderr).toMatch(/^Unhandled rejection: Error: The cell has ended: nothing more/u);
    expect(asked).toEqual(['https://a.net/1']);
  });

  it('is taken when someone stops the cell instead', async () => {
    const controller = new AbortController();
    const repl = await openRepl(
      {},
      {
        network: createServerFetch(() => {
          controller.abort();
          return new Promise(() => {});
        }),
      },
    );
    expect(
      await repl.run('await fetch("https://a.net/")', { network, signal: controller.signal }),
    ).toMatchObject({ interrupted: true, rolledBack: true });
  });
});
