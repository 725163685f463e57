// Checks entries from outside the workspace before they are recorded, in the same way as the session's next opening.
import { SdkError } from '../../core/errors.ts';
import { checkJournal } from '../journal/check-journal.ts';
import { SessionFold } from '../journal/fold.ts';
import { decodeRecord } from '../journal/journal-codec.ts';
import type { EncodedRecord } from '../journal/journal-codec.ts';

/**
 * The fold of the entries.
 *
 * @throws SdkError as {@link checkJournal} does, and `invalid-input` if contents are missing
 */
export async function checkEncoded(entries: readonly EncodedRecord[]): Promise<SessionFold> {
  const decoded: unknown[] = [];
  try {
    for (const { value, contents } of entries) {
      const read = async (at: number) => contents[at] ?? new Uint8Array();
      decoded.push(await decodeRecord(value, [...contents.keys()], read));
    }
  } catch (cause) {
    const n = decoded.length + 1;
    const message = `Entry ${n} of the session lacks a text that it refers to. Nothing was recorded.`;
    throw new SdkError('invalid-input', message, { cause, data: { n } });
  }
  const fold = new SessionFold();
  for (const entry of checkJournal(decoded)) fold.apply(entry);
  return fold;
}
