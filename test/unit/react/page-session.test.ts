import { describe, expect, it } from 'vitest';
import { createMessageQueue } from '../../../src/core/async/message-queue.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPageSession } from '../../../src/react/page-session.ts';
import { assistant, failure, success } from '../../support/stages/sdk-messages.ts';

/** A session whose agent the test plays. */
function open() {
  const messages = createMessageQueue<SDKMessage>();
  let taken: AsyncIterator<SDKUserMessage> | undefined;
  let interrupts = 0;
  let signal: AbortSignal | undefined;
  const session = createPageSession(
    ({ prompt, abortController }) => {
      taken = prompt[Symbol.asyncIterator]();
      signal = abortController.signal;
      const interrupt = async () => void (interrupts += 1);
      return { [Symbol.asyncIterator]: () => messages[Symbol.asyncIterator](), interrupt };
    },
    { schedule: (notify) => notify() },
  );
  /** Resolves when the transcript has so many turns that are over. */
  const ended = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        const { turns } = session.store.getSnapshot();
        if (turns.filter(({ endedAt }) => endedAt !== null).length >= count) resolve();
      };
      session.store.subscribe(check);
      check();
    });
  return {
    session,
    say: (...given: SDKMessage[]) => given.forEach((message) => messages.push(message)),
    hangUp: () => messages.end(),
    /** The text of the next prompt that the agent is given. */
    next: async () => (await taken?.next())?.value?.message.content,
    nextMessage: async () => (await taken?.next())?.value as SDKUserMessage,
    ended,
    prompts: () => session.store.getSnapshot().turns.map(({ prompt }) => prompt),
    waiting: () => session.waiting.getSnapshot().map((prompt) => prompt.text),
    interrupts: () => interrupts,
    isAborted: () => signal?.aborted,
  };
}

