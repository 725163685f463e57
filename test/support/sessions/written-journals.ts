// Journals of sessions as a workspace keeps them, written without playing the sessions.
import type { Host } from '../../../src/agent/host.ts';
import { encodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import { toJournalId } from '../../../src/agent/journal/stored-journal.ts';
import type { JournalRecord } from '../../../src/core/session/journal.ts';

/** The session's first turn, which nothing was asked in. */
export function listTurn(id: string, prompt: string): JournalRecord[] {
  return [
    { type: 'session', format: 1, id, seed: `seed of ${id}`, cwd: '/workspace', version: '0' },
    { type: 'opened', owner: 'o', why: 'start' },
    { type: 'prompt', uuid: `prompt of ${id}`, message: { role: 'user', content: prompt } },
    { type: 'turn', prompt: `prompt of ${id}` },
    { type: 'request', step: 1, model: 'm', hash: 'h', messages: 1 },
    {
      type: 'reply',
      step: 1,
      uuid: `reply of ${id}`,
      end: 'whole',
      message: {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: `Yes: ${prompt}` }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
  ];
}

/** Appends to the session's journal, with times from `time` on, one millisecond each. */
export async function writeJournal(
  { workspace: { streams } }: Pick<Host, 'workspace'>,
  id: string,
  records: readonly JournalRecord[],
  time = 1,
): Promise<void> {
  const stream = toJournalId(id);
  const at = (await streams.list()).find((one) => one.id === stream)?.length ?? 0;
  const entries = records.map((record, index) =>
    encodeRecord({ ...record, n: at + index + 1, time: time + index }),
  );
  await streams.append(stream, entries, { at });
}
