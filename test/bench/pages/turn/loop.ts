// The tool that works until it is stopped, both halves, and what the page hears of it. It is for
// the time from an abort to the end of the innermost loop.
import * as z from 'zod';
import { buildTool, type ToolDef } from 'rockpool/browser';
import type { WorkerTool } from 'rockpool/serve-tools';

const inputSchema = z.strictObject({});
const channelName = 'turn-bench-loop';

type Told = { readonly type: 'begun' } | { readonly type: 'ended'; readonly at: number };

export const loopTool = buildTool({
  name: 'Loop',
  inputSchema,
  runsIn: 'worker',
  maxResultSizeChars: 1000,
  description: () => Promise.resolve('Loops.'),
  prompt: () => Promise.resolve('Works until it is stopped.'),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: 'Stopped.',
  }),
} satisfies ToolDef<typeof inputSchema>);

export const loopHandler: WorkerTool = {
  inputSchema,
  handler: async (_input: unknown, { signal }) => {
    const channel = new BroadcastChannel(channelName);
    const tell = (told: Told) => channel.postMessage(told);
    tell({ type: 'begun' });
    while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 0));
    tell({ type: 'ended', at: performance.timeOrigin + performance.now() });
    channel.close();
    return null;
  },
};

/** Hears of one run of the tool. */
export function followLoop(): Disposable & {
  readonly begun: Promise<void>;
  /** Milliseconds since the epoch. */
  readonly ended: Promise<number>;
} {
  const channel = new BroadcastChannel(channelName);
  const told = <Type extends Told['type']>(type: Type) =>
    new Promise<Extract<Told, { type: Type }>>((resolve) => {
      channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        if (data.type === type) resolve(data as Extract<Told, { type: Type }>);
      });
    });
  return {
    begun: told('begun').then(() => undefined),
    ended: told('ended').then(({ at }) => at),
    [Symbol.dispose]: () => channel.close(),
  };
}
