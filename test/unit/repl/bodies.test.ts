// Requests and responses that a program makes itself, as a server's handler does under test.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl.ts';

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
