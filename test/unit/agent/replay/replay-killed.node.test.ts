// A session that was killed and taken up again is replayed as any other: the requests that its openings sent
// follow from its entries.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import { writeJournalFile } from '../../../../src/agent/journal/journal-file.ts';
import { replay } from '../../../../src/agent/replay/replay.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { callOf } from '../../../support/stages/run-calls.ts';

const replies: readonly (readonly ContentBlock[])[] = [
  [callOf('Write', { file_path: '/workspace/a.txt', content: 'one' }, 'w')],
  [callOf('Repl', { code: 'let x = Math.random(); x' }, 'c1')],
  [{ type: 'text', text: 'Done.' }],
  [callOf('Repl', { code: 'x += 1' }, 'c2'), callOf('Glob', { pattern: '*.txt' }, 'g')],
  [{ type: 'text', text: 'Done again.' }],
];

/** Goes by the conversation, so a request that is sent again has the same reply. */
const model: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const content = replies[said] ?? [{ type: 'text', text: 'More.' }];
    const isCall = content.some(({ type }) => type === 'tool_use');
    yield* toEvents(assistantMessage(content, { stop_reason: isCall ? 'tool_use' : 'end_turn' }));
  },
};

it('finds no difference in a session that was killed, wherever that was', async () => {
  const options = {
    model,
    prompts: ['Go.', 'Go on.'],
    permissionMode: 'bypassPermissions',
    loadWasm: loadQuickjsWasm,
  } as const;
  const { boundaries } = await playSession(createDisk(), options);
  await using host = await createInlineHost();
  expect(boundaries.length).toBeGreaterThan(10);
  // Each fourth: what a kill leaves is the kill matrix's to show.
  for (const freezeAfter of boundaries.filter((_, at) => at % 4 === 1)) {
    const disk = createDisk();
    await playSession(disk, { ...options, freezeAfter });
    const { entries } = await playSession(disk, options);
    const file = await writeJournalFile('session-1', entries.map(encodeRecord));
    const result = await replay(file, { host, permissionMode: 'bypassPermissions' });
    expect([freezeAfter, result.difference, result.entries]).toEqual([
      freezeAfter,
      undefined,
      entries.length,
    ]);
  }
});
