// The workspace's kinds of sub-agents: which are found, and which are left out, and why.
import { expect, it } from 'vitest';
import { createWorkspaceAgents } from '../../../../src/agent/agents/workspace-agents.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';

const cwd = '/workspace';
const agent = (name: string, rest = '') =>
  `---\nname: ${name}\ndescription: For ${name}\n${rest}---\nYou are ${name}.\n`;

async function open(files: Readonly<Record<string, string>>) {
  const { fs } = await createMemoryWorkspace();
  await fs.mkdir(`${cwd}/.claude/agents`, { recursive: true });
  for (const [name, text] of Object.entries(files)) await fs.writeFile(`${cwd}/${name}`, text);
  const find = createWorkspaceAgents([
    { source: 'project', fs, cwd, mayRead: (path) => !path.includes('secret') },
  ]);
  const names = async () => (await find()).definitions.map(({ name }) => name);
  return { fs, find, names };
}

it('finds them whether or not they are ignored, and again as they come, change and go', async () => {
  const { fs, names } = await open({
    '.claude/agents/a.md': agent('a'),
    '.claude/agents/secret.md': agent('secret'),
    '.claude/agents/notes.txt': 'None.',
    '.ignore': 'agents\n*.md\n',
  });
  expect(await names()).toEqual(['a']);
  await fs.writeFile(`${cwd}/.claude/agents/b.md`, agent('b'));
  await fs.writeFile(`${cwd}/.claude/agents/a.md`, agent('c'));
  expect(await names()).toEqual(['c', 'b']);
  await fs.rm(`${cwd}/.claude/agents/a.md`);
  expect(await names()).toEqual(['b']);
});

it.each([
  ['broken front matter', '---\nname: [\n---\nx', /The front matter is no YAML: /],
  [
    'hooks',
    agent('x', 'hooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: x }]\n'),
    /Its hooks are commands, and there are no processes here\./,
  ],
  [
    'no name',
    '---\ndescription: x\n---\nx',
    /Its front matter has no name: how it is asked for\.$/,
  ],
  ['no description', '---\nname: x\n---\nx', /has no description: when to ask for it\.$/],
  ['no text', '---\nname: x\ndescription: x\n---\n', /There is no text below the front matter/],
  ['a name with ..', agent('../x'), /Its name is "\.\.\/x"\./],
  ['the name fork', agent('fork'), /"fork" is the name of one that is always there\./],
  ['an unknown mode', agent('x', 'permissionMode: yolo\n'), /There is no permissionMode "yolo"\./],
  ['no turns', agent('x', 'maxTurns: 0\n'), /"maxTurns" must be a whole number above 0\./],
  ['10 MB', 'x'.repeat(10 * 1024 * 1024), /It has 10485760 bytes, and may have 262144\./],
])('leaves one out with the reason that has %s', async (_, text, reason) => {
  const { find } = await open({
    '.claude/agents/x.md': text,
    '.claude/agents/y.md': agent('y'),
  });
  const { definitions, problems } = await find();
  expect(definitions.map(({ name }) => name)).toEqual(['y']);
  expect(problems).toEqual([expect.stringMatching(reason)]);
});

it('says of one that asks for more than its caller may that it has no effect', async () => {
  const { find } = await open({
    '.claude/agents/x.md': agent('x', 'permissionMode: bypassPermissions\n'),
  });
  const { definitions, problems } = await find();
  expect(definitions.map(({ name }) => name)).toEqual(['x']);
  expect(problems).toEqual([
    `The agent in ${cwd}/.claude/agents/x.md has permissionMode: bypassPermissions, which has no effect: an agent may do no more than its caller.`,
  ]);
});

it('reads the skills and the memory that it is to have', async () => {
  const { find } = await open({
    '.claude/agents/a.md': agent('a', 'skills: review, style\nmemory: local\neffort: max\n'),
    '.claude/agents/b.md': agent('b', 'skills: [review]\n'),
    '.claude/agents/c.md': agent('c', 'skills: { review: 1 }\n'),
  });
  const { definitions, problems } = await find();
  expect(definitions).toMatchObject([
    { name: 'a', skills: ['review', 'style'], memory: 'local', effort: 'max' },
    { name: 'b', skills: ['review'] },
  ]);
  expect(problems).toEqual([expect.stringContaining('"skills"')]);
});

it('says of several with one name which counts', async () => {
  const { find } = await open({
    '.claude/agents/a.md': agent('x'),
    '.claude/agents/b.md': agent('x'),
  });
  expect((await find()).problems).toEqual([
    'Several agents of the workspace have the name x. The one whose file comes last counts. Give the others another name.',
  ]);
});

it('gives the servers of the query that a file names, and says which it does not', async () => {
  const { fs } = await open({});
  const text = agent('a', 'mcpServers:\n  - sky\n  - far: { type: http, url: "https://x.org" }\n');
  await fs.writeFile(`${cwd}/.claude/agents/a.md`, text);
  const find = createWorkspaceAgents(
    [{ source: 'project', fs, cwd, mayRead: () => true }],
    ['sky', 'sea'],
  );
  const { definitions, problems } = await find();
  expect(definitions).toMatchObject([{ name: 'a', mcpServers: ['sky'] }]);
  expect(problems).toEqual([
    `The agent in ${cwd}/.claude/agents/a.md is not given the MCP server far: a file can name those of mcpServers alone, and there is none of that name.`,
  ]);
});
