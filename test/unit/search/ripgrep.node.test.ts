// Real ripgrep 15.1 (from npm, as wasm) as the judge of the recorded answers.
// To record them anew after a change of the fixture: RECORD_RIPGREP=1 npx vitest run <this file>.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import recorded from '../../fixtures/search/ripgrep.json' with { type: 'json' };
import { askRipgrep, createRipgrep, writeTree } from '../../support/search/ripgrep.ts';
import { searchFixture, searchQueries } from '../../support/search/search-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'ripgrep-'));
writeTree(directory, searchFixture);
const ripgrep = createRipgrep(directory);
afterAll(() => rmSync(directory, { recursive: true }));

describe('ripgrep', () => {
  it('gives the recorded answers', { timeout: 600_000 }, async () => {
    const answers: unknown[] = [];
    for (const query of searchQueries) {
      answers.push({ query, ...(await askRipgrep(ripgrep, query, searchFixture)) });
    }
    if (process.env['RECORD_RIPGREP']) {
      const file = new URL('../../fixtures/search/ripgrep.json', import.meta.url);
      writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`);
      return;
    }
    expect(answers).toEqual(recorded);
  });
});
