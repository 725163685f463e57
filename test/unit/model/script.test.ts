import { describe, expect, it } from 'vitest';
import type { SdkError } from '../../../src/core/errors.ts';
import { parseScript } from '../../../src/model/script.ts';

const turn = (fields: object) => ({ turns: [fields] });
const text = { type: 'text', text: 'Hello.' };
const block = (fields: object) => turn({ blocks: [fields] });

describe('parseScript', () => {
  it('keeps a right script as it is', () => {
    const script = {
      name: 'demo',
      turns: [
        {
          when: { user: '^mend' },
          blocks: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'style={{ color }} and {{last:/a[/]b/i}}' },
            { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
            { type: 'tool_use', name: 'Glob', input: { list: ['{{toolu_1:/x/}}'] } },
          ],
          stop_reason: 'tool_use',
        },
        { blocks: [], error: { code: 'model-overloaded', message: 'Too much.' } },
      ],
    };
    expect(parseScript(JSON.parse(JSON.stringify(script)))).toEqual(script);
  });

  it.each([
    [null, 'script must be an object'],
    [{ turns: {} }, 'turns must be an array'],
    [{ turns: [], color: 1 }, 'script.color is unknown; known are name, turns, tasks'],
    [{ name: 1, turns: [] }, 'name must be a string'],
    [turn({}), 'turns[0].blocks must be an array'],
    [
      turn({ blocks: [text], stop: 1 }),
      'turns[0].stop is unknown; known are blocks, stop_reason, when, error',
    ],
    [turn({ blocks: [] }), /^turns\[0\]\.blocks must hold at least one block/],
    [
      turn({ blocks: [text], when: { user: '(' } }),
      /^turns\[0\]\.when\.user is no regular expression/,
    ],
    [block({ type: 'image' }), 'turns[0].blocks[0].type must be text, thinking or tool_use'],
    [block({ type: 'text' }), 'turns[0].blocks[0].text must be a string'],
    [
      block({ type: 'tool_use', name: 'Read', input: [] }),
      'turns[0].blocks[0].input must be an object',
    ],
    [
      block({ type: 'tool_use', name: 'Read', input: { a: [{ b: '{{last:/(/}}' }] } }),
      /^turns\[0\]\.blocks\[0\]\.input\.a\.0\.b has a placeholder that is no regular expression \(/,
    ],
    [
      block({ type: 'text', text: '{{last:/x}}' }),
      'turns[0].blocks[0].text has a placeholder that is not {{<tool use id or last>:/regex/flags}}',
    ],
    [
      turn({
        blocks: [
          { type: 'tool_use', id: 'a', name: 'Read', input: {} },
          { type: 'tool_use', id: 'a', name: 'Read', input: {} },
        ],
      }),
      'turns[0].blocks[1].id a is taken already',
    ],
    [
      turn({ blocks: [{ type: 'text', text: '' }], error: { code: 'model-server', message: '' } }),
      'turns[0].blocks must be empty in a turn that fails: write two turns',
    ],
    [{ turns: [], tasks: [{ prompt: '', turns: [] }] }, 'tasks[0].prompt must not be empty'],
    [
      {
        turns: [{ blocks: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] }],
        tasks: [
          {
            prompt: 'Look.',
            turns: [{ blocks: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] }],
          },
        ],
      },
      'tasks[0].turns[0].blocks[0].id a is taken already',
    ],
    [
      turn({ error: { code: 'oops', message: '' } }),
      /^turns\[0\]\.error\.code must be one of model-/,
    ],
  ])('refuses %j', (script, reason) => {
    let error: SdkError | undefined;
    try {
      parseScript(script);
    } catch (thrown) {
      error = thrown as SdkError;
    }
    expect(error?.code).toBe('bad-usage');
    const said = error?.message.replace(/^The model's script is wrong: (.*)\.$/s, '$1');
    expect(said).toMatch(typeof reason === 'string' ? new RegExp(`^${escape(reason)}$`) : reason);
  });
});

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
