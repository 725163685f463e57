// Sends all other requests to a server: resources, prompts, completion and skills. It runs in the
// realm of connect-server.ts. Lists are read page by page within the limits, and each entry is
// checked.
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { readAppPage } from './read-app-page.ts';
import type {
  AskMcpServer,
  McpAnswers,
  McpExtras,
  McpPrompt,
  McpRequest,
  McpResource,
  McpResourceTemplate,
} from '../../core/mcp/mcp-exchange.ts';
import type { McpBounds } from './bounds.ts';
import { toPlainText } from '../../core/text/plain-text.ts';
import { createChangeStream } from './change-stream.ts';
import { toMessage } from './server-questions.ts';

/** The extension by which servers offer skills (SEP-2640). */
const skillsExtension = 'io.modelcontextprotocol/skills';

// 2 000 characters: no real URI is longer.
const maxUriChars = 2_000;
const maxNameChars = 200;
// 100 values: the protocol's limit for one completion.
const maxValues = 100;

/**
 * The resources and prompts of a server, after it has answered. `problems`: the lists that failed.
 */
export async function readExtras(
  client: Client,
  bounds: McpBounds,
  signal: AbortSignal,
): Promise<{ readonly extras: McpExtras; readonly problems: readonly string[] }> {
  const { resources, prompts: hasPrompts, extensions } = client.getServerCapabilities() ?? {};
  const problems: string[] = [];
  let prompts: readonly McpPrompt[] = [];
  if (hasPrompts) {
    try {
      const listed = await listPages(client, 'prompts/list', 'prompts', bounds, signal);
      prompts = listed.flatMap((given) => toPrompt(given, bounds));
    } catch (error) {
      if (signal.aborted) throw error;
      problems.push('Its prompts could not be listed.');
    }
  }
  const hasSkills = extensions?.[skillsExtension] !== undefined;
  return { extras: { hasResources: resources !== undefined, hasSkills, prompts }, problems };
}

type Answer<T extends McpRequest['type']> = Promise<McpAnswers[T]>;

/**
 * Creates the functions for requests to one server. `fail` converts the client's errors to ours.
 */
export function createServerRequests(
  client: Client,
  bounds: McpBounds,
  run: <Value>(
    work: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ) => Promise<Value>,
): AskMcpServer {
  const watch = createWatch(client);

  async function answer(request: McpRequest, signal: AbortSignal): Promise<unknown> {
    switch (request.type) {
      case 'list-resources':
        return listResources(signal);
      case 'read-resource':
        return readResource(request.uri, signal);
      case 'read-directory':
        return readDirectory(request.uri, signal);
      case 'read-app':
        return readApp(request.uri, signal);
      case 'watch-resources':
        await watch(request.uris, signal);
        return null;
      case 'get-prompt': {
        const { name, arguments: given } = request;
        const { messages } = await client.getPrompt({ name, arguments: { ...given } }, { signal });
        return messages.map(toMessage);
      }
      case 'complete':
        return complete(request, signal);
      case 'list-skills':
        return listSkills(signal);
      case 'read-skill':
        return readSkill(request.uri, signal);
    }
  }

  async function listResources(signal: AbortSignal): Answer<'list-resources'> {
    const resources = await listPages(client, 'resources/list', 'resources', bounds, signal);
    const templates = await listPages(
      client,
      'resources/templates/list',
      'resourceTemplates',
      bounds,
      signal,
    ).catch((error: unknown) => {
      // Servers without templates may not know the method.
      if (signal.aborted || SdkError.isInstance(error)) throw error;
      return [];
    });
    return {
      resources: resources.flatMap((given) => toResource(given, bounds)),
      templates: templates.flatMap((given) => toTemplate(given, bounds)),
    };
  }

  async function readResource(uri: string, signal: AbortSignal): Answer<'read-resource'> {
    // The client's cache may be older than a change that the model knows.
    const { contents } = await client.readResource({ uri }, { signal, cacheMode: 'refresh' });
    return contents.map((part) => ({
      uri: toPlainText(part.uri, maxUriChars),
      ...(part.mimeType !== undefined && { mimeType: toPlainText(part.mimeType, maxNameChars) }),
      ...('text' in part ? { text: part.text } : { blob: part.blob }),
    }));
  }

  async function readApp(uri: string, signal: AbortSignal): Answer<'read-app'> {
    const { contents } = await client.readResource({ uri }, { signal });
    return readAppPage(uri, contents, bounds);
  }

  async function readDirectory(uri: string, signal: AbortSignal): Answer<'read-directory'> {
    const skills = await loadSkills();
    if (!skills.directoryRead) {
      throw new SdkError(
        'mcp-failed',
        'The server can’t list directories. List its resources instead.',
      );
    }
    const { resources } = await skills.readDirectory(uri, { signal });
    return resources.flatMap((given) => toResource(given, bounds));
  }

  async function complete(
    { of, argument, value, others }: Extract<McpRequest, { type: 'complete' }>,
    signal: AbortSignal,
  ): Answer<'complete'> {
    if (!client.getServerCapabilities()?.completions) return [];
    const ref =
      'prompt' in of
        ? ({ type: 'ref/prompt', name: of.prompt } as const)
        : ({ type: 'ref/resource', uri: of.uriTemplate } as const);
    const hasOthers = Object.keys(others).length > 0;
    const { completion } = await client.complete(
      {
        ref,
        argument: { name: argument, value },
        ...(hasOthers && { context: { arguments: { ...others } } }),
      },
      { signal },
    );
    return completion.values.slice(0, maxValues).map((one) => toPlainText(one, maxUriChars));
  }

  /** The code is loaded with the first of these requests. */
  async function loadSkills() {
    const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
    return new SkillsClient(client, { skipInvalid: true });
  }

  async function listSkills(signal: AbortSignal): Answer<'list-skills'> {
    const { skills } = await (await loadSkills()).list(undefined, { signal });
    if (skills.length > bounds.tools) throw tooMany('skills', bounds);
    return skills.map(({ uri, frontmatter }) => ({
      uri,
      name: toPlainText(frontmatter.name, maxNameChars),
      description: toPlainText(frontmatter.description, bounds.descriptionChars),
    }));
  }

  async function readSkill(uri: string, signal: AbortSignal): Answer<'read-skill'> {
    const skills = await loadSkills();
    // The entry is requested again, because its digest is the server's present one. The list is
    // used, because not every server has `skills/get`.
    const { skills: listed } = await skills.list(undefined, { signal });
    const skill = listed.find((one) => one.uri === uri);
    if (!skill) throw new SdkError('mcp-failed', 'The server doesn’t offer the skill any more.');
    const { body, text, verified } = await skills.read(skill, undefined, { signal });
    if (!verified) {
      throw new SdkError(
        'mcp-failed',
        'The server gives no digest of the skill, so nobody can tell whether its text is the one that it offers.',
      );
    }
    return body ?? text ?? '';
  }

  // The cast: each case above returns the type that belongs to its request.
  return ((request, signal) => run((ending) => answer(request, ending), signal)) as AskMcpServer;
}

