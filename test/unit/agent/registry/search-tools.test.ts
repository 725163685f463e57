// What a query of ToolSearch finds, and in which order.
import { describe, expect, it } from 'vitest';
import { searchTools } from '../../../../src/agent/registry/search-tools.ts';
import { toToolParam } from '../../../../src/agent/registry/to-tool-param.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { plainTool } from '../../../support/stages/test-tools.ts';

const tool = (name: string, description: string, searchHint?: string): Tool =>
  plainTool({
    name,
    description: () => Promise.resolve(description),
    ...(searchHint !== undefined && { searchHint }),
  });

const deferred = [
  tool('NotebookEdit', 'Changes one cell.', 'edit cells of Jupyter notebooks'),
  tool('WebFetch', 'Gets a page and answers a question about it.', 'read a page of the web'),
  tool('WebSearch', 'Asks a search engine.', 'find pages on the web'),
  tool('mcp__slack__send_message', 'Posts to a channel.'),
  tool('mcp__slack__list_channels', 'All channels, where you may send.'),
  tool('mcp__mail__send', 'Sends mail.'),
  tool('mcp__mail__sendDraft', 'Sends what was kept.'),
];
const loaded = [
  plainTool({ name: 'Read', description: () => Promise.resolve('Reads a notebook.') }),
  plainTool({ name: 'Agent', aliases: ['Task'] }),
];

const search = (query: string, maxResults = 5) =>
  searchTools(query, maxResults, {
    tools: [...loaded, ...deferred],
    deferred,
    describe: toToolParam,
  });
const find = async (query: string, maxResults?: number) =>
  (await search(query, maxResults)).matches.map(({ name }) => name);

