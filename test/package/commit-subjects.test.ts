/** The check of commits' subjects. */
import { describe, expect, it } from 'vitest';
import { findBadSubjects } from '../../scripts/commit-subjects.ts';

describe('commit subjects', () => {
  it('are short, and name their area', () => {
    const long = `core: ${'x'.repeat(67)}`;
    expect(
      findBadSubjects(['core: a glob is matched in linear time', 'search, hosts: one list']),
    ).toEqual([]);
    expect(findBadSubjects(['Merge branch x', 'fixed it', long])).toEqual([
      '"fixed it" names no area: write "area: what is now true".',
      `"${long}" has 73 characters: 72 at most, the rest below.`,
    ]);
  });
});
