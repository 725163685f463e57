// Calls of a session do anything, and end in any way. Whenever no call runs, what the stages know
// of files is what the journal's fold knows.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import type { ModelEvent } from '../../../../src/core/messages/messages.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { findDisorder } from '../../../support/sessions/check-journal.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { openRecorded, reread } from '../../../support/sessions/recorded-session.ts';
import { callOf } from '../../../support/stages/run-calls.ts';

const file = fc.constantFrom('/workspace/a.txt', '/workspace/b.txt', '/workspace/none.txt');

const call = fc.oneof(
  fc.record({ tool: fc.constant('Read'), file_path: file }),
  fc.record({ tool: fc.constant('Write'), file_path: file, content: fc.constantFrom('1', '2') }),
  fc.record({
    tool: fc.constant('Edit'),
    file_path: file,
    old_string: fc.constantFrom('1', 'one', 'two'),
    new_string: fc.constantFrom('2', 'one'),
  }),
);

const step = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  /** A person's answer to what is asked; left out: all is allowed. */
  isRefused: fc.boolean(),
  /** Somebody else writes before the step. */
  isMeddled: fc.boolean(),
  /** The reply breaks off behind its calls. */
  isCut: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

it('knows live what its entries say', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 4 }), fc.boolean(), play), {
    numRuns: 25,
  });
});

async function play(steps: readonly Step[], hasHooks: boolean): Promise<void> {
  let made = 0;
  let current: Step | undefined;
  const streams = steps.map(
    (one) =>
      async function* events(): AsyncGenerator<ModelEvent, void> {
        current = one;
        const blocks = one.calls.map(({ tool, ...input }): ContentBlock =>
          callOf(tool, input, `call-${(made += 1)}`),
        );
        const all = [...toEvents(assistantMessage(blocks, { stop_reason: 'tool_use' }))];
        const end = all.findLastIndex(({ type }) => type === 'content_block_stop');
        for (const event of one.isCut ? all.slice(0, end + 1) : all) {
          await Promise.resolve();
          yield event;
        }
      },
  );
  const done = async function* events(): AsyncGenerator<ModelEvent, void> {
    yield* toEvents(
      assistantMessage([{ type: 'text', text: 'Done.' }], { stop_reason: 'end_turn' }),
    );
  };
  const turns = steps.flatMap(({ isCut }, at) => [streams[at] ?? done, ...(isCut ? [] : [done])]);
  await using one = await openRecorded(turns, {
    canUseTool: () =>
      Promise.resolve(
        current?.isRefused ? { behavior: 'deny', message: 'No.' } : { behavior: 'allow' },
      ),
    ...(hasHooks && { hooks: { PostToolUse: [{ hooks: [() => Promise.resolve({})] }] } }),
  });
  const { fs } = one.host.workspace;
  for (const { isMeddled } of steps) {
    if (isMeddled) await fs.writeFile('/workspace/a.txt', 'two');
    await one.play('Go on.');
    const { fold } = one.journal;
    expect(Object.fromEntries(one.session.readFileState.entries())).toEqual(
      Object.fromEntries(fold.reads),
    );
    const entries = await reread(fold.entries);
    expect(findDisorder(entries)).toBeUndefined();
    const again = new SessionFold();
    for (const entry of entries) again.apply(entry);
    expect([again.reads, again.own, again.messages]).toEqual([fold.reads, fold.own, fold.messages]);
  }
}
