// The options of a session's object. Used by create-session-object.ts.
import type { AgentSession } from '../../../agent/agent-session.ts';
import type { QueryOptions } from '../../../agent/query-options.ts';
import type { Model } from '../../../model/model.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';
import type { MoveServer } from '../../../wire/move-server.ts';
import type { EdgeHostOptions } from '../create-edge-host.ts';
import type { DirectoryPort } from '../directory/session-directory.ts';
import type { ObjectMoveOptions } from './object-moves.ts';
import type { SessionArchiveOptions } from './session-archive.ts';
import type { SessionContentsOptions } from './session-contents.ts';
import type { SessionWire } from './session-wire.ts';

/** The options of `openSession` without those that the object sets itself. */
export type ObjectSessionOptions = Omit<
  QueryOptions,
  | 'host'
  | 'model'
  | 'sessionId'
  | 'resume'
  | 'continue'
  | 'forkSession'
  | 'resumeSessionAt'
  | 'persistSession'
  | 'promptSuggestions'
  | 'abortController'
>;

/** The options of a session in an object. */
export interface SessionObjectOptions {
  /** `import wasm from 'rockpool/quickjs.wasm'`. */
  readonly wasm: WebAssembly.Module;
  readonly model: Model;
  readonly options?: ObjectSessionOptions;
  /** Options of the host, except those that follow from the object. */
  readonly host?: Omit<EdgeHostOptions, 'wasm' | 'storage' | 'contents' | 'gate'>;
  /**
   * The session's id. Only the value of the first instance counts, because an instance that an
   * alarm wakes may not know the object's name. @defaultValue the object's name
   */
  readonly sessionId?: string;
  /**
   * The version of the code: `env.CF_VERSION_METADATA.id`. A run that a new version has ended
   * doesn't count as failed. Left out: such a run counts as failed, until there is progress.
   */
  readonly version?: string;
  /**
   * After so many milliseconds of computing in one event, further calls begin in the next event.
   * Computing is estimated by counts, because clocks don't advance during it. Set it to half of
   * `limits.cpu_ms` of wrangler.jsonc, because counts are inexact. Above 0.
   * @defaultValue 15 000
   */
  readonly eventWorkMs?: number;
  /**
   * The handlers of the class's own alarms, by name. A handler that fails is called again after a
   * minute.
   */
  readonly alarms?: Readonly<Record<string, () => void | Promise<void>>>;
  /**
   * The owner's directory. It is asked before each prompt and may refuse it: `send` then rejects
   * with `limit-exceeded` and its reason. It gets a report when a turn has ended. It knows the
   * session by its first id. Left out: no quotas.
   */
  readonly directory?: DirectoryPort;
  /** How sessions move to this object and from it. */
  readonly moves?: ObjectMoveOptions;
  /** Where and when the session is archived. Left out: it stays in the object. */
  readonly archive?: SessionArchiveOptions;
  /**
   * A bucket for files of 1 MB and more. Always pass the same bucket: without it these files are
   * lost. It may be the archive's bucket. Left out: everything is in the object's SQLite.
   */
  readonly contents?: SessionContentsOptions;
  /** Called once per instance. `files` returns the session's files and opens it if necessary. */
  readonly wire?: (
    session: AgentSession,
    files: () => Promise<ServedFiles>,
    moves: MoveServer,
  ) => SessionWire;
}
