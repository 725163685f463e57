// A conversation in which the model watches something by Monitor, with a clock that passes when the test says so.
import { onTestFinished } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { MonitorInput, MonitorOutput } from '../../../src/tools/monitor/schema.ts';
import { converse, openTaskHost } from './background.ts';
import type { Conversation } from './background.ts';
import type { Asked } from '../models/directed-model.ts';

/** Lines that come within a second are gathered: it passes when the test says so. */
interface GatheringClock extends Clock {
  /** Waits until something is gathered, and lets the second pass. */
  gathered(): Promise<void>;
  advance(ms: number): void;
}

function createGatheringClock(): GatheringClock {
  const clock = createVirtualClock(1_000_000);
  const armed = new Set<object>();
  let wake = () => {};
  return {
    ...clock,
    after(ms, callback) {
      if (ms !== 1_000) return clock.after(ms, callback);
      const token = {};
      armed.add(token);
      wake();
      const timer = clock.after(ms, () => {
        armed.delete(token);
        callback();
      });
      return {
        [Symbol.dispose]() {
          armed.delete(token);
          timer[Symbol.dispose]();
        },
      };
    },
    async gathered() {
      while (armed.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      clock.advance(1_000);
    },
  };
}

/** With a host of its own, which ends with the test. */
export interface MonitorTalk extends Conversation {
  readonly host: Host;
  readonly clock: GatheringClock;
  /** Makes the model call Monitor, and returns the text of the call's result. */
  monitor(input: Partial<MonitorInput>): Promise<Asked>;
  output(): MonitorOutput;
}

export async function openTalk(
  options: Partial<QueryOptions> = {},
  change: (host: Host) => Host = (host) => host,
): Promise<MonitorTalk> {
  const clock = createGatheringClock();
  const made = await openTaskHost({ clock });
  onTestFinished(() => made[Symbol.asyncDispose]());
  const host = change(made);
  const talk = converse(host, { permissionMode: 'bypassPermissions', ...options });
  return {
    ...talk,
    host,
    clock,
    async monitor(input) {
      talk.say('Watch.');
      const asked = await talk.asked();
      asked.call({ id: 'watch', name: 'Monitor', input: { description: 'the build', ...input } });
      return talk.asked();
    },
    output: () => talk.lastOutput() as unknown as MonitorOutput,
  };
}

/** What the messages of monitors tell. */
export const eventsOf = (text: string): string[] =>
  [...text.matchAll(/<event>([^]*?)<\/event>/gu)].map(([, event = '']) => event);
