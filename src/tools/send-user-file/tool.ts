// The definition of the tool SendUserFile. It has no worker half, because the host's `onUserFile`
// gives the person the file.
import { throwIfAborted } from '../../core/async/abort.ts';
import { describeThrown, ToolError } from '../../core/errors.ts';
import { basename, resolvePath } from '../../core/path.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { sendUserFileDescription, sendUserFilePrompt, sendUserFileToolName } from './prompt.ts';
import {
  sendUserFileInputSchema,
  sendUserFileOutputSchema,
  type SendUserFileInput,
  type SendUserFileOutput,
} from './schema.ts';

// 64 MB: the agent's realm holds all of it until the host has taken it.
const maxBytes = 64 * 1024 * 1024;

export const sendUserFileTool = buildTool({
  name: sendUserFileToolName,
  searchHint: 'give the user a file to keep',
  // Never deferred in proactive mode if the host takes files.
  shouldDefer: true,
  get inputSchema() {
    return sendUserFileInputSchema();
  },
  get outputSchema() {
    return sendUserFileOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Give you the file ${input.file_path}` : sendUserFileDescription),
  prompt: () => Promise.resolve(sendUserFilePrompt),

  validateInput: (_input, { agentId }) =>
    toValidation(
      agentId === undefined
        ? undefined
        : 'Only the agent that speaks with the user sends them files. Name the file in your report.',
    ),
  getPath: (input) => input.file_path,
  // Rules on reading hold for the file. The person gets a copy of a file that the agent may read,
  // and nothing leaves for anywhere else.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,

  call: send,
  // The person may have the file already, and nobody here knows.
  resumeCall: () =>
    Promise.reject(
      new ToolError(
        'The session was closed while the file was handed over. Ask the user whether they have it before you send it again.',
      ),
    ),

  userFacingName: () => 'Send file',
  getToolUseSummary: (input) => (input.file_path ? toSummary(input.file_path, 'end') : null),
  getActivityDescription: (input) => (input.file_path ? `Sending you ${input.file_path}` : null),
  toAutoClassifierInput: ({ file_path }) => `give the user the file ${file_path}`,

  mapToolResultToToolResultBlockParam: ({ filePath, wasDelivered }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: wasDelivered
      ? `The user is given ${filePath}.`
      : `The user is shown that ${filePath} is for them: nothing here hands files over, so they open it in the workspace.`,
  }),
} satisfies ToolDef<ReturnType<typeof sendUserFileInputSchema>, SendUserFileOutput>);

async function send(
  { file_path, note }: SendUserFileInput,
  { cwd, fs, onUserFile, abortController: { signal } }: CallContext,
): Promise<ToolResult<SendUserFileOutput>> {
  const path = resolvePath(cwd, file_path);
  const stats = await fs.stat(path);
  if (!stats.isFile()) {
    throw new ToolError(`${path} is a directory. Send one of its files, or an archive of it.`, {
      code: 'EISDIR',
      data: { path },
    });
  }
  if (stats.size > maxBytes) {
    throw new ToolError(
      `${path} has ${inMegabytes(stats.size)} MB, and a file that is sent may have ${inMegabytes(maxBytes)} MB. ` +
        'Tell the user where it stands instead, or send a part.',
      { code: 'limit-exceeded', data: { path, size: stats.size, limit: maxBytes } },
    );
  }
  const said = note === undefined ? {} : { note };
  const sent = { filePath: path, ...said };
  if (!onUserFile) return { data: { ...sent, size: stats.size, wasDelivered: false } };
  const bytes = await fs.readFile(path);
  throwIfAborted(signal);
  try {
    await onUserFile({ path, name: basename(path), bytes, ...said }, { signal });
  } catch (cause) {
    throwIfAborted(signal);
    throw new ToolError(`${path} couldn't be given to the user: ${describeThrown(cause)}`, {
      data: { path },
      cause,
    });
  }
  return { data: { ...sent, size: bytes.length, wasDelivered: true } };
}

function inMegabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1);
}
