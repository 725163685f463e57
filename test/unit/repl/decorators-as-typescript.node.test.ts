// What decorators do in a cell is what TypeScript makes of them. Each program runs as TypeScript
// compiles it, and in a session of a project with the same options.
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRepl, type ReplBench } from '../../support/repl/repl.ts';
import { legacyPrograms, prelude, standardPrograms } from './decorator-programs.ts';

const legacy = { experimentalDecorators: true };
const projects = [
  ['the decorators of before', legacyPrograms, legacy],
  ['their metadata', legacyPrograms, { ...legacy, emitDecoratorMetadata: true }],
  [
    'their metadata where null counts',
    legacyPrograms,
    { ...legacy, emitDecoratorMetadata: true, strictNullChecks: true },
  ],
  [
    'the decorators of before on fields that are assigned',
    legacyPrograms,
    { ...legacy, emitDecoratorMetadata: true, useDefineForClassFields: false },
  ],
  ['the decorators of the language', standardPrograms, {}],
  [
    'the decorators of the language on fields that are assigned',
    standardPrograms,
    { useDefineForClassFields: false },
  ],
] as const;

function runAsTypescript(source: string, options: ts.CompilerOptions): unknown {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    strictNullChecks: false,
    useDefineForClassFields: true,
    ...options,
  };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  const text: unknown = runInNewContext(
    `'use strict';(() => {${outputText}\nreturn JSON.stringify(log);})()`,
  );
  return JSON.parse(String(text));
}

describe.each(projects)('%s', (_, programs, options) => {
  let repl: ReplBench;
  beforeAll(async () => {
    const files = Object.entries(programs).map(([name, program]) => [
      `${name}.ts`,
      `${prelude}${program}\nexport { log };`,
    ]);
    repl = await openRepl({
      ...Object.fromEntries(files),
      'tsconfig.json': JSON.stringify({ compilerOptions: { target: 'es2022', ...options } }),
    });
  }, 30_000);

  it.each(Object.entries(programs))('are as TypeScript makes them: %s', async (name, program) => {
    const { value, error } = await repl.run(
      `const { log } = await import('./${name}.ts'); JSON.stringify(log)`,
    );
    expect(error).toBeUndefined();
    expect(JSON.parse(String(value))).toEqual(runAsTypescript(prelude + program, options));
  });
});
