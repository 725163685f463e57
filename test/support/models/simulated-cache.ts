// The API's prompt cache by its documentation: which part of each request is read, written, or neither. Used by tests
// and by the bench `loop`. Nothing expires. Portable.
import type { ModelRequest } from '../../../src/model/model.ts';
import { writeBreakpoints } from '../../../src/model/write-breakpoints.ts';

/** How many blocks the API looks back from a breakpoint, including the breakpoint's own. */
const lookBack = 20;

/** Tokens, at four characters each. */
export interface CacheUse {
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
}

export interface SimulatedCache {
  /** @throws Error for a request that the API refuses: five breakpoints, or one in a wrong place */
  send(request: ModelRequest): CacheUse;
  /** Of all tokens sent so far, those that were read. */
  readShare(): number;
}

interface Block {
  readonly place: string;
  readonly value: { readonly type?: string; readonly [field: string]: unknown };
}

export function createSimulatedCache(): SimulatedCache {
  /** Each prefix by the one before it and its last block: two equal ones have one number. */
  const prefixes = new Map<string, number>();
  const kept = new Set<number>();
  const total = { read: 0, written: 0, uncached: 0 };

  return {
    send(request) {
      const blocks = toBlocks(request);
      let prefix = 0;
      let tokens = 0;
      const path = blocks.map(({ place, value }) => {
        const { cache_control, ...content } = value;
        const text = JSON.stringify(content);
        const key = `${prefix} ${place} ${text}`;
        prefix = prefixes.get(key) ?? prefixes.size + 1;
        prefixes.set(key, prefix);
        tokens += text.length / 4;
        return { prefix, tokens, isBreakpoint: cache_control !== undefined };
      });
      const ends = path.flatMap(({ isBreakpoint }, at) => (isBreakpoint ? [at] : []));
      check(blocks, ends);
      const read = Math.max(
        0,
        ...ends.flatMap((end) =>
          path
            .slice(Math.max(0, end - lookBack + 1), end + 1)
            .flatMap((one) => (kept.has(one.prefix) ? [one.tokens] : [])),
        ),
      );
      const cached = path[ends.at(-1) ?? -1]?.tokens ?? 0;
      for (const end of ends) kept.add(path[end]?.prefix ?? 0);
      const use = { read, written: Math.max(0, cached - read), uncached: tokens - cached };
      total.read += use.read;
      total.written += use.written;
      total.uncached += use.uncached;
      return use;
    },
    readShare: () => total.read / (total.read + total.written + total.uncached),
  };
}

/** Tools, system and messages, in the API's order. A text for content is one text block. */
function toBlocks(request: ModelRequest): Block[] {
  const { tools, system, messages } = writeBreakpoints(request);
  return [
    ...tools.map((value) => ({ place: 'tools', value: value as unknown as Block['value'] })),
    ...system.map((value) => ({ place: 'system', value: value as unknown as Block['value'] })),
    ...(messages as ModelRequest['messages']).flatMap(({ role, content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((value) => ({
        place: role,
        value: value as unknown as Block['value'],
      })),
    ),
  ];
}

function check(blocks: readonly Block[], ends: readonly number[]): void {
  if (ends.length > 4) throw new Error(`The request has ${ends.length} breakpoints.`);
  for (const end of ends) {
    const { value } = blocks[end] as Block;
    const isEmpty = value.type === 'text' && String(value['text']).trim() === '';
    const isThinking = value.type === 'thinking' || value.type === 'redacted_thinking';
    if (isEmpty || isThinking || value['defer_loading'] === true) {
      throw new Error(`A breakpoint stands on ${JSON.stringify(value).slice(0, 100)}.`);
    }
  }
}
