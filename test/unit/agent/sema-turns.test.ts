// Which of Sema Core's calls share their turn with others.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { adaptTool } from '../../../src/adapters/sema/adapt-tool.ts';
import type { SemaTool } from '../../../src/adapters/sema/adapt-tool.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

/** Notes something down. */
const note = (changes: Partial<SemaTool> = {}): SemaTool => ({
  name: 'Note',
  inputSchema: z.strictObject({}),
  isReadOnly: () => false,
  genResultForAssistant: String,
  async *call() {
    yield { type: 'result', data: 'noted' };
  },
  ...changes,
});

describe('a call of Sema Core', () => {
  it.each<[string, Partial<SemaTool>, { reads: boolean; shares: boolean }]>([
    ['alone, where it changes something', {}, { reads: false, shares: false }],
    [
      'beside others, where it is read-only',
      { isReadOnly: () => true },
      { reads: true, shares: true },
    ],
    [
      'beside others, where it changes something and is independent of them',
      { canRunConcurrently: () => true },
      { reads: false, shares: true },
    ],
    [
      'beside others, where it is read-only and says no more by a no',
      { isReadOnly: () => true, canRunConcurrently: () => false },
      { reads: true, shares: true },
    ],
  ])('runs %s', (_, changes, { reads, shares }) => {
    const tool = adaptTool(note(changes));
    expect([tool.isReadOnly({}), tool.isConcurrencySafe({})]).toEqual([reads, shares]);
  });

  it('that is independent of others has begun before they end', async () => {
    let begun = 0;
    const { promise: haveMet, resolve: meet } = createDeferred();
    const tool = note({
      canRunConcurrently: () => true,
      async *call() {
        begun += 1;
        if (begun === 2) meet();
        await haveMet;
        yield { type: 'result', data: 'noted' };
      },
    });
    const blocks = ['call-0', 'call-1'].flatMap((id) => callTool('Note', {}, id).blocks);
    const { canUseTool } = createScriptedAnswers(['allow', 'allow']);
    await using host = await openHost();
    const tools = [...(await host.loadTools()), adaptTool(tool)];
    const { messages } = await runHooked(host, [{ blocks }], { tools, canUseTool });
    expect(toResults(messages)).toEqual(['noted', 'noted']);
  });
});
