// A name means the same in every subpath: whoever imports two of them would mix them up.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const reports = fileURLToPath(new URL('../../docs/api', import.meta.url));

/** Sema's own contract has this name. */
const foreign = ['getTools'];

/** Each exported name with what stands for it in each subpath's report. */
function readDeclarations(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of readdirSync(reports)) {
    const inFile = new Map<string, string>();
    const [, code = ''] = readFileSync(join(reports, file), 'utf8').split('```');
    for (const declaration of code.split(/^(?=export )/mu)) {
      const [, name] = /^export (?:declare )?(?:abstract )?\w+ (\w+)/u.exec(declaration) ?? [];
      if (name === undefined) continue;
      inFile.set(name, `${inFile.get(name) ?? ''}${declaration.trim()}\n`);
    }
    for (const [name, text] of inFile) found.set(name, [...(found.get(name) ?? []), text]);
  }
  return found;
}

it('has no name that means two things in two subpaths', () => {
  const declarations = readDeclarations();
  expect(declarations.size).toBeGreaterThan(900);
  const clashing = [...declarations].filter(([, texts]) => new Set(texts).size > 1);
  expect(clashing.map(([name]) => name)).toEqual(foreign);
});
