// The page of ../wire-workerd.node.test.ts: a tab whose session, over OPFS, moves to a Durable Object and back.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import type { AgentSession, OpenedSession } from '../../../src/agent/agent-session.ts';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { isTextBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import type { SettledMove } from '../../../src/wire/handover/settle-move.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { countUsage, findTwice } from '../../support/sessions/journal-counts.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

/** What of the session is the same in whatever place. */
export interface MovedState {
  readonly said: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What cells have given. */
  readonly cells: readonly string[];
  readonly tokens: number;
  readonly twice: readonly string[];
}

/** What went wrong, as data. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a test finds at `window.movedPage`. */
export interface MovedPage {
  /** Opens the workspace, and the session in it: new, or kept. Its driver and the role here. */
  open(workspace: string): Promise<readonly [driver: string, role: string]>;
  /** Says it, and reads until its turn is over. */
  say(text: string): Promise<void>;
  /** Says it, and waits for the question that it leads to. */
  ask(text: string): Promise<string>;
  /** Answers the question that waits, and reads until the turn is over. */
  allow(): Promise<void>;
  /** From here on the session is the one there. Its role here. */
  moveTo(url: string): Promise<string>;
  connect(url: string): Promise<void>;
  /** Leaves it there, has it back and opens it. */
  bringBack(url: string): Promise<void>;
  settle(): Promise<SettledMove>;
  /** The ids of the questions that wait, once there is one. */
  questions(): Promise<readonly string[]>;
  read(): Promise<MovedState>;
  /** The last message that this tab was told, once its session has ended. */
  lastWord(): Promise<SDKMessage | undefined>;
  /** How a prompt is refused. */
  refusal(): Promise<Refused>;
}

declare global {
  interface Window {
    movedPage?: MovedPage;
  }
}

const id = 'of-a-tab';

let host: BrowserHost | undefined;
let session: AgentSession | undefined;
let opened: OpenedSession | undefined;
let ended: Promise<SDKMessage | undefined> = Promise.resolve(undefined);

const ticketOf = (url: string) => fetchTicket(url, { authorization: 'Bearer owner' });

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The test has opened nothing yet.');
  return value;
}

async function openHere(): Promise<OpenedSession> {
  const kept = await given(host).workspace.streams.list();
  const isKept = kept.some((stream) => stream.id === `session/${id}`);
  opened = await openSession({
    host: given(host),
    model: createWireModel(),
    ...(isKept ? { resume: id } : { sessionId: id }),
  });
  const one = opened;
  ended = (async () => {
    let last: SDKMessage | undefined;
    for await (const message of one.messages()) last = message;
    return last;
  })();
  session = opened;
  return opened;
}

/** Polls: what a connected session knows comes from afar. */
async function until<Value>(look: () => Value | undefined): Promise<Value> {
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const firstQuestion = () => until(() => given(session).questions()[0]?.requestId);

async function untilResult(after: number): Promise<void> {
  await readUntil(given(session), isResult, after);
}

window.movedPage = {
  async open(workspace) {
    host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    const { driver } = await host.workspace.info();
    return [driver, (await openHere()).role()];
  },
  async say(text) {
    const { n } = await given(session).send(text);
    await untilResult(n);
  },
  async ask(text) {
    await given(session).send(text);
    return firstQuestion();
  },
  async allow() {
    const one = given(session);
    await one.answer(await firstQuestion(), { behavior: 'allow' });
    await until(() => (one.state() === 'idle' ? true : undefined));
  },
  async moveTo(url) {
    session = await given(opened).moveTo(url, { ticket: () => ticketOf(url) });
    return session.role();
  },
  async connect(url) {
    session = await connectSession(url, { ticket: () => ticketOf(url) });
  },
  async bringBack(url) {
    await given(session).close();
    await bringBack(url, { host: given(host), ticket: () => ticketOf(url) });
    await openHere();
  },
  settle: () => settleMove(id, { host: given(host), ticket: ticketOf }),
  async questions() {
    await firstQuestion();
    return given(session)
      .questions()
      .map(({ requestId }) => requestId);
  },
  async read() {
    const { workspace } = given(host);
    const { entries } = await loadJournal(workspace, id);
    const files: Record<string, string> = {};
    for (const name of (await workspace.fs.readdir('/workspace')).sort()) {
      files[name] = await workspace.fs.readFile(`/workspace/${name}`, 'utf8');
    }
    return {
      said: entries.flatMap((entry) => {
        if (entry.type === 'prompt') return [`user: ${String(entry.message.content)}`];
        if (entry.type !== 'reply' || entry.end === 'void') return [];
        return entry.message.content.map((block) =>
          isTextBlock(block) ? `assistant: ${block.text}` : `assistant: ${block.type}`,
        );
      }),
      files,
      cells: entries.flatMap((entry) =>
        entry.type === 'settled' && entry.tool === 'Repl' ? [toResultText(entry.result)] : [],
      ),
      tokens: countUsage(entries),
      twice: findTwice(entries),
    };
  },
  lastWord: () => ended,
  async refusal() {
    try {
      await given(opened).send('Are you there?');
    } catch (error) {
      if (!SdkError.isInstance(error)) throw error;
      return { code: error.code, message: error.message, data: error.data };
    }
    throw new Error('It was sent.');
  },
};
