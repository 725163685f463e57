// A kept session that is opened in whatever state it is, and played to its end: for tests that kill it on the
// way. Portable: the next host may be another tab, or another instance of a Durable Object.
import { readEntries } from '../../src/agent/journal/stored-journal.ts';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import type { Host } from '../../src/agent/host.ts';
import { openSession } from '../../src/agent/open-session.ts';
import { SdkError } from '../../src/core/errors.ts';
import { toSessionRootId } from '../../src/core/session/session-path.ts';
import {
  answerBy,
  killedModel,
  killedPrompts,
  killedRewind,
  listKilledTools,
} from './killed-conversation.ts';
import type { Ending, Outside } from './killed-conversation.ts';
import { foldEntries } from './journals.ts';
import { readFiles } from './read-files.ts';

/** The session's id. */
export const sessionId = 'killed';

/** What is outside of the host that may be killed. */
export interface Witness extends Outside {
  /** A request is sent to the model's server, when this has resolved. */
  request(): unknown;
  /** The session's journal has that many entries, as the medium has acknowledged. */
  landed(length: number): void;
  /** The session is open. */
  opened?(): unknown;
  /** All is done. The session is closed when this has resolved. */
  over?(): unknown;
}

/**
 * Says the prompts that it hasn't heard, each when the one before is answered, and goes back where that hasn't
 * been done. Gives plain data.
 */
export async function finishSession(host: Host, witness: Witness): Promise<Ending> {
  const { streams } = host.workspace;
  const stream = toSessionRootId(sessionId);
  const isKept = (await streams.list()).some(({ id }) => id === stream);
  using _listening = streams.onAppend((appended) => {
    const { n } = appended.entries.at(-1) ?? { n: 0 };
    if (appended.stream === stream) witness.landed(n);
  });
  const open: { session?: AgentSession } = {};
  const session = await openSession({
    host,
    model: {
      ...killedModel,
      async *stream(request, options) {
        await witness.request();
        yield* killedModel.stream(request, options);
      },
    },
    tools: listKilledTools(witness) as never,
    // A viewer is shown what the tab that runs the session asks.
    canUseTool: answerBy({
      ask: (requestId) => (open.session?.role() === 'viewer' ? undefined : witness.ask(requestId)),
    }),
    ...(isKept ? { resume: sessionId } : { sessionId }),
  });
  open.session = session;
  await witness.opened?.();
  await session.send(toPrompt(0));
  let answered = 0;
  for await (const message of session.messages()) {
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(`A turn failed: ${JSON.stringify(message)}`);
    answered += 1;
    if (answered === killedPrompts.length) break;
    if (answered === killedRewind.before) await goBack(host, session);
    await session.send(toPrompt(answered));
  }
  await witness.over?.();
  await session.close();
  return readEnding(host);
}

/** Once, whichever of the tabs that have the session does it. */
async function goBack({ workspace }: Host, session: AgentSession): Promise<void> {
  const isDone = async () =>
    (await readEntries(workspace, sessionId)).some(({ type }) => type === 'rewound');
  while (!(await isDone())) {
    await session.rewind(killedRewind.to).catch(async (error: unknown) => {
      // Another tab was quicker, or the tab that was asked is gone: this one is asked then.
      const isLost = SdkError.isInstance(error) && error.code === 'worker-lost';
      if (!isLost && !(await isDone())) throw error;
    });
  }
}

export function toPrompt(index: number) {
  const content = killedPrompts[index] as string;
  const message = { role: 'user', content } as const;
  return { type: 'user', uuid: `prompt-${index}`, message, parent_tool_use_id: null } as const;
}

/** The final state of the session, which needn't be open. */
export async function readEnding({ workspace }: Host): Promise<Ending> {
  const fold = foldEntries(await readEntries(workspace, sessionId));
  const files = await readFiles(workspace);
  return maskSeeded({ entries: fold.entries, messages: fold.messages, files });
}

/** Random numbers and the ids of tasks follow from the session's seed, and each session has its own. */
function maskSeeded(ending: Ending): Ending {
  const text = JSON.stringify(ending)
    .replaceAll(/\b0\.\d{6,}/gu, '0.5')
    .replaceAll(/\bb[0-9a-f]{8}\b/gu, 'task-id');
  return JSON.parse(text) as Ending;
}
