// Reads the usage from the bytes of an answer that the model proxy forwards, streamed or not. It
// doesn't change the bytes and never throws. Usage that it can't read is estimated.
import { parseJson } from '../../../core/text/parse-json.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { Usage } from '../../../core/messages/messages.ts';
import { createSseDecoder } from '../../../model/sse.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** The usage of the part of the answer that has arrived. */
export interface UsageReader {
  push(chunk: Uint8Array): void;
  /** `isEstimated`: the server's final counts haven't arrived. */
  read(): { readonly usage: Usage; readonly isEstimated: boolean };
}

// 16 MB: more than any answer. A longer one isn't parsed, so its usage is estimated.
const maxAnswerCharacters = 16_777_216;

/** @param inputTokens the input's estimate, used until the server reports it */
export function createUsageReader(isStream: boolean, inputTokens: number): UsageReader {
  return isStream ? readStreamed(inputTokens) : readWhole(inputTokens);
}

function readStreamed(inputTokens: number): UsageReader {
  const decoder = createSseDecoder();
  let usage: Usage = { input_tokens: inputTokens, output_tokens: 0 };
  let isEstimated = true;
  let told = 0;

  function take(event: Record<string, unknown>): void {
    if (event['type'] === 'message_start' && isRecord(event['message'])) {
      const { usage: said } = event['message'];
      if (isRecord(said)) usage = merge(usage, said);
    } else if (event['type'] === 'content_block_delta' && isRecord(event['delta'])) {
      for (const name of ['text', 'thinking', 'partial_json']) {
        const piece = event['delta'][name];
        if (typeof piece === 'string') told += estimateTokens(piece);
      }
    } else if (event['type'] === 'message_delta' && isRecord(event['usage'])) {
      usage = merge(usage, event['usage']);
      isEstimated = false;
    }
  }

  return {
    push(chunk) {
      for (const { data } of decoder.push(chunk)) {
        const event = parseJson(data);
        if (isRecord(event)) take(event);
      }
    },
    read() {
      if (!isEstimated) return { usage, isEstimated };
      return {
        usage: { ...usage, output_tokens: Math.max(usage.output_tokens, Math.ceil(told)) },
        isEstimated,
      };
    },
  };
}

function readWhole(inputTokens: number): UsageReader {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let characters = 0;
  let told = 0;
  return {
    push(chunk) {
      const part = decoder.decode(chunk, { stream: true });
      characters += part.length;
      told += estimateTokens(part);
      if (characters <= maxAnswerCharacters) parts.push(part);
    },
    read() {
      const estimate: Usage = {
        input_tokens: inputTokens,
        output_tokens: Math.ceil(told),
      };
      const answer = parseJson(parts.join(''));
      const said = isRecord(answer) ? answer['usage'] : undefined;
      return isRecord(said)
        ? { usage: merge(estimate, said), isEstimated: false }
        : { usage: estimate, isEstimated: true };
    },
  };
}

/** Later counts are totals. A count that isn't a number is ignored. */
function merge(usage: Usage, said: Record<string, unknown>): Usage {
  const { input_tokens: input, output_tokens: output, ...others } = said;
  const known = Object.entries(others).filter(([, value]) => value !== null);
  return {
    ...usage,
    ...Object.fromEntries(known),
    input_tokens: isCount(input) ? input : usage.input_tokens,
    output_tokens: isCount(output) ? output : usage.output_tokens,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
