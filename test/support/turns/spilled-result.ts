// A conversation whose first result is too long: it is read and searched as the preview says, on any host.
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { ScriptBlock } from '../../../src/model/script.ts';
import { runHooked, toResults } from './run-hooked.ts';

const schema = z.strictObject({});
const text = `${'some line\n'.repeat(5_000)}the needle\n`;

const longTool = buildTool({
  name: 'Look',
  inputSchema: schema,
  description: async () => 'Says much.',
  prompt: async () => '',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: () => Promise.resolve({ data: text }),
  mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
    type: 'tool_result',
    tool_use_id,
    content: String(content),
  }),
} satisfies ToolDef<typeof schema>) as unknown as Tool;

/** Where the session's first result is. */
export const spillPath = '/session/spilling/tool-results/look.txt';

const call = (name: string, input: Record<string, unknown>, id: string): ScriptBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

/** What the reading, the search of the session's files, and two searches of the workspace gave. */
export async function readSpill(host: Host): Promise<string[]> {
  const lookUp = [
    call('Read', { file_path: spillPath, offset: 5_001 }, 'read'),
    call('Grep', { pattern: 'needle', path: '/session/spilling' }, 'grep-spill'),
    call('Grep', { pattern: 'needle' }, 'grep'),
    call('Glob', { pattern: '**/*.txt' }, 'glob'),
  ];
  // One a turn. Objects of the edge that import a module at the same time wait for each other in
  // Vite's runner, which workerd forbids.
  const turns = [call('Look', {}, 'look'), ...lookUp].map((block) => ({ blocks: [block] }));
  const tools = ['Read', 'Grep', 'Glob', longTool];
  const { messages } = await runHooked(host, turns, { sessionId: 'spilling', tools });
  const [preview = '', ...found] = toResults(messages);
  return preview.includes(spillPath) ? found : [preview];
}

/** In a workspace with `a.txt`, which says nothing of a needle. */
export const expectedOfSpill = [
  '  5001\tthe needle',
  spillPath,
  'No matches found.',
  '/workspace/a.txt',
];
