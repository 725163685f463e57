// Exports a session to one file, and imports such a file. The import takes over the conversation, but nothing that
// was allowed. journal-file.ts has the file's format.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { isToolResultBlock, isToolUseBlock } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { VERSION } from '../../core/version.ts';
import type { Host } from '../host.ts';
import { toImportedEntries } from '../journal/imported-entries.ts';
import { readJournalFile, writeJournalFile } from '../journal/journal-file.ts';
import { readBase } from '../journal/session-base.ts';
import type { SessionBase } from '../journal/session-base.ts';
import { loadJournal, toJournalId } from '../journal/stored-journal.ts';
import { withHost } from '../session/with-host.ts';
import { checkEncoded } from './check-encoded.ts';
import { readEncoded, requireJournal } from './kept-journals.ts';

/** What an export contains. */
export interface ExportSessionOptions {
  readonly host: Pick<Host, 'workspace'>;
  /**
   * Includes the workspace's files from before the session's first turn, for a `replay` that runs calls again.
   * @defaultValue false
   */
  readonly base?: boolean;
}

/**
 * Exports the present session as the bytes of one `.jsonl.gz` file. It contains the journal and everything that the
 * journal refers to. It contains neither the workspace's present files nor the session's own files at
 * `/session/<id>`. Security: it contains the whole conversation, including secrets. Give it only to people who may
 * read that.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't store, and with `base` if the checkpoint of
 * its first turn was dropped; `limit-exceeded` for a base of more than 64 MB
 */
export async function exportSession(
  sessionId: string,
  options: ExportSessionOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { host, base = false } = withHost(options);
  checkOptionNames('exportSession', options, knownOptions);
  const { streams } = host.workspace;
  await requireJournal(streams, sessionId);
  const files = base ? await readFirstFiles(sessionId, host) : undefined;
  return writeJournalFile(sessionId, readEncoded(streams, sessionId), files);
}

async function readFirstFiles(
  sessionId: string,
  { workspace }: Pick<Host, 'workspace'>,
): Promise<SessionBase> {
  const { entries } = await loadJournal(workspace, sessionId);
  const first = entries.find((entry) => entry.type === 'turn');
  const checkpoint = first?.type === 'turn' ? first.checkpoint : undefined;
  const root = (await workspace.roots.list()).find(({ id }) => id === checkpoint);
  if (root) return readBase(workspace.at(root.id).fs, root.seq);
  throw new SdkError(
    'bad-usage',
    `The files from before the first turn of ${sessionId} aren't pinned any more. Export it without base.`,
    { data: { sessionId } },
  );
}

/**
 * Creates a session from such a file, with a new id and seed; `resume` continues it. Only the conversation is taken
 * from the file. Rules, modes and answers in the file don't apply, an open turn is ended, and the Repl starts empty.
 * The session is tainted: it counts as one that has read text from outside.
 *
 * @throws SdkError `invalid-input` for a file that isn't a complete session file, or whose conversation can't
 * continue; `unsupported-environment` for a newer format; `limit-exceeded` for a file that is too large. Then no
 * session is created
 */
export async function importSession(
  file: Uint8Array<ArrayBuffer>,
  options: { readonly host: Pick<Host, 'workspace' | 'cwd' | 'clock'> },
): Promise<{ readonly sessionId: string }> {
  const { host } = withHost(options);
  if (!((file as unknown) instanceof Uint8Array)) {
    throw new SdkError('bad-usage', 'importSession takes the bytes of the file, as a Uint8Array.');
  }
  const sessionId = createId();
  const entries = toImportedEntries((await readJournalFile(file)).entries, {
    id: sessionId,
    seed: createId(),
    cwd: host.cwd,
    version: VERSION,
    time: host.clock.now(),
  });
  requireAnswers((await checkEncoded(entries)).messages);
  // One record, so that a cut import leaves nothing.
  await host.workspace.streams.append(toJournalId(sessionId), entries, { at: 0 });
  return { sessionId };
}

/**
 * The API accepts neither a call without its result nor a result without its call. Such a session could never
 * continue.
 */
function requireAnswers(messages: readonly MessageParam[]): void {
  let asked: readonly string[] = [];
  for (const { role, content } of messages) {
    const blocks: readonly { readonly type: string }[] = typeof content === 'string' ? [] : content;
    const answered = blocks.filter(isToolResultBlock).map((block) => block.tool_use_id);
    if (asked.join() !== answered.join()) throw unanswered([...asked, ...answered]);
    asked = role === 'assistant' ? blocks.filter(isToolUseBlock).map(({ id }) => id) : [];
  }
  if (asked.length > 0) throw unanswered(asked);
}

function unanswered(callIds: readonly string[]): SdkError {
  const message = `The session in the file can't go on: a call and its result don't stand together (${callIds.join(', ')}).`;
  return new SdkError('invalid-input', message, { data: { callIds } });
}

const knownOptions = {
  host: true,
  base: true,
} satisfies Record<keyof ExportSessionOptions, true>;
