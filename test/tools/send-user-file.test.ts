// SendUserFile in whole turns: what the host is handed, and what the model is told.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { ToolUseContext } from '../../src/core/tool/context.ts';
import type { UserFile } from '../../src/core/host-ports/user-file.ts';
import { query } from '../../src/agent/query.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { sendUserFileTool } from '../../src/tools/send-user-file/tool.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

/** One turn that sends the file: what the viewers get of the call. */
async function send(input: Record<string, unknown>, options: Partial<QueryOptions> = {}) {
  await using host = await createInlineHost();
  const { fs } = host.workspace;
  await fs.mkdir('/workspace/docs', { recursive: true });
  await fs.writeFile('/workspace/docs/report.txt', 'Hällo');
  const large = new Uint8Array(input['file_path'] === 'large.bin' ? 65 * 1024 * 1024 : 0);
  await fs.writeFile('/workspace/large.bin', large);
  const model = listModel('list', [asks(toolUse('u1', 'SendUserFile', input)), says('End.')]);
  const all = { host, model, proactive: true, toolSearch: false, ...options } as const;
  for await (const message of query({ prompt: 'Go.', options: all })) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    const [block] = message.message.content;
    if (block?.type !== 'tool_result') continue;
    return { output: message.tool_use_result, text: block.content, isError: block.is_error };
  }
  throw new Error('No result was told.');
}

describe('SendUserFile', () => {
  it('hands the host the bytes of the moment, in a mode that asks nobody', async () => {
    const files: UserFile[] = [];
    const sent = await send(
      { file_path: 'docs/report.txt', note: 'The report.' },
      { permissionMode: 'dontAsk', onUserFile: (file) => void files.push(file) },
    );
    expect(files).toEqual([
      {
        path: '/workspace/docs/report.txt',
        name: 'report.txt',
        bytes: new TextEncoder().encode('Hällo'),
        note: 'The report.',
      },
    ]);
    expect(sent.output).toEqual({
      filePath: '/workspace/docs/report.txt',
      size: 6,
      note: 'The report.',
      wasDelivered: true,
    });
    expect(sent.text).toBe('The user is given /workspace/docs/report.txt.');
  });

  it('is not sent once more after its page was closed in the midst of it', async () => {
    const again = sendUserFileTool.resumeCall?.();
    await expect(again).rejects.toThrow('Ask the user whether they have it');
  });

  it('says where the file stands, where the host hands none over', async () => {
    const { output, text } = await send({ file_path: '/workspace/docs/report.txt' });
    expect(output).toEqual({
      filePath: '/workspace/docs/report.txt',
      size: 6,
      wasDelivered: false,
    });
    expect(text).toMatch(/^The user is shown that .* is for them: nothing here hands files over/u);
  });

  it.each<[string, Partial<QueryOptions>, RegExp]>([
    ['none.txt', {}, /ENOENT/u],
    ['docs', {}, /^\/workspace\/docs is a directory\. Send one of its files, or an archive/u],
    ['large.bin', {}, /has 65\.0 MB, and a file that is sent may have 64\.0 MB/u],
    [
      'docs/report.txt',
      { disallowedTools: ['Read(docs/**)'] },
      /the deny rule Read\(docs\/\*\*\) says so/u,
    ],
    [
      'docs/report.txt',
      { onUserFile: () => Promise.reject(new Error('The disk is full.')) },
      /report\.txt couldn't be given to the user: Error: The disk is full\./u,
    ],
  ])('says why %s can’t be sent', async (file, options, sentence) => {
    let handed = 0;
    const sent = await send(
      { file_path: file },
      { onUserFile: () => void (handed += 1), ...options },
    );
    expect(sent.isError).toBe(true);
    expect(sent.text).toMatch(sentence);
    expect(handed).toBe(0);
  });

  it('is not for agents whose reports the user doesn’t see', async () => {
    const context = { agentId: 'a1' } as ToolUseContext;
    expect(await sendUserFileTool.validateInput({ file_path: 'a' }, context)).toMatchObject({
      result: false,
      message: expect.stringMatching(/Name the file in your report\.$/u),
    });
  });
});
