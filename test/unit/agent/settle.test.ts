import { describe, expect, it } from 'vitest';
import { authorize } from '../../../src/agent/calls/authorize.ts';
import type { DispatchOutcome } from '../../../src/agent/calls/dispatch-outcome.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import { settle } from '../../../src/agent/calls/settle.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { ChangeSet } from '../../../src/core/change-set.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { commitOnly, createTestSession, testContext } from '../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../support/stages/test-session.ts';
import { cellTool, changeTool } from '../../support/stages/test-tools.ts';
import { validCall } from '../../support/stages/valid-call.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function writing(session: Session, path: string, baseVersion = 0): ChangeSet {
  const content = bytes('new');
  return {
    baseSeq: session.host.workspace.seq(),
    changes: [{ type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 0 }],
  };
}

const done = (changeSet: ChangeSet | null, output: unknown = 'fine'): DispatchOutcome => ({
  type: 'done',
  output,
  changeSet,
  reads: [],
});

/** A session in which /workspace/a.txt stands and edits are accepted. */
async function open(options: TestSessionOptions = {}) {
  const session = await createTestSession({ permissionMode: 'acceptEdits', ...options });
  await session.host.workspace.fs.mkdir('/workspace');
  await session.host.workspace.fs.writeFile('/workspace/a.txt', 'old');
  const { version } = await session.host.workspace.fs.stat('/workspace/a.txt');
  return { session, version };
}

async function settleWith(session: Session, outcome: DispatchOutcome, tool: Tool = changeTool()) {
  const context = testContext(session);
  const input = tool.getPath ? { path: 'a.txt' } : {};
  const call = await authorize(validCall(tool, input), context, session);
  if (call.stage !== 'allowed') throw new Error('It was not allowed.');
  const { root: target } = session;
  const { signal } = context.abortController;
  const sessionTaint = session.agents.taintedBy;
  const ports = { ...session, sessionId: session.id, target, recorder: commitOnly, sessionTaint };
  return settle(call, outcome, ports, signal);
}

const read = (session: Session) => session.host.workspace.fs.readFile('/workspace/a.txt', 'utf8');

