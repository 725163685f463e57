// The entry point of replays. A replay checks whether this version, with these tools and options,
// would send the same requests as in a session's file. The code is loaded with the first call.
import { SdkError } from '../../core/errors.ts';
import type { Model } from '../../model/model.ts';
import type { QueryOptions } from '../query-options.ts';

/**
 * `verify` runs no call: each request is created again and compared. `rerun` also runs the calls
 * that are safe to repeat, with the files from the session's beginning.
 */
export type ReplayMode = 'verify' | 'rerun';

/**
 * The options of the session's query as they would be today, because the file has neither your
 * tools nor your prompts. Options that limit or control a running query are ignored, such as
 * `maxTurns` or `canUseTool`. Hooks run in mode `rerun`, for the repeated calls.
 */
export interface ReplayOptions extends Omit<QueryOptions, 'model' | 'cwd' | 'sessionId'> {
  /** @defaultValue 'verify' */
  readonly mode?: ReplayMode;
  /**
   * The capabilities of the session's model that its requests depend on. The model is never asked.
   */
  readonly model?: Pick<Model, 'toolReferences' | 'contextWindow'>;
}

/** The first difference between the replay and the file. */
export interface ReplayDifference {
  /** The number of the entry. */
  readonly at: number;
  /**
   * The part that differs. For a request: its `system` prompt, its `tools`, its `messages`, or
   * `request` if the file doesn't show which. For a repeated call: its `result`, or its `changes`
   * of files.
   */
  readonly kind: 'system' | 'tools' | 'messages' | 'request' | 'result' | 'changes';
  /** A sentence for a person with the difference, its place and the likely cause. */
  readonly message: string;
  /** The file's text around the first difference. Left out if the file has only a hash. */
  readonly expected?: string;
  /** The replay's text at the same place. */
  readonly actual?: string;
}

/** The result of a replay. */
export interface ReplayResult {
  /** The id of the session when it was exported. */
  readonly sessionId: string;
  /** The version of Rockpool that began the session. */
  readonly version: string;
  /** The number of replayed entries: all, or those up to the difference. */
  readonly entries: number;
  /**
   * The number of compared requests. Requests before an import and those of sub-agents aren't
   * compared.
   */
  readonly requests: number;
  /** The number of repeated calls. */
  readonly calls: number;
  /** Left out if there is none. */
  readonly difference?: ReplayDifference;
  /**
   * The entry from which no more calls were repeated, because the files can't be known any more,
   * and the reason.
   */
  readonly ended?: { readonly at: number; readonly message: string };
}

/**
 * Replays a session's file and reports the first difference. Replies, questions, answers, the
 * clock, ids and the random numbers of cells come from the file. No model and no server is asked.
 *
 * In mode `verify` no call runs, and the host's workspace doesn't change. In mode `rerun` the
 * file's base is written to the host's workspace, which must have no files. The caller still owns
 * the host. Only tools that run in workers run again, without a network; other calls have the
 * results in the file.
 *
 * @throws SdkError `invalid-input` if the file isn't a complete session file.
 * `unsupported-environment` for a newer format. `bad-usage` for invalid options, for `rerun` of a
 * file without a base, and for a workspace with files. `aborted` when `abortController` is
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
