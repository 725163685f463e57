/** The README and the docs show what is really there. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { matcherFields } from '../../src/agent/hooks/hook-events.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('README.md', () => {
  // test/browser/examples/embed.browser.test.ts runs that file; tsconfig.test.json compiles it.
  it('shows docs/examples/embed.ts, in eleven lines, as its one example of code', () => {
    const examples = [...read('README.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, code]) => code,
    );
    expect(examples).toEqual([read('docs/examples/embed.ts')]);
    expect(examples[0]?.trimEnd().split('\n')).toHaveLength(11);
  });

  it('has nine points of at most 15 words, each with a link', () => {
    const points = [...read('README.md').matchAll(/^- (.*)$/gm)].map(([, point = '']) => point);
    expect(points).toHaveLength(9);
    const words = (point: string) => point.replace(/\]\([^)]*\)/g, ']').split(/\s+/).length;
    expect(points.filter((point) => words(point) > 15 || !point.includes(']('))).toEqual([]);
  });
});

describe.each([
  { document: 'README.md', commands: 2 },
  { document: 'CONTRIBUTING.md', commands: 4 },
  { document: 'docs/embedding.md', commands: 1 },
])('$document', ({ document, commands }) => {
  it('names only npm commands that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [
      ...read(document).matchAll(/\bnpm (?:run (?:--silent )?([\w:]+)|(start|test))/g),
    ];
    const names = new Set(named.map(([, script, short]) => script ?? short));
    expect([...names].filter((name) => !(String(name) in scripts))).toEqual([]);
    expect(names.size).toBeGreaterThanOrEqual(commands);
  });

  it('links only to files that are there', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)];
    for (const [, path = ''] of links)
      expect([path, existsSync(join(root, dirname(document), path))]).toEqual([path, true]);
    expect(links.length).toBeGreaterThan(0);
  });
});

describe('CONTRIBUTING.md', () => {
  it('fits on one screen', () => {
    expect(read('CONTRIBUTING.md').split('\n').length).toBeLessThanOrEqual(60);
  });
});

describe('docs/git.md', () => {
  // test/unit/workspace/git/git-example.node.test.ts and test/unit/git/remote-example.node.test.ts run them.
  it('shows docs/examples/git.ts, git-remotes.ts and git-forge.ts, piece by piece', () => {
    const examples = [...read('docs/git.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(examples.map(([, code]) => code).join('\n')).toBe(
      ['git', 'git-remotes', 'git-forge']
        .map((name) => read(`docs/examples/${name}.ts`))
        .join('\n'),
    );
  });
});

describe('docs/edge.md', () => {
  // scripts/package-worker.ts runs the one, and scripts/cloudflare-agents.ts compiles the other.
  it('shows pieces of demo/edge and of the lane with agents, each as it stands there', () => {
    // Prettier moves a piece to the margin.
    const unindented = (code: string) => code.replaceAll(/^ +/gm, '');
    const shown = ['demo/edge/src/worker.ts', 'test/cloudflare-agents/assistant.ts']
      .map((path) => unindented(read(path)))
      .join('');
    const pieces = [...read('docs/edge.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(pieces.filter(([, code = '']) => !shown.includes(unindented(code)))).toEqual([]);
    expect(pieces).toHaveLength(4);
  });
});

describe('docs/hooks.md', () => {
  // test/unit/agent/hooks/hooks-example.node.test.ts runs that file.
  it('shows docs/examples/hooks.ts as its one example of code', () => {
    const examples = [...read('docs/hooks.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(examples.map(([, code]) => code)).toEqual([read('docs/examples/hooks.ts')]);
  });

  const text = read('docs/hooks.md');
  const between = (start: string, end: string) => text.split(start)[1]?.split(end)[0] ?? '';
  const eventsIn = (part: string) =>
    [...part.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) =>
      name in matcherFields ? [name] : [],
    );
  /** The first two columns of a table. */
  const rowsIn = (part: string) =>
    [...part.matchAll(/^\| ([^|]*?) +\| ([^|]*?) +\|/gm)].map(([, first = '', second = '']) => ({
      events: eventsIn(first),
      second,
    }));
  const firing = rowsIn(between('## The events', '`additionalContext` of hooks'));
  const waiting = rowsIn(between("**don't fire yet**", 'And these have'));
  const senseless = eventsIn(between('**no meaning here**', '## Before a call'));

  it('says of every event once whether it fires', () => {
    const named = [...firing, ...waiting].flatMap(({ events }) => events);
    expect([...named, ...senseless].sort()).toEqual(Object.keys(matcherFields).sort());
  });

  it('has in the table of those that fire what the code fires, and no other', () => {
    const code = [
      read('src/agent/hooks/call-hooks.ts'),
      read('src/agent/hooks/create-hooks.ts'),
      // The events of the task list are named by its tools.
      read('src/core/tool/announced-task.ts'),
    ];
    const fired = Object.keys(matcherFields).filter((event) => code.join().includes(`'${event}'`));
    expect(firing.flatMap(({ events }) => events).sort()).toEqual(fired.sort());
  });

  it('says what the matcher of each is held against', () => {
    const columns: Readonly<Record<string, string>> = {
      '–': 'nothing',
      tool: 'tool_name',
      server: 'mcp_server_name',
      'the error': 'error',
      why: 'load_reason',
      '`startup`, `resume`, `fork`, `clear`, `compact`': 'source',
      command: 'command_name',
      '`manual`, `auto`': 'trigger',
      '`permission_prompt`': 'notification_type',
      "the agent's type": 'agent_type',
      "the file's name": 'file_path',
      "the new model's name": 'to_model',
      'the source': 'source',
      '`clear`, `other`': 'reason',
    };
    const said = firing.flatMap(({ events, second }) =>
      events.map((event) => [event, columns[second]]),
    );
    const fields: Readonly<Record<string, string | null>> = matcherFields;
    expect(said).toEqual(said.map(([event]) => [event, fields[String(event)] ?? 'nothing']));
  });
});

