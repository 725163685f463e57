// What an event of a session's object has room for, by counts: clocks stand still in it.
import { expect, it } from 'vitest';
import { createCountedModel } from '../../../src/hosts/edge/object/counted-model.ts';
import { createStepEvents } from '../../../src/hosts/edge/object/step-events.ts';
import { says, listModel } from '../../support/turns/play-turns.ts';

const open = (eventWorkMs: number) =>
  createStepEvents('resume', {
    isHeld: () => false,
    onWait: () => undefined,
    admit: async () => undefined,
    eventWorkMs,
  });

/** Has it been let go by now? */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  return Promise.race([waiting.then(() => true), Promise.resolve().then(() => false)]);
}

const { signal } = new AbortController();

it('lets a call wait for the next event once the work of this one is done', async () => {
  const events = open(100);
  expect(events.open()).toBe(false);
  await events.steps.nextCall(signal);
  events.spend(99);
  await events.steps.nextCall(signal);
  events.spend(1);
  const next = events.steps.nextCall(signal);
  expect(await isOver(next)).toBe(false);
  expect(await events.whenPaused(() => Promise.resolve())).toBe('more');
  expect(events.open()).toBe(true);
  await next;
  await events.steps.nextCall(signal);
});

it('counts the characters that go to a model, and come from it', async () => {
  const counts: number[] = [];
  const model = listModel('claude-test', [says('four')]);
  const counted = createCountedModel(model, (count) => void counts.push(count));
  expect([counted.name, counted.contextWindow]).toEqual([model.name, model.contextWindow]);
  const messages = [{ role: 'user', content: 'x'.repeat(50) }] as const;
  const events = [];
  for await (const event of counted.stream({ system: [], messages, tools: [] }, { signal })) {
    events.push(event);
  }
  // The words `user` beside the text.
  expect(counts[0]).toBe(54);
  expect(counts).toHaveLength(1 + events.length);
});
