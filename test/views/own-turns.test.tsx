// A turn that no person has begun says what has.
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
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
