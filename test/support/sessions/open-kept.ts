// A live session whose journal is in its workspace's streams, opened on a medium. Tests send prompts, rewind, leave
// and open it again. Its model writes the file that the prompt names: "a.txt one".
import { createSession } from '../../../src/agent/create-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { decodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import { createSessionJournal } from '../../../src/agent/journal/session-journal.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import { createPermissionState } from '../../../src/agent/permissions/permission-state.ts';
import { toPermissionContext } from '../../../src/agent/query-options.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import { endTurn } from '../../../src/agent/turn/to-result-message.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { isTextBlock } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { createTrace } from '../../../src/trace/record-calls.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { relativePath } from '../../../src/core/path.ts';
import { readFiles } from '../files/read-files.ts';

export interface OpenKeptOptions extends Partial<QueryOptions> {
  readonly root?: string;
  /** The implementation that replaces the inline host, on the same workspace. */
  readonly toHost?: (host: Host) => Host;
}

export interface Kept {
  readonly session: Session;
  readonly host: Host;
  readonly messages: readonly SDKMessage[];
  /** Plays a turn to its end. */
  say(text: string, uuid: string): Promise<void>;
  /** Text by path below `/workspace`, of a root: `main`, if none is named. */
  files(root?: string): Promise<Readonly<Record<string, string>>>;
  /** The prompts and what the model wrote. */
  words(): readonly string[];
  close(): Promise<void>;
}

export async function openKept(
  medium: LogMedium,
  { toHost = (host) => host, root, sessionId = 'session-1', ...options }: OpenKeptOptions = {},
): Promise<Kept> {
  const stream = `journal/${sessionId}`;
  const workspace = await openWorkspace(medium, { name: 'kept' });
  const { streams } = workspace;
  const fold = new SessionFold();
  if ((await streams.list()).some(({ id }) => id === stream)) {
    for await (const { n, value, contents = [] } of streams.read(stream)) {
      const entry = await decodeRecord(value, contents, (id) => streams.readContent(id));
      fold.apply({ ...(entry as JournalEntry), n });
    }
  }
  const isNew = fold.length === 0;
  const host = toHost(await createInlineHost({ workspace }));
  const journal = createSessionJournal({
    fold,
    clock: host.clock,
    store: {
      stream,
      append: async ({ at, entries }, durability) =>
        entries.length > 0 && streams.append(stream, entries, { at, durability }),
    },
  });
  if (!isNew) await journal.recordSafely({ type: 'opened', owner: 'again', why: 'resume' });
  const messages: SDKMessage[] = [];
  const query: QueryOptions = {
    model: writingModel,
    permissionMode: 'bypassPermissions',
    ...options,
    host,
  };
  const { signal } = new AbortController();
  const session = await createSession(query, {
    id: sessionId,
    seed: 'seed',
    model: query.model,
    cwd: host.cwd,
    ...(root !== undefined && { root }),
    permissions: createPermissionState(toPermissionContext(query), host.cwd, fold.permissions),
    emit: (message) => messages.push(message),
    trace: createTrace(host.clock),
    whenPrompted: () => () => {},
    signal,
    hasOnePrompt: false,
    journal,
  });
  return {
    session,
    host,
    messages,
    async say(content, promptId) {
      const turn = { includePartialMessages: false, signal, promptId };
      await endTurn(session, await runTurn(session, { role: 'user', content }, turn), 0);
    },
    async files(of = 'main') {
      const files = Object.entries(await readFiles(workspace.at(of)));
      return Object.fromEntries(
        files.map(([path, text]) => [relativePath('/workspace', path), text]),
      );
    },
    words: () => session.messages.flatMap((message) => readWords(message.content)),
    async close() {
      await session.tasks.close();
      await journal.flush();
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function readWords(content: MessageParam['content']): string[] {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (isTextBlock(block) ? block.text : []));
  return texts.filter((text) => text !== '' && !text.startsWith('<'));
}

/** One call for each prompt of two words, then a line of text. */
export const writingModel: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const at = messages.findLastIndex(
      ({ role, content }) => role === 'user' && readWords(content)[0],
    );
    const said = readWords(messages[at]?.content ?? '')[0] ?? '';
    const [name, content] = said.split(' ');
    const isNews = content !== undefined && messages.slice(at).every(({ role }) => role === 'user');
    const call: ContentBlock = {
      type: 'tool_use',
      id: `call-${messages.length}`,
      name: 'Write',
      input: { file_path: name, content },
    };
    const block = isNews ? call : ({ type: 'text', text: `Done: ${said}` } as const);
    yield* toEvents(assistantMessage([block], { stop_reason: isNews ? 'tool_use' : 'end_turn' }));
  },
};
