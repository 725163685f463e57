// The resources of a session's MCP servers, for one call. Binary resources become files of the
// session. Changes of the resources that were read are watched.
import { decodeBase64 } from '../../../core/bytes/base64.ts';
import { SdkError, messageOf } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type {
  McpResource,
  McpResourceContents,
  SDKControlMcpReadResourceResponse,
} from '../../../core/mcp/mcp-exchange.ts';
import type {
  ListedMcpResource,
  McpResources,
  ReadMcpContents,
} from '../../../core/mcp/mcp-resources.ts';
import { fitResultImage } from '../../../media/result-image.ts';
import { withoutDeniedServers } from '../../registry/denied-servers.ts';
import type { ConnectedServer } from './mcp-exchange.ts';
import type { McpServers } from './mcp-servers.ts';
import type { Session } from '../session.ts';

/** The parts of the session that resources use. */
export type ResourceSession = Pick<Session, 'agent' | 'files' | 'permissions'>;

/** `signal`: the call's signal. */
export function createMcpResources(
  mcpServers: Pick<McpServers, 'connected' | 'exchange'>,
  { agent, files, permissions }: ResourceSession,
  signal: AbortSignal,
): McpResources {
  const { watch } = mcpServers.exchange;

  const find = (name: string) => findResourceServer(mcpServers, permissions, name);

  async function listOne(server: ConnectedServer): Promise<readonly ListedMcpResource[]> {
    const { resources, templates } = await server.ask({ type: 'list-resources' }, signal);
    await watch.note(agent?.id, server);
    const listed = [
      ...resources,
      ...templates.map(({ uriTemplate, ...about }) => ({ uri: uriTemplate, ...about })),
    ];
    return listed.map((resource) => ({ ...resource, server: server.name }));
  }

  const keep: McpResources['keep'] = async (name, mimeType, blob) =>
    files.write(toFileName(mimeType), toBytes(name, blob));

  async function keepPart({
    uri,
    mimeType,
    text,
    blob,
  }: McpResourceContents): Promise<ReadMcpContents> {
    const about = { uri, ...(mimeType !== undefined && { mimeType }) };
    if (blob === undefined) return { ...about, text: text ?? '' };
    return { ...about, blobSavedTo: await keep(uri, mimeType, blob) };
  }

  return {
    async list(name) {
      if (name !== undefined) return { resources: await listOne(find(name)), problems: [] };
      const servers = listResourceServers(mcpServers, permissions);
      const lists = await Promise.allSettled(servers.map(listOne));
      signal.throwIfAborted();
      return {
        resources: lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])),
        problems: lists.flatMap((list, at) =>
          list.status === 'rejected'
            ? [`Those of ${servers[at]?.name ?? ''} could not be listed. ${messageOf(list.reason)}`]
            : [],
        ),
      };
    },
    async complete({ server, uriTemplate, argument, value }) {
      const of = { uriTemplate };
      const request = { type: 'complete', of, argument, value, others: {} } as const;
      const values = await find(server).ask(request, signal);
      return values.map((one) => ({
        uri: fillTemplate(uriTemplate, argument, one),
        name: one,
        server,
      }));
    },
    async read(name, uri) {
      const server = find(name);
      const contents = await server.ask({ type: 'read-resource', uri }, signal);
      const kept: ReadMcpContents[] = [];
      for (const part of contents) kept.push(await keepPart(part));
      await watch.note(agent?.id, server, uri);
      return kept;
    },
    async readDirectory(name, uri): Promise<readonly McpResource[]> {
      return find(name).ask({ type: 'read-directory', uri }, signal);
    },
    keep,
    fit: fitResultImage,
  };
}

/**
 * Reads a resource for the host, unchanged. Nothing is added to the conversation. Rejects like
 * {@link findResourceServer}.
 */
export async function readForHost(
  servers: Pick<McpServers, 'connected'>,
  permissions: ResourceSession['permissions'],
  { name, uri }: { readonly name: string; readonly uri: string },
  signal: AbortSignal,
): Promise<SDKControlMcpReadResourceResponse> {
  const server = findResourceServer(servers, permissions, name);
  return { contents: await server.ask({ type: 'read-resource', uri }, signal) };
}

/**
 * Finds the server.
 * @throws SdkError `bad-usage` if it isn't connected, has no resources, or is denied
 */
function findResourceServer(
  mcpServers: Pick<McpServers, 'connected'>,
  permissions: ResourceSession['permissions'],
  name: string,
): ConnectedServer {
  const servers = listResourceServers(mcpServers, permissions);
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name).join(', ');
  throw new SdkError(
    'bad-usage',
    `There is no connected server "${name}" with resources. ${names === '' ? 'There is none now.' : `There are: ${names}.`}`,
    { data: { server: name } },
  );
}

/** The servers that are connected, have resources, and aren't denied as a whole. */
export function listResourceServers(
  servers: Pick<McpServers, 'connected'>,
  permissions: ResourceSession['permissions'],
): readonly ConnectedServer[] {
  const remote = servers.connected().filter(({ server }) => server.extras.hasResources);
  return withoutDeniedServers(remote, permissions.current()).map(({ name, server }) => ({
    name,
    ask: server.ask,
  }));
}

/** A name that no other file has. The tool Read uses its extension. */
function toFileName(mimeType = ''): string {
  const ending = endings.get(mimeType) ?? 'bin';
  return `mcp-resources/${createId()}.${ending}`;
}

const endings: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['image/svg+xml', 'svg'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/wav', 'wav'],
]);

/** Fills in `{id}` and `{+id}`, which most templates use. Other expressions stay as they are. */
function fillTemplate(template: string, argument: string, value: string): string {
  return template
    .replaceAll(`{${argument}}`, () => encodeURIComponent(value))
    .replaceAll(`{+${argument}}`, () => encodeURI(value));
}

function toBytes(uri: string, blob: string): Uint8Array {
  try {
    return decodeBase64(blob);
  } catch {
    throw new SdkError('mcp-failed', `The server gave bytes of ${uri} that are no base64.`);
  }
}
