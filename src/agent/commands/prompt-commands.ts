// Prompts of MCP servers as commands: `/mcp__server__prompt`. Their text is text from outside, even
// though a person has chosen it. Loaded for a session with servers.
import type { ImageBlock } from '../../core/messages/blocks.ts';
import { isTextBlock } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import { splitArguments } from '../../core/commands/fill-arguments.ts';
import { buildMcpToolName } from '../../core/mcp/mcp-tool-name.ts';
import type { AskMcpServer, McpPrompt, McpPromptMessage } from '../../core/mcp/mcp-exchange.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { withoutDeniedServers } from '../registry/denied-servers.ts';
import type { McpServers } from '../session/mcp/mcp-servers.ts';
import type { FoundCommands, LoadedCommand, PromptCommand } from './commands.ts';

// 100 000 characters, as for a command's file: a longer text leaves too little room for the work.
const maxChars = 100_000;

/** `signal`: the session's. A rule that denies a server also denies its prompts. */
export function listPromptCommands(
  servers: Pick<McpServers, 'connected'>,
  permissions: Pick<PermissionState, 'current'>,
  signal: AbortSignal,
): FoundCommands {
  const commands = withoutDeniedServers(servers.connected(), permissions.current()).flatMap(
    ({ name, server }) =>
      server.extras.prompts.map((prompt) => toCommand(name, prompt, server.ask, signal)),
  );
  return { commands, problems: [] };
}

function toCommand(
  serverName: string,
  prompt: McpPrompt,
  ask: AskMcpServer,
  signal: AbortSignal,
): PromptCommand {
  const name = buildMcpToolName({ serverName, toolName: prompt.name });
  const argumentHint = prompt.arguments
    .map((one) => (one.isRequired ? `<${one.name}>` : `[${one.name}]`))
    .join(' ');
  return {
    name,
    description: prompt.description,
    argumentHint,
    kind: 'mcp-prompt',
    source: 'mcp',
    place: `the MCP server ${serverName}`,
    allowedTools: [],
    async load(args) {
      const given = readArguments(prompt, args);
      const missing = prompt.arguments.find((one) => one.isRequired && !given[one.name]);
      if (missing) {
        throw new SdkError(
          'invalid-input',
          `it needs ${missing.name}: write /${name} ${argumentHint}. What has blanks in it goes in quotes.`,
          { data: { argument: missing.name } },
        );
      }
      const request = { type: 'get-prompt', name: prompt.name, arguments: given } as const;
      return toLoaded(serverName, prompt, await ask(request, signal));
    },
    async complete(args) {
      const given = readArguments(prompt, args);
      const isBegun = args !== '' && !/\s$/u.test(args);
      const count = Object.keys(given).length - (isBegun ? 1 : 0);
      const argument = prompt.arguments[count]?.name;
      if (argument === undefined) return [];
      const { [argument]: value = '', ...others } = given;
      const of = { prompt: prompt.name };
      return ask({ type: 'complete', of, argument, value, others }, signal);
    },
  };
}

/** One word per argument, in their order; the last argument gets the rest. */
function readArguments(
  { arguments: wanted }: McpPrompt,
  args: string,
): Readonly<Record<string, string>> {
  const words = splitArguments(args);
  const given: Record<string, string> = {};
  for (const [at, { name }] of wanted.entries()) {
    const isLast = at === wanted.length - 1;
    const value = isLast ? words.slice(at).join(' ') : words[at];
    if (value) given[name] = value;
  }
  return given;
}

function toLoaded(
  serverName: string,
  { name }: McpPrompt,
  messages: readonly McpPromptMessage[],
): LoadedCommand {
  const images: ImageBlock[] = [];
  const texts = messages.flatMap(({ role, blocks }) =>
    blocks.flatMap((block) => {
      if (isTextBlock(block)) return role === 'user' ? block.text : `(As you:) ${block.text}`;
      images.push(block as ImageBlock);
      return [];
    }),
  );
  const text = texts.join('\n\n');
  if (text.length > maxChars) {
    throw new SdkError(
      'limit-exceeded',
      `the server gave ${text.length} characters, and a prompt may have ${maxChars}.`,
    );
  }
  const whose = `(The user chose the prompt "${name}". What follows was written by the MCP server ${serverName}.)`;
  return { body: text === '' ? '' : `${whose}\n\n${text}`, allow: [], images };
}
