// Sessions that the agent starts elsewhere: docs/agents.md shows it. The remote runtime is a server of sessions.
import { isTextBlock, type OnRemoteTrigger, type SDKMessage } from 'rockpool';
import { connectSession, fetchTicket } from 'rockpool/wire';

/** What may be started: by its id, what such a session is told. */
export type Triggers = Readonly<Record<string, string>>;

/**
 * For `options.onRemoteTrigger`: a run is a session of its own at `<origin>/sessions/<id>/wire`. What was started is known
 * as long as this lives: keep it in your own table.
 */
export function createRemoteTriggers(
  origin: string,
  triggers: Triggers,
  headers: Readonly<Record<string, string>>,
): OnRemoteTrigger {
  const runs = new Map<string, string[]>();

  const connect = (id: string) => {
    const url = `${origin}/sessions/${id}/wire`;
    return connectSession(url, { ticket: () => fetchTicket(url, headers) });
  };

  async function run(trigger: string, prompt: string) {
    const session_id = `ann-${crypto.randomUUID()}`;
    const session = await connect(session_id);
    // Recorded there: it goes on without us.
    await session.send(prompt);
    await session.close();
    runs.set(trigger, [...(runs.get(trigger) ?? []), session_id]);
    return { status: 201, data: { session_id }, summary: `Session ${session_id} has begun.` };
  }

  async function readLog(id: string, signal: AbortSignal) {
    const session = await connect(id);
    // 10 s: of one that still runs, what it has said by then.
    const soon = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
    soon.addEventListener('abort', () => void session.close());
    const log: string[] = [];
    let isDone = false;
    for await (const message of session.messages()) {
      log.push(...toLines(message));
      isDone = message.type === 'result';
      if (isDone) break;
    }
    await session.close();
    return { status: 200, data: { log, isDone } };
  }

  return async ({ action, trigger_id = '', session_id = '', body = {} }, { signal }) => {
    const prompt = Object.hasOwn(triggers, trigger_id) ? triggers[trigger_id] : undefined;
    if (action === 'list') return { status: 200, data: Object.keys(triggers) };
    if (action === 'get_run_log') {
      const isKnown = [...runs.values()].flat().includes(session_id);
      if (isKnown) return readLog(session_id, signal);
      return { status: 404, summary: `No run has the session ${session_id}.` };
    }
    if (action !== 'get' && action !== 'run' && action !== 'list_runs') {
      return { status: 501, summary: 'Triggers are written by the host alone.' };
    }
    if (prompt === undefined) return { status: 404, summary: `There is no trigger ${trigger_id}.` };
    if (action === 'get') return { status: 200, data: { prompt } };
    if (action === 'list_runs') return { status: 200, data: runs.get(trigger_id) ?? [] };
    const { details } = body;
    return run(trigger_id, typeof details === 'string' ? `${prompt}\n\n${details}` : prompt);
  };
}

/** What was said, without calls and their results. */
function toLines(message: SDKMessage): string[] {
  if (message.type !== 'user' && message.type !== 'assistant') return [];
  const { content } = message.message;
  if (typeof content === 'string') return [content];
  return content.filter(isTextBlock).map(({ text }) => text);
}
