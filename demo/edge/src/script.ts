// The script that is played without a key: it writes a file, runs it and reports the result.
import type { Script } from 'rockpool';

export const script: Script = {
  turns: [
    {
      blocks: [
        { type: 'text', text: 'I write a function and run it.' },
        {
          type: 'tool_use',
          name: 'Write',
          input: {
            file_path: 'sum.ts',
            content: 'export const sum = (a: number, b: number) => a + b;\n',
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'tool_use',
          id: 'run',
          name: 'Repl',
          input: { code: "const { sum } = await import('./sum.ts'); sum(40, 2)" },
        },
      ],
    },
    { blocks: [{ type: 'text', text: 'The sum is {{run:/\\d+/}}.' }] },
  ],
};
