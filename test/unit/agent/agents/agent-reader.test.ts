import { expect, it } from 'vitest';
import { createAgentReader } from '../../../../src/agent/agents/agent-reader.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import type { AgentJournalRecord } from '../../../../src/core/session/journal.ts';

const begun: readonly AgentJournalRecord[] = [
  { type: 'session', format: 1, id: 's', seed: 'seed', cwd: '/workspace', version: '0' },
  {
    ...{ type: 'agent', id: 'x', callId: 'c', agentType: 'Explore', description: 'd', model: 'm' },
    ...{ depth: 1, isBackground: true },
  },
];
const task = (status: 'running' | 'completed'): AgentJournalRecord => ({
  ...{ type: 'task', id: 'x', callId: 'c', taskType: 'local_agent', description: 'd' },
  ...{ outputPath: '/o', status, isBackground: true },
});
const mail = (id: string): AgentJournalRecord => ({
  ...{ type: 'mail', id, to: 'x', message: { role: 'user', content: 'Mail.' } },
});
const fork: AgentJournalRecord = {
  ...{ type: 'opened', owner: 'o', why: 'fork', fork: { id: 'f', seed: 'other' } },
};

it.each<[string, AgentJournalRecord[], Record<'isOpen' | 'isOfParent' | 'hasWork', boolean>]>([
  ['runs', [task('running')], { isOpen: true, isOfParent: false, hasWork: false }],
  [
    'ran before the fork',
    [task('running'), fork],
    { isOpen: true, isOfParent: true, hasWork: false },
  ],
  [
    'goes on in the fork',
    [task('completed'), fork, task('running')],
    { isOpen: true, isOfParent: false, hasWork: false },
  ],
  [
    'rests, with mail',
    [task('completed'), mail('1')],
    { isOpen: false, isOfParent: false, hasWork: true },
  ],
  [
    'rests, with mail of before the fork',
    [task('completed'), mail('1'), fork],
    { isOpen: false, isOfParent: false, hasWork: false },
  ],
  [
    'rests, with mail of the fork',
    [task('completed'), mail('1'), fork, mail('2')],
    { isOpen: false, isOfParent: false, hasWork: true },
  ],
])('knows an agent that %s', (_, records, states) => {
  const fold = new SessionFold();
  [...begun, ...records].forEach((record, at) => fold.apply({ ...record, n: at + 1, time: 0 }));
  const reader = createAgentReader(fold);
  const agent = fold.agents.get('x');
  if (!agent) throw new Error('No agent was begun.');
  expect({
    isOpen: reader.isOpen(agent),
    isOfParent: reader.isOfParent(agent),
    hasWork: reader.hasWork(agent),
  }).toEqual(states);
});
