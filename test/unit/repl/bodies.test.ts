// Requests and responses that a program makes itself, as a server's handler does under test.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  [
    'hands a body on to another',
    "const a = new Response('hi', { status: 201 }); const b = new Response(a.body, a); const q = new Request('http://a/', { method: 'POST', body: new Response('q').body }); [b.status, b.headers.get('content-type'), await b.text(), await q.text(), new Response().body, a.body === a.body]",
    [201, 'text/plain;charset=UTF-8', 'hi', 'q', null, true],
  ],
  [
    'reads it in one piece',
    "const r = new Response('hi'); const reader = r.body.getReader(); const pieces = []; for (;;) { const { done, value } = await reader.read(); if (done) break; pieces.push(new TextDecoder().decode(value)); } const other = []; for await (const piece of new Response('ho').body) other.push(piece.length); [pieces, r.bodyUsed, r.body.locked, other, await r.text().catch((error) => error.name)]",
    [['hi'], true, true, [2], 'TypeError'],
  ],
  [
    'gives a copy of a stream beside the stream itself',
    "const made = () => new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('q')); c.close(); } })); const a = made(); a.body; const b = a.clone(), c = b.clone(); [await c.text(), a.bodyUsed, await b.text(), await a.text(), a.bodyUsed]",
    ['q', false, 'q', 'q', true],
  ],
  [
    'is of the very stream that it was made of, and knows when others read that',
    'const s = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([97])); c.close(); } }); const r = new Response(s); const is = r.body === s; const before = r.bodyUsed; await s.getReader().read(); [is, before, r.bodyUsed, await r.text().catch((error) => error.name)]',
    [true, false, true, 'TypeError'],
  ],
  [
    'pulls the next piece when the last one was taken, as a source may use its buffer again',
    'let n = 0; const one = new Uint8Array(1); const s = new ReadableStream({ pull(c) { one[0] = n += 1; c.enqueue(one); if (n === 3) c.close(); } }); const seen = []; const reader = s.getReader(); for (let at; !(at = await reader.read()).done;) seen.push(at.value[0]); seen',
    [1, 2, 3],
  ],
  [
    'is of a class of its own, which has what the web gives it',
    "const own = (C, ...names) => [Object.getPrototypeOf(C) === Function.prototype, names.every((name) => Object.hasOwn(C.prototype, name))]; class Sub extends Response {} const s = new Sub('a', { status: 201 }); [own(Request, 'json', 'body', 'clone'), own(Response, 'text', 'bodyUsed'), await s.text(), s.bodyUsed, s instanceof Response]",
    [[true, true], [true, true], 'a', true, true],
  ],
  [
    'makes an error and a redirect',
    "const e = Response.error(), r = Response.redirect('http://a/b', 307); [e.type, e.status, e.ok, r.status, r.headers.get('location'), r.body]",
    ['error', 0, false, 307, 'http://a/b', null],
  ],
  [
    'is fetched of a data: URL, and of no file',
    "const d = await fetch('data:application/json;base64,eyJhIjoxfQ=='), p = await fetch('data:,a%20b'); [await d.json(), d.headers.get('content-type'), await p.text(), p.headers.get('content-type'), await fetch('file:///work/a').catch((error) => error.message)]",
    [
      { a: 1 },
      'application/json',
      'a b',
      'text/plain;charset=US-ASCII',
      "fetch failed: it takes http:, https: and data:, and this is 'file:///work/a'. Read files by fs",
    ],
  ],
  [
    'reads a form that was sent',
    "const f = new FormData(); f.append('a', 'é \\r\\n--x'); f.append('a', ''); f.append('f\"', new File([new Uint8Array([0, 255, 13, 10])], 'n\"ä.bin', { type: 'x/y' })); const g = await new Request('http://a/', { method: 'POST', body: f }).formData(); const file = g.get('f\"'); const u = await new Response(new URLSearchParams({ b: '1 2' })).formData(); const said = (body, type) => new Response(body, { headers: { 'content-type': type } }).formData().catch((error) => error.name + ': ' + error.message); [g.getAll('a'), file.name, file.type, [...new Uint8Array(await file.arrayBuffer())], u.get('b'), await said('a', 'text/plain'), await said('--q\\r\\nbroken', 'multipart/form-data; boundary=q')]",
    [
      ['é \r\n--x', ''],
      'n"ä.bin',
      'x/y',
      [0, 255, 13, 10],
      '1 2',
      "TypeError: The body is no form by its content type: 'text/plain'",
      'TypeError: The body is no form: a part of it has no name or no end.',
    ],
  ],
  [
    'tells what a request was made with',
    "const r = new Request('http://a/', { credentials: 'include', cache: 'no-store' }); const c = new Request(r, { mode: 'same-origin' }); [r.credentials, r.mode, r.keepalive, c.credentials, c.cache, c.mode, c.clone().mode, 'referrer' in r]",
    ['include', 'cors', false, 'include', 'no-store', 'same-origin', 'same-origin', true],
  ],
  [
    'keeps cookies apart',
    "const h = new Headers([['Set-Cookie', 'a=1; Expires=Thu, 1 Jan'], ['x', '1'], ['x', '2']]); h.append('set-cookie', 'b=2'); const copy = new Headers(h); const all = [h.getSetCookie(), [...copy], h.get('set-cookie'), h.has('Set-Cookie')]; h.set('set-cookie', 'c'); h.delete('x'); all.push([...h]); h.delete('set-cookie'); [...all, h.has('set-cookie')]",
    [
      ['a=1; Expires=Thu, 1 Jan', 'b=2'],
      [
        ['set-cookie', 'a=1; Expires=Thu, 1 Jan'],
        ['set-cookie', 'b=2'],
        ['x', '1, 2'],
      ],
      'a=1; Expires=Thu, 1 Jan, b=2',
      true,
      [['set-cookie', 'c']],
      false,
    ],
  ],
])('%s', async (_what, code, expected) => {
  const repl = await openRepl();
  const { value, error } = await repl.run(code);
  expect(error).toBeUndefined();
  expect(value).toEqual(expected);
});
