// What the model's server is sent of calls that failed. It takes text there, and some: anything else would fail each
// request from then on.
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/core/errors.ts';
import { isRecord } from '../../../src/core/values/is-record.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import type { CallToolResult } from '../../../src/mcp/call-tool-result.ts';
import { callTool, openHost, runHooked } from '../../support/turns/run-hooked.ts';

async function sentOf(answer: () => CallToolResult): Promise<unknown> {
  await using host = await openHost();
  const open = tool('open', 'Opens a page.', {}, async () => answer(), { alwaysLoad: true });
  const { requests } = await runHooked(host, [callTool('mcp__page__open', {})], {
    mcpServers: { page: createSdkMcpServer({ name: 'page', tools: [open] }) },
    allowedTools: ['mcp__page'],
  });
  const blocks = requests.at(-1)?.flatMap(({ content }) => content as readonly unknown[]);
  return blocks?.find((block) => isRecord(block) && 'is_error' in block);
}

const failed = (content: unknown) => ({
  type: 'tool_result',
  tool_use_id: 'call-0',
  is_error: true,
  content,
});

describe('a failed call', () => {
  it('has a file in the place of an image', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
    const why = { type: 'text', text: 'The button is not there.' } as const;
    expect(await sentOf(() => ({ isError: true, content: [why, image] }))).toEqual(
      failed([
        why,
        {
          type: 'text',
          text: expect.stringMatching(
            /^An image \(image\/png\): its bytes are in \/session\/\S+\.png\.$/u,
          ),
        },
      ]),
    );
  });

  it.each<[string, () => CallToolResult]>([
    ['no content', () => ({ isError: true, content: [] })],
    ['a blank text', () => ({ isError: true, content: [{ type: 'text', text: ' ' }] })],
    [
      'an error without words',
      () => {
        throw new ToolError('');
      },
    ],
  ])('with %s has words', async (_, answer) => {
    expect(await sentOf(answer)).toEqual(failed('(The call failed, and gave no reason.)'));
  });
});
