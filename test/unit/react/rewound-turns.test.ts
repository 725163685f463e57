// Which turns the transcript shows as taken back, after rewinds and undos.
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { prompt, success } from '../../support/stages/sdk-messages.ts';

const common = { session_id: 's1' };
const turn = (name: string, n: number): SDKMessage[] => [
  { ...prompt(name), uuid: name, n },
  { ...success(), n: n + 1 },
];
const rewound = (n: number, to: number): SDKMessage => ({
  ...common,
  ...{ type: 'system', subtype: 'conversation_rewound', uuid: `r${n}`, to, n },
});

/** The prompts, each that was taken back with a minus before it. */
function shown(...messages: readonly SDKMessage[]): string {
  const store = createTranscriptStore({ permissions: createPermissionQueue(), now: () => 1000 });
  for (const message of messages) store.apply(message);
  const { turns } = store.getSnapshot();
  return turns.map(({ prompt: text, isTakenBack }) => `${isTakenBack ? '-' : ''}${text}`).join(' ');
}

const begin = [...turn('a', 2), ...turn('b', 5), ...turn('c', 8)];

it('marks what a rewind takes back, and nothing that comes after it', () => {
  expect(shown(...begin)).toBe('a b c');
  expect(shown(...begin, rewound(10, 4))).toBe('a -b -c');
  expect(shown(...begin, rewound(10, 4), ...turn('d', 12))).toBe('a -b -c d');
});

it('marks nothing any more that an undo brings back, and what came after the rewind', () => {
  const back = [...begin, rewound(10, 4), ...turn('d', 12)];
  expect(shown(...back, rewound(14, 9))).toBe('a b c -d');
  // Undone once more.
  expect(shown(...back, rewound(14, 9), rewound(15, 13))).toBe('a -b -c d');
});

it('leaves the command that does it', () => {
  const command = { ...prompt('/rewind'), uuid: '/rewind', n: 10 };
  const done = { ...success(), n: 12 };
  expect(shown(...begin, command, rewound(11, 4), done)).toBe('a -b -c /rewind');
  expect(shown(...begin, command, rewound(11, 4), done, rewound(13, 10))).toBe('a b c /rewind');
});

it('knows the place of a prompt that was shown before it was recorded', () => {
  const { n: _, ...early } = { ...prompt('b'), uuid: 'b', n: 5 };
  const live = [...turn('a', 2), early as SDKMessage, ...turn('b', 5), rewound(8, 4)];
  expect(shown(...live)).toBe('a -b');
});
