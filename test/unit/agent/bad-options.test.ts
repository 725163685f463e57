// Options that can't hold and are found out with the first message: none is passed over in silence.
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { readAll } from '../../support/run-hooked.ts';
import { createEventModel } from '../../support/test-session.ts';

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
      'no mode in settings',
      { settings: { permissions: { defaultMode: 'most' } } },
      '"most" is not a permission mode',
    ],
    [
      'no directories in settings',
      { settings: { permissions: { additionalDirectories: [5] } } },
      'additionalDirectories of settings is a list of paths',
    ],
  ])('refuses %s that can’t hold, with the first message', async (_, given, message) => {
    await using host = await createInlineHost();
    const options = { host, model: createEventModel([]), ...given };
    await expect(readAll(query({ prompt: 'x', options }))).rejects.toThrow(message);
  });
});
