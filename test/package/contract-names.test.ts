// The names of the tool contract, against what the package exports, the options it takes and what the documents say:
// so that none is forgotten. contract-names.test-d.ts does the same for the types.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkOptions } from '../../src/agent/check-query.ts';
import * as rockpool from '../../src/index.ts';
import * as sema from '../../src/sema.ts';
import { definitions } from '../../src/tools/definitions.ts';
import * as contract from '../support/stages/contract-names.ts';
import { createEventModel } from '../support/stages/test-session.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url)),
  'utf8',
);

/** Each list's heading among the documents. */
const headings: Readonly<Record<keyof typeof contract, string>> = {
  toolMembers: 'Members of a tool',
  resultMembers: '`ToolResult`',
  validationMembers: '`ValidationResult`',
  permissionBehaviors: '`ToolPermissionResult`, by its `behavior`',
  contextMembers: '`ToolUseContext`',
  contextOptions: '`ToolUseContext.options`',
  permissionContextMembers: '`ToolPermissionContext`',
  registryFunctions: 'Registration',
  semaFunctions: 'Registration in `rockpool/sema`',
  limits: 'Limits',
  switches: 'Switches of `query`',
  tools: 'Tools',
};

/** What a section says of each name: in its line of those that are the same, or in a row with the reason. */
function readSection(heading: string): Record<string, string> {
  const whole = page.split('## The contract, name by name')[1] ?? '';
  const section = whole.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /u)[0] ?? '';
  const line = /^Same: ((?:.|\n)*?)\.$/mu.exec(section)?.[1] ?? '';
  const same = [...line.matchAll(/`(\w+)`/gu)].map(([, name = '']) => [name, 'same']);
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (\w+) +\| \S.* \|$/gmu)];
  return Object.fromEntries([
    ...same,
    ...rows.map(([, name = '', standing = '']) => [name, standing]),
  ]) as Record<string, string>;
}

describe('the names of the contract', () => {
  it.each(Object.entries(headings))('stand in the documents: %s', (list, heading) => {
    expect(readSection(heading)).toEqual(contract[list as keyof typeof contract]);
  });

  it('are exported, as far as they are functions and limits', () => {
    const { explainPool: _, ...functions } = contract.registryFunctions;
    const missing = Object.keys({ ...functions, ...contract.limits }).filter(
      (name) => !(name in rockpool),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(contract.semaFunctions).filter((name) => !(name in sema))).toEqual([]);
  });

  it('are the tools that there are', () => {
    const there = new Set(definitions.map(({ name }) => name));
    expect(Object.keys(contract.tools).toSorted()).toEqual([...there].toSorted());
  });

  it.each(Object.entries(contract.switches))(
    'are taken, or refused in words: %s, %s',
    (name, is) => {
      const options = { host: { loadTools: () => [] }, model: createEventModel([]), [name]: true };
      const check = () => checkOptions(options);
      if (is === 'same') expect(check).not.toThrow();
      else expect(check).toThrow(`The option ${name} is not here yet`);
    },
  );
});

it('names only types that are exported as those to use in place of others', () => {
  const read = (path: string) =>
    readFileSync(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), 'utf8');
  const reports = read('api/index.api.md') + read('api/mcp.api.md');
  const section = page.split('\n## Types\n')[1]?.split('\n## ')[0] ?? '';
  const named = [...section.matchAll(/^\|(.*)\|(.*)\|$/gmu)].flatMap(([, , here = '']) =>
    [...here.matchAll(/`([A-Z]\w+)/gu)].map(([, name]) => name),
  );
  const isExported = (name = '') =>
    new RegExp(`^export (interface|type) ${name}\\b`, 'mu').test(reports);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !isExported(name))).toEqual([]);
});
