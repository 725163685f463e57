// LSP by TypeScript's own language service, over projects of a workspace in memory.
import { afterAll, describe, expect, it } from 'vitest';
import { query } from '../../src/agent/query.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import type { PathAccessRule } from '../../src/core/access/path-access.ts';
import { createLanguageServers } from '../../src/hosts/language-servers.ts';
import { createTypeScriptService } from '../../src/lsp/typescript-service.ts';
import type { LspOutput } from '../../src/tools/lsp/schema.ts';
import { lspTool } from '../../src/tools/lsp/tool.ts';
import { createLspWorker } from '../../src/tools/lsp/worker.ts';
import { createToolBench } from '../support/stages/run-tool.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

// One for all tests, as a host has one for all sessions: what it keeps of one workspace must not show in another.
const service = createTypeScriptService({ typescript: () => import('typescript') });
afterAll(() => service.release?.());

const config = JSON.stringify({
  compilerOptions: { strict: true, target: 'es2022', lib: ['es2022'], module: 'esnext', types: [] },
  include: ['src'],
});

const project = {
  'tsconfig.json': config,
  'src/shape.ts': `/** What has an area. */
export interface Shape {
  area(): number;
}
export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number {
    return this.side ** 2;
  }
}
`,
  'src/main.ts': `import { Square, type Shape } from './shape';
export function total(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0);
}
export const all = total([new Square(2)]);
`,
};

async function open(
  files: Readonly<Record<string, string>>,
  rules: readonly PathAccessRule[] = [],
) {
  const bench = await createToolBench(files, {
    rules,
    entries: [{ name: 'LSP', load: () => Promise.resolve(createLspWorker([service])) }],
    limits: { timeoutMs: 60_000 },
  });
  const ask = async (operation: string, input: Record<string, unknown> = {}) =>
    (await bench.call('LSP', { operation, ...input })) as LspOutput;
  return { ...bench, ask };
}

const at = (file: string, line: number, character: number) => ({
  file_path: file,
  line,
  character,
});

const textOf = (output: LspOutput) =>
  lspTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content;

