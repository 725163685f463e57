// The README's example as an embedder would run it: a real page, its workers, the scripted model.
import { describe, expect, it } from 'vitest';
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { createScriptedModel } from 'rockpool/browser';
import { renameGreeting } from '../../../docs/examples/embed.ts';

const play = (new_string: string) =>
  createScriptedModel({
    script: {
      turns: [
        { blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: 'greet.ts' } }] },
        {
          blocks: [
            {
              type: 'tool_use',
              name: 'Edit',
              input: { file_path: 'greet.ts', old_string: "'hi'", new_string },
            },
          ],
        },
        { blocks: [{ type: 'text', text: 'Done.' }] },
      ],
    },
  });

describe('docs/examples/embed.ts', () => {
  it("gives the file as the agent's edit left it, and lets go of the workspace", async () => {
    expect(await renameGreeting(play("'hello'"), { wasm })).toBe(
      "export const greeting = 'hello';\n",
    );
    // The same workspace opens again only when the first run closed it.
    expect(await renameGreeting(play("'hey'"), { wasm })).toBe("export const greeting = 'hey';\n");
  });

  it('throws what ended a turn that went wrong', async () => {
    const error = { code: 'model-server', message: 'Out of order.' } as const;
    const model = createScriptedModel({ script: { turns: [{ blocks: [], error }] } });
    await expect(renameGreeting(model, { wasm })).rejects.toThrow('Out of order.');
  });
});
