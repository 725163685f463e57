// Our Grep over the fixture, against what ripgrep 15.1 answered (ripgrep.node.test.ts records it).
import { describe, expect, it } from 'vitest';
import recorded from '../../fixtures/search/ripgrep.json' with { type: 'json' };
import { askGrep, createSearchBench } from '../../support/search/ask-grep.ts';
import { searchQueries } from '../../support/search/search-fixture.ts';

describe('Grep answers as ripgrep does', async () => {
  const bench = await createSearchBench();

  it.each(recorded.map((answer) => [JSON.stringify(answer.query), answer] as const))(
    '%s',
    async (_query, { query, ...answer }) => {
      expect(await askGrep(bench, query as (typeof searchQueries)[number])).toEqual(answer);
    },
  );

  it('has an answer for each query', () => {
    expect(recorded.map(({ query }) => query)).toEqual(searchQueries);
  });
});