describe('settle', () => {
  it('commits the draft and knows what was written', async () => {
    const { session, version } = await open();
    const settled = await settleWith(session, done(writing(session, '/workspace/a.txt', version)));
    expect(settled).toMatchObject({
      state: 'output-available',
      output: 'fine',
      result: { type: 'tool_result', tool_use_id: 'call-1', content: 'fine' },
    });
    expect(await read(session)).toBe('new');
    expect([...session.readFileState.entries()]).toEqual([
      ['/workspace/a.txt', session.host.workspace.seq()],
    ]);
  });

  it('settles, and puts back what the handler keeps, where the error has no text', async () => {
    const { session } = await open();
    const nameless: unknown = Object.create(null);
    const root = { ...session.root, commit: () => Promise.reject(nameless as Error) };
    let discarded = 0;
    const outcome = {
      ...done(writing(session, '/workspace/b.txt')),
      discard: () => (discarded += 1),
    };
    const settled = await settleWith({ ...session, root }, outcome);
    expect([settled.state, discarded]).toEqual(['output-error', 1]);
    expect(toResultText(settled.result)).toContain('something was thrown that has no text');
  });

  it('tells the executor what was kept, and what was not', async () => {
    const { session, version } = await open();
    const told: string[] = [];
    const change = done(writing(session, '/workspace/a.txt', version));
    const outcome = {
      ...change,
      keep: () => void told.push('keep'),
      discard: () => void told.push('discard'),
    };
    await settleWith(session, outcome);
    // The file has moved on by then.
    await settleWith(session, outcome);
    expect(told).toEqual(['keep', 'discard']);
  });

  it('remembers what was read, and never an older version over a newer one', async () => {
    const { session } = await open();
    const reading = (version: number): DispatchOutcome => ({
      type: 'done',
      output: '',
      changeSet: null,
      reads: [['/workspace/a.txt', version]],
    });
    await settleWith(session, reading(5));
    await settleWith(session, reading(3));
    expect([...session.readFileState.entries()]).toEqual([['/workspace/a.txt', 5]]);
  });

  it('keeps the older version of what a cell wrote, so that an Edit must read it again', async () => {
    const { session, version } = await open();
    session.readFileState.set('/workspace/a.txt', version);
    const change = done(writing(session, '/workspace/a.txt', version));
    expect((await settleWith(session, change, cellTool())).state).toBe('output-available');
    expect([await read(session), session.readFileState.get('/workspace/a.txt')]).toEqual([
      'new',
      version,
    ]);
  });

  it('drops the draft when the file has moved on, and says what to do', async () => {
    const { session, version } = await open();
    const change = writing(session, '/workspace/a.txt', version);
    await session.host.workspace.fs.writeFile('/workspace/a.txt', 'theirs');
    const settled = await settleWith(session, done(change));
    expect(settled).toMatchObject({
      state: 'output-error',
      result: {
        is_error: true,
        content: [
          {
            type: 'text',
            text: 'Nothing that Change changed was kept. /workspace/a.txt was changed by someone else meanwhile. Read it again, then make the change on what is there now.\nThe call itself had run, and returned this:',
          },
          { type: 'text', text: 'fine' },
        ],
      },
    });
    expect(await read(session)).toBe('theirs');
  });

  it('refuses a change set that the call’s view would have refused', async () => {
    const { session } = await open();
    const before = await session.host.workspace.treeHash();
    const settled = await settleWith(session, done(writing(session, '/etc/passwd')));
    expect(settled.result.content).toEqual([
      {
        type: 'text',
        text: 'Change was not allowed to change /etc/passwd.\nThe call itself had run, and returned this:',
      },
      { type: 'text', text: 'fine' },
    ]);
    expect(await session.host.workspace.treeHash()).toBe(before);
  });

  it('keeps an edit that a rule on its path allowed only where the real path fits too', async () => {
    const { session, version } = await open({
      permissionMode: 'default',
      allowedTools: ['Edit(a.txt)'],
    });
    const before = await session.host.workspace.treeHash();
    // As when a.txt is a link.
    const settled = await settleWith(session, done(writing(session, '/workspace/lib/b.txt')));
    expect(settled).toMatchObject({
      state: 'output-denied',
      denial: {
        message: expect.stringMatching(/nothing allows changing \/workspace\/lib\/b\.txt/),
      },
    });
    expect(await session.host.workspace.treeHash()).toBe(before);
    const fits = done(writing(session, '/workspace/a.txt', version));
    expect(await settleWith(session, fits)).toMatchObject({ state: 'output-available' });
    expect(await read(session)).toBe('new');
  });

  it('drops what a refused cell changed, and still says what it returned', async () => {
    const { session, version } = await open({ permissionMode: 'plan' });
    const change = done(writing(session, '/workspace/a.txt', version), 'printed');
    const settled = await settleWith(session, change, cellTool());
    expect(settled).toMatchObject({
      state: 'output-denied',
      output: 'printed',
      denial: { reason: { type: 'mode', mode: 'plan' } },
      result: { is_error: true, content: [{}, { type: 'text', text: 'printed' }] },
    });
    expect(await read(session)).toBe('old');
  });

  it.each([
    [true, 'ONE\ntwo\nTHREE\n', 'output-available'],
    [undefined, 'ONE\ntwo\nthree\n', 'output-error'],
  ] as const)(
    'merges with what a person changed meanwhile only where the tool asks for it: %s',
    async (mergesChanges, text, state) => {
      const { session } = await open({ permissionMode: 'bypassPermissions' });
      // The memory workspace opens views, too.
      const workspace = session.host.workspace as Workspace & ViewSource;
      const { fs } = workspace;
      await fs.writeFile('/workspace/a.txt', 'one\ntwo\nthree\n');
      const view = await workspace.openView(
        { root: 'main', minSeq: workspace.seq() },
        openAccess('/workspace'),
      );
      view.fs.sync.writeFileSync('/workspace/a.txt', 'one\ntwo\nTHREE\n');
      await fs.writeFile('/workspace/a.txt', 'ONE\ntwo\nthree\n');
      const tool = { ...cellTool(), ...(mergesChanges && { mergesChanges }) };
      const settled = await settleWith(session, done(view.changeSet()), tool);
      expect(settled.state).toBe(state);
      expect(await read(session)).toBe(text);
    },
  );

  it.each<[string, TestSessionOptions, Tool]>([
    ['that a rule protects', { disallowedTools: ['Edit(keep/secret)'] }, cellTool()],
    ['of a cell that may do all', { permissionMode: 'bypassPermissions' }, cellTool()],
    ['of a tool that is judged before it runs', {}, changeTool()],
  ])('takes no directory away by one change, with a file in it %s', async (_, options, tool) => {
    const { session } = await open(options);
    const { fs } = session.host.workspace;
    await fs.mkdir('/workspace/keep');
    await fs.writeFile('/workspace/keep/secret', 'S');
    const baseVersion = session.host.workspace.seq();
    const changes = [
      { type: 'remove', path: '/workspace/keep', baseVersion, recursive: true },
    ] as const;
    const settled = await settleWith(session, done({ baseSeq: baseVersion, changes }), tool);
    expect(settled).toMatchObject({ state: 'output-error', result: { is_error: true } });
    expect(JSON.stringify(settled.result.content)).toContain(
      'was not allowed to remove /workspace/keep with all that is in it by one change: each path must be named.',
    );
    expect(await fs.readFile('/workspace/keep/secret', 'utf8')).toBe('S');
  });

  it('keeps nothing for a tool that can’t present its result', async () => {
    const { session, version } = await open();
    const tool = changeTool({
      mapToolResultToToolResultBlockParam: () => {
        throw new Error('x');
      },
    });
    let isDiscarded = false;
    const discard = () => (isDiscarded = true);
    const change = { ...done(writing(session, '/workspace/a.txt', version)), discard };
    const settled = await settleWith(session, change, tool);
    expect(isDiscarded).toBe(true);
    expect(settled.result.content).toBe(
      'Change could not present its result (Error: x), and nothing that it changed was kept. This is a fault of the tool; try another way.',
    );
    expect(await read(session)).toBe('old');
  });

  it('keeps the pairing with the tool_use, whatever the tool wrote into its block', async () => {
    const { session } = await open();
    const tool = changeTool({
      mapToolResultToToolResultBlockParam: () =>
        ({ type: 'tool_result', tool_use_id: 'other', content: 'x', is_error: true }) as const,
    });
    const settled = await settleWith(session, done(null), tool);
    expect([settled.result.tool_use_id, settled.state]).toEqual(['call-1', 'output-error']);
  });

  it.each<[DispatchOutcome, string]>([
    [
      { type: 'aborted' },
      'Change was stopped before it was finished. Nothing that it did was kept.',
    ],
    [
      { type: 'failed', error: { name: 'SdkError', message: 'x', code: 'aborted', data: {} } },
      'Change was stopped before it was finished. Nothing that it did was kept.',
    ],
    [
      { type: 'timed-out', timeoutMs: 1_000 },
      'Change was stopped after 1000 ms; nothing that it did was kept. Do less in one call, or allow more time where the input can say so.',
    ],
    [
      { type: 'lost', message: 'The worker died.' },
      'Change ended before it answered (The worker died.); nothing that it did was kept. Try again with less at once; if it happens again, try another way.',
    ],
    [
      {
        type: 'failed',
        error: { name: 'ToolError', message: 'No such file.', code: 'ENOENT', data: {} },
      },
      'No such file.',
    ],
    [
      { type: 'failed', error: { name: 'TypeError', message: 'x', code: 'internal', data: {} } },
      'Change failed unexpectedly: TypeError: x',
    ],
  ])('tells the model what became of %j', async (outcome, content) => {
    const { session } = await open();
    const settled = await settleWith(session, outcome);
    expect(settled).toMatchObject({ state: 'output-error', result: { content, is_error: true } });
  });

  it.each([
    ['ENOSPC', 'The disk is full. Ask the user to free space, then try again.'],
    [
      'EFENCED',
      'Another tab has taken over this workspace. Try again; if it fails again, ask the user to reload this page.',
    ],
    ['EINVAL', 'As the workspace says.'],
  ] as const)('says what to do when a commit fails with %s', async (code, advice) => {
    const { session, version } = await open();
    const commit = () => Promise.reject(new SdkError(code, 'As the workspace says.'));
    const broken = { ...session, root: { ...session.root, commit } };
    const settled = await settleWith(
      broken,
      done(writing(session, '/workspace/a.txt', version), ''),
    );
    expect(settled.result.content).toBe(`Nothing that Change changed was kept. ${advice}`);
  });
});
