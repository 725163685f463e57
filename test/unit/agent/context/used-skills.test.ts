// What a compaction leaves of skills that were used.
import { describe, expect, it, onTestFinished } from 'vitest';
import { listUsedSkills } from '../../../../src/agent/context/used-skills.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import { listReminders } from '../../../../src/core/tool/tool-catalog.ts';
import { isResult, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';

const heading = (name: string) => `Instructions of the skill "${name}".`;

let calls = 0;
function used(name: string, text: string, fields: object = {}): MessageParam[] {
  const id = `call-${(calls += 1)}`;
  const result = { type: 'tool_result', tool_use_id: id, content: text, ...fields } as const;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    { role: 'user', content: [result] },
  ];
}
const skill = (name: string, text: string) => used('Skill', `${heading(name)}\n\n${text}`);
const list = (...given: Parameters<typeof listUsedSkills>) =>
  listReminders(listUsedSkills(...given));

describe('used skills', () => {
  it('are the newest of each, in the order of their newest calls', () => {
    const gone = [...skill('a', 'Old.'), ...skill('b', 'B.'), ...skill('a', 'New.')];
    const texts = [`${heading('b')}\n\nB.`, `${heading('a')}\n\nNew.`];
    expect(list(gone, [])).toEqual(texts);
    // As a second compaction finds them.
    expect(list(listUsedSkills(gone, []), [])).toEqual(texts);
    expect(list(gone, skill('b', 'B.'))).toEqual(texts.slice(1));
  });

  it('are what Skill has given as instructions, and nothing else', () => {
    const gone = [
      ...used('Read', `${heading('a')}\n\nA file.`),
      ...used('Skill', 'The report of an agent.'),
      ...used('Skill', `${heading('a')}\n\nIt failed.`, { is_error: true }),
      { role: 'user', content: `${heading('a')}\n\nSaid by a person.` } as const,
    ];
    expect(list(gone, [])).toEqual([]);
  });

  it('are cut, and left out where there is no room, the oldest first', () => {
    const long = Array.from({ length: 6 }, (_, at) => skill(`s${at}`, 'x'.repeat(50_000))).flat();
    const shown = list(long, []);
    expect(shown.map((text) => [text.slice(0, 28), text.length])).toEqual(
      [1, 2, 3, 4, 5].map((at) => [heading(`s${at}`).slice(0, 28), 20_000]),
    );
    expect(shown[0]).toMatch(/\[The rest is left out: call Skill with "s1" for it\.\]$/u);
    expect(list(listUsedSkills(long, []), [])).toEqual(shown);
    expect(list(long, [], 80_000)).toEqual(shown.slice(-2));
  });
});

it('stand behind the summary of a conversation in which one was used', async () => {
  const host = await quickHost();
  const path = '/workspace/.claude/skills/rhyme';
  await host.workspace.fs.mkdir(path, { recursive: true });
  await host.workspace.fs.writeFile(`${path}/SKILL.md`, 'Always end with a rhyme.');
  const model = listModel('list', [
    asks({ type: 'tool_use', id: 'use', name: 'Skill', input: { skill: 'rhyme' } }),
    ...Array.from({ length: 3 }, () => says('x'.repeat(60_000))),
    says('The summary.'),
    says('Done.'),
  ]);
  const session = await openSession({ host, model, settingSources: ['project'] });
  onTestFinished(() => session.close());
  let after = 0;
  const say = async (prompt: string) => {
    ({ n: after } = await session.send(prompt));
    await readUntil(session, isResult, after);
  };
  for (const prompt of ['Use rhyme.', 'More.', 'More.']) await say(prompt);
  await session.compact();
  await say('Go on.');
  const { messages = [] } = model.requests.at(-1) ?? {};
  expect(JSON.stringify(messages)).not.toContain('tool_use');
  expect(listReminders(messages)).toContainEqual(
    expect.stringMatching(/^Instructions of the skill "rhyme"\.[^]*Always end with a rhyme\.$/u),
  );
});