describe('README.md, CONTRIBUTING.md and docs/', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];

  it('name only files and folders of src and test that are there', () => {
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/`((?:src|test)\/[^`\s]*)`/g)].map(([, path = '']) => ({
        document,
        path,
      })),
    );
    // `test/e2e/tab/bad-input*.node.test.ts` is several files.
    expect(named.filter(({ path }) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });
});

describe('docs/workspace.md', () => {
  // test/browser/examples/workspace.browser.test.ts runs that file.
  it('shows docs/examples/workspace.ts as its one example of code', () => {
    const examples = [...read('docs/workspace.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    expect(examples.map(([, code]) => code)).toEqual([read('docs/examples/workspace.ts')]);
  });
});

describe('docs/testing.md', () => {
  // test/unit/hosts/testing-example.node.test.ts runs that file.
  it('shows docs/examples/testing.ts, in 30 lines at most, as its first example of code', () => {
    const [shown] = read('docs/testing.md').match(/(?<=^```ts\n).*?(?=^```$)/ms) ?? [];
    expect(shown).toBe(read('docs/examples/testing.ts'));
    expect(shown?.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });
});

describe('docs/mcp.md', () => {
  // test/unit/mcp/remote-servers.node.test.ts runs that file.
  it('shows docs/examples/mcp.ts and mcp-login.ts', () => {
    const examples = [...read('docs/mcp.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    const files = ['mcp', 'mcp-login'].map((name) => read(`docs/examples/${name}.ts`));
    expect(examples.map(([, code]) => code)).toEqual(files);
  });
});

describe('docs/embedding.md', () => {
  it('shows docs/examples/read-messages.ts, projects.ts and own-files.ts', () => {
    const examples = [...read('docs/embedding.md').matchAll(/^```ts\n(.*?)^```$/gms)];
    const files = ['read-messages', 'projects', 'own-files'].map((name) =>
      read(`docs/examples/${name}.ts`),
    );
    expect(examples.map(([, code]) => code)).toEqual(files);
  });

  it('names each kind of file that the demo, which uses all of the package, may load', () => {
    // The demo's fonts are its own.
    const isOwn = (name: string) => name === 'font-src';
    const allowed = contentSecurityPolicy
      .split('; ')
      .filter((directive) => /-src (?!'none')/.test(directive))
      .map((directive) => directive.split(' ', 1)[0]!)
      .filter((name) => !isOwn(name));
    const named = [...read('docs/embedding.md').matchAll(/^\| `([a-z]+-src) /gm)];
    expect(named.map(([, name]) => name!).toSorted()).toEqual(allowed.toSorted());
  });
});

describe('docs/react.md', () => {
  // test/browser/examples/react.browser.test.tsx runs that file.
  it('shows docs/examples/react-panel.tsx and own-view.tsx', () => {
    const examples = [...read('docs/react.md').matchAll(/^```tsx\n(.*?)^```$/gms)];
    const files = ['react-panel', 'own-view'].map((name) => read(`docs/examples/${name}.tsx`));
    expect(examples.map(([, code]) => code)).toEqual(files);
  });
});
