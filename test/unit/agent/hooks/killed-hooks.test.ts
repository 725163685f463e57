// What hooks have said holds for the turn that it was said in, on whichever page that goes on.
import { describe, expect, it } from 'vitest';
import type { HookCallback, HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { Played, PlayOptions } from '../../../support/sessions/kept-session.ts';
import { callTool, say, write } from '../../../support/turns/run-hooked.ts';

type Options = Omit<PlayOptions, 'prompts' | 'model'>;

/** A message of two calls, and a last word. */
const twoCalls: readonly ScriptTurn[] = [
  {
    blocks: [...write('b.txt').blocks, ...callTool('Glob', { pattern: '*' }, 'call-1').blocks],
  },
  say('Done.'),
];

/** Plays it to its end: where the page is killed after an entry, on a second page that has `second`. */
async function play(
  turns: readonly ScriptTurn[],
  options: Options,
  second: Options = options,
): Promise<Played> {
  const disk = createDisk();
  const given = { prompts: ['Go.'], permissionMode: 'acceptEdits', toolSearch: false } as const;
  const model = () => createScriptedModel({ script: { turns } });
  const first = await playSession(disk, { ...given, ...options, model: model() });
  if (!first.isFrozen) return first;
  const { freezeAfter: _, ...rest } = second;
  return playSession(disk, { ...given, ...rest, model: model() });
}

/** After which entries a page can be killed, from the first of this type on. */
function killsFrom(whole: Played, type: JournalEntry['type']): number[] {
  const first = whole.entries.find((entry) => entry.type === type)?.n ?? 0;
  const end = whole.entries.findLast((entry) => entry.type === 'result')?.n ?? 0;
  return whole.boundaries.filter((n) => n >= first && n < end);
}

const hookOf =
  (output: HookJSONOutput): HookCallback =>
  () =>
    Promise.resolve(output);

describe('what hooks have said of a call', () => {
  const hooks: HooksOption = {
    PreToolUse: [
      {
        matcher: 'Write',
        hooks: [
          hookOf({
            hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'Tabs, please.' },
          }),
        ],
      },
    ],
    PostToolUse: [
      { matcher: 'Write', hooks: [hookOf({ decision: 'block', reason: 'It has no tests.' })] },
    ],
  };
  const said = ['Tabs, please.', 'A hook objects to this result: It has no tests.'];
  const reminders = said.map((text) => ({
    role: 'user',
    content: [{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }],
  }));
  const listTold = ({ fold }: Played) =>
    fold.messages.filter((message) => said.some((text) => JSON.stringify(message).includes(text)));

  it('is told once, in its order, wherever the page is killed once the call is done', async () => {
    const whole = await play(twoCalls, { hooks });
    expect(listTold(whole)).toEqual(reminders);
    const kills = killsFrom(whole, 'settled');
    expect(kills.length).toBeGreaterThan(3);
    for (const freezeAfter of kills) {
      const played = await play(twoCalls, { hooks, freezeAfter });
      expect([freezeAfter, listTold(played)]).toEqual([freezeAfter, reminders]);
    }
  });

  it('is told by a page that has no hooks any more', async () => {
    const whole = await play(twoCalls, { hooks });
    const [freezeAfter = 0] = killsFrom(whole, 'amended');
    expect(listTold(await play(twoCalls, { hooks, freezeAfter }, {}))).toEqual(reminders);
  });

  it('is left out of the entries of calls that they say nothing of', async () => {
    const { entries } = await play(twoCalls, { hooks });
    const ends = entries.filter(({ type }) => type === 'settled' || type === 'amended');
    expect(ends.map((end) => [end.type, 'notes' in end && end.notes])).toEqual([
      ['settled', said.slice(0, 1)],
      ['amended', said],
      ['settled', false],
    ]);
  });
});

it('a call that a hook puts off ends its turn, wherever the page is killed', async () => {
  const later = hookOf({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' },
  });
  const hooks: HooksOption = { PreToolUse: [{ matcher: 'Write', hooks: [later] }] };
  const end = {
    terminal_reason: 'tool_deferred',
    deferred_tool_use: { id: 'call-0', name: 'Write', input: { file_path: 'b.txt', content: 'x' } },
    num_turns: 1,
  };
  const whole = await play(twoCalls, { hooks });
  const kills = killsFrom(whole, 'request');
  expect(kills.length).toBeGreaterThan(2);
  for (const freezeAfter of [Infinity, ...kills]) {
    const { fold, files } = await play(twoCalls, { hooks, freezeAfter });
    expect([freezeAfter, fold.lastResult?.message]).toMatchObject([freezeAfter, end]);
    expect(await files()).toEqual({});
  }
});

it('a Stop hook sends a turn back at most 8 times, on all of its pages together', async () => {
  /** What each page's hook was told. */
  const pages: boolean[][] = [];
  const hooksOfPage = (): HooksOption => {
    const seen: boolean[] = [];
    pages.push(seen);
    const more: HookCallback<'Stop'> = (input) => {
      seen.push(input.stop_hook_active);
      return Promise.resolve({ decision: 'block', reason: 'More.' });
    };
    return { Stop: [{ hooks: [more] }] };
  };
  const replies = Array.from({ length: 20 }, (_, at) => say(`Reply ${at}.`));
  const whole = await play(replies, { hooks: hooksOfPage() });
  const eightTimes = Array.from({ length: 8 }, () => true);
  expect(pages.splice(0)).toEqual([[false, ...eightTimes]]);
  const end = { num_turns: 9, result: 'Reply 8.', terminal_reason: 'completed' };
  expect(whole.fold.lastResult?.message).toMatchObject(end);
  const sentBack = whole.entries.filter(
    (entry) => entry.type === 'context' && entry.source === 'sent-back',
  );
  // Killed before the request that tells of it, and before the next reply.
  for (const freezeAfter of [0, 1].map((more) => (sentBack[4]?.n ?? 0) + more)) {
    const killed = { hooks: hooksOfPage(), freezeAfter };
    const played = await play(replies, killed, { hooks: hooksOfPage() });
    const [first, second] = pages.splice(0);
    expect(first?.slice(0, 5)).toEqual([false, true, true, true, true]);
    expect(second).toEqual([true, true, true, true]);
    expect(played.fold.lastResult?.message).toMatchObject(end);
    expect(played.fold.messages).toEqual(whole.fold.messages);
  }
});
