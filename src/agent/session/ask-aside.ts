// Sends one model request outside the conversation, and adds its usage to the session's. Used for
// servers that ask a model, for questions to the small model, and for web searches by the API. An
// aborted request counts too, because it has a cost.
import type { AssistantMessage } from '../../core/messages/messages.ts';
import { msSince } from '../../core/async/ms-since.ts';
import type { Model, ModelRequest } from '../../model/model.ts';
import { collect } from '../messages/collect.ts';
import type { Session } from './session.ts';

/** The session that pays for the request. */
export type Account = Pick<Session, 'host' | 'ids' | 'journal' | 'usage'>;

/** Undefined: the model gave no message. Rejects like `Model.stream`. */
export async function askAside(
  { host, ids, journal, usage }: Account,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AssistantMessage | undefined> {
  const startedAt = host.clock.now();
  const collection = collect(model.stream(request, { signal }));
  try {
    for await (const item of collection) {
      if (item.type === 'message') return item.message;
    }
    return undefined;
  } finally {
    const message = collection.partial();
    if (message) {
      const apiMs = msSince(startedAt, host.clock);
      const requestId = message.id || ids.of('side', journal.fold.length);
      const used = { requestId, model: message.model, usage: message.usage };
      journal.note(usage.add({ ...used, purpose: 'side', askedModel: model.name, apiMs }));
    }
  }
}
