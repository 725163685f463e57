// The resources and prompts of a server in process, with the same requests as remote servers have.
// Created by create-sdk-mcp-server.ts; used by the session's lists and commands.
import { SdkError, describeThrown } from '../core/errors.ts';
import type {
  AskMcpServer,
  McpAnswers,
  McpExtras,
  McpPromptMessage,
  McpRequest,
  McpResourceContents,
} from '../core/mcp/mcp-exchange.ts';
import { toResultContent } from './call-tool-result.ts';
import type { McpContent } from './call-tool-result.ts';

/** A resource with its URI. Field names are the protocol's. */
export interface SdkMcpResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  /**
   * Returns the resource's parts: text, or bytes in base64. If it throws, reading fails with its
   * message.
   */
  read(extra: { readonly signal: AbortSignal }): Promise<{
    readonly contents: readonly McpResourceContents[];
  }>;
}

/**
 * A prompt that a person uses as the command `/mcp__<server>__<name>`. Field names are the
 * protocol's.
 */
export interface SdkMcpPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  /** If it throws, the command fails with its message. */
  get(
    args: Readonly<Record<string, string>>,
    extra: { readonly signal: AbortSignal },
  ): Promise<{
    readonly messages: readonly {
      readonly role: 'user' | 'assistant';
      readonly content: McpContent;
    }[];
  }>;
  /** Suggests values for the beginning of an argument. Left out: no suggestions. */
  complete?(
    argument: string,
    value: string,
    others: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
}

/** The resources and prompts that a session gets from each server. */
export interface SdkServerExtras {
  readonly extras: McpExtras;
  readonly ask: AskMcpServer;
}

/**
 * Creates the extras of a server.
 * @throws SdkError `bad-usage` for two with the same URI or name, and for invalid values
 */
export function createSdkServerExtras(
  serverName: string,
  resources: readonly SdkMcpResource[],
  prompts: readonly SdkMcpPrompt[],
): SdkServerExtras {
  check(serverName, 'resources', resources, ({ uri, read }) => [uri, read]);
  check(serverName, 'prompts', prompts, ({ name, get }) => [name, get]);
  const byUri = new Map(resources.map((one) => [one.uri, one]));
  const byName = new Map(prompts.map((one) => [one.name, one]));

  async function answer(
    request: McpRequest,
    signal: AbortSignal,
  ): Promise<McpAnswers[McpRequest['type']]> {
    switch (request.type) {
      case 'list-resources': {
        const listed = resources.map(({ uri, name, mimeType, description }) => ({
          ...{ uri, name },
          ...(mimeType !== undefined && { mimeType }),
          ...(description !== undefined && { description }),
        }));
        return { resources: listed, templates: [] };
      }
      case 'read-resource': {
        const resource = byUri.get(request.uri);
        if (!resource) throw failed(`The server ${serverName} has no resource ${request.uri}.`);
        return (await resource.read({ signal })).contents;
      }
      case 'get-prompt': {
        const prompt = byName.get(request.name);
        if (!prompt) throw failed(`The server ${serverName} has no prompt ${request.name}.`);
        const { messages } = await prompt.get(request.arguments, { signal });
        return messages.map(({ role, content }): McpPromptMessage => ({
          role,
          blocks: toResultContent({ content: [content] }),
        }));
      }
      case 'complete': {
        const prompt = 'prompt' in request.of ? byName.get(request.of.prompt) : undefined;
        return (await prompt?.complete?.(request.argument, request.value, request.others)) ?? [];
      }
      // Nothing to watch: only the host changes the resources.
      case 'watch-resources':
        return null;
      case 'list-skills':
        return [];
      case 'read-app':
      case 'read-skill':
      case 'read-directory':
        throw failed(
          `The server ${serverName} is in process: it has no apps, skills or directories.`,
        );
    }
  }

  return {
    extras: {
      hasResources: resources.length > 0,
      hasSkills: false,
      prompts: prompts.map(({ name, description = '', arguments: wanted = [] }) => ({
        ...{ name, description },
        arguments: wanted.map((one) => ({
          name: one.name,
          description: one.description ?? '',
          isRequired: one.required === true,
        })),
      })),
    },
    // The cast: each case above returns the type that belongs to its request.
    ask: (async (request, signal) => {
      signal.throwIfAborted();
      try {
        return await answer(request, signal);
      } catch (error) {
        throw SdkError.isInstance(error) ? error : failed(describeThrown(error));
      }
    }) as AskMcpServer,
  };
}

/** Checks the values, because the caller may be untyped. */
function check<One>(
  serverName: string,
  what: string,
  given: readonly One[],
  read: (one: One) => readonly [key: unknown, work: unknown],
): void {
  const keys = new Set<unknown>();
  for (const one of given) {
    const [key, work] = read(one);
    if (typeof key !== 'string' || key === '' || typeof work !== 'function' || keys.has(key)) {
      throw new SdkError(
        'bad-usage',
        `${what} of the server ${serverName}: "${String(key)}" has no address or name of its own, or no function that gives it.`,
        { data: { server: serverName } },
      );
    }
    keys.add(key);
  }
}

function failed(message: string): SdkError {
  return new SdkError('mcp-failed', message);
}
