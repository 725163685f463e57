// A call that a PreToolUse hook puts off: its turn ends, and the next opening of the session asks the hook again.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { runTools } from '../../../../src/agent/run-tools.ts';
import { isToolResultBlock } from '../../../../src/core/messages/blocks.ts';
import type { ContentBlock, ToolResultBlock } from '../../../../src/core/messages/blocks.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { Model } from '../../../../src/model/model.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import {
  callTool,
  openHost,
  readAll,
  say,
  startHooked,
  toResults,
  write,
} from '../../../support/turns/run-hooked.ts';
import type { HookedOptions, HookedRun } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

type Word = Parameters<typeof verdict>[0];
const verdict = (word: {
  permissionDecision: 'allow' | 'deny' | 'defer';
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
}) => Promise.resolve({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...word } as const });

const later: Word = { permissionDecision: 'defer', permissionDecisionReason: 'at night' };
const now: Word = { permissionDecision: 'allow' };

/** The calls that the hooks of this test were asked about. */
let asked: (string | undefined)[] = [];

/** Says one word after the other. */
function hooksOf(...words: readonly Word[]) {
  asked = [];
  const left = [...words];
  const hook: HookCallback = (_input, id) => {
    asked.push(id);
    return verdict(left.shift() ?? now);
  };
  return { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [hook] }] } };
}

/** No prompt of its own: only what was left is taken up. */
async function* noPrompt(): AsyncGenerator<string> {}

async function play(
  turns: Parameters<typeof startHooked>[1],
  options: HookedOptions,
): Promise<HookedRun & { readonly results: readonly string[] }> {
  const { running, requests } = startHooked(host, turns, {
    permissionMode: 'acceptEdits',
    ...options,
  });
  const messages = await readAll(running);
  const result = messages.findLast((message) => message.type === 'result');
  if (!result) throw new TypeError('There was no result.');
  return { messages, requests, result, results: toResults(messages) };
}

const begin = (words: readonly Word[], turns = [write('new.txt')]) =>
  play(turns, { sessionId: 's', ...hooksOf(...words) });
// A script goes on where the conversation stands.
const goOn = (options: HookedOptions, turns = [write('new.txt'), say('Done.')]) =>
  play(turns, { prompt: noPrompt(), resume: 's', ...options });

const read = (name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8').catch(() => undefined);

const putOff = {
  subtype: 'success',
  terminal_reason: 'tool_deferred',
  deferred_tool_use: { id: 'call-0', name: 'Write', input: { file_path: 'new.txt', content: 'x' } },
};

describe('a call that a hook has put off', () => {
  it('has no result when its turn ends, and runs when the hook allows it after a resume', async () => {
    const first = await begin([later]);
    expect([first.results, first.result]).toMatchObject([[], putOff]);
    const input = { file_path: 'new.txt', content: 'by the hook' };
    const { hooks } = hooksOf({ ...now, updatedInput: input });
    const second = await goOn({ hooks });
    expect(asked).toEqual(['call-0']);
    expect(await read('new.txt')).toBe('by the hook');
    expect(second.result).toMatchObject({ result: 'Done.', terminal_reason: 'completed' });
    expect(second.requests.map(listBreaches)).toEqual([[]]);
  });

  it('is denied when the hook says so after a resume', async () => {
    await begin([later]);
    const no = { permissionDecision: 'deny', permissionDecisionReason: 'Not here.' } as const;
    const { results, requests } = await goOn(hooksOf(no));
    expect([results, await read('new.txt')]).toEqual([['Not here.'], undefined]);
    expect(requests.map(listBreaches)).toEqual([[]]);
  });

  it('may be put off again and again, and is taken for no page that breaks down', async () => {
    await begin([later]);
    for (let at = 0; at < 6; at += 1) {
      const { result, requests } = await goOn(hooksOf(later));
      expect([result, requests]).toMatchObject([putOff, []]);
    }
    expect((await goOn(hooksOf())).result).toMatchObject({ result: 'Done.' });
    expect(await read('new.txt')).toBe('x');
  });

  it('runs where there are no hooks any more, if the permissions allow it', async () => {
    await begin([later]);
    await goOn({});
    expect(await read('new.txt')).toBe('x');
  });

  it('waits for itself alone: calls beside it run once, and several are put off together', async () => {
    const blocks = [
      ...write('new.txt').blocks,
      ...callTool('Read', { file_path: 'a.txt' }, 'call-1').blocks,
      ...callTool('Write', { file_path: 'b.txt', content: 'b' }, 'call-2').blocks,
    ];
    const first = await begin([later, later], [{ blocks }]);
    expect([first.result, first.results.length]).toMatchObject([putOff, 0]);
    const { hooks } = hooksOf();
    const reads: unknown[] = [];
    const readHook: HookCallback = (_input, id) => {
      reads.push(id);
      return verdict(now);
    };
    const both = [...hooks.PreToolUse, { matcher: 'Read', hooks: [readHook] }];
    const { requests, results } = await goOn({ hooks: { PreToolUse: both } });
    expect([asked, reads, results.length]).toEqual([['call-0', 'call-2'], [], 3]);
    expect(requests.map(listBreaches)).toEqual([[]]);
    expect([await read('new.txt'), await read('b.txt')]).toEqual(['x', 'b']);
  });

  it('is withdrawn by the next prompt, and the model is told', async () => {
    async function* two() {
      yield 'Write it.';
      yield 'Never mind.';
    }
    const { results, requests, messages } = await play([write('new.txt'), say('Fine.')], {
      prompt: two(),
      ...hooksOf(later),
    });
    expect(results).toEqual([
      'Write was put off and has not run, and the user has gone on. Call it again if it is still wanted.',
    ]);
    expect(requests.map(listBreaches)).toEqual([[], []]);
    const ends = messages.filter((message) => message.type === 'result');
    expect(ends).toMatchObject([putOff, { result: 'Fine.' }]);
    expect(await read('new.txt')).toBeUndefined();
  });

  it('is over where a hook stops the turn after it', async () => {
    const stop: HookCallback = () => Promise.resolve({ continue: false, stopReason: 'Enough.' });
    const { hooks } = hooksOf(later);
    const blocks = [
      ...write('new.txt').blocks,
      ...callTool('Read', { file_path: 'a.txt' }, 'call-1').blocks,
    ];
    const { result, results } = await play([{ blocks }], {
      sessionId: 's',
      hooks: { ...hooks, PostToolUse: [{ matcher: 'Read', hooks: [stop] }] },
    });
    expect(result).toMatchObject({ terminal_reason: 'hook_stopped' });
    expect(results[0]).toBe('Write was put off and has not run, because the turn was stopped.');
    const { requests } = await play([write('new.txt'), say('Yes?')], {
      prompt: 'Hello.',
      resume: 's',
    });
    expect(requests.map(listBreaches)).toEqual([[]]);
  });

  it('is not what runTools can wait for', async () => {
    const { id, name, input } = { id: 'call-0', name: 'Write', input: { file_path: 'new.txt' } };
    const block = { type: 'tool_use', id, name, input: { ...input, content: 'x' } } as const;
    const { hooks } = hooksOf(later);
    const results = await runTools([block], { host, hooks, permissionMode: 'acceptEdits' });
    expect(results).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'call-0',
        content: 'Write was put off by a hook, and has not run.',
        is_error: true,
      },
    ]);
  });
});

