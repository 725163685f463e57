// Notes that a session's own agent keeps for later sessions. What an agent of its own keeps: agents/agent-memory.test.ts.
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { isResult, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { callTool, readAll, say } from '../../../support/turns/run-hooked.ts';
import { toDeniedTools } from '../../../support/turns/skills.ts';

const notes = '/workspace/.claude/agent-memory/main';
const note = (file_path: string) =>
  callTool('Write', { file_path, content: 'Mind the tides.' }, 'call-note');

/** What the model was told at first, and what was refused. */
async function play(host: Host, turns: readonly ScriptTurn[], options: Partial<QueryOptions> = {}) {
  const model = createAgentsModel({ main: [...turns, say('Done.')] });
  const given = { memory: 'project', toolSearch: false, ...options, host, model } as const;
  const messages = await readAll(query({ prompt: 'Go.', options: given }));
  return {
    told: JSON.stringify(model.requests[0]?.request.messages ?? []),
    denied: toDeniedTools(messages),
  };
}

describe('the notes of a session’s own agent', () => {
  it.each([
    ['project', notes, []],
    ['local', '/workspace/.claude/agent-memory-local/main', []],
    // Security: what one project says may not reach all others without a person's word.
    ['user', '/user/.claude/agent-memory/main', ['Write']],
  ] as const)(
    'are told at the beginning of the next session: %s',
    async (memory, folder, asked) => {
      const host = await quickHost();
      const options = { memory, homeDirectory: '/user' } as const;
      const first = await play(host, [note(`${folder}/MEMORY.md`)], options);
      expect(first.told).toContain(`You keep notes for later sessions in ${folder}`);
      expect(first.told).toContain('There are none yet.');
      expect(first.denied).toEqual(asked);
      const canUseTool = () => Promise.resolve({ behavior: 'allow' } as const);
      await play(host, [note(`${folder}/MEMORY.md`)], { ...options, canUseTool });
      expect((await play(host, [], options)).told).toContain('Mind the tides.');
    },
  );

  it('are nothing that a session without has', async () => {
    const host = await quickHost();
    await play(host, [note(`${notes}/MEMORY.md`)]);
    const model = createAgentsModel({ main: [note(`${notes}/tides.md`), say('Done.')] });
    const messages = await readAll(query({ prompt: 'Go.', options: { host, model } }));
    expect(toDeniedTools(messages)).toEqual(['Write']);
    expect(JSON.stringify(model.requests[0]?.request.messages)).not.toContain('tides');
  });

  it('may be written by nobody whom it starts, whatever they are told', async () => {
    const host = await quickHost();
    const model = createAgentsModel({
      main: [
        callTool('Agent', { description: 'Note', prompt: 'Note.', run_in_background: false }),
        say('Done.'),
      ],
      'Note.': [note(`${notes}/MEMORY.md`), say('Noted.')],
    });
    const options = { host, model, memory: 'project', toolSearch: false } as const;
    const messages = await readAll(query({ prompt: 'Go.', options }));
    expect(toDeniedTools(messages)).toEqual(['Write']);
    const agents = model.requests.find(({ who }) => who === 'Note.');
    expect(JSON.stringify(agents?.request.messages)).not.toContain('You keep notes');
  });

  it('ask once text from outside is in the conversation, and in plan mode stay as they are', async () => {
    const fetched = callTool('WebFetch', { url: 'https://a.test/', prompt: 'What?' }, 'call-web');
    const tainted = await play(await quickHost(), [fetched, note(`${notes}/MEMORY.md`)], {
      allowedTools: ['WebFetch'],
    });
    expect(tainted.denied).toEqual(['Write']);
    const planned = await play(await quickHost(), [note(`${notes}/MEMORY.md`)], {
      permissionMode: 'plan',
    });
    expect(planned.told).toContain("You can't change them.");
    expect(planned.denied).toEqual(['Write']);
  });

  it('are only read by an agent that has no tool to write them', async () => {
    const { told } = await play(await quickHost(), [], { tools: ['Read'] });
    expect(told).toContain("You can't change them.");
  });

  it('are told again after a compaction, as they are then', async () => {
    const host = await quickHost();
    const model = createAgentsModel({
      main: [
        say('Hello.'),
        note(`${notes}/MEMORY.md`),
        say('Noted.'),
        say('A summary.'),
        say('Ok.'),
      ],
    });
    const session = await openSession({ host, model, memory: 'project', toolSearch: false });
    for (const [at, prompt] of ['Hello.', 'Note it.', '/compact', 'Go on.'].entries()) {
      await session.send(prompt);
      let left = at + 1;
      await readUntil(session, (message) => isResult(message) && (left -= 1) === 0);
    }
    await session.close();
    const last = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(last).toContain('Mind the tides.');
    expect(last.split('You keep notes')).toHaveLength(2);
  });

  it.each<[Partial<QueryOptions>, string]>([
    [{ memory: 'user' }, 'there is no homeDirectory'],
    [{ memory: true as unknown as 'user' }, "memory is 'user', 'project' or 'local'"],
  ])('are refused before anything runs where they can’t be: %j', async (options, why) => {
    const host = await quickHost();
    const model = createAgentsModel({ main: [say('Done.')] });
    expect(() => query({ prompt: 'Go.', options: { host, model, ...options } })).toThrow(
      expect.objectContaining({ code: 'bad-usage', message: expect.stringContaining(why) }),
    );
  });
});
