/** Each house rule finds its breach, and leaves alone what only looks like one. */
import { describe, expect, it } from 'vitest';
import { findBreaches } from '../../scripts/house-rules.ts';

const rulesOf = (path: string, text: string) =>
  findBreaches(path, text).map(({ rule, line }) => `${rule}:${line}`);

describe('house rules', () => {
  it.each([
    ['kebab-case:0', 'src/core/createTool.ts', ''],
    ['no-index:0', 'src/core/index.ts', ''],
    ['no-drawer:0', 'src/core/utils.ts', ''],
    ['no-default-export:2', 'src/core/tool/tool.ts', '\nexport default 1;'],
    ['zod-namespace:1', 'src/core/tool/tool.ts', "import { z } from 'zod';"],
    ['zod-namespace:1', 'src/core/tool/tool.ts', "import * as z from 'zod/v4';"],
    ['suppression-with-a-reason:1', 'src/a.ts', `// oxlint${'-disable'}-next-line no-eval`],
    ['suppression-with-a-reason:1', 'src/a.ts', `// @ts${'-ignore'} because`],
    ['suffix:1', 'src/core/tool/tool.ts', "import { a } from './a';"],
    ['no-using:1', 'src/core/tool/tool.ts', '  using file = open();'],
    ['no-using:1', 'src/core/tool/tool.ts', '  await using file = open();'],
    ['buffer-in-one-file:1', 'src/core/a.ts', "import { Buffer } from 'buffer';"],
    ['buffer-in-one-file:1', 'src/core/a.ts', "const git = await import('isomorphic-git');"],
    ['worker-url:0', 'src/a.ts', "const url = new URL('./fs.worker.ts', import.meta.url);"],
    ['tool-by-name:1', 'src/agent/a.ts', "if (call.tool.name === 'Read') grant();"],
    ['tool-by-name:1', 'src/react/a.tsx', "return toolName !== 'Repl';"],
    ['length:0', 'src/core/tool/tool.ts', '\n'.repeat(601)],
    ['test-length:0', 'test/unit/core/tool.test.ts', '\n'.repeat(401)],
    ['no-workplace:1', 'docs/architecture.md', `see ${'/home'}/me/notes`],
  ])('finds %s in %s', (breach, path, text) => {
    expect(rulesOf(path, text)).toEqual([breach]);
  });

  it.each([
    ['src/index.ts', "export { a } from './core/a.ts';"],
    ['src/tools/read/view.tsx', "import * as z from 'zod';"],
    ['src/core/tool/tool.ts', "import type * as z from 'zod';"],
    ['src/workspace/git/remote/isomorphic-git.ts', "import { Buffer } from 'buffer';"],
    ['src/workspace/git/remote/http.ts', "import type { HttpClient } from 'isomorphic-git';"],
    ['src/core/permissions/rule.ts', "if (typeof rule.toolName === 'string') read(rule);"],
    ['src/tools/read/tool.ts', "const isOwn = toolName === 'Read';"],
    ['src/core/tool/tool.ts', '// oxlint-disable-next-line no-eval -- the sandbox is the point'],
    ['src/hosts/browser/host.ts', "new Worker(new URL('./a.worker.ts', import.meta.url), {})"],
    ['src/hosts/browser/fs-worker/fs.worker.ts', "import { a } from '../../core/a.ts';"],
    ['demo/main.tsx', "import wasm from './quickjs.wasm?url';\nimport './main.css';"],
    ['test/unit/core/tool.test.ts', "it('is short by default', () => {});"],
    ['vite.config.ts', 'export default defineConfig({});'],
    ['README.md', 'any text, using it as you like'],
  ])('finds nothing in %s: %s', (path, text) => {
    expect(rulesOf(path, text)).toEqual([]);
  });

  it('lets a line off that says why, on itself or above', () => {
    const text = 'export default 1; // house-rule: no-default-export: a config file asks for it';
    expect(rulesOf('src/a.ts', text)).toEqual([]);
    expect(rulesOf('src/a.ts', '// house-rule: no-default-export: why\nexport default 1;')).toEqual(
      [],
    );
    expect(rulesOf('src/a.ts', 'export default 1; // house-rule: no-default-export:')).toEqual([
      'no-default-export:1',
    ]);
  });
});
