// Calls in words, of tools of every kind: what their members say, and what holds where they say nothing
// or fail.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import {
  describeCall,
  describeResult,
  groupCalls,
  toSearchText,
} from '../../../src/trace/call-display.ts';
import { callStates } from '../../support/stages/call-states.ts';
import type { CallState, ViewedCall } from '../../../src/core/tool/call-state.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { definitions } from '../../../src/tools/definitions.ts';

const schema = z.strictObject({ path: z.string() });
type Def = ToolDef<typeof schema, { text: string }>;

function tool(changes: Partial<Omit<Def, 'call' | 'runsIn'>> = {}, name = 'Look'): Tool {
  return buildTool({
    name,
    inputSchema: schema,
    runsIn: 'worker',
    description: () => Promise.resolve(''),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (_, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
    }),
    ...changes,
  } as Def) as unknown as Tool;
}

const call = (changes: Partial<ViewedCall> = {}): ViewedCall => ({
  toolName: 'Look',
  state: 'input-available',
  input: { path: 'a.ts' },
  output: undefined,
  progress: [],
  droppedProgress: 0,
  resultText: '',
  elapsedSeconds: 0,
  task: null,
  ...changes,
});

const plain = {
  toolName: 'Look',
  state: 'input-available',
  name: 'Look',
  color: null,
  tag: null,
  summary: null,
  title: 'Look',
  activity: 'Look',
  kind: 'other',
  isWrapper: false,
  isTruncated: false,
} as const;

const fails = () => {
  throw new Error('No words.');
};

describe('describeCall', () => {
  it('takes the name for all that the tool leaves out', () => {
    expect(describeCall([tool()], call())).toEqual(plain);
  });

  it('knows a tool that is not there by its name', () => {
    expect(describeCall([], call())).toEqual(plain);
  });

  it('says what the tool says', () => {
    const talking = tool({
      userFacingName: (input) => `Look at ${input?.path}`,
      userFacingNameBackgroundColor: () => 'accent-soft',
      getToolUseTag: ({ path }) => `only ${path}`,
      getToolUseSummary: ({ path }) => path ?? null,
      getActivityDescription: ({ path }) => `Looking at ${path}`,
      isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
      isTransparentWrapper: () => true,
      isResultTruncated: ({ text }) => text.length > 3,
    });
    expect(
      describeCall([talking], call({ state: 'output-available', output: { text: 'long' } })),
    ).toEqual({
      toolName: 'Look',
      state: 'output-available',
      name: 'Look at a.ts',
      color: 'accent-soft',
      tag: 'only a.ts',
      summary: 'a.ts',
      title: 'Look at a.ts: a.ts',
      activity: 'Looking at a.ts',
      kind: 'read',
      isWrapper: true,
      isTruncated: true,
    });
  });

  it.each<[CallState, string]>([
    ['input-available', 'Before'],
    ['output-available', 'After a.ts'],
    ['output-error', 'Before'],
  ])('titles a call that is %s by %s', (state, title) => {
    const titled = tool({
      getDisplayTitle: () => 'Before',
      genToolResultMessage: ({ text }, input) => ({
        title: `${text} ${input?.path}`,
        summary: '',
        content: '',
      }),
    });
    const output = { text: 'After' };
    expect(describeCall([titled], call({ state, output })).title).toBe(title);
  });

  it.each([
    ['fail', fails],
    ['give no text', () => 7 as unknown as string],
  ])('counts members that %s as left out', (_, member) => {
    const broken = tool({
      userFacingName: member,
      userFacingNameBackgroundColor: () => 'pink' as 'sunken',
      getToolUseTag: member,
      getToolUseSummary: member,
      getActivityDescription: member,
      getDisplayTitle: member,
      genToolResultMessage: fails,
      isSearchOrReadCommand: fails,
      isTransparentWrapper: fails,
      isResultTruncated: fails,
      extractSearchText: member,
    });
    const done = call({ state: 'output-available', output: { text: '' } });
    expect(describeCall([broken], done)).toEqual({ ...plain, state: 'output-available' });
    expect(toSearchText([broken], done)).toBe('Look');
  });

  it.each([[undefined], [null], ['text'], [{ path: 7 }], [{ other: {} }]])(
    'bears the input %j, which nobody has checked',
    (input) => {
      const reading = tool({ isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }) });
      expect(describeCall([reading], call({ input })).kind).toBe('other');
    },
  );

  it('bears every state and any input of the built-in tools, and can be sent', async () => {
    const tools = (await Promise.all(definitions.map((entry) => entry.load()))) as Tool[];
    const inputs = [undefined, {}, { file_path: 7, code: {}, pattern: [] }, { code: 'let a = 1' }];
    for (const { name } of tools) {
      for (const state of callStates) {
        for (const input of inputs) {
          const display = describeCall(tools, call({ toolName: name, state, input, output: {} }));
          expect(structuredClone(display)).toEqual(display);
          expect([display.title, display.activity].join()).not.toContain('undefined');
        }
      }
    }
  });
});

