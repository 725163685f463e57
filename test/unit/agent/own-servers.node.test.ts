// Servers of a session's own cells, and the question about the hosts that a cell names: the whole agent, with a server
// of the machine beside them that must hear nothing.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createQuickPerson, runCells } from '../../support/turns/run-cells.ts';

let outside: Server;
let host: Host;
let port: number;
let heard: number;

beforeEach(async () => {
  heard = 0;
  outside = createServer((_request, response) => {
    heard += 1;
    response.end('from outside');
  });
  await new Promise<void>((done) => outside.listen(0, '127.0.0.1', done));
  ({ port } = outside.address() as AddressInfo);
  host = await createInlineHost({ loadWasm: loadQuickjsWasm });
});

afterEach(async () => {
  await host[Symbol.asyncDispose]();
  outside.closeAllConnections();
  await new Promise((done) => outside.close(done));
});

const refusing = () => createQuickPerson({ behavior: 'deny', message: 'No.' });
const serve = () =>
  `const server = require('http').createServer((request, response) => response.end('from the cell')).listen(${port}); 1`;
const ask = (url = `http://localhost:${port}/`) =>
  `let told; try { told = await (await fetch('${url}')).text(); } catch (error) { told = error.name; } told`;
const shown = async (cells: readonly string[], options: Parameters<typeof runCells>[2]) =>
  (await runCells(host, cells, options)).outputs.map((output) => output?.display);

describe('the own server of a session', () => {
  it('is reached by later cells, which are asked nothing', async () => {
    const person = refusing();
    const cells = [serve(), ask(), ask(`http://127.0.0.1:${port}/`)];
    const answers = ['1', "'from the cell'", "'from the cell'"];
    expect(await shown(cells, person)).toEqual(answers);
    // A rule on hosts is about requests that leave.
    const denying = { ...person, disallowedTools: ['Repl(net:localhost)'] };
    expect(await shown(cells, denying)).toEqual(answers);
    expect([person.asked, heard]).toEqual([[], 0]);
  });

  it('is known after a resume, and to a fork', async () => {
    const person = refusing();
    await shown([serve()], { ...person, sessionId: 'a' });
    // The script goes on behind the two messages that it has played.
    const cells = [serve(), 'never run', ask()];
    const resumed = await shown(cells, { ...person, resume: 'a', forkSession: true });
    expect(resumed).toEqual(["'from the cell'"]);
    expect(await shown(cells, { ...person, resume: 'a' })).toEqual(["'from the cell'"]);
    expect([person.asked, heard]).toEqual([[], 0]);
  });

  it('opens no other host, scheme or port: a person is asked as before', async () => {
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = async (_name, _input, { suggestions = [] }) => {
      asked.push(suggestions.flatMap((update) => ('rules' in update ? update.rules : [])));
      return { behavior: 'deny', message: 'No.' };
    };
    const others = [`https://localhost:${port}/`, 'http://localhost:1/', `http://a.net:${port}/`];
    await shown([serve(), ...others.map((url) => ask(url))], { canUseTool });
    const hosts = [`localhost:${port}`, 'localhost:1', `a.net:${port}`];
    expect(asked).toEqual(hosts.map((host) => [{ toolName: 'Repl', ruleContent: `net:${host}` }]));
  });

  it('is asked about once it is closed, and where its cell failed', async () => {
    const person = refusing();
    const failed = `${serve()}; throw new Error('no')`;
    await shown([failed, ask(), serve(), 'server.close(); 2', ask()], person);
    expect([person.asked.length, heard]).toEqual([2, 0]);
  });

  it('grants nothing: where it is closed before the request, that is refused', async () => {
    const person = refusing();
    const cells = [serve(), `server.close(); ${ask()}`];
    expect(await shown(cells, person)).toEqual(['1', "'PermissionDenied'"]);
    const bypassing = { ...person, permissionMode: 'bypassPermissions' } as const;
    expect(await shown(cells, bypassing)).toEqual(['1', "'PermissionDenied'"]);
    expect([person.asked, heard]).toEqual([[], 0]);
  });
});
