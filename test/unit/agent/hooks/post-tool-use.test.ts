// PostToolUse, PostToolUseFailure and PostToolBatch in the whole agent.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type { SyncHookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import type { ClassifierRequest } from '../../../../src/core/permissions/permission.ts';
import { createSdkMcpServer } from '../../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../../src/mcp/tool.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { plainTool } from '../../../support/stages/test-tools.ts';
import {
  openHost,
  runHooked,
  toReminders,
  toResults,
  callTool,
  write,
} from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

const readFile = callTool('Read', { file_path: 'a.txt' });
const after = (fields: object, more: SyncHookJSONOutput = {}): HookCallback<'PostToolUse'> => {
  return () =>
    Promise.resolve({ ...more, hookSpecificOutput: { hookEventName: 'PostToolUse', ...fields } });
};
const read = (name: string) => host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8');

/** A Read's output that says something else. */
const file = (content: string) => ({
  type: 'text',
  file: { filePath: '/workspace/a.txt', content, numLines: 1, startLine: 1, totalLines: 1 },
});

describe('a PostToolUse hook', () => {
  it('is told what the call came to, once its changes are kept', async () => {
    const seen: HookInput<'PostToolUse'>[] = [];
    let stood: string | undefined;
    const hook: HookCallback<'PostToolUse'> = async (input) => {
      seen.push(input);
      stood = await read('new.txt');
      return {};
    };
    await runHooked(host, [write('new.txt')], {
      hooks: { PostToolUse: [{ matcher: 'Write', hooks: [hook] }] },
      permissionMode: 'acceptEdits',
    });
    expect(stood).toBe('x');
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'PostToolUse',
        tool_name: 'Write',
        tool_input: { file_path: 'new.txt', content: 'x' },
        tool_use_id: 'call-0',
        tool_response: expect.objectContaining({ type: 'create', filePath: '/workspace/new.txt' }),
        duration_ms: expect.any(Number),
      }),
    ]);
  });

  it('replaces the output, for the model, for views and for the cell that called', async () => {
    const hooks = {
      PostToolUse: [{ matcher: 'Read', hooks: [after({ updatedToolOutput: file('hidden') })] }],
    };
    const run = await runHooked(host, [readFile], { hooks });
    expect(toResults(run.messages)[0]).toContain('hidden');
    expect(JSON.stringify([run.messages, run.requests])).not.toContain('one\\n');
    const code = `(await tools.Read({ file_path: 'a.txt' })).file.content`;
    const nested = await runHooked(host, [callTool('Repl', { code })], {
      hooks,
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(nested.messages).at(-1)).toContain('hidden');
  });

  it('speaks of its call to the classifier, but not of an output that was replaced again', async () => {
    const about = (classifierContext: string, fields: object = {}) =>
      after({ classifierContext, ...fields });
    const asked: ClassifierRequest[] = [];
    await runHooked(
      host,
      [readFile, callTool('Write', { file_path: 'b', content: '' }, 'call-1')],
      {
        hooks: {
          PostToolUse: [
            {
              matcher: 'Read',
              hooks: [
                about('The first was shown.', { updatedToolOutput: file('first') }),
                about('The second was shown.', { updatedToolOutput: file('second') }),
                about('They agreed.'),
              ],
            },
          ],
        },
        permissionMode: 'auto',
        autoClassifier: (request) => {
          asked.push(request);
          return Promise.resolve({ behavior: 'allow', message: 'yes' });
        },
      },
    );
    const text = 'The second was shown.\nThey agreed.';
    expect(asked.map(({ hostNotes }) => hostNotes)).toEqual([[{ toolName: 'Read', text }]]);
  });

  it('never spills what it replaced', async () => {
    await host.workspace.fs.writeFile('/workspace/a.txt', 'long secret\n'.repeat(40_000));
    const grep = callTool('Grep', { pattern: 'secret', output_mode: 'content', head_limit: 0 });
    const output = { mode: 'content', numFiles: 1, filenames: [], content: 'hidden', numLines: 1 };
    const run = await runHooked(host, [grep], {
      hooks: { PostToolUse: [{ hooks: [after({ updatedToolOutput: output })] }] },
      sessionId: 'spills',
    });
    expect(toResults(run.messages)[0]).toContain('hidden');
    await expect(host.workspace.fs.stat('/session/spills/tool-results')).rejects.toThrow('ENOENT');
  });

  it.each([['text'], [{ type: 'text' }], [null]])(
    'that gives %j for an output has neither shown',
    async (updatedToolOutput) => {
      const hooks = { PostToolUse: [{ hooks: [after({ updatedToolOutput })] }] };
      const run = await runHooked(host, [readFile], { hooks });
      expect(toResults(run.messages)[0]).toMatch(
        /^Read has run, but a hook replaced its output by one that can't be shown/u,
      );
      expect(JSON.stringify([run.messages, run.requests])).not.toContain('one\\n');
    },
  );

  it('whose output has another shape is told which places are wrong', async () => {
    const hooks = {
      PostToolUse: [{ hooks: [after({ updatedToolOutput: { type: 'text', file: {} } })] }],
    };
    const run = await runHooked(host, [readFile], { hooks });
    const [text = ''] = toResults(run.messages);
    expect(text).toMatch(/^- file\.filePath: /mu);
    expect(text).toContain("mistake of the hook's author");
    expect(text).not.toContain('ZodError');
    expect(text).not.toContain('"path"');
  });

  it.each([
    ['a text', 'rain'],
    ['blocks', [{ type: 'text', text: 'rain' }]],
    ['a whole result', { content: [{ type: 'text', text: 'rain' }] }],
  ])('replaces the output of a server’s tool by %s', async (_, updatedMCPToolOutput) => {
    const look = tool('look', 'Looks.', {}, async () => ({
      content: [{ type: 'text', text: 'secret' }],
      structuredContent: { secret: true },
    }));
    const run = await runHooked(host, [callTool('mcp__weather__look', {})], {
      mcpServers: { weather: createSdkMcpServer({ name: 'weather', tools: [look] }) },
      allowedTools: ['mcp__weather'],
      hooks: { PostToolUse: [{ hooks: [after({ updatedMCPToolOutput })] }] },
    });
    expect(toResults(run.messages)).toEqual(['rain']);
    expect(JSON.stringify([run.messages, run.requests])).not.toContain('secret');
  });

  it.each([[[{ type: 'text' }]], [{}], [7]])(
    'that gives %j for the output of a server’s tool has neither shown',
    async (updatedMCPToolOutput) => {
      const content = [{ type: 'text', text: 'secret' }] as const;
      const look = tool('look', 'Looks.', {}, async () => ({ content }));
      const run = await runHooked(host, [callTool('mcp__weather__look', {})], {
        mcpServers: { weather: createSdkMcpServer({ name: 'weather', tools: [look] }) },
        allowedTools: ['mcp__weather'],
        hooks: { PostToolUse: [{ hooks: [after({ updatedMCPToolOutput })] }] },
      });
      expect(toResults(run.messages)[0]).toMatch(/by one that can't be shown/u);
      expect(JSON.stringify([run.messages, run.requests])).not.toContain('secret');
    },
  );

  it('tells the model what it has to say and to object, after the results, in their order', async () => {
    const hook: HookCallback<'PostToolUse'> = async (input, ...rest) => {
      const { file_path } = input.tool_input as { file_path: string };
      // The first call's hook answers last.
      if (file_path === 'a.txt') for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      const more = { decision: 'block', reason: `no ${file_path}` } as const;
      return after({ additionalContext: `see ${file_path}` }, more)(input, ...rest);
    };
    await host.workspace.fs.writeFile('/workspace/b.txt', 'two\n');
    const both: ScriptTurn = {
      blocks: ['a.txt', 'b.txt'].map((file_path) => ({
        type: 'tool_use',
        name: 'Read',
        input: { file_path },
      })),
    };
    const run = await runHooked(host, [both], { hooks: { PostToolUse: [{ hooks: [hook] }] } });
    expect(toReminders(run.requests)).toEqual([
      'A hook objects to this result: no a.txt',
      'see a.txt',
      'A hook objects to this result: no b.txt',
      'see b.txt',
    ]);
  });

  it('may stop the turn, whose call stays done', async () => {
    const hook = after({}, { continue: false, stopReason: 'Enough.' });
    const run = await runHooked(host, [write('new.txt')], {
      hooks: { PostToolUse: [{ hooks: [hook] }] },
      permissionMode: 'acceptEdits',
    });
    expect(run.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Enough.',
      terminal_reason: 'hook_stopped',
    });
    expect(run.messages).toContainEqual(
      expect.objectContaining({ content: 'Enough.', prevent_continuation: true }),
    );
    expect([await read('new.txt'), run.requests.length]).toEqual(['x', 1]);
  });

  it('isn’t called where the call failed, was refused, or its changes were', async () => {
    const seen: unknown[] = [];
    const note = (event: string): HookCallback => {
      return () => Promise.resolve(void seen.push(event) as never);
    };
    const code = `fs.writeFileSync('b', 'x'); 1`;
    const turns = [
      callTool('Read', { file_path: 'none' }, 'a'),
      callTool('Write', { file_path: 'new.txt', content: 'x' }, 'b'),
      callTool('Repl', { code }, 'c'),
      callTool('Repl', { code: `throw new Error('no')` }, 'd'),
      callTool('Nope', {}, 'e'),
    ];
    await runHooked(host, turns, {
      hooks: {
        PostToolUse: [{ hooks: [note('after')] }],
        PostToolUseFailure: [{ hooks: [note('failure')] }],
      },
      permissionMode: 'plan',
    });
    expect(seen).toEqual(['failure', 'failure']);
  });
});

