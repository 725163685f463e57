// Options that can't hold and are found out with the first message: none is passed over in silence.
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { readAll } from '../../support/turns/run-hooked.ts';
import { createEventModel } from '../../support/stages/test-session.ts';

describe('query', () => {
  it.each<[string, object, string]>([
    ['an alias', { toolAliases: { Bash: 7 } }, 'This host has no tool named 7.'],
    ['a choice of tools', { tools: 5 }, 'tools is a list of names, tools and presets'],
    [
      'a preset that nobody knows',
      { tools: { type: 'preset', preset: 'most' } },
      'There is no tool preset named "most". Use one of these, which mean all built-in tools: default, claude_code.',
    ],
    ['a preset without a name', { tools: { type: 'preset' } }, 'tools is a list of names'],
    ['a path for settings', { settings: 'a.json' }, 'settings is an object'],
    [
      'a policy that is not kept here',
      { managedSettings: { permissions: { disableBypassPermissionsMode: 'disable' } } },
      "managedSettings has permissions.disableBypassPermissionsMode, which isn't read here",
    ],
    [
      'a slip in a policy',
      { managedSettings: { permisions: { deny: ['Write'] } } },
      "managedSettings has permisions, which isn't read here. Did you mean permissions?",
    ],
    [
      'a slip in permissions',
      { settings: { permissions: { denny: ['Write'] } } },
      "settings has permissions.denny, which isn't read here. Did you mean deny?",
    ],
    [
      'rules that stand outside of permissions',
      { settings: { deny: ['Write'] } },
      'settings has deny, which stands in permissions: { permissions: { deny } }.',
    ],
    [
      'a setting that forbids what nothing here forbids',
      { settings: { model: 'x', sandbox: { enabled: true } } },
      "settings has sandbox, which isn't read here. There is permissions alone.",
    ],
    [
      'hooks in settings',
      { settings: { hooks: { PreToolUse: [] } } },
      "settings has hooks, which don't run here: they are commands, and there is no process. Give functions in the query's option hooks.",
    ],
    [
      'no mode in settings',
      { settings: { permissions: { defaultMode: 'most' } } },
      '"most" is not a permission mode',
    ],
    [
      'no directories in a policy',
      { managedSettings: { permissions: { additionalDirectories: [5] } } },
      'additionalDirectories of managedSettings is a list of paths',
    ],
    [
      'an address in place of a server',
      { mcpServers: { notes: 'https://notes.example' as never } },
      "The MCP server notes can't be used: its configuration is an object",
    ],
  ])('refuses %s that can’t hold, with the first message', async (_, given, message) => {
    await using host = await createInlineHost();
    const options = { host, model: createEventModel([]), ...given };
    await expect(readAll(query({ prompt: 'x', options }))).rejects.toThrow(message);
  });

  it.each([
    [
      'directories in settings',
      { settings: { permissions: { additionalDirectories: [5] } } },
      'additionalDirectories of settings is a list of paths',
    ],
    ['directories', { additionalDirectories: 'src' }, 'additionalDirectories is a list of paths'],
    ['sources', { settingSources: 'user' }, 'settingSources is a list'],
  ])('refuses no %s that can’t hold, at once', async (_, given, message) => {
    await using host = await createInlineHost();
    const options = { host, model: createEventModel([]), ...(given as object) };
    expect(() => query({ prompt: 'x', options })).toThrow(message);
  });

  it('passes over settings of Claude Code that forbid nothing', async () => {
    await using host = await createInlineHost();
    const settings = {
      permissions: {},
      $schema: 'x',
      model: 'x',
      env: {},
      statusLine: {},
      cleanupPeriodDays: 9,
    };
    const options = { host, model: createEventModel([]), settings };
    const running = query({ prompt: 'x', options });
    expect((await running.next()).value).toMatchObject({ subtype: 'init', warnings: [] });
    running.close();
  });
});
