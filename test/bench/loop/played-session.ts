// Sessions of any length, played by the whole agent. Each turn is a prompt, nine calls of a tool
// that does nothing, and a last word. Used by measure-inline.ts.
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import * as z from 'zod';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { pageTool } from '../../support/stages/test-tools.ts';

/** Of each turn. */
const requests = 10;
/** A prompt, and for each request a reply and its results, but for the last reply's. */
export const messagesOfTurn = 2 * requests;

/** From the end of a reply to the next request, with so many messages in the conversation. */
export interface Gap {
  readonly messages: number;
  readonly ms: number;
}

export interface TimedModel extends Model {
  /** In the order of the requests; only gaps within a turn. */
  readonly gaps: readonly Gap[];
}

/** About as long as what models say beside a call. */
const text = 'The next file is looked at now. '.repeat(8);

/** A message of its reply takes no time of its own: it comes as three or four events, at once. */
export function createTimedModel(): TimedModel {
  const gaps: Gap[] = [];
  let count = 0;
  let endedAt: number | undefined;
  return {
    name: 'timed',
    apiKeySource: 'none',
    gaps,
    async *stream({ messages }) {
      if (endedAt !== undefined) {
        gaps.push({ messages: messages.length, ms: performance.now() - endedAt });
      }
      count += 1;
      const isLast = count % requests === 0;
      const call = { type: 'tool_use', id: `call-${count}`, name: 'Nothing', input: {} } as const;
      const said = { type: 'text', text } as const;
      const stop_reason = isLast ? 'end_turn' : 'tool_use';
      const reply = assistantMessage(isLast ? [said] : [said, call], { stop_reason });
      for (const event of toEvents(reply)) {
        // The last one's counts: whoever reads may not come back for an end.
        endedAt = isLast ? undefined : performance.now();
        yield event;
      }
    },
  };
}

/** Does nothing, and answers as a short file would. */
export function nothingTool(): Tool {
  return pageTool('Nothing', z.strictObject({}), () => 'A line of a result.\n'.repeat(20));
}

/** The prompts of so many turns. */
export function listPrompts(turns: number): string[] {
  return Array.from({ length: turns }, (_, turn) => `Look at the files of part ${turn}.`);
}
