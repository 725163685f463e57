// How long it takes until a kept session is on the screen again, and until it goes on. Used in Node, and in
// the bench's page.
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';

/** In milliseconds. */
export interface ResumeTimes {
  /** Until the first kept message is there. */
  readonly firstMs: number;
  /** Until all that were kept are. */
  readonly allMs: number;
  /** From a prompt to its first request. */
  readonly requestMs: number;
}

/** `last`: the entry of the last kept message. The session has one turn more afterwards. */
export async function resumeSession(
  host: Host,
  sessionId: string,
  last: number,
): Promise<ResumeTimes> {
  let askedAt = Number.NaN;
  const model: Model = {
    name: 'resumed',
    apiKeySource: 'none',
    async *stream() {
      askedAt = performance.now();
      yield* toEvents(assistantMessage([{ type: 'text', text: 'Done.' }]));
    },
  };
  const startedAt = performance.now();
  await using session = await openSession({ host, model, resume: sessionId });
  let firstMs: number | undefined;
  let allMs = Number.NaN;
  let sentAt = Number.NaN;
  for await (const { n, type } of session.messages()) {
    if (n === undefined) continue;
    firstMs ??= performance.now() - startedAt;
    if (n > last && type === 'result' && !Number.isNaN(askedAt)) break;
    if (n !== last) continue;
    allMs = performance.now() - startedAt;
    sentAt = performance.now();
    await session.send('Go on.');
  }
  if (firstMs === undefined) throw new Error('The session has no messages.');
  return { firstMs, allMs, requestMs: askedAt - sentAt };
}
