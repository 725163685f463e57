// A question is never lost, whatever the person does, and whenever its turn is stopped. Each one
// that is put ends in exactly one answer, and those behind it get their turn.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  createQuestionQueue,
  createQuestions,
} from '../../../../src/agent/permissions/questions.ts';
import type { Answer, Answerer } from '../../../../src/agent/permissions/questions.ts';
import { createTurnWork } from '../../../../src/agent/session/turn-work.ts';
import type { CanUseTool, PermissionResult } from '../../../../src/core/permissions/permission.ts';

/** As a journal in memory. */
const recorder = {
  ask: () => Promise.resolve({ requestId: 'q' }),
  answer: () => Promise.resolve(),
};

function createTestQuestions(answerer: Answerer) {
  const turnWork = createTurnWork(undefined);
  const parts = { record: () => undefined, queue: createQuestionQueue(), turnWork };
  return createQuestions({ answerer, hooks: undefined, recorder }, parts);
}

const allow: PermissionResult = { behavior: 'allow' };
const deny: PermissionResult = { behavior: 'deny', message: 'No.' };

const step = fc.record({
  question: fc.nat(4),
  act: fc.constantFrom('ask', 'ask', 'allow', 'deny', 'elsewhere', 'fail', 'abort'),
});

interface Open {
  readonly resolve: (result: PermissionResult | null) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal;
}

// The first question loads the code that puts it. After that only promises are waited for.
beforeAll(async () => {
  const question = { toolName: 'Edit', input: {}, toolUseID: 'call-0' };
  await createTestQuestions({ type: 'nobody', why: 'no canUseTool' }).put(
    question,
    new AbortController().signal,
  );
});

/**
 * Lets everything that can go on now go on: no timer is involved. 400 turns: a question needs some ten
 * once those before it are answered, and all of them may have waited for the first.
 */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 400; turn += 1) await Promise.resolve();
}

it('each question that is put ends in one answer, whenever it is withdrawn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const open = new Map<string, Open>();
      const canUseTool: CanUseTool = (_, __, { toolUseID, signal }) =>
        new Promise((resolve, reject) => open.set(toolUseID, { resolve, reject, signal }));
      const questions = createTestQuestions({ type: 'person', canUseTool });
      const asked = new Map<string, { controller: AbortController; answers: Answer[] }>();

      for (const { question, act } of steps) {
        const toolUseID = `call-${question}`;
        const one = asked.get(toolUseID);
        if (act === 'ask' && !one) {
          const controller = new AbortController();
          const answers: Answer[] = [];
          asked.set(toolUseID, { controller, answers });
          const put = () =>
            questions.put({ toolName: 'Edit', input: {}, toolUseID }, controller.signal);
          void questions.inTurn(toolUseID, put).then((answer) => answers.push(answer));
        } else if (act === 'allow') open.get(toolUseID)?.resolve(allow);
        else if (act === 'deny') open.get(toolUseID)?.resolve(deny);
        else if (act === 'elsewhere') open.get(toolUseID)?.resolve(null);
        else if (act === 'fail') open.get(toolUseID)?.reject(new Error('The dialog broke.'));
        else if (act === 'abort') one?.controller.abort();
        await rest();
        // What was stopped has its end at once, unless it still waits for those before it.
        for (const [id, { controller, answers }] of asked) {
          if (controller.signal.aborted && open.has(id)) expect(answers).toHaveLength(1);
        }
      }
      for (const { controller } of asked.values()) controller.abort();
      await rest();
      for (const [id, { answers }] of asked) {
        expect([id, answers.length]).toEqual([id, 1]);
        // Whoever was asked knows that nobody waits any more.
        const isWithdrawn = answers[0]?.type === 'withdrawn';
        if (isWithdrawn && open.has(id)) expect(open.get(id)?.signal.aborted).toBe(true);
      }
    }),
  );
});
