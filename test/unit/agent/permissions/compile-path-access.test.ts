import { describe, expect, it } from 'vitest';
import { compilePathAccess } from '../../../../src/agent/permissions/compile-path-access.ts';
import { createPathJudge } from '../../../../src/core/access/path-access.ts';
import type { PathOperation } from '../../../../src/core/access/path-access.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { createTestSession } from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { cellTool, changeTool, lookTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

async function judge(
  tool: Tool,
  options: TestSessionOptions,
  operation: PathOperation,
  path: string,
  input: Record<string, unknown> = tool.getPath ? { path: 'src/a.ts' } : {},
) {
  const session = await createTestSession(options);
  const access = compilePathAccess(validCall(tool, input), session.permissions.current(), {
    cwd: '/workspace',
    rulesFrom: { cwd: '/workspace' },
    sessionDirectories: ['/session/1'],
  });
  // What crosses to a worker is data.
  return createPathJudge(structuredClone(access))(operation, path);
}

describe('compilePathAccess', () => {
  it.each<[string, Tool, TestSessionOptions, PathOperation, string, string]>([
    [
      'a read rule of deny hides from every tool',
      lookTool(),
      { disallowedTools: ['Read(secrets)'] },
      'read',
      '/workspace/secrets/key',
      'deny',
    ],
    [
      '… from cells too',
      cellTool(),
      { disallowedTools: ['Read(secrets)'] },
      'read',
      '/workspace/secrets/key',
      'deny',
    ],
    [
      'an edit rule of deny holds for cells',
      cellTool(),
      { disallowedTools: ['Edit(docs/**)'] },
      'write',
      '/workspace/docs/a',
      'deny',
    ],
    [
      'a write rule too',
      cellTool(),
      { disallowedTools: ['Write(docs/**)'] },
      'write',
      '/workspace/docs/a',
      'deny',
    ],
    [
      'a rule without content is about every path',
      cellTool(),
      { disallowedTools: ['Edit'] },
      'write',
      '/workspace/a',
      'deny',
    ],
    [
      'a capability rule holds for its tool',
      cellTool(),
      { disallowedTools: ['Cell(fs.write:docs/**)'] },
      'write',
      '/workspace/docs/a',
      'deny',
    ],
    [
      '… and for no other',
      changeTool(),
      { disallowedTools: ['Cell(fs.write:docs/**)'] },
      'write',
      '/workspace/docs/a',
      'allow',
    ],
    [
      'a tool’s own glob holds in its view',
      lookTool(),
      { disallowedTools: ['Look(secrets/**)'] },
      'read',
      '/workspace/secrets/key',
      'deny',
    ],
    [
      'an allow rule loosens no deny rule',
      lookTool(),
      { disallowedTools: ['Read(a)'], allowedTools: ['Read'] },
      'read',
      '/workspace/a',
      'deny',
    ],
    ['a call judged read-only can’t write', lookTool(), {}, 'write', '/workspace/a', 'read-only'],
    ['an edit may write', changeTool(), {}, 'write', '/workspace/a', 'allow'],
    ['nothing outside can be named', changeTool(), {}, 'read', '/etc/passwd', 'outside'],
    [
      'an additional directory can',
      changeTool(),
      { additionalDirectories: ['/extra'] },
      'write',
      '/extra/a',
      'allow',
    ],
    [
      'the session’s files are read',
      changeTool(),
      {},
      'read',
      '/session/1/tool-results/x.txt',
      'allow',
    ],
    ['… not written', changeTool(), {}, 'write', '/session/1/tool-results/x.txt', 'read-only'],
    [
      'git’s settings can’t be reached by a detour',
      changeTool(),
      {},
      'write',
      '/workspace/.git/config',
      'ask',
    ],
    ['… nor by other letters', changeTool(), {}, 'write', '/workspace/.GIT/Hooks/x', 'ask'],
    [
      '… a cell’s are asked about at commit',
      cellTool(),
      {},
      'write',
      '/workspace/.git/config',
      'allow',
    ],
  ])('%s', async (_, tool, options, operation, path, verdict) => {
    expect(await judge(tool, options, operation, path)).toBe(verdict);
  });

  it('lets an answered question stand, for the path that it was about', async () => {
    const settings = { permissions: { ask: ['Edit(src/**)', 'Edit(test/**)', 'Read(test/**)'] } };
    const tool = changeTool();
    expect(await judge(tool, { settings }, 'write', '/workspace/src/a.ts')).toBe('allow');
    expect(await judge(tool, { settings }, 'write', '/workspace/test/a.ts')).toBe('ask');
    expect(await judge(cellTool(), { settings }, 'write', '/workspace/test/a.ts')).toBe('allow');
    expect(await judge(cellTool(), { settings }, 'read', '/workspace/test/a.ts')).toBe('ask');
    const git = { path: '.git/config' };
    expect(await judge(tool, {}, 'write', '/workspace/.git/config', git)).toBe('allow');
  });
});