describe('an open session whose call is put off', () => {
  it('begins no turn for what ends in the background', async () => {
    const code = { code: 'await new Promise((go) => setTimeout(go, 1));', run_in_background: true };
    const blocks = [...callTool('Repl', code, 'call-1').blocks, ...write('new.txt').blocks];
    const scripted = createScriptedModel({ script: { turns: [{ blocks }, say('Fine.')] } });
    const last: unknown[] = [];
    const model: Model = {
      ...scripted,
      stream(request, options) {
        last.push(JSON.stringify(request.messages).includes('Never mind.'));
        return scripted.stream(request, options);
      },
    };
    const session = await openSession({ host, model, toolSearch: false, ...hooksOf(later) });
    await session.send('Go.');
    const isTaskEnd = (message: SDKMessage) =>
      message.type === 'system' && message.subtype === 'task_notification';
    const before = await readUntil(session, isTaskEnd);
    await session.send('Never mind.');
    await readUntil(session, isResult, before.at(-1)?.n);
    expect(last).toEqual([false, true]);
    await session.close();
  });

  const open = (options: { resume?: string; sessionId?: string }, ...words: readonly Word[]) =>
    openSession({
      host,
      model: createScriptedModel({ script: { turns: [write('new.txt'), say('Done.')] } }),
      permissionMode: 'acceptEdits',
      toolSearch: false,
      ...hooksOf(...words),
      ...options,
    });

  it('rests, can’t be summed up or rewound, and goes on when it is opened again', async () => {
    const first = await open({ sessionId: 's' }, later);
    const { uuid } = await first.send('Write it.');
    const before = await readUntil(first, isResult);
    expect([before.at(-1), first.state()]).toMatchObject([putOff, 'idle']);
    const waits = 'waits for a call that a hook has put off';
    await expect(first.compact()).rejects.toThrow(waits);
    await expect(first.rewind(uuid)).rejects.toThrow(waits);
    await first.close();

    const second = await open({ resume: 's' });
    const after = await readUntil(second, isResult, before.at(-1)?.n);
    expect(after.at(-1)).toMatchObject({ result: 'Done.' });
    const told = after.flatMap((message): readonly ContentBlock[] | readonly unknown[] =>
      message.type === 'user' ? (message.message.content as readonly unknown[]) : [],
    );
    const results = told.filter((block) => isToolResultBlock(block as ToolResultBlock));
    expect([results.length, await read('new.txt')]).toEqual([1, 'x']);
    await second.close();
  });
});
