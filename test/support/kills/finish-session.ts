// Opens a stored session in any state and plays it to its end, for tests that kill it on the way. Portable: the next
// host may be another tab, or another instance of a Durable Object.
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { toSessionRootId } from '../../../src/core/session/session-path.ts';
import {
  answerBy,
  killedModel,
  killedPrompts,
  killedRewind,
  listKilledTools,
} from './killed-conversation.ts';
import type { Ending, Outside } from './killed-conversation.ts';
import { foldEntries } from '../sessions/journals.ts';
import { readFiles } from '../files/read-files.ts';

/** The session's id. */
export const sessionId = 'killed';

/** The test's callbacks outside of the host that is killed. */
export interface Witness extends Outside {
  /** Called before a request is sent to the model's server; the request waits for it. */
  request(): unknown;
  /** Called with the number of journal entries that the medium has acknowledged. */
  landed(length: number): void;
  /** Called when the session is open. */
  opened?(): unknown;
  /** Called when everything is done. The session is closed when this has resolved. */
  over?(): unknown;
}

/**
 * Sends the prompts that the session doesn't have yet, each when the one before is answered, and does the rewind if
 * it wasn't done. Returns plain data.
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
    // A viewer also shows the questions of the tab that runs the session.
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

/** Rewinds once, although several tabs may have the session open. */
async function goBack({ workspace }: Host, session: AgentSession): Promise<void> {
  const isDone = async () =>
    (await readEntries(workspace, sessionId)).some(({ type }) => type === 'rewound');
  while (!(await isDone())) {
    await session.rewind(killedRewind.to).catch(async (error: unknown) => {
      // Another tab was faster, or the tab that got the request was closed. Then this tab gets the request.
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

/** Masks random numbers and the ids of tasks, because they depend on the session's seed. */
function maskSeeded(ending: Ending): Ending {
  const text = JSON.stringify(ending)
    .replaceAll(/\b0\.\d{6,}/gu, '0.5')
    .replaceAll(/\bb[0-9a-f]{8}\b/gu, 'task-id');
  return JSON.parse(text) as Ending;
}
