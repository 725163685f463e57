/**
 * One headless turn, whatever the host: loads the folder, runs the prompt, hands out the files.
 * Runs in the headless page and, for the inline host, in Node; so nothing of either is in it.
 */
import {
  createAnthropicModel,
  createScriptedModel,
  query,
  type EffortLevel,
  type Host,
  type Model,
  type PermissionMode,
  type Script,
  type SettingSource,
  type SDKMessage,
  type SDKUserMessage,
  type Stats,
} from 'rockpool';
import { packBytes, packFiles, type PackedEntry } from './file-pack.ts';

/** The model as plain data, because the command sends it to its page. */
export type HeadlessModel =
  | { readonly kind: 'scripted'; readonly script: unknown }
  | {
      readonly kind: 'anthropic';
      readonly name: string;
      readonly baseURL?: string;
      readonly apiKey?: string;
      readonly effort?: EffortLevel;
    };

/** Which session runs. Empty: a new one, under an id of its own. As the options of `query`. */
export interface HeadlessSession {
  readonly sessionId?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly forkSession?: true;
}

export interface HeadlessTask {
  /** Undefined: the session only continues its unfinished work. */
  readonly prompt: string | undefined;
  readonly session: HeadlessSession;
  readonly maxBudgetUsd: number | undefined;
  readonly model: HeadlessModel;
  readonly permissionMode: PermissionMode;
  readonly allow: readonly string[];
  readonly settingSources: readonly SettingSource[];
  /** What the workspace's files allow holds. */
  readonly trustsWorkspace: boolean;
}

export interface HeadlessPorts {
  readonly host: Host;
  /** Called with each message in order; the next one waits for it. */
  readonly emit: (message: SDKMessage) => Promise<void> | void;
  readonly signal: AbortSignal;
  /** How the model's server is reached. @defaultValue the realm's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
}

/** Runs the prompt to its result, after what a kept session has left undone. True if it is a success. */
export async function runTask(
  task: HeadlessTask,
  { host, emit, signal, fetch }: HeadlessPorts,
): Promise<boolean> {
  const { prompt, session, maxBudgetUsd, model, permissionMode, allow, settingSources } = task;
  const abortController = new AbortController();
  const stop = () => abortController.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  let isSuccess: boolean | undefined;
  const messages = query({
    prompt: prompt ?? nothing(),
    options: {
      ...session,
      ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
      host,
      model: createModel(model, fetch),
      permissionMode,
      allowedTools: [...allow],
      settingSources,
      trustWorkspace: () => task.trustsWorkspace,
      abortController,
      // No canUseTool: no person can be asked, so calls that need an answer are refused.
    },
  });
  for await (const message of messages) {
    await emit(message);
    if (message.type === 'result') isSuccess = !message.is_error;
  }
  signal.removeEventListener('abort', stop);
  if (isSuccess === undefined && !signal.aborted) {
    throw new Error('The session has left nothing undone: say with --prompt what it is to do.');
  }
  return isSuccess ?? false;
}

/** Prompts of a session that only ends what it has begun. */
async function* nothing(): AsyncGenerator<SDKUserMessage, void, undefined> {}

function createModel(model: HeadlessModel, fetch: HeadlessPorts['fetch']): Model {
  if (model.kind === 'scripted') return createScriptedModel({ script: model.script as Script });
  return createAnthropicModel({
    model: model.name,
    baseURL: model.baseURL,
    apiKey: model.apiKey,
    effort: model.effort,
    ...(fetch && { fetch }),
  });
}

/** Everything below the host's working directory, in batches; parents before children. */
export async function* readWorkspace({ workspace, cwd }: Host): AsyncGenerator<PackedEntry[]> {
  const { fs } = workspace;
  let batch: PackedEntry[] = [];
  let files: { readonly path: string; readonly stats: Stats }[] = [];
  const toEntryPath = (path: string) => path.slice(cwd === '/' ? 1 : cwd.length + 1);

  const flush = async (): Promise<PackedEntry[]> => {
    const contents = await fs.readMany(files.map((file) => file.path));
    const loaded = files.map(({ path, stats }, index): PackedEntry => {
      const bytes = contents[index];
      if (bytes instanceof Uint8Array) {
        const { mode, mtimeMs } = stats;
        return { path: toEntryPath(path), bytes, mode: mode & 0o777, mtimeMs };
      }
      throw bytes ?? new Error(`${path} could not be read.`);
    });
    const entries = [...batch, ...loaded];
    batch = [];
    files = [];
    return entries;
  };

  for (const entry of await fs.readdir(cwd, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath === '/' ? '' : entry.parentPath}/${entry.name}`;
    if (entry.isDirectory()) batch.push({ path: toEntryPath(path), isDirectory: true });
    else if (entry.isSymbolicLink()) {
      batch.push({ path: toEntryPath(path), target: await fs.readlink(path) });
    } else {
      files.push({ path, stats: await fs.lstat(path) });
    }
    const bytes = files.reduce((sum, file) => sum + file.stats.size, 0);
    if (batch.length + files.length >= packFiles || bytes >= packBytes) yield await flush();
  }
  yield await flush();
}
