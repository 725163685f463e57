// An agent that is written to very often: it is told each letter once, and what that takes grows with their number
// and not with its square.
import { expect, it } from 'vitest';
import { readEntries } from '../../../../src/agent/journal/stored-journal.ts';
import { query } from '../../../../src/agent/query.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/run-hooked.ts';

const lettersOfReply = 100;

/** `isAtRest`: the agent has reported before the first letter. Gives what it was told, and how much was recorded. */
async function write(letters: number, isAtRest: boolean) {
  let release = () => {};
  const allWritten = new Promise<void>((resolve) => (release = resolve));
  const replies = Array.from({ length: letters / lettersOfReply }, (_, reply): ScriptTurn => ({
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
  let asked = 0;
  const model = createAgentsModel(
    {
      main: [callTool('Agent', begin, 'call-a'), ...replies, say('All sent.'), say('Done.')],
      'Wait.': [
        ...(isAtRest ? [say('At rest.')] : []),
        callTool('Read', { file_path: '/workspace/a.txt' }, 'call-r'),
        say('I have read them.'),
      ],
    },
    (who) => {
      if (who === 'main') asked += 1;
      if (asked === replies.length + 2) release();
      const isFirst = model.requests.filter((one) => one.who === 'Wait.').length === 1;
      return who === 'main' || (isAtRest && isFirst) ? undefined : allWritten;
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
    requests: own.length,
    counts: Array.from({ length: letters }, (_, at) => told.split(`Letter ${at}.`).length - 1),
    entries: entries.length,
    recorded: JSON.stringify(entries).length,
  };
}

it.each([
  ['1 000 letters to an agent that runs', 1_000, false],
  ['300 letters to an agent that is at rest', 300, true],
])('%s are told once each, at the same cost', async (_, letters, isAtRest) => {
  const few = await write(lettersOfReply, isAtRest);
  const many = await write(letters, isAtRest);
  expect(many.end).toMatchObject({ type: 'result', subtype: 'success' });
  expect(many.counts).toEqual(Array.from({ length: letters }, () => 1));
  // All at once, with its next request.
  expect(many.requests).toBe(few.requests);
  const factor = (letters / lettersOfReply) * 1.1;
  expect(many.entries / few.entries).toBeLessThan(factor);
  expect(many.recorded / few.recorded).toBeLessThan(factor);
});
