import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { InputSchema, Tool } from '../../../src/core/tool/tool.ts';
import { query } from '../../../src/agent/query.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { pageTool } from '../../support/stages/test-tools.ts';
import { createPerson, createQuickPerson, runCells } from '../../support/turns/run-cells.ts';

const files = { 'a.ts': 'one\ntwo\nthree\n', 'secret.txt': 'hidden', 'b.ts': 'b\n' };

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function openInline(): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  hosts.push(host);
  for (const [name, text] of Object.entries(files)) {
    await host.workspace.fs.writeFile(`${host.cwd}/${name}`, text);
  }
  return host;
}

const readFile = (host: Host, name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8');

const editTwo = `await tools.Edit({ file_path: 'a.ts', old_string: 'two', new_string: 'TWO' })`;
const readA = `fs.readFileSync('a.ts', 'utf8')`;
const yes = { behavior: 'allow' } as const;
const no = { behavior: 'deny', message: 'Not today.' } as const;

describe('permission of a nested call', () => {
  const attempt = `${readA}; let told = 'edited';
    try { ${editTwo} } catch (error) { told = [error.name, error.code, error.message].join('|'); }
    fs.writeFileSync('went-on.txt', ''); console.log(told);`;

  it('is asked as for any call; a refusal can be caught, and the cell goes on', async () => {
    const host = await openInline();
    const person = createPerson();
    const running = runCells(host, [attempt], { canUseTool: person.canUseTool });
    const edit = await person.next();
    expect([edit.toolName, edit.input]).toEqual([
      'Edit',
      { file_path: 'a.ts', old_string: 'two', new_string: 'TWO' },
    ]);
    edit.answer(no);
    (await person.next()).answer(yes);
    const { outputs, messages } = await running;
    expect(outputs[0]?.stdout).toBe('PermissionDenied|ERR_ACCESS_DENIED|Not today.\n');
    expect(await readFile(host, 'went-on.txt')).toBe('');
    expect(await readFile(host, 'a.ts')).toBe(files['a.ts']);
    expect(messages.at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'Edit', tool_use_id: edit.options.toolUseID }],
    });
  });

  it.each([
    ['acceptEdits', {}, 'edited'],
    ['bypassPermissions', {}, 'edited'],
    ['plan', {}, 'PermissionDenied'],
    ['dontAsk', {}, 'PermissionDenied'],
    ['bypassPermissions', { disallowedTools: ['Edit(a.ts)'] }, 'PermissionDenied'],
    ['acceptEdits', { disallowedTools: ['Read(a.ts)'] }, 'ENOENT'],
    ['default', { allowedTools: ['Edit(*.ts)'] }, 'edited'],
  ] as const)('in %s with %j: %s', async (permissionMode, rules, told) => {
    const host = await openInline();
    const cell = attempt.replace(`${readA};`, `try { ${readA} } catch {}`);
    const { outputs, messages } = await runCells(host, [cell], {
      permissionMode,
      ...(rules as object),
    });
    expect(outputs[0]?.stdout, JSON.stringify(messages)).toContain(told);
  });

  it('gives nothing of a file that may not be read', async () => {
    const host = await openInline();
    const { outputs } = await runCells(
      host,
      [
        `const seen = [];
         for (const call of [
           () => tools.Read({ file_path: 'secret.txt' }),
           () => tools.Grep({ pattern: 'hidden', output_mode: 'content' }),
           () => tools.Glob({ pattern: '*.txt' }),
         ]) seen.push(await call().catch((error) => error.name));
         console.log(JSON.stringify(seen))`,
      ],
      { disallowedTools: ['Read(secret.txt)'], permissionMode: 'bypassPermissions' },
    );
    const [read, ...found] = JSON.parse(outputs[0]?.stdout ?? '') as unknown[];
    expect(read).toBe('PermissionDenied');
    expect(JSON.stringify(found)).not.toContain('secret');
    expect(JSON.stringify(found)).not.toContain('"hidden');
  });

  it.each([
    ['Edit', ['Repl(tools:Edit)'], 'deny'],
    ['Edit', [], 'allow'],
    // No code runs code, by whatever way.
    ['Repl', [], 'deny'],
  ])(
    'holds back what a tool of the page does for a cell: %s with %j',
    async (name, denied, told) => {
      const input = {
        Edit: { file_path: 'a.ts', old_string: 'two', new_string: 'x' },
        Repl: { code: '1' },
      };
      const deputy = buildTool({
        ...pageTool('Deputy', z.strictObject({}), () => undefined),
        call: async (_input, { abortController }, canUseTool) => {
          const asked = input[name as keyof typeof input];
          const { signal } = abortController;
          const result = await canUseTool(name, asked, {
            toolUseID: 'deputy',
            requestId: 'deputy',
            signal,
          });
          return { data: result?.behavior };
        },
      } as ToolDef<InputSchema>) as unknown as Tool;
      const { outputs } = await runCells(await openInline(), [`await tools.Deputy({})`], {
        tools: ['Repl', 'Edit', deputy],
        permissionMode: 'bypassPermissions',
        disallowedTools: denied,
      });
      expect(outputs[0]?.display).toBe(`'${told}'`);
    },
  );

  it('that a person gave is not asked again at commit', async () => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    await runCells(host, [`${readA}; ${editTwo}`], person);
    expect(person.asked).toEqual([`Edit: a.ts`]);
    expect(await readFile(host, 'a.ts')).toContain('TWO');
  });

  it.each([
    ['the cell wrote more', `${readA}; ${editTwo}; fs.writeFileSync('b.ts', 'x')`],
    ['the cell changed it after', `${readA}; ${editTwo}; fs.appendFileSync('a.ts', 'x')`],
    ['the cell had changed it before', `fs.writeFileSync('a.ts', 'evil\\ntwo'); ${editTwo}`],
    [
      'the cell had made it before',
      `fs.writeFileSync('c.ts', 'evil two'); ${editTwo.replace('a.ts', 'c.ts')}`,
    ],
    [
      'the cell had removed it before',
      `fs.rmSync('a.ts'); await tools.Write({ file_path: 'a.ts', content: 'x' })`,
    ],
    [
      'a link of the cell led elsewhere, and is gone',
      `fs.symlinkSync('a.ts', 'note.txt'); fs.readFileSync('note.txt', 'utf8');
       await tools.Write({ file_path: 'note.txt', content: 'x' }); fs.unlinkSync('note.txt')`,
    ],
  ])('does not stand for what it was not asked about: %s', async (_how, cell) => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    await runCells(host, [cell], person);
    expect(person.asked).toHaveLength(2);
    expect(person.asked[1]).toBe('Keep what Repl changed?');
  });

  it('stands through several calls in a row', async () => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    await runCells(
      host,
      [
        `${readA}; ${editTwo}; await tools.Edit({ file_path: 'a.ts', old_string: 'one', new_string: 'ONE' })`,
      ],
      person,
    );
    expect(person.asked).toHaveLength(2);
    expect(await readFile(host, 'a.ts')).toBe('ONE\nTWO\nthree\n');
  });
});

