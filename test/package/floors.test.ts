/** The floors and cycles check, on a copy of this tree's core, and on a small tree with a seeded breach. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFloors } from '../../scripts/floors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'floors-'));
});

afterEach(() => rmSync(copy, { recursive: true }));

function seed(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

describe('floors', () => {
  // Of the whole src the lane `floors` says the same.
  it('reads every module of core and finds no breach', async () => {
    cpSync(join(root, 'src/core'), join(copy, 'src/core'), { recursive: true });
    const report = await checkFloors(copy);
    expect(report.breaches).toEqual([]);
    expect(report.modules).toBe(report.files);
    expect(report.modules).toBeGreaterThan(20);
  });

  it('finds each kind of forbidden import, of values and of types', async () => {
    seed('src/core/seed-a.ts', `import '../agent/seed-b.ts';\n`);
    seed('src/agent/seed-b.ts', `export type { Seed } from '../workspace/seed-c.ts';\n`);
    seed('src/workspace/seed-c.ts', `import * as z from 'zod';\nexport type Seed = z.ZodType;\n`);
    seed('src/tools/seed-one/tool.ts', `import '../seed-two/schema.ts';\n`);
    seed('src/tools/seed-two/schema.ts', `export const seed = 2;\n`);
    seed('src/react/seed-d.ts', `void import('../agent/seed-b.ts');\n`);
    seed('src/hosts/edge/seed-e.ts', `import '../browser/seed-f.ts';\n`);
    seed('src/hosts/browser/seed-f.ts', `export const seed = 1;\n`);
    seed('src/workspace/files/seed-g.ts', `import '../log/seed-h.ts';\n`);
    seed('src/workspace/log/seed-h.ts', `export const seed = 1;\n`);

    expect((await checkFloors(copy)).breaches.toSorted()).toEqual([
      'src/agent/seed-b.ts imports src/workspace/seed-c.ts: not allowed on the floor "agent" (scripts/floors-table.ts)',
      'src/core/seed-a.ts imports src/agent/seed-b.ts: not allowed on the floor "core" (scripts/floors-table.ts)',
      'src/hosts/edge/seed-e.ts imports src/hosts/browser/seed-f.ts: not allowed on the floor "host" (scripts/floors-table.ts)',
      'src/react/seed-d.ts imports src/agent/seed-b.ts: not allowed on the floor "react" (scripts/floors-table.ts)',
      'src/tools/seed-one/tool.ts imports src/tools/seed-two/schema.ts: not allowed on the floor "tool" (scripts/floors-table.ts)',
      'src/workspace/files/seed-g.ts imports src/workspace/log/seed-h.ts: not allowed on the floor "workspace files" (scripts/floors-table.ts)',
      'src/workspace/seed-c.ts imports zod: not allowed on the floor "workspace: no zod" (scripts/floors-table.ts)',
    ]);
  });

  it('finds a file that stands on no floor', async () => {
    seed('src/tools/seed/extra.ts', `export const seed = 1;\n`);
    expect((await checkFloors(copy)).breaches).toEqual([
      'src/tools/seed/extra.ts stands on no floor: move it, or give it a row in the table',
    ]);
  });

  it('finds a value cycle and tolerates a cycle of types inside one folder', async () => {
    seed('src/core/seed-a.ts', `import { b } from './seed-b.ts';\nexport const a = () => b;\n`);
    seed('src/core/seed-b.ts', `import { a } from './seed-a.ts';\nexport const b = () => a;\n`);
    seed('src/model/seed-c.ts', `import type { D } from './seed-d.ts';\nexport type C = D[];\n`);
    seed('src/model/seed-d.ts', `import type { C } from './seed-c.ts';\nexport type D = C[];\n`);

    const { breaches } = await checkFloors(copy);
    expect(breaches.length).toBeGreaterThan(0);
    expect(breaches.every((breach) => breach.startsWith('no value cycle: src/core/seed-'))).toBe(
      true,
    );
  });

  it('finds folders that need each other, though no file does', async () => {
    seed('src/model/seed-a.ts', `import { b } from './seed/b.ts';\nexport const a = b;\n`);
    seed('src/model/seed/b.ts', `export const b = 1;\n`);
    seed('src/model/seed/c.ts', `void import('../seed-d.ts');\n`);
    seed('src/model/seed-d.ts', `export const d = 1;\n`);
    expect((await checkFloors(copy)).breaches).toEqual([
      'no folder cycle: src/model, src/model/seed need each other. ' +
        'src/model/seed-a.ts imports src/model/seed/b.ts; ' +
        'src/model/seed/c.ts imports src/model/seed-d.ts',
    ]);
  });

  it('warns of a crowded folder and of a small file with one importer, and stays green', async () => {
    const names = Array.from({ length: 21 }, (_, at) => `seed-${at}`);
    for (const name of names) seed(`src/model/${name}.ts`, 'export const one = 1;\n'.repeat(60));
    seed('src/model/seed-0.ts', `import './seed-1.ts';\nimport './small.ts';\n`);
    seed('src/model/small.ts', 'export const small = 1;\n');
    const { breaches, warnings } = await checkFloors(copy);
    expect(breaches).toEqual([]);
    expect(warnings.filter((warning) => warning.includes('src/model'))).toEqual([
      'src/model holds 22 files: is it about one thing?',
      'src/model/small.ts has 1 lines and one importer, src/model/seed-0.ts: is it a part of it?',
    ]);
  });

  it('is red where no module was read', async () => {
    mkdirSync(join(copy, 'src'));
    expect(await checkFloors(copy)).toEqual({
      modules: 0,
      files: 0,
      breaches: ['no source files were found: that is not a pass'],
      warnings: [],
    });
  });
});
