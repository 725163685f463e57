// The time of a search where the clock stands still while it computes.
import { expect, it } from 'vitest';
import { createSearchClock } from '../../../src/search/deadline.ts';

it('counts how often it is asked again while the clock stands, and forgets that when it moves', () => {
  let time = 1_000;
  const noted: number[] = [];
  const counts = { checksPerMs: 0.5, noteWork: (ms: number) => void noted.push(ms) };
  const now = createSearchClock(counts, () => time);
  expect([now(), now(), now()]).toEqual([1_000, 1_002, 1_004]);
  time = 1_020;
  expect([now(), now()]).toEqual([1_022, 1_024]);
  expect(noted).toEqual([2, 2, 2, 2]);
});

it('is the clock alone where nothing says how often it is asked', () => {
  const now = createSearchClock({}, () => 7);
  expect([now(), now()]).toEqual([7, 7]);
});
