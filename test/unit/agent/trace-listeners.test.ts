// Whoever follows a trace is no part of the session: what they throw is theirs.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { catchSurfaced } from '../../support/catch-surfaced.ts';

it('a listener that throws fails neither the turn nor its calls', async () => {
  const uncaught = catchSurfaced();
  await using host = await createInlineHost({ workspace: await createMemoryWorkspace() });
  const input = { file_path: '/workspace/a.txt', content: 'one' };
  const turns = [
    { blocks: [{ type: 'tool_use', name: 'Write', input }] },
    { blocks: [{ type: 'text', text: 'Done.' }] },
  ] as const;
  const running = query({
    prompt: 'Write it.',
    options: {
      host,
      model: createScriptedModel({ script: { turns } }),
      permissionMode: 'bypassPermissions',
    },
  });
  const kinds: string[] = [];
  running.trace.follow(({ type }) => {
    kinds.push(type);
    throw new Error('A mistake of the tracer.');
  });
  let last: SDKMessage | undefined;
  for await (const message of running) last = message;
  expect(last).toMatchObject({ type: 'result', subtype: 'success', result: 'Done.' });
  expect(await host.workspace.fs.readFile(input.file_path, 'utf8')).toBe('one');
  expect(kinds).toContain('call-end');
  expect(uncaught).toHaveLength(kinds.length);
});