describe('a PostToolUseFailure hook', () => {
  it('is told the error as the model is, and may say more', async () => {
    const seen: HookInput<'PostToolUseFailure'>[] = [];
    const hook: HookCallback<'PostToolUseFailure'> = (input) => {
      seen.push(input);
      return Promise.resolve({
        hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'Look up.' },
      });
    };
    const run = await runHooked(host, [callTool('Read', { file_path: 'none' })], {
      hooks: { PostToolUseFailure: [{ matcher: 'Read', hooks: [hook] }] },
    });
    expect(seen).toEqual([
      expect.objectContaining({
        tool_name: 'Read',
        error: toResults(run.messages)[0],
        is_interrupt: false,
      }),
    ]);
    expect(toReminders(run.requests)).toEqual(['Look up.']);
  });

  it('hears of a call that was cut, and nobody waits for it', async () => {
    const seen: boolean[] = [];
    const hook: HookCallback<'PostToolUseFailure'> = ({ is_interrupt }) => {
      seen.push(is_interrupt);
      return new Promise(() => undefined);
    };
    const abortController = new AbortController();
    const tool = plainTool({
      runsIn: undefined as never,
      call: (_input, context) =>
        new Promise((_, reject) => {
          const { signal } = context.abortController;
          signal.addEventListener('abort', () => reject(new Error('cut')));
          abortController.abort();
        }),
    });
    await runHooked(host, [callTool('Plain', {})], {
      hooks: { PostToolUseFailure: [{ hooks: [hook] }] },
      tools: [tool],
      permissionMode: 'bypassPermissions',
      abortController,
    });
    expect(seen).toEqual([true]);
  });
});

