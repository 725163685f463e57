// Sessions with jobs, by a clock that is moved by hand.
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { openByClock, settle } from './clocked-session.ts';
import { toolUse } from '../turns/plan-turns.ts';
import { asks, says, type Reply } from '../turns/play-turns.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const allowed: Partial<QueryOptions> = {
  triggers: { timeZone: 'UTC' },
  allowedTools: ['CronCreate'],
};

export const openWithJobs = (replies: readonly Reply[], options: Partial<QueryOptions> = {}) =>
  openByClock(replies, { ...allowed, ...options });

export const schedules = (input: object, id = 'cron-1') => toolUse(id, 'CronCreate', input);

export const nine = { cron: '0 9 * * *', prompt: 'Look at the tides.' };

export const isScheduled = (message: SDKMessage) =>
  message.type === 'user' && message.origin?.kind === 'schedule';

export const toText = (message: MessageParam | undefined) => JSON.stringify(message?.content);

/** What the calls of a message came to, as the model was told. */
export function results(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [String(block.content)] : [],
    );
  });
}

/** In which a job was made by the first turn. */
export async function openScheduled(
  input: object,
  replies: readonly Reply[] = [],
  options: Partial<QueryOptions> = {},
) {
  const opened = await openWithJobs(
    [asks(schedules(input)), says('Scheduled.'), ...replies],
    options,
  );
  await opened.session.send('Every day at nine.');
  await opened.ended(1);
  await settle(opened.session);
  return opened;
}
