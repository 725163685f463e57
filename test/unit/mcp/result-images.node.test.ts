// Images in results of servers, as the model's server is sent them. It refuses some, and with them each request from
// then on. In Node nothing can make an image smaller; test/browser has what a page does.
import { expect, it } from 'vitest';
import { encodeBase64 } from '../../../src/core/bytes/base64.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import { makePng, onePixel } from '../../support/files/make-png.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

async function show(data: string, mimeType: string) {
  await using host = await openHost();
  const content = [{ type: 'image', data, mimeType }] as const;
  const look = tool('look', 'Takes a picture.', {}, async () => ({ content }));
  const { messages, requests } = await runHooked(host, [callTool('mcp__page__look', {})], {
    mcpServers: { page: createSdkMcpServer({ name: 'page', tools: [look] }) },
    allowedTools: ['mcp__page'],
  });
  const [text = ''] = toResults(messages);
  const path = /its bytes are in (\S+)\.$/u.exec(text)?.[1];
  const kept = path === undefined ? undefined : await host.workspace.fs.readFile(path);
  return { text, sent: JSON.stringify(requests.at(-1)), kept: kept && encodeBase64(kept) };
}

it('an image is sent with the type that its bytes have, whatever its server says', async () => {
  const { sent, kept } = await show(onePixel, 'image/jpeg');
  expect(sent).toContain(`"media_type":"image/png","data":"${onePixel}"`);
  expect(kept).toBeUndefined();
});

it.each([
  ['of too many pixels', async () => encodeBase64(await makePng(10, 8_001, 0))],
  ['of more than 5 MB', async () => encodeBase64(await makePng(2_000, 2_000, 'noise'))],
  ['that is none', async () => btoa('<html>Not found</html>')],
])('an image %s becomes a file', async (_, make) => {
  const data = await make();
  const { text, sent, kept } = await show(data, 'image/png');
  expect(text).toContain('its bytes are in ');
  expect(sent).not.toContain('"type":"image"');
  expect(kept).toBe(data);
});
