// A question is about the path that a call names; where a link leads from there, it wasn't asked about.
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { query } from '../../../src/agent/query.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { createQuickPerson } from '../../support/turns/run-cells.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function openHost(): Promise<Host> {
  const host = await createInlineHost();
  hosts.push(host);
  const { fs } = host.workspace;
  await fs.mkdir(`${host.cwd}/docs`);
  await fs.writeFile(`${host.cwd}/docs/secret.txt`, 'hidden\n');
  await fs.symlink('secret.txt', `${host.cwd}/docs/link.txt`);
  return host;
}

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

/** Runs the calls one after the other; a person says yes to everything. Gives their results. */
async function run(host: Host, ask: readonly string[], calls: readonly Call[]) {
  const turns = calls.map(([name, input]) => ({
    blocks: [{ type: 'tool_use' as const, name, input }],
  }));
  const end = { blocks: [{ type: 'text' as const, text: 'Done.' }] };
  const person = createQuickPerson({ behavior: 'allow' });
  const results: unknown[] = [];
  const options = {
    host,
    model: createScriptedModel({ script: { turns: [...turns, end] } }),
    settings: { permissions: { ask } },
    canUseTool: person.canUseTool,
  };
  for await (const message of query({ prompt: 'Go.', options })) {
    if (message.type === 'user') results.push(JSON.stringify(message.message.content));
  }
  return { results, asked: person.asked };
}

const read = (file_path: string): Call => ['Read', { file_path }];
const edit = (file_path: string): Call => [
  'Edit',
  { file_path, old_string: 'hidden', new_string: 'shown' },
];

describe('a yes to a path', () => {
  it('is none to reading where a link leads from it, but for a rule that is not about that', async () => {
    const { results, asked } = await run(
      await openHost(),
      ['Read(docs/**)'],
      [read('docs/link.txt'), read('docs/secret.txt')],
    );
    expect(asked).toEqual(['Read: docs/link.txt', 'Read: docs/secret.txt']);
    expect(results[0]).not.toContain('hidden');
    expect(results[0]).toContain('docs/secret.txt');
    expect(results[1]).toContain('hidden');
    const other = await run(await openHost(), ['Read(**/link.txt)'], [read('docs/link.txt')]);
    expect(other.results[0]).toContain('hidden');
  });

  it('is none to changing where a link leads from it', async () => {
    const host = await openHost();
    const { results } = await run(
      host,
      ['Edit(docs/**)'],
      [
        read('docs/link.txt'),
        edit('docs/link.txt'),
        read('docs/secret.txt'),
        edit('docs/secret.txt'),
      ],
    );
    expect(results[1]).toContain('is_error');
    expect(results[3]).not.toContain('is_error');
    expect(await host.workspace.fs.readFile(`${host.cwd}/docs/secret.txt`, 'utf8')).toBe('shown\n');
  });

  it('holds for the directories that the file needs', async () => {
    const host = await openHost();
    const { results } = await run(
      host,
      ['Edit', 'Read'],
      [['Write', { file_path: 'new/deep/file.txt', content: 'text' }]],
    );
    expect(results[0]).not.toContain('is_error');
    expect(await host.workspace.fs.readFile(`${host.cwd}/new/deep/file.txt`, 'utf8')).toBe('text');
  });
});
