// Which calls of a turn become one line, by real tools' words.
import { describe, expect, it } from 'vitest';
import { createFoldEntries } from '../../../src/react/components/fold-calls.ts';
import type { CallEntry, TextEntry, TranscriptEntry } from '../../../src/react/transcript.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { definitions } from '../../../src/tools/definitions.ts';
import { plainTool } from '../../support/stages/test-tools.ts';

const wrapper = plainTool({ name: 'Wrap', isTransparentWrapper: () => true });
const tools: readonly Tool[] = [
  ...(await Promise.all(definitions.map((entry) => entry.load()))),
  wrapper,
];

const call = (id: string, toolName: string, changes: Partial<CallEntry> = {}): CallEntry => ({
  kind: 'call',
  id,
  toolName,
  parentToolUseId: null,
  state: 'output-available',
  input: {},
  output: undefined,
  progress: [],
  droppedProgress: 0,
  resultText: '',
  elapsedSeconds: 0,
  task: null,
  ...changes,
});
const read = (id: string, changes: Partial<CallEntry> = {}) =>
  call(id, 'Read', { input: { file_path: `${id}.ts` }, ...changes });
const text: TextEntry = {
  kind: 'text',
  id: 'text',
  parentToolUseId: null,
  text: 'Now.',
  isStreaming: false,
};

/** Each line: its title, or its only entry's id. */
const linesOf = (entries: readonly TranscriptEntry[], given = tools) =>
  createFoldEntries(given)(entries).map(({ title, items }) => title ?? items[0]?.id);

describe('the lines of a turn', () => {
  it.each<[string, readonly TranscriptEntry[], readonly string[]]>([
    ['fold what only looked', [read('a'), read('b')], ['Read 2 files: a.ts, b.ts']],
    ['leave one call alone', [read('a')], ['a']],
    ['begin anew after a text', [read('a'), text, read('b')], ['a', 'text', 'b']],
    ['keep what runs apart', [read('a'), read('b', { state: 'input-available' })], ['a', 'b']],
    [
      'keep a task apart, whatever its call has said at once',
      [
        call('a', 'Repl', {
          input: { code: "fs.readFileSync('a')" },
          task: { taskId: 't', description: 'Waits', status: 'running', summary: '' },
        }),
        call('b', 'Repl', { input: { code: "fs.readFileSync('a')" } }),
      ],
      ['a', 'b'],
    ],
    [
      'keep what a cell called apart from what the model did itself',
      [
        read('a', { parentToolUseId: 'cell' }),
        read('b', { parentToolUseId: 'cell' }),
        read('c'),
        read('d'),
      ],
      ['Read 2 files: a.ts, b.ts', 'Read 2 files: c.ts, d.ts'],
    ],
    [
      'have the calls of a transparent wrapper in its place',
      [call('w', 'Wrap'), read('a', { parentToolUseId: 'w' })],
      ['a'],
    ],
    [
      'fold what several wrappers made as what the model did itself',
      [
        call('v', 'Wrap'),
        read('a', { parentToolUseId: 'v' }),
        call('w', 'Wrap'),
        read('b', { parentToolUseId: 'w' }),
        read('c'),
      ],
      ['Read 3 files: a.ts, b.ts, c.ts'],
    ],
    [
      'have what a call makes right behind it, whatever was said meanwhile',
      [
        call('cell', 'Repl'),
        text,
        read('a', { parentToolUseId: 'cell' }),
        read('b', { parentToolUseId: 'cell' }),
        read('c'),
      ],
      ['cell', 'Read 2 files: a.ts, b.ts', 'text', 'c'],
    ],
    ['have a wrapper that made none', [call('w', 'Wrap')], ['w']],
    [
      'have a wrapper that failed',
      [call('w', 'Wrap', { state: 'output-error' }), read('a', { parentToolUseId: 'w' })],
      ['w', 'a'],
    ],
  ])('%s', (_, entries, lines) => {
    expect(linesOf(entries)).toEqual(lines);
  });

  it('stand below the call that made them, but for what a transparent wrapper made', () => {
    const entries = [
      call('w', 'Wrap'),
      read('a', { parentToolUseId: 'w' }),
      call('cell', 'Repl'),
      read('b', { parentToolUseId: 'cell' }),
    ];
    expect(createFoldEntries(tools)(entries).map(({ caller }) => caller)).toEqual([
      null,
      null,
      'cell',
    ]);
  });

  it('are the entries themselves where no tools are known', () => {
    expect(linesOf([read('a'), read('b'), text], [])).toEqual(['a', 'b', 'text']);
  });

  it('describe an entry once, however often the turn is shown', () => {
    let asked = 0;
    const counting = plainTool({
      name: 'Count',
      userFacingName: () => {
        asked += 1;
        return 'Count';
      },
    });
    const fold = createFoldEntries([counting]);
    const entries = [call('a', 'Count')];
    for (let frame = 0; frame < 5; frame += 1) fold([...entries, { ...text, id: String(frame) }]);
    expect(asked).toBe(1);
  });
});
