// The classes of cells (docs/permissions.md): what only reads runs unasked, what writes, removes or reaches out
// is asked about, what is dangerous is refused. Each row in each mode, by real cells that a person says no to.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import { permissionModes, type CanUseTool } from '../../../../src/core/permissions/permission.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { classifyCell } from '../../../../src/repl/cell/classify.ts';
import { runCells } from '../../../support/turns/run-cells.ts';

let server: Server;
let host: Host;
let requests: number;
let url: string;

beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1;
    response.end('1 + 1');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

/** `allow`: it ran, unasked. `ask`: a person was asked, and said no. `deny`: it was refused unasked. */
type Outcome = 'allow' | 'ask' | 'deny';

interface Row {
  readonly title: string;
  readonly cellClass: ReturnType<typeof classifyCell>['cellClass'];
  readonly code: () => string;
  /** In the order of {@link permissionModes}. */
  readonly becomes: readonly Outcome[];
  /** The file that it leaves, or removes, where it is kept. */
  readonly leaves?: string;
  readonly removes?: string;
}

const always = (outcome: Outcome): Outcome[] => permissionModes.map(() => outcome);
const asked: readonly Outcome[] = ['ask', 'ask', 'deny', 'ask', 'deny', 'allow'];
/** acceptEdits spares a question about writing, and about nothing else. */
const edits: readonly Outcome[] = ['ask', 'allow', 'deny', 'ask', 'deny', 'allow'];

const rows: readonly Row[] = [
  {
    title: 'computes',
    cellClass: 'neutral',
    code: () => '[3, 1].toSorted()',
    becomes: always('allow'),
  },
  {
    title: 'lists',
    cellClass: 'list',
    code: () => `fs.readdirSync('.')`,
    becomes: always('allow'),
  },
  {
    title: 'reads',
    cellClass: 'read',
    code: () => `fs.readFileSync('a.txt', 'utf8').length`,
    becomes: always('allow'),
  },
  {
    title: 'searches',
    cellClass: 'search',
    code: () => `fs.readdirSync('.').map((name) => fs.readFileSync(name, 'utf8'))`,
    becomes: always('allow'),
  },
  {
    title: 'writes',
    cellClass: 'write',
    code: () => `fs.writeFileSync('b.txt', 'x')`,
    becomes: edits,
    leaves: 'b.txt',
  },
  {
    title: 'writes in a roundabout way',
    cellClass: 'write',
    code: () => `fs['writeFile' + 'Sync']('c.txt', 'x')`,
    becomes: edits,
    leaves: 'c.txt',
  },
  {
    title: 'removes',
    cellClass: 'destructive',
    code: () => `fs.rmSync('a.txt')`,
    becomes: asked,
    removes: 'a.txt',
  },
  {
    title: 'reaches out',
    cellClass: 'open-world',
    code: () => `(await fetch('${url}')).status`,
    becomes: asked,
  },
  {
    title: 'runs what it has downloaded',
    cellClass: 'dangerous',
    code: () => `eval(await (await fetch('${url}')).text())`,
    becomes: always('deny'),
  },
  {
    title: 'imports from the network',
    cellClass: 'dangerous',
    code: () => `await import('${url}code.js')`,
    becomes: always('deny'),
  },
];

describe('a cell', () => {
  it.each(rows)('that $title is $cellClass', ({ code, cellClass }) => {
    expect(classifyCell(code()).cellClass).toBe(cellClass);
  });

  it.each(permissionModes.map((mode, at) => ({ mode, at })))(
    'is allowed, asked about or refused by its class in $mode',
    async ({ mode: permissionMode, at }) => {
      const { fs } = host.workspace;
      for (const name of await fs.readdir(host.cwd)) await fs.rm(`${host.cwd}/${name}`);
      await fs.writeFile(`${host.cwd}/a.txt`, 'one');
      requests = 0;
      const askedAbout = new Set<string>();
      const canUseTool: CanUseTool = async (_name, _input, { toolUseID }) => {
        askedAbout.add(toolUseID);
        return { behavior: 'deny', message: 'No.' };
      };
      const cells = rows.map(({ code }) => code());
      const { messages } = await runCells(host, cells, { canUseTool, permissionMode });
      const denied = messages.flatMap((message) =>
        message.type === 'result' ? message.permission_denials : [],
      );
      const refused = new Set(denied.map(({ tool_use_id }) => tool_use_id));
      const outcomes = rows.map(({ title }, cell): [string, Outcome] => {
        const id = `cell-${cell}`;
        if (askedAbout.has(id)) return [title, 'ask'];
        return [title, refused.has(id) ? 'deny' : 'allow'];
      });
      expect(outcomes).toEqual(rows.map(({ title, becomes }) => [title, becomes[at]]));
      const kept = rows.filter(({ becomes }) => becomes[at] === 'allow');
      const files = ['a.txt', ...kept.flatMap(({ leaves = [] }) => leaves)].filter(
        (name) => !kept.some(({ removes }) => removes === name),
      );
      expect(await fs.readdir(host.cwd)).toEqual(files);
      // The loopback is reached by nothing but a rule that names it, whatever the mode.
      expect(requests).toBe(0);
    },
  );
});
