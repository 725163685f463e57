// What a person may say next, as the page has it: until they have said something.
import { expect, it } from 'vitest';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { prompt, success } from '../../support/stages/sdk-messages.ts';

it('stands from the end of a turn to the next prompt', () => {
  const store = createTranscriptStore({ now: () => 1000 });
  store.apply(prompt('go'));
  store.apply(success());
  expect(store.getSnapshot().suggestion).toBeNull();
  store.apply({
    type: 'prompt_suggestion',
    suggestion: 'Run the tests.',
    uuid: 'u1',
    session_id: 's1',
  });
  expect(store.getSnapshot().suggestion).toBe('Run the tests.');
  store.apply(prompt('something else'));
  expect(store.getSnapshot().suggestion).toBeNull();
});
