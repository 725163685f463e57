// An agent that is written to very often. It is told each letter once, and what that takes grows
// with their number and not with its square.
import { expect, it } from 'vitest';
import { readEntries } from '../../../../src/agent/journal/stored-journal.ts';
import { query } from '../../../../src/agent/query.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

// Fewer than may wait for a reader.
const lettersOfReply = 50;

/**
 * The agent reads a file between each two replies that write to it. `isAtRest`: it has reported before the first
 * letter. Gives what it was told, and how much was recorded.
 */
async function write(letters: number, isAtRest: boolean) {
  const batches = letters / lettersOfReply;
  const earlier = isAtRest ? 1 : 0;
  const replies = Array.from({ length: batches }, (_, reply): ScriptTurn => ({
    blocks: Array.from({ length: lettersOfReply }, (__, at) => {
      const number = reply * lettersOfReply + at;
      const input = { to: 'back', message: `Letter ${number}.` };
      return { type: 'tool_use', id: `mail-${number}`, name: 'SendMessage', input } as const;
    }),
  }));
  const begin = {
    description: 'Waits',
    prompt: 'Wait.',
    name: 'back',
    run_in_background: !isAtRest,
  };
  const countOf = (who: string) => model.requests.filter((one) => one.who === who).length;
  const waiting = new Set<() => void>();
  const model = createAgentsModel(
    {
      main: [callTool('Agent', begin, 'call-a'), ...replies, say('All sent.'), say('Done.')],
      'Wait.': [
        ...(isAtRest ? [say('At rest.')] : []),
        ...replies.map((_, at) => callTool('Read', { file_path: '/workspace/a.txt' }, `r-${at}`)),
        say('I have read them.'),
      ],
    },
    (who) => {
      for (const look of waiting) look();
      const number = countOf(who);
      // The agent is answered when a reply's letters are all sent; the next reply comes when it was told them.
      const batch = number - earlier;
      const isDue =
        who === 'main'
          ? () => number < 3 || number > batches + 2 || countOf('Wait.') >= number - 1 + earlier
          : () => batch < 1 || batch > batches || countOf('main') >= batch + 2;
      return new Promise<void>((resolve) => {
        const look = () => {
          if (!isDue()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  );
  await using host = await openHost();
  const messages = await readAll(
    query({
      prompt: 'Go.',
      options: { host, model, toolSearch: false, sessionId: 'much-mail' },
    }),
  );
  const entries = await readEntries(host.workspace, 'much-mail');
  const own = model.requests.filter(({ who }) => who === 'Wait.');
  const told = JSON.stringify(own.at(-1)?.request.messages);
  return {
    end: messages.at(-1),
    requests: own.length - earlier,
    counts: Array.from({ length: letters }, (_, at) => told.split(`Letter ${at}.`).length - 1),
    entries: entries.length,
    recorded: JSON.stringify(entries).length,
  };
}

it.each([
  ['1 000 letters to an agent that runs', 1_000, false],
  ['300 letters to an agent that is at rest', 300, true],
])('%s are told once each, at the same cost', async (_, letters, isAtRest) => {
  const few = await write(100, isAtRest);
  const many = await write(letters, isAtRest);
  expect(many.end).toMatchObject({ type: 'result', subtype: 'success' });
  expect(many.counts).toEqual(Array.from({ length: letters }, () => 1));
  expect(many.requests).toBe(letters / lettersOfReply + 1);
  const factor = (letters / 100) * 1.1;
  expect(many.entries / few.entries).toBeLessThan(factor);
  expect(many.recorded / few.recorded).toBeLessThan(factor);
});
