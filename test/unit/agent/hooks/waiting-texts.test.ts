// What hooks say to the model between two turns outlives the opening, and is told once.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookEvent } from '../../../../src/agent/hooks/hook-events.ts';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createWaitingTexts } from '../../../../src/agent/hooks/waiting-texts.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { createSessionJournal } from '../../../../src/agent/journal/session-journal.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';
import { openHost } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

const sessionId = '7d5f7c0e-2b8c-4d1a-9d0f-1f2e3d4c5b6a';
const model = listModel(
  'large',
  Array.from({ length: 9 }, () => says('Done.')),
);

const saying = (hookEventName: HookEvent, additionalContext: string) => async () =>
  ({ hookSpecificOutput: { hookEventName, additionalContext } }) as object;

/** Each says one text of its own. */
const hooks: HooksOption = {
  SessionStart: ['startup', 'resume', 'clear'].map((matcher) => ({
    matcher,
    hooks: [saying('SessionStart', `It is a ${matcher}.`)],
  })),
  PostModelSwitch: [{ hooks: [saying('PostModelSwitch', 'Be brief.')] }],
};

const open = async (isKept: boolean) =>
  openSession({ host, model, hooks, ...(isKept ? { resume: sessionId } : { sessionId }) });

/** Runs one turn, and gives which of the hooks' texts the model was told by then, in order. */
async function ask(session: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> {
  await session.send('Go.');
  await readUntil(session, isResult);
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  return [...sent.matchAll(/It is a \w+\.|Be brief\./gu)].map(([text]) => text);
}

describe('what hooks say between two turns', () => {
  it('waits for the next prompt, in whichever opening that comes', async () => {
    const first = await open(false);
    await first.close();
    // Nobody prompts here either. What each opening says anew doesn't add up.
    const second = await open(true);
    await second.setModel(model);
    await second.setModel(listModel('small', []));
    await second.setModel(model);
    await second.close();
    const third = await open(true);
    const told = ['It is a startup.', 'Be brief.', 'It is a resume.'];
    expect(await ask(third)).toEqual(told);
    await third.close();
    const fourth = await open(true);
    expect(await ask(fourth)).toEqual([...told, 'It is a resume.']);
    await fourth.close();
  });

  it('is the new session’s after a /clear, also where it is closed before its first prompt', async () => {
    const first = await open(false);
    await first.send('/clear');
    await readUntil(first, isResult);
    await expect.poll(() => first.id).not.toBe(sessionId);
    await first.supportedCommands();
    const { id } = first;
    await first.close();
    const again = await openSession({ host, model, hooks, resume: id });
    expect(await ask(again)).toEqual(['It is a clear.', 'It is a resume.']);
    await again.close();
  });
});

describe('waiting texts', () => {
  const begin = (fold = new SessionFold()) => {
    const journal = createSessionJournal({ fold, store: undefined, clock: createVirtualClock(0) });
    return { journal, waiting: createWaitingTexts(journal) };
  };

  it('are each told once, also if they are taken by another opening', async () => {
    const { journal, waiting } = begin();
    waiting.put(['a', 'b']);
    waiting.put(['b', 'c']);
    waiting.put(['d'], true);
    await journal.flush();
    const next = createWaitingTexts(journal);
    next.put(['c'], true);
    const { texts, states } = next.take();
    expect(texts).toEqual(['a', 'b', 'c']);
    await journal.record(...states);
    expect(createWaitingTexts(journal).take()).toEqual({ texts: [], states: [] });
  });

  it('record nothing where nothing is said, nor what each opening says anew', async () => {
    const { journal, waiting } = begin();
    waiting.put([]);
    waiting.put(['d'], true);
    expect(waiting.take()).toEqual({ texts: ['d'], states: [] });
    await journal.flush();
    expect(journal.fold.length).toBe(0);
  });
});
