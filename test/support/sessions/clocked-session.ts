// A session in one process with a clock that the test moves, and all messages that it has sent.
import { onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { isResult } from './open-sessions.ts';
import { listModel, type Reply } from '../turns/play-turns.ts';

/** When the clock begins. */
export const start = Date.UTC(2026, 0, 1);

/** Closed at the end of the test. Without `host` the session gets a host with `clock`. */
export async function openByClock(
  replies: readonly Reply[],
  options: Partial<QueryOptions> = {},
  clock = createVirtualClock(start),
) {
  const host = options.host ?? (await createInlineHost({ clock }));
  const model = listModel('list', replies);
  const session = await openSession({ host, model, toolSearch: false, ...options });
  onTestFinished(() => session.close());
  const messages: SDKMessage[] = [];
  const waiting = new Set<() => void>();
  void (async () => {
    for await (const message of session.messages()) {
      messages.push(message);
      for (const look of waiting) look();
    }
  })();
  /** Resolves when there are `count` results. */
  const ended = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (messages.filter(isResult).length >= count) resolve();
      };
      waiting.add(look);
      look();
    });
  return { clock, host, model, session, messages, ended };
}

/** Resolves when the turn is over and its timers are set. */
export async function settle(session: AgentSession): Promise<void> {
  const pass = () => new Promise((resolve) => setTimeout(resolve));
  while (session.state() !== 'idle') await pass();
  for (let turn = 0; turn < 3; turn += 1) await pass();
}