describe('LSP', () => {
  it('answers all its operations about a project', async () => {
    const { ask, progress } = await open(project);
    expect(textOf(await ask('diagnostics'))).toBe(
      'No errors and no warnings (typescript, tsconfig.json).',
    );
    expect(progress).toContainEqual({ message: 'checking 2 files' });
    expect(textOf(await ask('definition', at('src/main.ts', 1, 10)))).toBe(
      '/work/src/shape.ts:5:14: export class Square implements Shape {\n\n' +
        '(1 in 1 file; typescript, tsconfig.json.)',
    );
    expect((await ask('references', at('src/shape.ts', 2, 18))).locations).toEqual([
      { path: '/work/src/shape.ts', line: 2, character: 18, text: 'export interface Shape {' },
      {
        path: '/work/src/shape.ts',
        line: 5,
        character: 32,
        text: 'export class Square implements Shape {',
      },
      {
        path: '/work/src/main.ts',
        line: 1,
        character: 23,
        text: "import { Square, type Shape } from './shape';",
      },
      {
        path: '/work/src/main.ts',
        line: 2,
        character: 40,
        text: 'export function total(shapes: readonly Shape[]): number {',
      },
    ]);
    expect(textOf(await ask('hover', at('src/shape.ts', 2, 18)))).toBe(
      '```typescript\ninterface Shape\n```\nWhat has an area.',
    );
    expect((await ask('implementation', at('src/shape.ts', 3, 3))).locations).toMatchObject([
      { path: '/work/src/shape.ts', line: 7, character: 3 },
    ]);
    expect(textOf(await ask('documentSymbols', { file_path: 'src/shape.ts' }))).toBe(
      [
        'interface Shape (/work/src/shape.ts:2:18)',
        '  method area (/work/src/shape.ts:3:3)',
        'class Square (/work/src/shape.ts:5:14)',
        '  constructor constructor (/work/src/shape.ts:6:3)',
        '  property side (/work/src/shape.ts:6:24)',
        '  method area (/work/src/shape.ts:7:3)',
        '',
        '(6 in 1 file; typescript, tsconfig.json.)',
      ].join('\n'),
    );
    expect((await ask('workspaceSymbols', { query: 'Squ' })).symbols).toMatchObject([
      { name: 'Square', kind: 'class', path: '/work/src/shape.ts', line: 5 },
    ]);
    expect((await ask('incomingCalls', at('src/main.ts', 2, 17))).symbols).toMatchObject([
      { path: '/work/src/main.ts', line: 5 },
    ]);
    expect((await ask('outgoingCalls', at('src/main.ts', 2, 17))).symbols).toMatchObject([
      { name: 'reduce' },
      { name: 'area', path: '/work/src/shape.ts', line: 3 },
    ]);
  });

  it('is of the files as they are at each call: edited, made, removed, put back', async () => {
    const { ask, write, workspace } = await open(project);
    const main = { file_path: 'src/main.ts' };
    expect((await ask('diagnostics', main)).total).toBe(0);
    await write('/work/src/shape.ts', project['src/shape.ts'].replaceAll('area()', 'size()'));
    expect((await ask('diagnostics', main)).diagnostics).toEqual([
      {
        path: '/work/src/main.ts',
        line: 3,
        character: 52,
        text: '  return shapes.reduce((sum, shape) => sum + shape.area(), 0);',
        severity: 'error',
        code: 'ts2339',
        message: "Property 'area' does not exist on type 'Shape'.",
      },
    ]);
    await workspace.fs.rm('/work/src/shape.ts');
    expect((await ask('diagnostics', main)).diagnostics).toMatchObject([
      { code: 'ts2307', line: 1 },
    ]);
    await write('/work/src/shape.ts', project['src/shape.ts']);
    expect((await ask('diagnostics', main)).total).toBe(0);
    // Of no file of the project: only the place where it was looked for tells.
    await write('/work/src/main.ts', `import { x } from 'left';\nexport const y: string = x;\n`);
    expect((await ask('diagnostics', main)).diagnostics).toMatchObject([{ code: 'ts2307' }]);
    await write('/work/node_modules/left/index.d.ts', 'export const x: number;\n');
    expect((await ask('diagnostics', main)).diagnostics).toMatchObject([
      { code: 'ts2322', line: 2, message: "Type 'number' is not assignable to type 'string'." },
    ]);
  });

  it('takes the nearest tsconfig, what it extends, its paths, and projects that it refers to', async () => {
    const { ask } = await open({
      'tsconfig.base.json': JSON.stringify({
        compilerOptions: { strict: true, module: 'esnext', moduleResolution: 'bundler', types: [] },
      }),
      'packages/app/tsconfig.json': JSON.stringify({
        files: [],
        references: [{ path: './tsconfig.app.json' }],
      }),
      'packages/app/tsconfig.app.json': JSON.stringify({
        extends: '../../tsconfig.base.json',
        compilerOptions: { composite: true, paths: { '@kit/*': ['../kit/src/*'] } },
        include: ['src', '../kit/src'],
      }),
      'packages/app/src/app.ts': `import { name } from '@kit/name';\nexport const wrong: number = name;\n`,
      'packages/kit/src/name.ts': `export const name = 'kit';\n`,
    });
    const output = await ask('diagnostics', { file_path: 'packages/app/src/app.ts' });
    expect(output.scope).toBe('packages/app/tsconfig.app.json');
    expect(output.diagnostics).toMatchObject([{ code: 'ts2322', line: 2 }]);
    expect((await ask('definition', at('packages/app/src/app.ts', 1, 10))).locations).toMatchObject(
      [{ path: '/work/packages/kit/src/name.ts', line: 1, character: 14 }],
    );
  });

  it('asks all projects that a config without files refers to, as those of new Vite projects do', async () => {
    const options = { strict: true, module: 'esnext', noEmit: true, types: [] };
    const { ask } = await open({
      'tsconfig.json': JSON.stringify({
        files: [],
        references: [{ path: './tsconfig.app.json' }, { path: './tsconfig.node.json' }],
      }),
      'tsconfig.app.json': JSON.stringify({ compilerOptions: options, include: ['src'] }),
      'tsconfig.node.json': JSON.stringify({ compilerOptions: options, include: ['*.ts', 'src'] }),
      'src/app.ts': 'export const wrong: number = "app";\n',
      'vite.config.ts': 'export const wrong: number = "vite";\n',
    });
    const scope = 'tsconfig.json and the 2 projects that it refers to';
    const places = [{ path: '/work/src/app.ts' }, { path: '/work/vite.config.ts' }];
    expect(await ask('diagnostics')).toMatchObject({ scope, total: 2, diagnostics: places });
    expect(await ask('workspaceSymbols', { query: 'wrong' })).toMatchObject({
      total: 2,
      symbols: places,
    });
  });

  it('reads the sources of projects that one refers to, whether they are built or not', async () => {
    const config = (more: object) =>
      JSON.stringify({
        compilerOptions: {
          strict: true,
          composite: true,
          outDir: 'dist',
          rootDir: 'src',
          types: [],
        },
        include: ['src'],
        ...more,
      });
    const { ask, write } = await open({
      'core/tsconfig.json': config({}),
      'core/src/add.ts': 'export const add = (a: number, b: number): number => a + b;\n',
      'app/tsconfig.json': config({ references: [{ path: '../core' }] }),
      'app/src/main.ts': `import { add } from '../../core/src/add';\nexport const sum: number = add(1, 2);\n`,
    });
    const diagnose = async () => (await ask('diagnostics', { file_path: 'app/src/main.ts' })).total;
    expect(await diagnose()).toBe(0);
    expect((await ask('definition', at('app/src/main.ts', 1, 10))).locations).toMatchObject([
      { path: '/work/core/src/add.ts', line: 1, character: 14 },
    ]);
    await write(
      '/work/core/src/add.ts',
      'export const add = (a: number, b: number) => `${a}${b}`;\n',
    );
    expect(await diagnose()).toBe(1);
  });

  it('follows a package.json that says otherwise where a module is', async () => {
    const manifest = (types: string) =>
      JSON.stringify({ name: 'kit', exports: { '.': { types } } });
    const { ask, write } = await open({
      'tsconfig.json': JSON.stringify({
        compilerOptions: { strict: true, module: 'esnext', moduleResolution: 'bundler', types: [] },
        include: ['src'],
      }),
      'node_modules/kit/package.json': manifest('./a.d.ts'),
      'node_modules/kit/a.d.ts': 'export declare const value: string;\n',
      'node_modules/kit/b.d.ts': 'export declare const value: number;\n',
      'src/main.ts': `import { value } from 'kit';\nexport const text: string = value;\n`,
    });
    const diagnose = async () => (await ask('diagnostics', { file_path: 'src/main.ts' })).total;
    expect(await diagnose()).toBe(0);
    await write('/work/node_modules/kit/package.json', manifest('./b.d.ts'));
    expect(await diagnose()).toBe(1);
    await write('/work/node_modules/kit/package.json', manifest('./a.d.ts'));
    expect(await diagnose()).toBe(0);
  });

  it('shows the language’s own declarations, which can’t be opened', async () => {
    const { ask } = await open(project);
    const output = await ask('definition', at('src/main.ts', 3, 17));
    expect(output.locations?.[0]).toMatchObject({
      path: 'typescript-lib:/lib.es5.d.ts',
      text: expect.stringContaining('reduce'),
    });
  });

  it('knows nothing of what rules deny', async () => {
    const { ask } = await open(
      {
        ...project,
        'src/secret.ts': `import { Square } from './shape';\nexport const secret = new Square(1);\n`,
      },
      [{ effect: 'deny', operation: 'read', glob: 'src/secret.ts' }],
    );
    const found = await ask('references', at('src/shape.ts', 5, 14));
    expect(found.locations?.map(({ path }) => path)).not.toContain('/work/src/secret.ts');
    expect(found.total).toBe(3);
    expect((await ask('workspaceSymbols', { query: 'secret' })).total).toBe(0);
    await expect(ask('hover', at('src/secret.ts', 2, 14))).rejects.toThrow(/secret\.ts/);
  });

  it.each([
    [{ operation: 'hover' }, /hover needs file_path, line and character/],
    [{ operation: 'workspaceSymbols' }, /needs query/],
    [{ operation: 'diagnostics', query: 'x' }, /query is for workspaceSymbols/],
    [{ operation: 'diagnostics', file_path: 'a.ts', line: 3 }, /takes no line/],
    [{ operation: 'documentSymbols' }, /needs file_path/],
  ])('refuses %j before it asks', async (input, message) => {
    const checked = await lspTool.validateInput?.(lspTool.inputSchema.parse(input));
    expect(checked).toMatchObject({ result: false, message: expect.stringMatching(message) });
  });

  it.each([
    [
      { operation: 'hover', ...at('src/main.ts', 99, 1) },
      '/work/src/main.ts has 6 lines, no line 99.',
    ],
    [
      { operation: 'hover', ...at('src/shape.ts', 8, 3) },
      'No name stands at /work/src/shape.ts:8:3. On this line: return at 5, this at 12, side at 17.',
    ],
    [
      { operation: 'documentSymbols', file_path: 'style.css' },
      'No language server serves /work/style.css. There is typescript: *.ts, *.tsx, *.mts, *.cts, *.js, *.jsx, *.mjs, *.cjs. Use Grep to search its text.',
    ],
    [{ operation: 'documentSymbols', file_path: 'src' }, /\/work\/src is a directory/],
    [{ operation: 'documentSymbols', file_path: 'gone.ts' }, /gone\.ts/],
  ])('says why %j has no answer', async (input, message) => {
    const { ask } = await open({ ...project, 'style.css': '' });
    await expect(ask(input.operation, input)).rejects.toThrow(message);
  });

  it('says that there is no project, and takes a single file by TypeScript’s defaults', async () => {
    const { ask } = await open({ 'one.ts': 'export const n: number = "1";\n' });
    await expect(ask('diagnostics')).rejects.toThrow(
      /no tsconfig\.json or jsconfig\.json stands in/,
    );
    const output = await ask('diagnostics', { file_path: 'one.ts' });
    expect(output.diagnostics).toMatchObject([{ code: 'ts2322' }]);
    expect(output.scope).toBe("no tsconfig.json above the file, so TypeScript's own defaults");
  });

  it('lists 100 places and says how many there are', async () => {
    const uses = Array.from({ length: 149 }, () => 'use(n);').join('\n');
    const { ask } = await open({
      'tsconfig.json': config,
      'src/n.ts': `declare function use(n: number): void;\nconst n = 1;\n${uses}\n`,
    });
    const output = await ask('references', at('src/n.ts', 2, 7));
    expect(output).toMatchObject({ total: 150, files: 1 });
    expect(output.locations).toHaveLength(100);
    expect(textOf(output)).toContain('(150 in 1 file; typescript, tsconfig.json. The first 100');
  });

  it('refuses a compiler without a language service, and says which to take', async () => {
    const none = createTypeScriptService({ typescript: () => Promise.resolve({ version: '7' }) });
    const bench = await createToolBench(project, {
      entries: [{ name: 'LSP', load: () => Promise.resolve(createLspWorker([none])) }],
    });
    await expect(bench.call('LSP', { operation: 'diagnostics' })).rejects.toThrow(
      /install @typescript\/typescript6/,
    );
  });

  it('is found, called and answered in a session of a host that has it, and is in no other', async () => {
    const run = async (languageServers: Parameters<typeof createInlineHost>[0]) => {
      await using host = await createInlineHost(languageServers);
      await host.workspace.fs.writeFile('/workspace/a.ts', 'export const n: number = "1";\n');
      const model = listModel('list', [
        asks(toolUse('one', 'LSP', { operation: 'diagnostics', file_path: 'a.ts' })),
        says('Done.'),
      ]);
      for await (const _ of query({ prompt: 'Go.', options: { host, model, toolSearch: false } }));
      return JSON.stringify(model.requests[1]?.messages.at(-1));
    };
    expect(await run({ languageServers: createLanguageServers([service]) })).toContain(
      "/workspace/a.ts:1:14 error ts2322: Type 'string' is not assignable to type 'number'.",
    );
    expect(await run({})).toContain('There is no tool named LSP');
  });
});