describe('createPageSession', () => {
  it('shows a prompt as soon as it is sent, and once where the agent repeats it', async () => {
    const { session, say, next, prompts, ended } = open();
    session.send('one');
    expect(prompts()).toEqual(['one']);
    expect(await next()).toBe('one');
    const [{ id } = { id: '' }] = session.store.getSnapshot().turns;
    const message = { role: 'user', content: 'one' } as const;
    say({ type: 'user', uuid: id, message, parent_tool_use_id: null }, success());
    await ended(1);
    expect(prompts()).toEqual(['one']);
  });

  it('lets what is sent meanwhile wait, and sends it one by one as turns end well', async () => {
    const { session, say, next, prompts, waiting, ended } = open();
    session.send('one');
    session.send('two');
    session.send('three');
    expect([prompts(), waiting()]).toEqual([['one'], ['two', 'three']]);
    expect(await next()).toBe('one');
    say(assistant([{ type: 'text', text: '1' }]), success());
    expect(await next()).toBe('two');
    expect([prompts(), waiting()]).toEqual([['one', 'two'], ['three']]);
    say(success());
    await ended(2);
    expect(await next()).toBe('three');
    expect(waiting()).toEqual([]);
  });

  it('gives back what was taken out of those that wait, and never sends it', async () => {
    const { session, say, next, waiting, ended } = open();
    session.send('one');
    session.send('two');
    session.send('three');
    const [two] = session.waiting.getSnapshot();
    expect(session.takeBack(two?.id ?? '')).toEqual({ id: two?.id, text: 'two', images: [] });
    expect(session.takeBack(two?.id ?? '')).toBeUndefined();
    expect(waiting()).toEqual(['three']);
    await next();
    say(success());
    await ended(1);
    expect(await next()).toBe('three');
  });

  it('sends images before the text, shows them, and gives them back', async () => {
    const { session, say, next, waiting, ended } = open();
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aW1n' },
    } as const;
    session.send('one', [image]);
    expect(await next()).toEqual([image, { type: 'text', text: 'one' }]);
    expect(session.store.getSnapshot().turns).toMatchObject([{ prompt: 'one', images: [image] }]);
    session.send('', [image]);
    expect(waiting()).toEqual(['']);
    const [two] = session.waiting.getSnapshot();
    expect(session.takeBack(two?.id ?? '')?.images).toEqual([image]);
    session.send('', [image]);
    say(success());
    await ended(1);
    expect(await next()).toEqual([image]);
    say(failure('The key was refused.'));
    await ended(2);
    session.sendAgain();
    expect(await next()).toEqual([image]);
  });

  it.each([
    ['failed', failure('The key was refused.')],
    ['was stopped', { ...failure('Stopped.'), terminal_reason: 'aborted_tools' }],
  ])('sends nothing that waits after a turn that %s, until it is told to', async (_how, end) => {
    const { session, say, next, prompts, waiting, ended } = open();
    session.send('one');
    session.send('two');
    await next();
    say(end);
    await ended(1);
    expect([prompts(), waiting()]).toEqual([['one'], ['two']]);
    const [two] = session.waiting.getSnapshot();
    session.sendWaiting(two?.id ?? '');
    expect(await next()).toBe('two');
    expect([prompts(), waiting()]).toEqual([['one', 'two'], []]);
  });

  it('sends the newest prompt again, but not while a turn runs', async () => {
    const { session, say, next, prompts, ended } = open();
    session.sendAgain();
    session.send('one');
    session.sendAgain();
    expect(prompts()).toEqual(['one']);
    await next();
    say(failure('Overloaded.'));
    await ended(1);
    session.sendAgain();
    expect(await next()).toBe('one');
    expect(prompts()).toEqual(['one', 'one']);
  });

  it('lets a prompt that comes after the end wait, and says that nobody answers it', async () => {
    const { session, say, hangUp, ended, prompts, waiting } = open();
    session.send('one');
    say(success());
    hangUp();
    await ended(1);
    expect(session.isEnded()).toBe(false);
    await session.ended;
    expect(session.isEnded()).toBe(true);
    session.send('two');
    const [two] = session.waiting.getSnapshot();
    session.sendWaiting(two?.id ?? '');
    session.sendAgain();
    expect([prompts(), waiting()]).toEqual([['one'], ['two']]);
    const { turns, isRunning } = session.store.getSnapshot();
    expect(isRunning).toBe(false);
    const text =
      'The conversation has ended here, so nothing more is sent. Open it again, or begin a new one.';
    // The turn that was over keeps its result.
    expect(turns).toMatchObject([
      { result: { subtype: 'success' }, entries: Array.from({ length: 3 }, () => ({ text })) },
    ]);
  });

  it.each([
    ['ends', [], ['one', 'two']],
    ['ends in the middle of a reply', [assistant([{ type: 'text', text: 'On it.' }])], ['two']],
  ])(
    'has what was not sent among those that wait where the conversation %s',
    async (_how, said, left) => {
      const { session, say, hangUp, waiting } = open();
      session.send('one');
      session.send('two');
      say(...said);
      hangUp();
      await session.ended;
      expect(waiting()).toEqual(left);
      expect(session.store.getSnapshot().isRunning).toBe(false);
      const [first] = session.waiting.getSnapshot();
      // The conversation that follows: the agent may have had it all the same.
      const kept: SDKMessage = {
        type: 'user',
        uuid: first?.id ?? '',
        message: { role: 'user', content: first?.text ?? '' },
        parent_tool_use_id: null,
      };
      const again = async (before: readonly SDKMessage[], told: readonly SDKMessage[]) => {
        const next = createPageSession(
          () => ({
            async *[Symbol.asyncIterator]() {
              yield* told;
            },
            interrupt: () => Promise.resolve(),
          }),
          { kept: before, waiting: session.waiting.getSnapshot(), schedule: (notify) => notify() },
        );
        await next.ended;
        return next.waiting.getSnapshot().map(({ text }) => text);
      };
      expect(await again([], [])).toEqual(left);
      expect(await again([kept], [])).toEqual(left.slice(1));
      expect(await again([], [kept])).toEqual(left.slice(1));
    },
  );

  it('interrupts on stop; disposed of, it ends its prompts and aborts', async () => {
    const { session, next, interrupts, isAborted } = open();
    session.stop();
    expect([interrupts(), isAborted()]).toEqual([1, false]);
    session[Symbol.dispose]();
    expect(isAborted()).toBe(true);
    expect(await next()).toBeUndefined();
  });

  it('sends into the running turn what is urgent, and shows it where the agent gets it', async () => {
    const { session, say, nextMessage, prompts, waiting, ended } = open();
    session.send('one');
    session.send('later');
    session.send('urgent', [], 'next');
    await nextMessage();
    expect(waiting()).toEqual(['urgent', 'later']);
    const [urgent] = session.waiting.getSnapshot();
    expect(urgent).toMatchObject({ isSent: true });
    expect(session.takeBack(urgent?.id ?? '')).toBeUndefined();
    const sent = await nextMessage();
    expect(sent).toMatchObject({ uuid: urgent?.id, priority: 'next' });
    say(assistant([{ type: 'text', text: '1' }]), { ...sent, joins_turn: true } as SDKMessage);
    say(assistant([{ type: 'text', text: '2' }]), success());
    await ended(1);
    const [turn] = session.store.getSnapshot().turns;
    expect(turn?.entries).toMatchObject([
      { kind: 'text', text: '1' },
      { kind: 'prompt', text: 'urgent', images: [] },
      { kind: 'text', text: '2' },
    ]);
    expect(prompts()).toEqual(['one', 'later']);
    expect(waiting()).toEqual([]);
  });

  it('shows the next turn of a prompt that came too late for the running one', async () => {
    const { session, say, nextMessage, prompts, waiting, ended } = open();
    session.send('one');
    session.send('two');
    session.send('three');
    await nextMessage();
    const [two, three] = session.waiting.getSnapshot();
    session.sendWaiting(three?.id ?? '');
    session.sendWaiting(three?.id ?? '');
    expect(waiting()).toEqual(['three', 'two']);
    expect(await nextMessage()).toMatchObject({ uuid: three?.id, priority: 'next' });
    // Also after a failure: it is the agent's already.
    say(failure('The key was refused.'));
    await ended(1);
    expect(prompts()).toEqual(['one', 'three']);
    expect(session.waiting.getSnapshot()).toEqual([two]);
    say(success());
    expect(await nextMessage()).toMatchObject({ uuid: two?.id });
  });
});