describe('a query of words', () => {
  it.each([
    // By the hint alone: neither word is in the name as it is written.
    ['notebook jupyter', ['NotebookEdit']],
    ['jupyter', ['NotebookEdit']],
    ['JUPYTER', ['NotebookEdit']],
    // The name itself, by its words too; then what begins with it; then what has it within.
    ['WebSearch', ['WebSearch']],
    ['web search', ['WebSearch', 'WebFetch']],
    ['mcp__mail__send', ['mcp__mail__send', 'mcp__mail__sendDraft']],
    ['web', ['WebFetch', 'WebSearch']],
    ['edit', ['NotebookEdit']],
    // Camel case and underscores part words; a whole word beats a part of one, a name a description.
    [
      'send',
      [
        'mcp__mail__send',
        'mcp__mail__sendDraft',
        'mcp__slack__send_message',
        'mcp__slack__list_channels',
      ],
    ],
    ['draft', ['mcp__mail__sendDraft']],
    ['channel', ['mcp__slack__list_channels', 'mcp__slack__send_message']],
    // Each word adds to the score.
    ['page question', ['WebFetch', 'WebSearch']],
    ['zzz', []],
    ['+', []],
    // Only deferred tools are looked through.
    ['Read', ['WebFetch']],
  ])('%s', async (query, names) => {
    expect(await find(query)).toEqual(names);
  });

  it('of signs alone finds nothing', async () => {
    expect(await find('???')).toEqual([]);
  });

  it('gives at most as many as were asked for', async () => {
    expect(await find('send', 2)).toEqual(['mcp__mail__send', 'mcp__mail__sendDraft']);
  });

  it.each([
    ['+slack send', ['mcp__slack__send_message', 'mcp__slack__list_channels']],
    ['+slack', ['mcp__slack__list_channels', 'mcp__slack__send_message']],
    ['send +slack +list', ['mcp__slack__list_channels']],
    ['+nowhere send', []],
  ])('keeps to names with what has a plus: %s', async (query, names) => {
    expect(await find(query)).toEqual(names);
  });

  it('puts a name with the query in it before all that other texts say', async () => {
    const tools = [
      tool('Other', 'A zebra, and zebra again.', 'zebra by zebra'),
      tool('Unzebra', 'Nothing.'),
      tool('ZebraKeeper', 'Nothing.'),
      tool('Zebra', 'Nothing.'),
    ];
    const { matches } = await searchTools('zebra', 5, {
      tools,
      deferred: tools,
      describe: toToolParam,
    });
    expect(matches.map(({ name }) => name)).toEqual(['Zebra', 'ZebraKeeper', 'Unzebra', 'Other']);
  });

  it.each([
    // Forms of a word, words for the same, and what people say around it all.
    ['what are the drafts of my mail', 'mcp__mail__sendDraft'],
    ['please post something to a slack channel', 'mcp__slack__send_message'],
    ['can you change a cell', 'NotebookEdit'],
    // The beginning of a word.
    ['noteb', 'NotebookEdit'],
    // A name that no tool has, by its words.
    ['mcp__slack__post_message', 'mcp__slack__send_message'],
  ])('finds by what is meant: %s', async (query, first) => {
    expect((await find(query))[0]).toBe(first);
  });

  it('takes what is written as a name for one', async () => {
    expect(await find('send_message')).toEqual(['mcp__slack__send_message']);
  });

  it('gives a word in a long description less than one in a short', async () => {
    const filling = 'It also says many other things. '.repeat(20);
    const tools = [tool('A', `${filling}Draws a zebra.`), tool('B', 'Draws a zebra.')];
    const { matches } = await searchTools('zebra', 5, {
      tools,
      deferred: tools,
      describe: toToolParam,
    });
    expect(matches.map(({ name }) => name)).toEqual(['B', 'A']);
  });

  it('looks through the tools as they are now', async () => {
    const [first, second, last] = [tool('ZebraA', ''), tool('ZebraB', ''), tool('ZebraC', '')];
    const ask = async (tools: Tool[]) =>
      (
        await searchTools('zebra', 5, { tools, deferred: tools, describe: toToolParam })
      ).matches.map(({ name }) => name);
    expect(await ask([first, last])).toEqual(['ZebraA', 'ZebraC']);
    expect(await ask([first, second, last])).toEqual(['ZebraA', 'ZebraB', 'ZebraC']);
    expect(await ask([second, last])).toEqual(['ZebraB', 'ZebraC']);
    expect(await ask([first, second])).toEqual(['ZebraA', 'ZebraB']);
    expect(await ask([])).toEqual([]);
  });

  it('goes by the words that few tools have', async () => {
    const many = Array.from({ length: 20 }, (_, at) => tool(`Tool${at}`, '', 'list some things'));
    const tools = [...many, tool('Other', 'Draws a zebra.')];
    const { matches } = await searchTools('list zebra', 1, {
      tools,
      deferred: tools,
      describe: toToolParam,
    });
    expect(matches.map(({ name }) => name)).toEqual(['Other']);
  });

  it('gives what a caller has to know, and how much was looked through', async () => {
    expect(await search('jupyter')).toEqual({
      matches: [
        {
          name: 'NotebookEdit',
          description: 'Changes one cell.',
          input_schema: {
            type: 'object',
            properties: { value: { type: 'number' } },
            additionalProperties: false,
          },
        },
      ],
      unknown: [],
      deferredCount: 7,
    });
  });

  it('finds a tool that can’t describe itself by its name', async () => {
    const broken = tool('Broken', '');
    Object.assign(broken, { description: () => Promise.reject(new Error('x')) });
    const { matches } = await searchTools('broken', 5, {
      tools: [broken],
      deferred: [broken],
      describe: ({ name }) =>
        Promise.resolve({ name, description: '', input_schema: { type: 'object' } }),
    });
    expect(matches.map(({ name }) => name)).toEqual(['Broken']);
  });
});

describe('a query of names', () => {
  it('gives exactly these tools of the whole pool, by name or alias, uncut', async () => {
    const { matches, unknown } = await search(
      'select: Read, Task,webfetch,,Read, Nope,mcp__mail__send ',
      1,
    );
    expect(matches.map(({ name }) => name)).toEqual([
      'Read',
      'Agent',
      'WebFetch',
      'mcp__mail__send',
    ]);
    expect(unknown).toEqual(['Nope']);
  });

  it('prefers the name as it is spelt', async () => {
    const tools = [tool('a', 'lower'), tool('A', 'upper')];
    const { matches } = await searchTools('select:A', 5, {
      tools,
      deferred: tools,
      describe: toToolParam,
    });
    expect(matches.map(({ description }) => description)).toEqual(['upper']);
  });
});
