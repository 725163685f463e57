// Calls of a session's file run again over its base: what comes of them is compared, and nothing gets outside.
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { plainTool } from '../../../support/stages/test-tools.ts';
import { readBase } from '../../../../src/agent/journal/session-base.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { openRecorded } from '../../../support/sessions/recorded-session.ts';
import type { RecordedOptions } from '../../../support/sessions/recorded-session.ts';
import { callOf } from '../../../support/stages/run-calls.ts';

import {
  asks,
  cell,
  edit,
  opened,
  openHost,
  pageTool,
  read,
  record,
  recordLong,
  rerun,
  says,
  verify,
} from '../../../support/sessions/replayed-session.ts';

describe('a replay that runs the calls again', () => {
  it('finds no difference: files, variables, randomness and clock are those of the session', async () => {
    const session = await recordLong();
    const { host, ...result } = await rerun(session);
    expect(result).toMatchObject({ entries: session.entries.length, calls: 7 });
    expect([result.difference, result.ended]).toEqual([undefined, undefined]);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('1\n2\n');
    expect(await host.workspace.fs.readFile('/workspace/b.txt', 'utf8')).toBe('b');
  });

  it('runs the calls of a cell with it', async () => {
    const code = `
      const known = await tools.Read({ file_path: '/workspace/a.txt' });
      await tools.Write({ file_path: '/workspace/b.txt', content: 'new' });
      Math.random()`;
    const session = await record([asks(cell('c', code)), asks(cell('d', 'known')), says('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    const options = { permissionMode: 'bypassPermissions' } as const;
    const { host, ...result } = await rerun(session, options);
    expect([result.difference, result.ended, result.calls]).toEqual([undefined, undefined, 2]);
    expect(await host.workspace.fs.readFile('/workspace/b.txt', 'utf8')).toBe('new');
  });

  it('runs none behind one that changed files in the background', async () => {
    const one = await openRecorded(
      [
        asks(
          callOf(
            'Repl',
            {
              code: "await fs.promises.writeFile('b.txt', 'b')",
              run_in_background: true,
            },
            'bg',
          ),
        ),
        says('It runs.'),
        asks(read('r')),
        says('Done.'),
      ],
      { permissionMode: 'bypassPermissions' },
    );
    opened.push(one);
    const { workspace } = one.host;
    const base = await readBase(workspace.fs, workspace.seq());
    await one.play('Start it.');
    await one.session.tasks.close();
    const { entries } = one.journal.fold;
    const changed = entries.find((entry) => entry.type === 'settled' && entry.changes?.length);
    const result = await rerun({ entries, base }, { permissionMode: 'bypassPermissions' });
    expect(result.difference).toBeUndefined();
    expect(result.ended?.at).toBe(changed?.n);
  });

  it('names the call that changes other files', async () => {
    const code = "await fs.promises.writeFile('b.txt', 'b')";
    const session = await record([asks(cell('c', code)), says('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    const entries = session.entries.map((entry): JournalEntry =>
      entry.type === 'settled'
        ? { ...entry, changes: [{ type: 'write', path: '/workspace/other.txt' }] }
        : entry,
    );
    const { difference } = await rerun(
      { ...session, entries },
      { permissionMode: 'bypassPermissions' },
    );
    expect(difference).toMatchObject({
      kind: 'changes',
      expected: 'write /workspace/other.txt',
      actual: 'write /workspace/b.txt',
    });
  });

  it('names the call whose result is another one over other files', async () => {
    const session = await record([asks(read('r')), says('Done.')]);
    const entries = session.base.entries.map((entry) =>
      entry.type === 'file' ? { ...entry, bytes: new TextEncoder().encode('one\nthree\n') } : entry,
    );
    const { difference } = await rerun({ ...session, base: { ...session.base, entries } });
    expect(difference).toMatchObject({
      kind: 'result',
      expected: expect.stringContaining('two'),
      actual: expect.stringContaining('three'),
    });
    const settled = session.entries[(difference?.at ?? 0) - 1];
    expect(settled).toMatchObject({ type: 'settled', id: 'r' });
  });

  it('runs what hooks have replaced with the same hooks', async () => {
    const hooks: RecordedOptions['hooks'] = {
      PostToolUse: [
        {
          matcher: 'Edit',
          hooks: [
            async ({ tool_response }) => ({
              hookSpecificOutput: {
                hookEventName: 'PostToolUse',
                updatedToolOutput: {
                  ...(tool_response as object),
                  filePath: '/workspace/hidden.txt',
                },
              },
            }),
          ],
        },
      ],
    };
    const session = await record([asks(read('r')), asks(edit('e', 'one', '1')), says('Done.')], {
      permissionMode: 'acceptEdits',
      hooks,
    });
    const options = { permissionMode: 'acceptEdits' } as const;
    const same = await rerun(session, { ...options, hooks });
    expect([same.difference, same.calls]).toEqual([undefined, 2]);
  });

  it('takes the result of a call on the page from the file, and never calls it', async () => {
    let called = 0;
    const tool = { ...pageTool('Takes a note.') } as Tool & { call: () => unknown };
    const session = await record([asks(callOf('Note', {}, 'n'), read('r')), says('Done.')], {
      tools: ['Read', tool],
    });
    const spy = {
      ...tool,
      call: () => {
        called += 1;
        return Promise.resolve({ data: 'another' });
      },
    } as Tool;
    const result = await rerun(session, { tools: ['Read', spy] });
    expect([result.difference, result.calls, called]).toEqual([undefined, 1, 0]);
  });

  it('says from where on the files can’t be known', async () => {
    const one = await openRecorded([
      asks(read('r1')),
      says('Done.'),
      asks(read('r2')),
      says('Done.'),
    ]);
    opened.push(one);
    const { workspace } = one.host;
    const base = await readBase(workspace.fs, workspace.seq());
    await one.play('Read.');
    await workspace.fs.writeFile('/workspace/a.txt', 'by a person\n');
    await one.play('Read again.');
    const { entries } = one.journal.fold;
    const result = await rerun({ entries, base });
    expect(result.difference).toBeUndefined();
    expect(result.calls).toBe(1);
    expect(result.ended?.message).toContain('/workspace/a.txt was changed by somebody else');
    expect(entries[(result.ended?.at ?? 0) - 1]).toMatchObject({ type: 'settled', id: 'r2' });
  });

  it('runs no tool in a worker that reaches out, whatever the file says of it', async () => {
    let sent = 0;
    const inputSchema = z.strictObject({ value: z.number().optional() });
    const handler = () => {
      sent += 1;
      return Promise.resolve('sent');
    };
    const entry = { name: 'Send', load: () => Promise.resolve({ inputSchema, handler }) };
    const tools = ['Repl', plainTool({ name: 'Send', isOpenWorld: () => true })];
    const host = await openHost({ handlers: [entry] });
    const code = 'await tools.Send({}).catch(({ message }) => message)';
    const streams = [asks(callOf('Send', {}, 's')), asks(cell('c', code)), says('Done.')];
    const options = { tools, permissionMode: 'bypassPermissions' } as const;
    const session = await record(streams, { ...options, host });
    expect(sent).toBe(2);
    const rerunIt = async (entries: readonly JournalEntry[]) => {
      const other = await openHost({ handlers: [entry] });
      return rerun({ ...session, entries }, { ...options, host: other });
    };
    const { calls, difference } = await rerunIt(session.entries);
    expect([calls, difference]).toEqual([0, undefined]);
    // As if the cell had called nothing, and could run again.
    const hidden = session.entries.map((one): JournalEntry => {
      if (one.type === 'call' && one.id === 'c') return { ...one, repeatable: true };
      const isNested = (one.type === 'call' || one.type === 'settled') && one.parent === 'c';
      return isNested ? { n: one.n, time: one.time, type: 'state', key: 'x', value: 1 } : one;
    });
    expect((await rerunIt(hidden)).difference).toMatchObject({
      kind: 'result',
      actual: expect.stringContaining('reaches out, and does not run in a replay'),
    });
    expect(sent).toBe(2);
  });

  it('lets the code of a file reach nothing outside', async () => {
    const fetched: unknown[] = [];
    const { fetch: realFetch } = globalThis;
    vi.stubGlobal('fetch', (url: string, ...rest: RequestInit[]) => {
      // A page fetches the sandbox's engine, too.
      if (!String(url).includes('example.com')) return realFetch(url, ...rest);
      fetched.push(url);
      return Promise.resolve(new Response('out'));
    });
    const code = "await fetch('https://example.com').then(() => 'out', () => 'kept in')";
    const session = await record([asks(cell('c', code)), says('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(fetched).toHaveLength(1);
    // As a stranger may write it.
    const entries = session.entries.map((entry): JournalEntry =>
      entry.type === 'call' ? { ...entry, repeatable: true } : entry,
    );
    const result = await rerun(
      { ...session, entries },
      { permissionMode: 'bypassPermissions', allowedTools: ['Repl'] },
    );
    expect(result).toMatchObject({
      calls: 1,
      difference: {
        kind: 'result',
        expected: expect.stringContaining('out'),
        actual: expect.stringContaining('kept in'),
      },
    });
    expect(fetched).toHaveLength(1);
  });
});

describe('a replay of a session that plans', () => {
  it('makes the same requests, and writes the plan again', async () => {
    const plan = '/session/session-1/plan.md';
    const session = await record(
      [
        asks(callOf('EnterPlanMode', {}, 'enter')),
        asks(callOf('Write', { file_path: plan, content: '# One\n' }, 'one')),
        asks(cell('two', `await fs.promises.writeFile('${plan}', '# Two\\n')`)),
        asks(cell('mixed', `for (const f of ['${plan}', 'x']) await fs.promises.writeFile(f, '')`)),
        asks(callOf('Read', { file_path: plan }, 'look')),
        asks(callOf('ExitPlanMode', {}, 'exit')),
        asks(read('r'), edit('e', 'one', '1')),
        says('Done.'),
      ],
      { canUseTool: () => Promise.resolve({ behavior: 'allow' }) },
    );
    const changed = session.entries.flatMap((entry) =>
      entry.type === 'settled' && entry.changes ? [[entry.id, entry.changes[0]?.path]] : [],
    );
    // A cell that changes anything else keeps nothing.
    expect(changed).toEqual([
      ['one', plan],
      ['two', plan],
      ['e', '/workspace/a.txt'],
    ]);
    expect((await verify(session)).difference).toBeUndefined();
    const { host, ...result } = await rerun(session);
    expect([result.difference, result.ended]).toEqual([undefined, undefined]);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('1\ntwo\n');
  });
});
