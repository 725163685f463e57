// What the model of a demo test answers: a text, a call, or nothing more after its first word.
import { toEvents } from '../../../src/model/to-events.ts';
import type { Answer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';

export const say = (words: string): Answer => ({ type: 'stream', text: toSse(textEvents(words)) });

export const call = (name: string, input: object, id = name): Answer => ({
  type: 'stream',
  text: toSse([
    ...toEvents(assistantMessage([{ type: 'tool_use', id, name, input: { ...input } }])),
  ]),
});

/** Begins to answer, and says nothing more. */
export const hang: Answer = {
  type: 'stream',
  text: toSse(
    textEvents('Well').filter(
      ({ type }) => /_start$|_delta$/.test(type) && type !== 'message_delta',
    ),
  ),
  ending: 'stall',
};
