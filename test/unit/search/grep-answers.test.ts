// Our Grep over the fixture, against what ripgrep 15.1 answered (ripgrep.node.test.ts records it).
import { describe, expect, it } from 'vitest';
import recorded from '../../fixtures/search/ripgrep.json' with { type: 'json' };
import { askGrep, createSearchBench } from '../../support/search/ask-grep.ts';
import { isKnownOfEngine } from '../../support/search/known-differences.ts';
import { searchQueries } from '../../support/search/search-fixture.ts';

describe('Grep answers as ripgrep does', async () => {
  const bench = await createSearchBench();

  it.for(recorded.map((answer) => [JSON.stringify(answer.query), answer] as const))(
    '%s',
    async ([, { query: asked, ...answer }], { skip }) => {
      const query = asked as (typeof searchQueries)[number];
      skip(isKnownOfEngine(query), 'see the known differences in docs/search.md');
      expect(await askGrep(bench, query)).toEqual(answer);
    },
  );

  it('has an answer for each query', () => {
    expect(recorded.map(({ query }) => query)).toEqual(searchQueries);
  });
});