describe('a PostToolBatch hook', () => {
  it('is told of all calls of a message, and speaks after them', async () => {
    const seen: HookInput<'PostToolBatch'>[] = [];
    const hook: HookCallback<'PostToolBatch'> = (input) => {
      seen.push(input);
      return Promise.resolve({
        hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'All read.' },
      });
    };
    const run = await runHooked(host, [readFile], {
      hooks: { PostToolBatch: [{ hooks: [hook] }] },
    });
    expect(seen.map(({ tool_calls }) => tool_calls)).toEqual([
      [
        {
          tool_name: 'Read',
          tool_input: { file_path: 'a.txt' },
          tool_use_id: 'call-0',
          tool_response: expect.objectContaining({ type: 'text' }),
        },
      ],
    ]);
    expect(toReminders(run.requests)).toEqual(['All read.']);
  });

  it('stops the turn by blocking', async () => {
    const hook: HookCallback = () => Promise.resolve({ decision: 'block', reason: 'Wait.' });
    const run = await runHooked(host, [readFile], {
      hooks: { PostToolBatch: [{ hooks: [hook] }] },
    });
    expect(run.result).toMatchObject({ terminal_reason: 'hook_stopped', result: 'Wait.' });
    expect(run.requests).toHaveLength(1);
  });
});
