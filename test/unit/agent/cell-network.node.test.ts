// What a cell may reach, from the rule to the wire: the whole agent against a server on loopback.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createPerson, createQuickPerson, runCells } from '../../support/turns/run-cells.ts';

let server: Server;
let host: Host;
/** As a rule and a URL have it. */
let address: string;
let requests: string[];

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('from outside');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  host = await createInlineHost({ loadWasm: loadQuickjsWasm });
});

afterEach(async () => {
  await host[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const attempt = (url: string) =>
  `let told; try { told = await (await fetch('${url}')).text(); } catch (error) { told = error.name; } told`;

describe("a cell's fetch", () => {
  it('reaches what an allow rule names, without a question', async () => {
    const { asked, canUseTool } = createPerson();
    const { outputs } = await runCells(host, [attempt(`http://${address}/a`)], {
      canUseTool,
      allowedTools: [`Repl(net:${address})`],
    });
    expect([outputs[0]?.display, requests, asked]).toEqual([`'from outside'`, ['/a'], []]);
  });

  it('reaches what a person was asked about, and no other host', async () => {
    const person = createPerson();
    const other = `'http://' + ['127.0.0.1', 1].join(':') + '/b'`;
    const code = `${attempt(`http://${address}/a`)}; let more; try { await fetch(${other}); } catch (error) { more = error.name; } [told, more]`;
    const running = runCells(host, [code], { canUseTool: person.canUseTool });
    const question = await person.next();
    expect(JSON.stringify(question.options)).toContain('127.0.0.1');
    question.answer({ behavior: 'allow' });
    const { outputs } = await running;
    expect(outputs[0]?.display).toBe(`[ 'from outside', 'PermissionDenied' ]`);
    expect(requests).toEqual(['/a']);
  });

  it('reaches nothing where a person refused, a rule denies, or only the cell knew the host', async () => {
    const { canUseTool } = createQuickPerson({ behavior: 'deny', message: 'No.' });
    const refused = await runCells(host, [attempt(`http://${address}/a`)], { canUseTool });
    expect(refused.outputs[0]).toBeUndefined();
    const hidden = `fetch(['http', '${address}'].join('://')).catch((error) => error.name)`;
    const built = await runCells(host, [`await ${hidden}`], { canUseTool });
    expect(built.outputs[0]?.display ?? 'refused').not.toContain('outside');
    const denied = await runCells(host, [attempt(`http://${address}/a`)], {
      permissionMode: 'bypassPermissions',
      disallowedTools: [`Repl(net:${address})`],
    });
    expect(denied.outputs[0]?.display ?? 'refused').not.toContain('outside');
    expect(requests).toEqual([]);
  });
});
