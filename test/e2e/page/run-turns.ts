// One conversation of the end-to-end tests: what a person does and the model calls, and what came of
// it as plain data. Runs in the tests' page and, over the inline host, in Node.
import {
  createAnthropicModel,
  createScriptedModel,
  query,
  type Host,
  type Model,
  type PermissionMode,
  type ScriptBlock,
  type SDKMessage,
  type SDKUserMessage,
} from 'rockpool';
import { turnByTurn } from '../../support/turns/turn-by-turn.ts';

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What stands at a path: text, bytes, or a symbolic link to `target`. */
export type Entry = string | readonly number[] | { readonly target: string };

/** One prompt: first a person changes files, then the model makes its calls, all in one message. */
export interface Turn {
  /** By absolute path. What is there is written over; parents are made. */
  readonly writes?: Readonly<Record<string, Entry>>;
  /** Played by the scripted model; a server says by itself what it calls. */
  readonly calls?: readonly Call[];
}

export interface Conversation {
  readonly turns: readonly Turn[];
  /** Left out: the scripted model, which plays the turns' calls. */
  readonly server?: { readonly url: string; readonly apiKey: string; readonly maxRetries: number };
  /** Nobody answers questions: what a mode asks about is refused. @defaultValue 'acceptEdits' */
  readonly permissionMode?: PermissionMode;
  /** Errors tell where the session's own files are. @defaultValue 'e2e' */
  readonly sessionId?: string;
  /** The session is stored, and the next conversation of its id continues it. @defaultValue false */
  readonly isKept?: boolean;
}

export interface Report {
  /** Of the last turn: its results in order, as the model sees them. */
  readonly answers: readonly { readonly text: string; readonly isError: boolean }[];
  /** The last turn's answer, or the errors that ended it. */
  readonly end: { readonly subtype: string; readonly text: string };
  /** The status of each refusal after which the request was tried again. */
  readonly retries: readonly (number | null)[];
  /** The tree before the last turn's calls, and after them. */
  readonly hashBefore: string;
  readonly hashAfter: string;
}

/** By the ids of stored sessions: their turns so far. A script has all turns of its conversation. */
const kept = new Map<string, Conversation['turns']>();

/**
 * Runs the turns one after the other, in one conversation. `onPiece` is called for each piece of the
 * model's answers as it arrives.
 */
export async function runTurns(
  host: Host,
  conversation: Conversation,
  onPiece: () => void = () => {},
): Promise<Report> {
  const { turns, permissionMode = 'acceptEdits', sessionId = 'e2e', isKept } = conversation;
  const before = isKept ? kept.get(sessionId) : undefined;
  const model = createModel({ ...conversation, turns: [...(before ?? []), ...turns] });
  if (isKept) kept.set(sessionId, [...(before ?? []), ...turns]);
  let report = { answers: [], end: { subtype: '', text: '' }, retries: [] } as Omit<
    Report,
    'hashBefore' | 'hashAfter'
  >;
  let hashBefore = '';

  async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
    for (const { writes = {} } of turns) {
      for (const [path, entry] of Object.entries(writes)) await put(host, path, entry);
      hashBefore = await host.workspace.treeHash();
      report = { ...report, answers: [], retries: [] };
      const message = { role: 'user', content: 'Work.' } as const;
      yield { type: 'user', message, parent_tool_use_id: null };
    }
  }

  const options = {
    ...{ host, model, permissionMode },
    ...(before ? { resume: sessionId } : { sessionId }),
    persistSession: isKept === true,
    includePartialMessages: true,
  };
  const { prompt, hear } = turnByTurn(prompts());
  const messages = query({ prompt, options });
  for await (const message of messages) {
    hear(message);
    if (message.type === 'stream_event') onPiece();
    else report = addMessage(report, message);
  }
  return { ...report, hashBefore, hashAfter: await host.workspace.treeHash() };
}

function createModel({ turns, server }: Conversation): Model {
  if (server) {
    const { url, apiKey, maxRetries } = server;
    return createAnthropicModel({ model: 'claude-test', baseURL: url, apiKey, maxRetries });
  }
  const messages = turns.flatMap(({ calls = [] }): readonly (readonly ScriptBlock[])[] => [
    ...(calls.length > 0 ? [calls.map((call) => ({ type: 'tool_use', ...call }) as const)] : []),
    [{ type: 'text', text: 'Done.' }],
  ]);
  return createScriptedModel({ script: { turns: messages.map((blocks) => ({ blocks })) } });
}

async function put({ workspace: { fs } }: Host, path: string, entry: Entry): Promise<void> {
  await fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
  // Away with what is there: a link would be written through.
  await fs.rm(path, { force: true });
  if (typeof entry === 'string') await fs.writeFile(path, entry);
  else if ('target' in entry) await fs.symlink(entry.target, path);
  else await fs.writeFile(path, Uint8Array.from(entry));
}

function addMessage<R extends Omit<Report, 'hashBefore' | 'hashAfter'>>(
  report: R,
  message: SDKMessage,
): R {
  if (message.type === 'result') {
    const text = message.subtype === 'success' ? message.result : message.errors.join('\n');
    return { ...report, end: { subtype: message.subtype, text } };
  }
  if (message.type === 'system' && message.subtype === 'api_retry') {
    return { ...report, retries: [...report.retries, message.error_status] };
  }
  if (message.type !== 'user' || typeof message.message.content === 'string') return report;
  const answers = message.message.content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const text =
      typeof block.content === 'string' ? block.content : JSON.stringify(block.content ?? '');
    return [{ text, isError: block.is_error === true }];
  });
  return { ...report, answers: [...report.answers, ...answers] };
}
