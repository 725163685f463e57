import { describe, expect, it } from 'vitest';
import { editDistance } from '../../../../src/core/text/edit-distance.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['Read', 'Read', 0],
    ['', 'Read', 4],
    ['Read', '', 4],
    ['Raed', 'Read', 2],
    ['Reed', 'Read', 1],
    ['Grep', 'Grrep', 1],
    ['kitten', 'sitting', 3],
  ])('counts what it takes to make %j of %j: %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
    expect(editDistance(to, from)).toBe(distance);
  });
});
