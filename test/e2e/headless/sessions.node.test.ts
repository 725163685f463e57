// `npm run headless` with a profile: a run that is killed in the middle of a turn goes on from the command
// line. By SIGKILL, in both hosts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentBlock, SDKSessionInfo } from 'rockpool';
import { readArguments, UsageError } from '../../../scripts/headless-arguments.ts';
import { assistantMessage, toSse } from '../../support/models/model-streams.ts';
import { startMessagesServer, type Answer } from '../../support/models/messages-server.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { headless, messagesOf, readTree, resultOf, spawnHeadless } from './headless-command.ts';
import type { Run } from './headless-command.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headless-sessions-'));
  mkdirSync(join(folder, 'workspace'));
  writeFileSync(join(folder, 'workspace/a.txt'), 'one\n');
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ turns: [] }));
});

afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const listed = (run: Run) =>
  run.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SDKSessionInfo);

/** A reply of the server. */
const reply = (content: ContentBlock): Answer => ({
  type: 'stream',
  text: toSse([
    ...toEvents(
      assistantMessage([content], {
        stop_reason: content.type === 'tool_use' ? 'tool_use' : 'end_turn',
      }),
    ),
  ]),
});
const calls = (id: string, name: string, input: object) =>
  reply({ type: 'tool_use', id, name, input });
const says = (text: string) => reply({ type: 'text', text });

describe.each(['inline', 'browser'])('headless, on the host %s', (host) => {
  it(
    'goes on with a run that was killed in the middle of a turn',
    { timeout: 600_000 },
    async () => {
      await using server = await startMessagesServer();
      const profile = ['--host', host, '--profile', join(folder, host)];
      const given = [
        ...[...profile, '--base-url', server.url, '--api-key', 'test'],
        ...['--permission-mode', 'acceptEdits', '--allow', 'Repl'],
      ];
      server.answer(calls('call-1', 'Write', { file_path: 'b.txt', content: 'two\n' }));
      // It is killed while it waits for the next reply.
      server.answer({ type: 'stream', text: '', ending: 'stall' });
      let kill = () => {};
      const running = spawnHeadless(
        [
          ...[...given, '--workspace', join(folder, 'workspace')],
          ...['--prompt', 'Do it.', '--session-id', 'mine'],
        ],
        (_line, _interrupt, sendKill) => (kill = sendKill),
      );
      // Its page may have to be built first.
      await expect.poll(() => server.requests.length, { timeout: 240_000 }).toBe(2);
      kill();
      const killed = await running;
      expect(killed.status).toBeNull();
      expect(messagesOf(killed)[0]).toMatchObject({ subtype: 'init', session_id: 'mine' });

      server.answer(calls('call-2', 'Repl', { code: '40 + 1' }), says('Done.'));
      const resumed = await headless([...given, '--resume', 'mine']);
      expect(resumed.stderr).toBe('');
      expect(resultOf(resumed)).toMatchObject({ subtype: 'success', result: 'Done.' });
      expect(messagesOf(resumed)[0]).toMatchObject({ subtype: 'init', session_id: 'mine' });
      // What was done isn't done again.
      expect(resumed.stdout).not.toContain('"tool_use_id":"call-1"');
      expect(JSON.stringify(server.requests[2]?.body)).toContain('"tool_use_id":"call-1"');

      const out = join(folder, `out-${host}`);
      server.answer(says('Again.'));
      const again = await headless([
        ...[...given, '--continue', '--fork-session', '--session-id', 'other'],
        // Of another folder nothing is loaded: the profile's files are newer.
        ...['--workspace', tmpdir(), '--prompt', 'Once more.', '--out', out],
      ]);
      expect(resultOf(again)).toMatchObject({ result: 'Again.', session_id: 'other' });
      expect(readTree(out)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 two\n' });

      expect(listed(await headless([...profile, '--list-sessions']))).toMatchObject([
        { sessionId: 'other', firstPrompt: 'Do it.' },
        { sessionId: 'mine', firstPrompt: 'Do it.' },
      ]);
    },
  );
});

describe('headless, on a profile', () => {
  const given = () => [
    ...['--host', 'inline', '--profile', join(folder, 'refused')],
    ...['--model', `scripted:${join(folder, 'script.json')}`],
  ];

  it('says what can not be gone on with', async () => {
    const unknown = await headless([...given(), '--resume', 'no']);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain('There is no session no');
    const none = await headless([...given(), '--continue', '--prompt', 'x']);
    expect(none.stderr).toContain('no session to continue');
    const dear = await headless([...given(), '--prompt', 'x', '--max-budget-usd', '1']);
    expect(dear.stderr).toContain('price');
    expect(listed(await headless([...given().slice(0, 4), '--list-sessions']))).toEqual([]);
  });

  const base = ['--prompt', 'x', '--api-key', 'k'];
  const kept = [...base, '--profile', '/tmp'];
  it.each([
    ['no workspace and no profile', base, '--workspace is missing'],
    ['a session of no profile', [...base, '--resume', 'a'], '--resume needs --profile'],
    ['two sessions', [...kept, '--resume', 'a', '--continue'], 'exclude each other'],
    ['a fork of nothing', [...kept, '--fork-session'], 'needs --resume or --continue'],
    ['an old one by a new id', [...kept, '--continue', '--session-id', 'b'], 'it needs --fork'],
    ['no prompt for a new one', ['--api-key', 'k', '--profile', '/tmp'], '--prompt is missing'],
    ['a list of no profile', ['--list-sessions'], '--profile is missing'],
    [
      'a list of one that is not there',
      ['--list-sessions', '--profile', '/no/such'],
      'is not there',
    ],
    ['a budget that is none', [...base, '--workspace', '/tmp', '--max-budget-usd', '0'], 'above 0'],
    ['a profile that is a file', [...base, '--profile', import.meta.filename], 'no directory'],
  ])('refuses %s', (_name, args, sentence) => {
    const refused = expect(() => readArguments(args, {}));
    refused.toThrow(UsageError);
    refused.toThrow(sentence);
  });
});
