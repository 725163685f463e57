// A session out of a workspace as one file, and into one: what was said goes along, and nothing that was
// allowed. The file's format is journal-file.ts's.
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

/** What is exported. */
export interface ExportSessionOptions {
  readonly host: Pick<Host, 'workspace'>;
  /**
   * With the workspace's files as they were before the session's first turn, for a `replay` that runs its calls
   * again. @defaultValue false
   */
  readonly base?: boolean;
}

/**
 * The session as it is now, as the bytes of one `.jsonl.gz`. It has the journal with all that it refers to. It has
 * neither the workspace's present files nor the session's own at `/session/<id>`. It has whatever the conversation has,
 * secrets too: give it to nobody who may not read that.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't keep, and with `base` where
 * the checkpoint of its first turn is gone. `limit-exceeded` for a base of more than 64 MB.
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
 * Makes a session of such a file, under an id and a seed of its own; `resume` goes on with it. Only what was said is
 * taken from the file. Its rules, modes and answers don't hold, its open turn is ended, and its Repl begins again. The
 * session counts as one that has read text from outside.
 *
 * @throws SdkError `invalid-input` for what is no whole session file, or holds no conversation that
 * can go on. `unsupported-environment` for one of a newer format. `limit-exceeded` for one that is
 * too large. Nothing was made then.
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
  // In one record: a cut import leaves nothing.
  await host.workspace.streams.append(toJournalId(sessionId), entries, { at: 0 });
  return { sessionId };
}

/** The API takes no call without its result, nor the other way round: such a session could never go on. */
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
