// A task with a question and a plan, whose page is killed after each entry of its journal: whoever opens the
// session again comes to the same files, the same plan and the same answers, and asks nothing that was answered.
import { describe, expect, it } from 'vitest';
import type { CanUseTool, PermissionResult } from '../../../src/core/permission.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { createDisk, playSession } from '../../support/kept-session.ts';
import type { Disk, Played } from '../../support/kept-session.ts';
import { asks, says } from '../../support/play-turns.ts';
import type { Reply } from '../../support/play-turns.ts';
import { enters, exits, toolUse, works } from '../../support/plan-turns.ts';

const planPath = '/session/session-1/plan.md';
const edited = '# Edited\n';
const question = {
  question: 'Which?',
  header: 'Which',
  options: [
    { label: 'A', description: '' },
    { label: 'B', description: '' },
  ],
  multiSelect: false,
};
const replies: readonly Reply[] = [
  enters(),
  asks(toolUse('plan', 'Write', { file_path: planPath, content: '# Mine\n' })),
  asks(toolUse('ask', 'AskUserQuestion', { questions: [question] })),
  exits(),
  works(),
  says('Done.'),
];

/** Answers by how often it has spoken, so that another page goes on where one ended. */
const model: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const reply = replies[messages.filter(({ role }) => role === 'assistant').length];
    if (!reply || !('role' in reply)) throw new Error('There is no such reply.');
    yield* toEvents(reply);
  },
};

const answers: Readonly<Record<string, PermissionResult>> = {
  EnterPlanMode: { behavior: 'allow' },
  AskUserQuestion: {
    behavior: 'allow',
    updatedInput: { questions: [question], answers: { 'Which?': 'B' } },
  },
  ExitPlanMode: {
    behavior: 'allow',
    updatedInput: { plan: edited },
    updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  },
};

async function play(disk: Disk, asked: string[], freezeAfter?: number): Promise<Played> {
  const canUseTool: CanUseTool = (toolName, _input, { requestId }) => {
    asked.push(`${toolName} ${requestId}`);
    const answer = answers[toolName];
    if (!answer) throw new Error(`Nobody foresaw a question about ${toolName}.`);
    return Promise.resolve(answer);
  };
  const given = { model, canUseTool, prompts: ['Go.'] };
  return playSession(disk, { ...given, ...(freezeAfter !== undefined && { freezeAfter }) });
}

async function readPlan({ medium }: Disk): Promise<string> {
  const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
  const text = await workspace.fs.readFile(planPath, 'utf8');
  await workspace[Symbol.asyncDispose]();
  return text;
}

const resultsOf = ({ fold }: Played) =>
  Object.fromEntries([...fold.calls].map(([id, { settled }]) => [id, settled?.result.content]));

describe('a session that plans, killed after any entry', () => {
  it('comes to the same end, and asks nothing again that was answered', async () => {
    const whole = createDisk();
    const asked: string[] = [];
    const end = await play(whole, asked);
    expect(asked).toHaveLength(3);
    expect(await end.files()).toEqual({ '/workspace/b.txt': 'b' });
    expect(await readPlan(whole)).toBe(edited);
    for (let last = 1; last < end.entries.length; last += 1) {
      const disk = createDisk();
      const before: string[] = [];
      const cut = await play(disk, before, last);
      expect(cut.isFrozen, `after ${last}`).toBe(true);
      const after: string[] = [];
      const resumed = await play(disk, after);
      const where = `after entry ${last}, a ${end.entries[last - 1]?.type}`;
      expect(await resumed.files(), where).toEqual({ '/workspace/b.txt': 'b' });
      expect(await readPlan(disk), where).toBe(edited);
      expect(resultsOf(resumed), where).toEqual(resultsOf(end));
      const landed = cut.entries.slice(0, cut.boundaries.at(-1) ?? 0);
      const list = (type: 'question' | 'answer') =>
        landed.flatMap((entry) => (entry.type === type ? [entry.requestId] : []));
      const ids = (those: readonly string[]) => those.map((one) => one.split(' ')[1] ?? '');
      for (const one of ids(after)) expect(list('answer'), where).not.toContain(one);
      // What was open is put again as the same question.
      expect(new Set([...list('question'), ...ids(after)]).size, where).toBe(3);
    }
  }, 30_000);
});
