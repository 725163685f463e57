/** The README and the docs show what is really there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { matcherFields } from '../../src/agent/hooks/hook-events.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('README.md', () => {
  // test/browser/embed-example.browser.test.ts runs that file; tsconfig.test.json compiles it.
  it('shows docs/examples/embed.ts, in 15 lines, as its one example of code', () => {
    const examples = [...read('README.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, code]) => code,
    );
    expect(examples).toEqual([read('docs/examples/embed.ts')]);
    expect(examples[0]?.trimEnd().split('\n')).toHaveLength(15);
  });

  it('names only npm commands that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [
      ...read('README.md').matchAll(/\bnpm (?:run (?:--silent )?([\w:]+)|(start|test))/g),
    ];
    const names = new Set(named.map(([, script, short]) => script ?? short));
    expect([...names].filter((name) => !(String(name) in scripts))).toEqual([]);
    expect(names.size).toBeGreaterThanOrEqual(4);
  });

  it('links only to files that are there', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)];
    for (const [, path = ''] of links)
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(links.length).toBeGreaterThan(0);
  });
});

describe('docs/hooks.md', () => {
  // test/unit/agent/hooks/hooks-example.node.test.ts runs that file.
  it('shows docs/examples/hooks.ts as its one example of code', () => {
    const examples = [...read('docs/hooks.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(examples.map(([, code]) => code)).toEqual([read('docs/examples/hooks.ts')]);
  });

  it('says of every event whether it fires', () => {
    const text = read('docs/hooks.md');
    const unnamed = Object.keys(matcherFields).filter((event) => !text.includes(`\`${event}\``));
    expect(unnamed).toEqual([]);
  });
});

describe('docs/workspace.md', () => {
  // test/browser/workspace-example.browser.test.ts runs that file.
  it('shows docs/examples/workspace.ts as its one example of code', () => {
    const examples = [...read('docs/workspace.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(examples.map(([, code]) => code)).toEqual([read('docs/examples/workspace.ts')]);
  });
});
