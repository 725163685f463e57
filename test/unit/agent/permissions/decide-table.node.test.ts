// The tables of docs/permissions.md, held against the code: every mode, every class of call, and what
// a rule on the tool says.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/agent/permissions/decide.ts';
import { permissionModes } from '../../../../src/core/permissions/permission.ts';
import { createTestSession, testContext } from '../../../support/stages/test-session.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const name = 'Tool';
const reachesOut = { isOpenWorld: () => true };
const classes = new Map([
  ['reads files', lookTool({ name })],
  ['reads the network', lookTool({ name, ...reachesOut })],
  ['edits the file that it names', changeTool({ name })],
  ['acts otherwise', plainTool({ name })],
  ['a cell', cellTool({ name })],
  [
    'a cell that names a host',
    cellTool({ name, ...reachesOut, getNetworkHosts: () => ['api.example.com'] }),
  ],
  ['needs a person', plainTool({ name, requiresUserInteraction: () => true })],
]);

async function decideAll(rule: string) {
  const permissions = rule === 'none' ? {} : { [rule]: [name] };
  const rows: Record<string, string[]> = {};
  for (const [title, tool] of classes) {
    rows[title] = [];
    for (const permissionMode of permissionModes) {
      const session = await createTestSession({
        tools: [tool],
        permissionMode,
        settings: { permissions },
      });
      const context = session.permissions.current();
      const call = validCall(tool, { path: 'src/a.ts' });
      const { rulesFrom } = session.place;
      const decision = await decide(call, context, testContext(session), rulesFrom);
      rows[title].push(decision.behavior);
    }
  }
  return rows;
}

/** The table below a heading: its first column to the others; the header row under ''. */
function readTable(heading: string): Record<string, string[]> {
  const text = readFileSync(new URL('../../../../docs/permissions.md', import.meta.url), 'utf8');
  const section = text.split(`\n### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|') && !line.includes('---'));
  return Object.fromEntries(
    lines.map((line) => {
      const [title = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [title, cells.map((cell) => cell.replaceAll('`', ''))];
    }),
  );
}

describe('docs/permissions.md', () => {
  it.each([
    ['No rule speaks of it', 'none'],
    ['A rule allows it', 'allow'],
    ['A rule asks', 'ask'],
    ['A rule denies it', 'deny'],
  ])('says what becomes of a call where: %s', async (heading, rule) => {
    expect(readTable(heading)).toEqual({ '': [...permissionModes], ...(await decideAll(rule)) });
  });
});
