import { describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { openRepl } from '../../support/repl/repl.ts';

// Names of globals that models like for their own variables.
const names = [
  'process',
  'URL',
  'URLSearchParams',
  'Buffer',
  'AbortController',
  'EventTarget',
  'Headers',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'performance',
  'crypto',
  'console',
  'DOMException',
  'queueMicrotask',
  'fs',
  'path',
  'util',
  'assert',
];

describe("a cell's own variable", () => {
  it.each(names)('may be called %s, and the world goes on', async (name) => {
    const repl = await openRepl(
      { a: 'x' },
      { network: createServerFetch(async () => Response.json({ a: 1 })) },
    );
    await repl.run(`let ${name} = 'own'`);
    const result = await repl.run(
      `const answer = await (await globalThis.fetch('https://a.net/?q', { method: 'POST', body: 'x' })).json();
       const { createHash } = require('crypto'); const { parseArgs } = require('util');
       const { once } = require('events'); const { format } = require('node:util');
       [${name}, answer.a, createHash('md5').update('').digest('hex').length, parseArgs({}).positionals.length,
        require('fs').readFileSync('a').length, require('querystring').parse('a=1').a, require('url').fileURLToPath('file:///a'),
        require('path').basename('/b/c'), typeof once, format('%s', 1)].join()`,
      { network: { hosts: ['a.net'] } },
    );
    expect(result.error).toBeUndefined();
    expect(result.display).toBe("'own,1,32,0,1,1,/a,c,function,1'");
  });
});
