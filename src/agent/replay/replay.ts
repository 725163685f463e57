// The entry point of replays: would this version, with these tools and options, still send the requests of a session's
// file? The code behind it is loaded when it is called.
import { SdkError } from '../../core/errors.ts';
import type { Model } from '../../model/model.ts';
import type { QueryOptions } from '../query-options.ts';

/**
 * `verify` runs nothing: each request is made again and compared. `rerun` also runs the calls that may run
 * again, over the files that the session began with.
 */
export type ReplayMode = 'verify' | 'rerun';

/**
 * The options of the session's query, as they would be given today: the file has neither tools nor prompts of
 * your own. What bounds or steers a query that runs, such as `maxTurns` or `canUseTool`, is passed over.
 * Hooks run in mode `rerun`, around the calls that run again.
 */
export interface ReplayOptions extends Omit<QueryOptions, 'model' | 'cwd' | 'sessionId'> {
  /** @defaultValue 'verify' */
  readonly mode?: ReplayMode;
  /** What the session's model could, as far as its requests depend on that. It is never asked. */
  readonly model?: Pick<Model, 'toolReferences' | 'contextWindow'>;
}

/** Where the replay and the file part. */
export interface ReplayDifference {
  /** The number of the entry. */
  readonly at: number;
  /**
   * What differs. Of a request: its `system` prompt, its `tools`, its `messages`, or `request` where the file
   * can't tell which. Of a call that ran again: its `result`, or the `changes` of files.
   */
  readonly kind: 'system' | 'tools' | 'messages' | 'request' | 'result' | 'changes';
  /** A sentence for a person: what differs, where, and the likely cause. */
  readonly message: string;
  /** What the file has, from shortly before the first difference. Left out where it has a hash alone. */
  readonly expected?: string;
  /** The same of the replay. */
  readonly actual?: string;
}

/** What was compared. */
export interface ReplayResult {
  /** The id that the session had where it was exported. */
  readonly sessionId: string;
  /** The version of Rockpool that began it. */
  readonly version: string;
  /** How many entries were played: all, or those up to the difference. */
  readonly entries: number;
  /** How many requests were compared. Those from before an import are not, nor those of sub-agents. */
  readonly requests: number;
  /** How many calls ran again. */
  readonly calls: number;
  /** Left out: there is none. */
  readonly difference?: ReplayDifference;
  /** From which entry on no call ran again, because the files can't be known any more, and why. */
  readonly ended?: { readonly at: number; readonly message: string };
}

/**
 * Plays a session's file again and names the first difference. Replies, questions and answers, the clock, ids
 * and the randomness of cells come from the file; no model is asked, and no server.
 *
 * In mode `verify` nothing runs, and the host's workspace stays as it is. In mode `rerun` the file's base is
 * written into the host's workspace, which must have no files; the host stays the caller's. Only
 * tools that run in workers run again, without any network; other calls have the results of the file.
 *
 * @throws SdkError `invalid-input` for what is no whole session file. `unsupported-environment` for
 * a newer format. `bad-usage` for options that can't hold, for `rerun` of a file without a base,
 * and for a workspace with files in it. `aborted` when `abortController` is.
 *
 * @example
 * ```ts
 * const { difference } = await replay(file, { host, tools, systemPrompt });
 * if (difference) console.error(difference.message);
 * ```
 */
export async function replay(
  file: Uint8Array<ArrayBuffer>,
  options: ReplayOptions,
): Promise<ReplayResult> {
  checkOptions(options);
  const { playFile } = await import('./play-file.ts');
  return playFile(file, options);
}

function checkOptions({ host, mode = 'verify' }: Partial<ReplayOptions>): void {
  if (typeof host !== 'object') {
    throw new SdkError('bad-usage', 'replay needs a host: its tools make the requests.');
  }
  if (mode !== 'verify' && mode !== 'rerun') {
    const message = `mode is 'verify' or 'rerun', not ${JSON.stringify(mode)}.`;
    throw new SdkError('bad-usage', message, { data: { mode } });
  }
}
