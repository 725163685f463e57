// What the transcript says of a turn that failed though nothing broke.
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { prompt, success } from '../../support/stages/sdk-messages.ts';

function entriesAfter(...messages: readonly SDKMessage[]) {
  const store = createTranscriptStore({ permissions: createPermissionQueue(), now: () => 1000 });
  for (const message of messages) store.apply(message);
  return store.getSnapshot().turns.at(-1)?.entries ?? [];
}

const refused = { ...success('The model refused to go on.'), is_error: true } as SDKMessage;

it('says that the model refused', () => {
  expect(entriesAfter(prompt('go'), refused)).toMatchObject([
    { kind: 'notice', level: 'error', text: 'The model refused to go on.' },
  ]);
});

it('leaves a command that failed to its output', () => {
  const failed = { ...refused, local_command: 'x' } as SDKMessage;
  expect(entriesAfter(prompt('/x'), failed)).toEqual([]);
});