describe('rules on cells', () => {
  const attempt = `${readA}; let told = 'edited';
    try { ${editTwo} } catch (error) { told = error.name; }
    console.log(told);`;

  it.each([
    [{ allow: ['Repl(tools:Edit)'] }, 'edited', []],
    [{ allow: ['Repl(tools:*)'] }, 'edited', []],
    [{ allow: ['Repl(tools:Write)'] }, 'edited', ['Edit: a.ts']],
    [{ allow: ['Repl(tools:Edit)'], deny: ['Edit(a.ts)'] }, 'PermissionDenied', []],
    [{ allow: ['Repl(tools:Edit)'], ask: ['Edit(a.ts)'] }, 'edited', ['Edit: a.ts']],
    [{ allow: ['Edit'], deny: ['Repl(tools:Edit)'] }, 'PermissionDenied', []],
    [{ allow: ['Edit'], ask: ['Repl(tools:E*)'] }, 'edited', ['Edit: a.ts']],
    [{ allow: ['Edit'], deny: ['Repl(fs.write:*.ts)'] }, 'ToolError', []],
  ])('%j: %s, asked %j', async (permissions, told, asked) => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    const options = { canUseTool: person.canUseTool, settings: { permissions } };
    const { outputs, messages } = await runCells(host, [attempt], options);
    expect(outputs[0]?.stdout, JSON.stringify(messages)).toBe(`${told}\n`);
    expect(person.asked).toEqual(asked);
  });

  it.each([
    ['fs.write:a.ts', editTwo, ['Edit: a.ts']],
    ['fs.write:b.ts', editTwo, []],
    ['fs.write:a.ts', `await tools.Read({ file_path: 'a.ts' })`, []],
    ['fs.read:secret.txt', `await tools.Read({ file_path: 'secret.txt' })`, ['Read: secret.txt']],
    [
      'fs.read:secret.txt',
      `const { filenames } = await tools.Grep({ pattern: 'hidden', path: '.' });
       if (filenames.length > 0) throw new Error('found');`,
      [],
    ],
  ])('that ask about %s: a person answers it for %s (asked %j)', async (content, call, asked) => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    const permissions = { allow: ['Edit', 'Repl(tools:*)'], ask: [`Repl(${content})`] };
    const options = { canUseTool: person.canUseTool, settings: { permissions } };
    const cell = `if (${content.startsWith('fs.write')}) ${readA}; ${call}; undefined`;
    const { outputs } = await runCells(host, [cell], options);
    expect(outputs[0]).toMatchObject({ rolledBack: false });
    expect(person.asked).toEqual(asked);
  });

  it('are no rules for the model’s own calls', async () => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    const settings = { permissions: { allow: ['Repl(tools:Write)'] } };
    const model = createScriptedModel({
      script: {
        turns: [
          {
            blocks: [
              { type: 'tool_use', name: 'Write', input: { file_path: 'n.ts', content: 'x' } },
            ],
          },
          { blocks: [{ type: 'text', text: 'Done.' }] },
        ],
      },
    });
    const options = { host, model, settings, canUseTool: person.canUseTool };
    for await (const message of query({ prompt: 'Go.', options })) void message;
    expect(person.asked).toHaveLength(1);
  });

  it('that ask about reading are not answered for what a link of the cell leads to', async () => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    const cell = `fs.symlinkSync('secret.txt', 'secret-link'); const told = [];
      for (const file_path of ['secret.txt', 'secret-link']) {
        const read = tools.Read({ file_path });
        told.push(await read.then(({ file }) => file.content, (error) => error.code));
      }
      console.log(told.join('|'))`;
    const options = {
      canUseTool: person.canUseTool,
      settings: { permissions: { ask: ['Read(secret*)'] } },
    };
    const { outputs } = await runCells(host, [cell], options);
    expect(outputs[0]?.stdout).toBe('hidden|EACCES\n');
  });

  it.each([
    [{ allow: ['Repl(fs.write:*.ts)'] }, 'kept', []],
    [{ allow: ['Repl(fs.write:src/**)'] }, 'kept', ['Keep what Repl changed?']],
    [{ allow: ['Repl'], deny: ['Repl(fs.write:a.ts)'] }, 'EACCES', []],
    [{ allow: ['Repl'], ask: ['Repl(fs.write:a.ts)'] }, 'kept', ['Keep what Repl changed?']],
    [{ allow: ['Repl'], deny: ['Repl(fs.read:a.ts)'] }, 'ENOENT', []],
  ])('%j on its own fs: %s, asked %j', async (permissions, told, asked) => {
    const host = await openInline();
    const person = createQuickPerson(yes);
    const cell = `let told = 'kept';
      try { ${readA}; fs.writeFileSync('a.ts', 'x'); } catch (error) { told = error.code; } console.log(told)`;
    const options = { canUseTool: person.canUseTool, settings: { permissions } };
    const { outputs } = await runCells(host, [cell], options);
    expect(outputs[0]?.stdout).toBe(`${told}\n`);
    expect(person.asked).toEqual(asked);
  });

  it('keep from a tool that a cell calls what they keep from the cell', async () => {
    const host = await openInline();
    const settings = { permissions: { deny: ['Repl(fs.read:secret.txt)'] } };
    const cell = `const found = await tools.Grep({ pattern: 'hidden', output_mode: 'content' });
      const failure = await tools.Read({ file_path: 'secret.txt' }).catch((error) => error);
      console.log(found.content.includes('secret'), failure.code)`;
    const { outputs } = await runCells(host, [cell], { settings });
    expect(outputs[0]?.stdout).toBe('false ENOENT\n');
  });

  it('and the hosts that a cell names are asked about before it runs', async () => {
    const host = await openInline();
    const person = createQuickPerson(no);
    const { results } = await runCells(
      host,
      [
        `await fetch('https://api.example.com/x')`,
        `await fetch(['https:', '', 'a.net'].join('/'))`,
      ],
      person,
    );
    expect(person.asked).toHaveLength(1);
    expect(results[0]).toContain('Not today.');
    expect(results[1]).toContain('Repl(net:a.net)');
  });
});
