// What a transcript says of whole turns: what has begun one that no person has, and what each has cost.
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import { Transcript } from '../../src/react/components/transcript.tsx';
import { createTranscriptStore } from '../../src/react/transcript-store.ts';
import { prompt, success, taskPrompt } from '../support/stages/sdk-messages.ts';

it.each([
  ['task-notification', 'News of work in the background:'],
  ['tick', 'The agent looks again by itself:'],
  ['schedule', 'What was scheduled is due:'],
] as const)('a turn that a %s began', (kind, words) => {
  const store = createTranscriptStore({ now: () => 1000 });
  const own = { ...taskPrompt(), origin: { kind } };
  for (const message of [prompt('go'), success(), own]) store.apply(message);
  const { turns } = store.getSnapshot();
  const markup = renderToStaticMarkup(<Transcript turns={turns} views={{}} />);
  expect(markup.match(/rp-turn"/g)).toHaveLength(2);
  expect(markup.split(words)).toHaveLength(2);
});

it('shows what each turn has cost, of results that have the total so far', () => {
  const store = createTranscriptStore({ now: () => 1000 });
  // The last but one is of an imported session, whose total begins anew.
  for (const total_cost_usd of [0.2, 0.25, 0.25, 0, 0.12])
    for (const message of [prompt('go'), { ...success(), total_cost_usd }])
      store.apply(message as SDKMessage);
  const { turns } = store.getSnapshot();
  const markup = renderToStaticMarkup(<Transcript turns={turns} views={{}} />);
  const ends = [...markup.matchAll(/rp-turn-end"><span>(.*?)<\/span>/gu)].map(([, text]) => text);
  expect(ends).toEqual(['$0.20', '$0.0500', '', '', '$0.12']);
});
