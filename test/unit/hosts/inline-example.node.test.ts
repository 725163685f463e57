// The example of docs/inline.md as an embedder would run it.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rewrite } from '../../../docs/examples/inline.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { say } from '../../support/turns/run-hooked.ts';

it('docs/examples/inline.ts gives the text as the agent leaves it', async () => {
  const edit = { file_path: 'text.md', old_string: 'Hello', new_string: 'Good day' };
  const call = (name: string, input: object) => ({
    blocks: [{ type: 'tool_use' as const, name, input: { ...input } }],
  });
  const turns = [call('Read', { file_path: 'text.md' }), call('Edit', edit), say('Done.')];
  const model = createScriptedModel({ script: { turns } });
  expect(await rewrite(model, 'Hello, world.\n', 'Make it formal.')).toBe('Good day, world.\n');
});

it('docs/inline.md shows that file', () => {
  const read = (path: string) =>
    readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
  expect(read('inline.md')).toContain(read('examples/inline.ts'));
});
