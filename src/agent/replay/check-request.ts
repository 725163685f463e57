// Creates a request again from the journal's state before it, and finds the first difference from
// the request that was sent. Used by play-file.ts.
import type { JournalEntry, RequestHead, RequestRecord } from '../../core/session/journal.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { VERSION } from '../../core/version.ts';
import type { ModelRequest } from '../../model/model.ts';
import { isModeReminder } from '../context/mode-reminder.ts';
import type { SessionFold } from '../journal/fold.ts';
import { createRequestHash, hashHead } from '../journal/request-hash.ts';
import { createRequest } from '../turn/create-request.ts';
import { prepareSessionPool } from '../session/prepare-session-pool.ts';
import type { Session } from '../session/session.ts';
import type { ReplayDifference } from './replay.ts';
import { toExcerpts } from './excerpts.ts';

export interface RequestCheckPorts {
  /** The fold of all entries before the request. */
  readonly fold: SessionFold;
  /** With the present tools and options. Nothing is recorded in its journal. */
  readonly session: Session;
  /** The version that began the session. */
  readonly version: string;
}

/** Undefined: the request would be the same now. */
export type RequestCheck = (
  entry: JournalEntry & RequestRecord,
) => Promise<ReplayDifference | undefined>;

export function createRequestCheck({ fold, session, version }: RequestCheckPorts): RequestCheck {
  const hash = createRequestHash();
  /** As the journal has it. */
  let head: RequestHead | undefined;
  /** The conversation of the last request that was equal. */
  let equal: readonly MessageParam[] = [];
  const cause = explainCause(version);

  return async (entry) => {
    head = entry.head ?? head;
    const sent = fold.messages;
    const request = await makeRequest(session, listWithoutNews(fold), entry.model);
    if (hash(request).hash === entry.hash) {
      equal = [...sent];
      return undefined;
    }
    const where = `Request ${entry.step} (entry ${entry.n})`;
    const found = locate(entry, request, { head, sent, equal });
    return { at: entry.n, ...found, message: `${where} ${found.message} ${cause}` };
  };
}

/**
 * The conversation without the parts that are derived again before each request: the last list of
 * tool names, and the mode.
 */
function listWithoutNews({ messages, sources, entries }: SessionFold): MessageParam[] {
  const isNews = (message: MessageParam, n: number) => {
    const entry = entries[n - 1];
    if (entry?.type !== 'context') return false;
    return entry.source === 'names' || (entry.source === 'reminder' && isModeReminder(message));
  };
  const last = messages.findLastIndex((message, at) => !isNews(message, sources[at] ?? 0));
  return messages.slice(0, last + 1);
}

/** Creates the request as the loop does. Records go only to `messages`. */
async function makeRequest(
  session: Session,
  messages: MessageParam[],
  modelName: string,
): Promise<ModelRequest> {
  const model = { ...session.model, name: modelName };
  const view: Session = {
    ...session,
    model,
    messages,
    journal: {
      ...session.journal,
      record(...records) {
        for (const record of records) {
          if (record.type === 'context') messages.push(...record.messages);
        }
        return Promise.resolve();
      },
    },
  };
  const pool = await prepareSessionPool(view, { model, messages });
  return createRequest(view, pool);
}

interface Known {
  readonly head: RequestHead | undefined;
  /** The conversation in the journal. */
  readonly sent: readonly MessageParam[];
  readonly equal: readonly MessageParam[];
}

type Located = Omit<ReplayDifference, 'at'>;

function locate(entry: RequestRecord, request: ModelRequest, known: Known): Located {
  const { head } = known;
  if (!head) {
    const message =
      "differs: the file has one hash for the whole of it, so it can't be said where.";
    return { kind: 'request', message };
  }
  const now = hashHead(request);
  // Tools first, because their usage texts are in the system prompt.
  const tool = locateTool(head, now, request);
  if (tool) return tool;
  if (now.system !== head.system) {
    const actual = request.system.map(({ text }) => text).join('\n\n');
    return { kind: 'system', message: 'has another system prompt.', actual };
  }
  return locateMessage(entry, request, known);
}

function locateTool(
  { tools: before }: RequestHead,
  { tools: now }: RequestHead,
  { tools }: ModelRequest,
): Located | undefined {
  const hashes = new Map(before);
  const names = new Map(now);
  const describe = (name: string) => JSON.stringify(tools.find((tool) => tool.name === name));
  for (const [name, hash] of now) {
    if (hashes.get(name) === hash) continue;
    const what = hashes.has(name) ? 'is defined otherwise' : 'is new';
    return {
      kind: 'tools',
      message: `differs in its tools: ${name} ${what}.`,
      actual: describe(name),
    };
  }
  const gone = before.find(([name]) => !names.has(name));
  if (gone)
    return { kind: 'tools', message: `differs in its tools: ${gone[0]} is not there any more.` };
  const at = before.findIndex(([name], index) => now[index]?.[0] !== name);
  if (at === -1) return undefined;
  return {
    kind: 'tools',
    message: `has its tools in another order, from number ${at + 1} on.`,
    expected: before.map(([name]) => name).join(', '),
    actual: now.map(([name]) => name).join(', '),
  };
}

/** The messages of the previous request were equal, so the difference is after them. */
function locateMessage(
  entry: RequestRecord,
  request: ModelRequest,
  { sent, equal }: Known,
): Located {
  const { messages } = request;
  const isAsKept = createRequestHash()({ ...request, messages: sent }).hash === entry.hash;
  const differs = isAsKept
    ? (message: MessageParam, at: number) => JSON.stringify(message) !== JSON.stringify(sent[at])
    : (message: MessageParam, at: number) => message !== equal[at];
  const found = messages.findIndex(differs);
  const at = found === -1 ? messages.length : found;
  const counts =
    messages.length === entry.messages
      ? ''
      : ` It has ${messages.length} messages, and had ${entry.messages}.`;
  const actual = JSON.stringify(messages[at]);
  const message = `differs in its messages, ${isAsKept ? 'at' : 'at or behind'} index ${at}.${counts}`;
  if (!isAsKept) return { kind: 'messages', message, ...toExcerpts(undefined, actual) };
  return { kind: 'messages', message, ...toExcerpts(JSON.stringify(sent[at]), actual) };
}

function explainCause(version: string): string {
  return version === VERSION
    ? `The session was begun by this version (${VERSION}): so its tools, prompts or options were others, or the code was changed since.`
    : `The session was begun by version ${version}, this is ${VERSION}: the versions differ there, or the tools, prompts and options that were given.`;
}