describe('toSearchText', () => {
  it.each<[string, Partial<ViewedCall>, string]>([
    [
      'what the tool says of its output',
      { state: 'output-available', output: { text: 'found' } },
      'Look\nfound',
    ],
    [
      'what the model was told of a failure',
      { state: 'output-error', resultText: 'No file.' },
      'Look\nNo file.',
    ],
    ['the title alone while it runs', {}, 'Look'],
  ])('is %s', (_, changes, text) => {
    const searchable = tool({ extractSearchText: (output) => output.text });
    expect(toSearchText([searchable], call(changes))).toBe(text);
  });

  it('is the result as the model saw it, where the tool has no words', () => {
    const done = call({ state: 'output-available', resultText: 'Line 1' });
    expect(toSearchText([tool()], done)).toBe('Look\nLine 1');
  });
});

describe('describeResult', () => {
  const done = call({ state: 'output-available', output: { text: 'It is fine.' } });
  const told = { title: 'Looked', summary: 'fine', content: 'It is fine.' };

  it('gives what the tool says of its result, once there is one', () => {
    const tools = [tool({ genToolResultMessage: () => told })];
    expect(describeResult(tools, done)).toEqual(told);
    expect(describeResult(tools, call())).toBeUndefined();
    expect(describeResult([tool()], done)).toBeUndefined();
  });

  it('gives nothing where the tool fails, or gives something else', () => {
    const fails = () => {
      throw new Error('No.');
    };
    for (const genToolResultMessage of [fails, () => null as never, () => ({}) as never]) {
      expect(describeResult([tool({ genToolResultMessage })], done)).toBeUndefined();
    }
  });
});

describe('a summary', () => {
  it.each([
    ['x'.repeat(80), `${'x'.repeat(49)}…`],
    ['two\nlines', 'two lines'],
    [' ', null],
  ])('is one line of at most 50 characters, whatever the tool gives: %j', (given, shown) => {
    const tools = [tool({ getToolUseSummary: () => given })];
    expect(describeCall(tools, call()).summary).toBe(shown);
  });
});

describe('groupCalls', () => {
  const tools = [
    tool({
      isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
      getToolUseSummary: ({ path }) => path ?? null,
    }),
    tool({ isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }) }, 'Seek'),
    tool({}, 'Change'),
  ];
  const looked = (path: string) => call({ state: 'output-available', input: { path } });
  const did = (toolName: string, state: CallState = 'output-available') =>
    call({ toolName, state });
  const group = (items: readonly (ViewedCall | string)[]) =>
    groupCalls(items, (item) => (typeof item === 'string' ? undefined : describeCall(tools, item)));

  it('folds calls of one tool that follow each other into a line', () => {
    const items = [looked('a.ts'), looked('b.ts'), looked('c.ts')];
    expect(group(items)).toEqual([{ items, title: 'Look 3 files: a.ts, b.ts, c.ts' }]);
    expect(group([did('Seek'), did('Seek')])[0]?.title).toBe('Seek 2 searches');
  });

  it('names of a path that is too long the file alone', () => {
    const items = [looked('…eep/down/in/the/packages/one.ts'), looked('src/two.ts')];
    expect(group(items)[0]?.title).toBe('Look 2 files: …/one.ts, src/two.ts');
  });

  it.each<[string, readonly (ViewedCall | string)[]]>([
    ['another tool', [looked('a.ts'), did('Seek'), looked('b.ts')]],
    ['something that is no call', [looked('a.ts'), 'Text.', looked('b.ts')]],
    ['a call that failed', [looked('a.ts'), did('Look', 'output-error'), looked('b.ts')]],
    ['a call that still runs', [looked('a.ts'), did('Look', 'input-available'), looked('b.ts')]],
    ['what may change something', [did('Change'), did('Change'), did('Change')]],
  ])('leaves apart what %s stands between', (_, items) => {
    expect(group(items)).toEqual(items.map((item) => ({ items: [item], title: null })));
  });

  it('keeps the order, and each item once', () => {
    const items = [
      'x',
      looked('a.ts'),
      looked('b.ts'),
      'y',
      did('Change'),
      did('Seek'),
      did('Seek'),
    ];
    expect(group(items).flatMap((one) => one.items)).toEqual(items);
  });
});
