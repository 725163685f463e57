// ConfigChange: which settings files and skills hooks hear of, whoever changes them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { openHost } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => {
  host = await openHost();
  const { fs } = host.workspace;
  for (const folder of ['/workspace/.claude/skills/pdf', '/user/.claude', '/workspace/src/.claude'])
    await fs.mkdir(folder, { recursive: true });
});
afterEach(() => host[Symbol.asyncDispose]());

const changed = [
  '/workspace/src/.claude/settings.json',
  '/user/.claude/settings.json',
  '/workspace/.claude/settings.json',
  '/workspace/.claude/settings.local.json',
  '/workspace/.claude/skills/pdf/SKILL.md',
];

/** What hooks hear while all of these files change. The last of them is always told. */
async function hear(
  options: Pick<QueryOptions, 'settingSources' | 'homeDirectory'>,
  matcher?: string,
): Promise<readonly string[]> {
  const heard: string[] = [];
  const { promise: all, resolve: tell } = createDeferred();
  const hook: HookCallback<'ConfigChange'> = async ({ source, file_path = '' }) => {
    heard.push(`${source} ${file_path}`);
    if (file_path === changed.at(-1)) tell();
    return { decision: 'block' };
  };
  const session = await openSession({
    ...options,
    host,
    model: createScriptedModel({ script: { turns: [] } }),
    hooks: { ConfigChange: [{ hooks: [hook], ...(matcher !== undefined && { matcher }) }] },
  });
  await host.workspace.fs.writeFile('/workspace/a.txt', 'no settings');
  for (const path of changed) await host.workspace.fs.writeFile(path, '{}');
  await all;
  await session.close();
  return heard;
}

it('tells of the settings files and skills that the query reads', async () => {
  const options = { settingSources: ['user', 'project', 'local'], homeDirectory: '/user' } as const;
  expect(await hear(options)).toEqual([
    'user_settings /user/.claude/settings.json',
    'project_settings /workspace/.claude/settings.json',
    'local_settings /workspace/.claude/settings.local.json',
    'skills /workspace/.claude/skills/pdf/SKILL.md',
  ]);
});

it('tells of no file that the query doesn’t read, and of what its matcher names', async () => {
  expect(await hear({ settingSources: ['project'] })).toEqual([
    'project_settings /workspace/.claude/settings.json',
    'skills /workspace/.claude/skills/pdf/SKILL.md',
  ]);
  expect(await hear({ settingSources: ['project', 'local'] }, 'skills')).toEqual([
    'skills /workspace/.claude/skills/pdf/SKILL.md',
  ]);
});
