// Skills that an agent begins with, by its definition.
import { expect, it } from 'vitest';
import type { AgentDefinition } from '../../../../src/agent/agents/definitions.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, readAll, say } from '../../../support/turns/run-hooked.ts';
import { openWithSkills, skillText, toDeniedTools } from '../../../support/turns/skills.ts';

const write = callTool('Write', { file_path: 'out/a', content: 'a' }, 'call-write');

async function play(
  skills: readonly string[],
  { turns = [], ...options }: Partial<QueryOptions> & { readonly turns?: (typeof write)[] } = {},
) {
  await using host = await openWithSkills({
    review: skillText('description: Reviews\nallowed-tools: Write(out/**)', 'Mind $1 the tides.'),
    style: skillText('description: Style', 'Write short lines.'),
    people: skillText('description: For people\ndisable-model-invocation: true', 'By hand.'),
    long: skillText('description: Long', 'x'.repeat(150_000)),
  });
  const call = { description: 'Look', prompt: 'Look.', subagent_type: 'reviewer' };
  const model = createAgentsModel({
    main: [callTool('Agent', { ...call, run_in_background: false }), say('Done.')],
    'Look.': [...turns, say('Seen.')],
  });
  const reviewer: AgentDefinition = { description: 'Reviews.', prompt: 'You review.', skills };
  const given = { agents: { reviewer }, settingSources: ['project'], toolSearch: false } as const;
  const messages = await readAll(
    query({ prompt: 'Go.', options: { ...given, ...options, host, model } }),
  );
  const first = model.requests.find(({ who }) => who === 'Look.')?.request;
  return {
    told: JSON.stringify(first?.messages ?? []),
    notices: messages.flatMap(toNotice),
    denied: toDeniedTools(messages),
  };
}

const toNotice = (message: SDKMessage) =>
  message.type === 'system' && message.subtype === 'informational' ? [message.content] : [];

it('are told with its first prompt, in their order', async () => {
  const { told, notices } = await play(['style', 'review']);
  const places = ['Write short lines.', 'Mind  the tides.'].map((text) => told.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(told).toContain('Its folder is /workspace/.claude/skills/review.');
  expect(notices).toEqual([]);
});

it('loosen nothing', async () => {
  const { denied } = await play(['review'], { turns: [write], trustWorkspace: () => true });
  expect(denied).toEqual(['Write']);
});

it('are left out with the reason where they can not be told, and cut where they are too long', async () => {
  const { told, notices } = await play(['gone', 'style', 'people', 'review', 'long'], {
    disallowedTools: ['Skill(style)'],
  });
  expect(told).not.toContain('Write short lines.');
  expect(told).not.toContain('By hand.');
  expect(told).toContain('Mind  the tides.');
  expect(told).toContain('[The rest is left out: call Skill for it.]');
  expect(notices.map((text) => /skill "(\w+)": (.*)/u.exec(text)?.slice(1, 3))).toEqual([
    ['gone', expect.stringContaining('no skill "gone"')],
    ['style', 'A rule denies it, or asks about it.'],
    ['people', 'It is for people alone.'],
  ]);
});
