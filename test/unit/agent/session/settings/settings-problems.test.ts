// What a settings file says and what can't hold here: a person is told of it, and the rest of the file holds.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../../../../src/agent/query-options.ts';
import { query } from '../../../../../src/agent/query.ts';
import { createInlineHost } from '../../../../../src/hosts/inline/create-inline-host.ts';
import { createEventModel } from '../../../../support/stages/test-session.ts';

const path = '/workspace/.claude/settings.json';

/** What a query tells of its settings as it begins. */
async function begin(settings: unknown, options: Partial<QueryOptions> = {}) {
  await using host = await createInlineHost();
  await host.workspace.fs.mkdir('/workspace/.claude');
  await host.workspace.fs.writeFile(path, JSON.stringify(settings));
  const model = createEventModel([]);
  const settingSources = ['project'] as const;
  const running = query({ prompt: 'Go.', options: { host, model, settingSources, ...options } });
  const { value: init } = await running.next();
  if (init?.type !== 'system' || init.subtype !== 'init') throw new Error('no init');
  const { value: notice } = await running.next();
  running.close();
  return { ...init, notice };
}

describe('rules of a settings file on the commands of a shell', () => {
  it('that deny or ask are told of with what to write, and the other rules hold', async () => {
    const deny = ['Bash(curl:*)', 'Read(./.env)', 'Edit'];
    const ask = ['Bash(git push:*)', 'PowerShell(rm *)'];
    const { warnings, notice, tools } = await begin({ permissions: { deny, ask } });
    expect(warnings).toEqual([
      `permissions.deny of ${path} has Bash(curl:*), and there is no shell here: it holds for nothing. What cells do is ruled by rules on Repl, such as Repl(net:*).`,
      `permissions.ask of ${path} has Bash(git push:*), PowerShell(rm *), and there is no shell here: they hold for nothing. What cells do is ruled by rules on Repl, such as Repl(git:push) and Repl(fs.remove:**).`,
    ]);
    expect(notice).toMatchObject({ subtype: 'informational', content: warnings[0] });
    expect([tools.includes('Read'), tools.includes('Edit')]).toEqual([true, false]);
  });

  it.each([
    ['Bash(git:*)', 'Repl(git:*)'],
    ['Bash(git cherry-pick *)', 'Repl(git:cherryPick)'],
    ['Bash(git stash pop)', 'Repl(git:stash)'],
    ['Bash(git -C x push)', 'Repl(fs.write:src/**)'],
    ['Bash(npm publish)', 'Repl(fs.write:src/**)'],
  ])('%s may become %s', async (rule, better) => {
    const { warnings } = await begin({ permissions: { deny: [rule] } });
    expect(warnings[0]).toMatch(`such as ${better}.`);
  });

  it('that ask about the whole shell may become one on Repl', async () => {
    const { warnings } = await begin({ permissions: { ask: ['Bash'] } });
    expect(warnings[0]).toMatch('such as Repl.');
  });

  it('and deny the whole shell deny Repl, without a word', async () => {
    const { warnings, tools } = await begin({ permissions: { deny: ['Bash'] } });
    expect([warnings, tools.includes('Repl')]).toEqual([[], false]);
  });

  it('are listed for whoever is asked to trust the file', async () => {
    const permissions = { allow: ['Bash(ls)', 'Edit'], deny: ['Bash(rm:*)'], ask: ['Bash'] };
    const asked: unknown[] = [];
    await begin(
      { permissions },
      { trustWorkspace: ({ allow, cannotHold }) => asked.push({ allow, cannotHold }) > 1 },
    );
    expect(asked).toEqual([{ allow: ['Edit'], cannotHold: ['Bash(ls)', 'Bash(rm:*)', 'Bash'] }]);
  });
});

describe('keys of a settings file', () => {
  it.each([
    ['permisions', { permisions: {} }, "which isn't read here. Did you mean permissions?"],
    ['deny', { deny: [] }, 'which stands in permissions: { permissions: { deny } }.'],
    [
      'permissions.denny',
      { permissions: { denny: [] } },
      "which isn't read here. Did you mean deny?",
    ],
    [
      'hooks',
      { hooks: { PreToolUse: [] } },
      "which don't run here: they are commands, and there is no process. Give functions in the query's option hooks.",
    ],
  ])('a person is told of %s', async (key, settings, why) => {
    expect((await begin(settings)).warnings).toEqual([`${path} has ${key}, ${why}`]);
  });

  it('may be Claude Code’s or another program’s, without a word', async () => {
    const settings = { env: {}, includeCoAuthoredBy: false, sandbox: {}, ourOwnLinter: 'on' };
    expect((await begin(settings)).warnings).toEqual([]);
  });
});