/**
 * Changes the set of watched resources. The protocol of 2026-07-28 uses one stream, earlier ones
 * single requests.
 */
function createWatch(client: Client) {
  const stream = createChangeStream(client);
  let watched: readonly string[] = [];

  return async (uris: readonly string[], signal: AbortSignal): Promise<void> => {
    if (!client.getServerCapabilities()?.resources?.subscribe) return;
    if (client.getProtocolEra() === 'modern') {
      const filter = { resourceSubscriptions: [...uris] };
      await stream.replace(uris.length > 0 ? await client.listen(filter, { signal }) : undefined);
      return;
    }
    const added = uris.filter((uri) => !watched.includes(uri));
    const removed = watched.filter((uri) => !uris.includes(uri));
    watched = uris;
    for (const uri of added) await client.subscribeResource({ uri }, { signal });
    for (const uri of removed) await client.unsubscribeResource({ uri }, { signal });
  };
}

type ListMethod = 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** Reads the list page by page, so that an endless list ends at the limit. */
async function listPages(
  client: Client,
  method: ListMethod,
  key: string,
  bounds: McpBounds,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const listed: unknown[] = [];
  let chars = 0;
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const params = cursor === undefined ? {} : { cursor };
    // Not parsed by the client's schema, because one invalid entry would reject the whole list.
    const page = await client.request({ method, params }, toPageSchema(key), { signal });
    listed.push(...page.entries);
    chars += JSON.stringify(page.entries).length;
    if (listed.length > bounds.tools || chars > bounds.listChars) throw tooMany(key, bounds);
    cursor = page.nextCursor;
  } while (cursor !== undefined && cursor !== '');
  return listed;
}

interface Page {
  readonly entries: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

function toPageSchema(key: string): StandardSchemaV1<unknown, Page> {
  return {
    '~standard': {
      version: 1,
      vendor: 'rockpool',
      validate(value: unknown) {
        const fields = isRecord(value) ? value : {};
        const { [key]: entries, nextCursor } = fields;
        if (!Array.isArray(entries)) return { issues: [{ message: `it lists no ${key}` }] };
        return {
          value: {
            entries: entries as unknown[],
            nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
          },
        };
      },
    },
  };
}

function tooMany(what: string, { tools, listChars }: McpBounds): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The MCP server lists more than ${tools} ${what}, or ${listChars} characters of them. Let it offer fewer.`,
    { data: { what } },
  );
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isUri = (value: unknown): value is string => isText(value) && value.length <= maxUriChars;

function toAbout(
  { name, title, description, mimeType }: Readonly<Record<string, unknown>>,
  uri: string,
  bounds: McpBounds,
): Omit<McpResource, 'uri'> {
  const shown = isText(title) ? title : isText(name) ? name : uri;
  return {
    name: toPlainText(shown, maxNameChars),
    ...(isText(mimeType) && { mimeType: toPlainText(mimeType, maxNameChars) }),
    ...(isText(description) && { description: toPlainText(description, bounds.descriptionChars) }),
  };
}

function toResource(given: unknown, bounds: McpBounds): readonly McpResource[] {
  const fields = isRecord(given) ? given : {};
  const { uri } = fields;
  return isUri(uri) ? [{ uri, ...toAbout(fields, uri, bounds) }] : [];
}

function toTemplate(given: unknown, bounds: McpBounds): readonly McpResourceTemplate[] {
  const fields = isRecord(given) ? given : {};
  const { uriTemplate } = fields;
  return isUri(uriTemplate) ? [{ uriTemplate, ...toAbout(fields, uriTemplate, bounds) }] : [];
}

function toPrompt(given: unknown, bounds: McpBounds): readonly McpPrompt[] {
  const { name, description, arguments: wanted } = isRecord(given) ? given : {};
  if (!isText(name) || name.length > maxNameChars) return [];
  const list: readonly unknown[] = Array.isArray(wanted) ? wanted : [];
  const toWords = (text: unknown) =>
    isText(text) ? toPlainText(text, bounds.descriptionChars) : '';
  return [
    {
      name,
      description: toWords(description),
      arguments: list.filter(isRecord).flatMap((one) =>
        isText(one['name'])
          ? {
              name: toPlainText(one['name'], maxNameChars),
              description: toWords(one['description']),
              isRequired: one['required'] === true,
            }
          : [],
      ),
    },
  ];
}
