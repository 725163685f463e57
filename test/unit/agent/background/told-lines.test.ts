// What a background task prints, on its way to the model: what ends it is the last message.
import { expect, it } from 'vitest';
import { tellLines, type ToldLinesPorts } from '../../../../src/agent/background/told-lines.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';

it('tells nothing behind the message that says why it is stopped', async () => {
  const clock = createVirtualClock();
  const recorded: string[] = [];
  const stopped: string[] = [];
  const journal = {
    fold: { news: new Map() },
    onEntry: () => ({ [Symbol.dispose]() {} }),
    record: async (entry: object) => void recorded.push(JSON.stringify(entry)),
  } as unknown as ToldLinesPorts['journal'];
  const lines = tellLines(
    {
      taskId: 'b1',
      toolUseId: 'u1',
      toolName: 'Monitor',
      description: 'the build',
      outputPath: '/session/tasks/b1.output',
    },
    { journal, clock, taint: () => {}, stop: (reason) => stopped.push(reason) },
  );
  lines.print('one\n');
  lines.print('x'.repeat(1_000_001));
  clock.advance(1_000);
  await lines.end(false);
  expect(stopped).toEqual([expect.stringContaining('more than 1000000 characters')]);
  expect(recorded).toEqual([expect.stringContaining('has printed 1 line')]);
});
