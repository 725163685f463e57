// The sub-agent definitions of the user, the project and plugins. Each is a Markdown file below their
// `.claude/agents`, or a plugin's `agents`. Its text is the system prompt. Loaded for queries that switch the
// workspace's definitions on.
import { effortLevels, isEffortLevel } from '../../core/messages/effort.ts';
import { describeThrown, SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isPermissionMode } from '../../core/permissions/permission.ts';
import { joinPath } from '../../core/path.ts';
import { isMemoryScope } from '../context/agent-notes.ts';
import { readFrontMatter } from '../../text/front-matter.ts';
import {
  readFlag,
  readTextField,
  readToolList,
  refuseHooks,
} from '../definitions/definition-fields.ts';
import type { DefinitionFields } from '../definitions/definition-fields.ts';
import { isAbsence, lookAtDefinition, readDefinitionText } from '../definitions/definition-file.ts';
import type { DefinitionFiles } from '../definitions/definition-file.ts';
import { putPluginRoot, toPluginName } from '../plugins/plugin.ts';
import type { DefinitionScope } from '../session/settings/definition-scopes.ts';
import { checkAgentName } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';

const folder = '.claude/agents';
const extension = '.md';

// 256 kB: a model wouldn't follow a longer system prompt.
const maxBytes = 256 * 1024;
// Security: each definition takes a read of the workspace before each prompt.
const maxAgents = 200;

/** The definitions that were found at one time. */
export interface FoundAgents {
  readonly definitions: readonly NamedDefinition[];
  /**
   * Sentences for a person about definitions that are left out or have no effect, with the reasons.
   */
  readonly problems: readonly string[];
}

/** A directory of definitions, and its owner. */
export interface AgentPlace extends DefinitionFiles {
  readonly source: DefinitionScope['source'];
}

/**
 * Looks for definitions, and reads those that have changed. Never rejects. A definition can't
 * loosen its caller's permissions, so none has to be trusted. Its mode holds only if it is
 * stricter, and its tools and servers are the caller's. `places`: of two agents of one name the one
 * of the later place counts, as in Claude Code. `servers`: the names of the query's.
 */
export function createWorkspaceAgents(
  places: readonly AgentPlace[],
  servers: readonly string[] = [],
): () => Promise<FoundAgents> {
  const finders = places.map((place) => createFinder(place, servers));
  return async () => {
    const found = await Promise.all(finders.map((find) => find()));
    return {
      definitions: found.flatMap(({ definitions }) => definitions),
      problems: found.flatMap(({ problems }) => problems),
    };
  };
}

function createFinder(place: AgentPlace, servers: readonly string[]): () => Promise<FoundAgents> {
  const known = new Map<string, { readonly version: number; readonly found: FoundAgents }>();

  async function readFile(path: string): Promise<FoundAgents> {
    const file = await lookAtDefinition(path, place);
    if (!file) return nothing;
    const before = known.get(path);
    if (before?.version === file.version) return before.found;
    const found = await readDefinitionText(place.fs, file, maxBytes)
      .then(readFrontMatter)
      .then(({ fields, body }) => ({
        definitions: [readAgent(fields, body, servers, place)],
        problems: [
          ...(fields['permissionMode'] === loosest ? [toNoEffect(path)] : []),
          ...listMissingServers(fields, servers).map((one) => toNoServer(path, one)),
        ],
      }))
      .catch((error: unknown) => toProblem(path, error));
    known.set(path, { version: file.version, found });
    return found;
  }

  return async () => {
    const places = place.plugin?.agents ?? [joinPath(place.cwd, folder)];
    const listed = await Promise.all(places.map((at) => listFiles(at, place)));
    const paths = listed.flatMap((one) => one.paths);
    const read = await Promise.all(
      paths
        .toSorted()
        .slice(0, maxAgents)
        .map((path) => readFile(path).catch((error: unknown) => toProblem(path, error))),
    );
    const problems = [...listed, ...read].flatMap((one) => one.problems);
    if (paths.length > maxAgents) {
      problems.push(
        `${places.join(', ')} has ${paths.length} files. Only the first ${maxAgents} are read.`,
      );
    }
    const definitions = read.flatMap((one) => one.definitions);
    return { definitions, problems: [...problems, ...listDoubles(definitions)] };
  };
}

/** Lists the files. Never rejects. */
async function listFiles(
  at: string,
  { fs }: AgentPlace,
): Promise<{ readonly paths: readonly string[]; readonly problems: readonly string[] }> {
  // A plugin may name a single file.
  if (at.endsWith(extension)) return { paths: [at], problems: [] };
  try {
    const entries = await fs.walk(at, { respectIgnore: false });
    const paths = entries.map(({ path }) => path).filter((path) => path.endsWith(extension));
    return { paths, problems: [] };
  } catch (error) {
    if (isAbsence(error)) return { paths: [], problems: [] };
    return { paths: [], problems: toProblem(at, error).problems };
  }
}

function listMissingServers(fields: DefinitionFields, servers: readonly string[]): string[] {
  return [...new Set(listServers(fields))].filter((one) => !servers.includes(one));
}

/** No other mode is looser, so this one never holds. */
const loosest = 'bypassPermissions';

function toNoEffect(path: string): string {
  return `The agent in ${path} has permissionMode: ${loosest}, which has no effect: an agent may do no more than its caller.`;
}

function toNoServer(path: string, server: string): string {
  return `The agent in ${path} is not given the MCP server ${server}: a file can name those of mcpServers alone, and there is none of that name.`;
}

/** The problems of names that several definitions share. */
function listDoubles(definitions: readonly NamedDefinition[]): readonly string[] {
  const names = definitions.map(({ name }) => name);
  const doubles = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [...doubles].map(
    (name) =>
      `Several agents of the workspace have the name ${name}. The one whose file comes last counts. Give the others another name.`,
  );
}

const nothing: FoundAgents = { definitions: [], problems: [] };

function toProblem(path: string, error: unknown): FoundAgents {
  const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
  return { definitions: [], problems: [`The agent in ${path} is left out: ${why}`] };
}

/**
 * Reads a definition.
 * @throws SdkError `invalid-input`, whose message says what is wrong.
 */
function readAgent(
  fields: DefinitionFields,
  body: string,
  servers: readonly string[],
  { source, plugin }: Pick<AgentPlace, 'source' | 'plugin'>,
): NamedDefinition {
  const name = readTextField(fields, 'name');
  const description = readTextField(fields, 'description');
  const prompt = body.trim();
  if (name === undefined) throw missing('name: how it is asked for');
  if (description === undefined) throw missing('description: when to ask for it');
  if (prompt === '') {
    throw new SdkError('invalid-input', 'There is no text below the front matter: its prompt.');
  }
  refuseHooks(fields, 'Or give it by options.agents, with functions as hooks.');
  const mcpServers = listServers(fields).filter((one) => servers.includes(one));
  const mode = readTextField(fields, 'permissionMode');
  if (mode !== undefined && !isPermissionMode(mode)) {
    throw new SdkError('invalid-input', `There is no permissionMode "${mode}".`);
  }
  const memory = readTextField(fields, 'memory');
  if (memory !== undefined && !isMemoryScope(memory)) {
    throw new SdkError('invalid-input', `"memory" must be user, project or local.`);
  }
  // Security: the user may have an agent of this name, whose notes all projects share.
  if (memory === 'user' && source !== 'user') {
    throw new SdkError(
      'invalid-input',
      'An agent of the project or of a plugin may not write notes for all projects. Its memory is project or local.',
    );
  }
  const skills = readToolList(fields, 'skills', 'a list of names of skills');
  const tools = readToolList(fields, 'tools');
  const disallowedTools = readToolList(fields, 'disallowedTools');
  const model = readTextField(fields, 'model');
  const effort = readTextField(fields, 'effort');
  if (effort !== undefined && !isEffortLevel(effort)) {
    throw new SdkError('invalid-input', `"effort" must be one of ${effortLevels.join(', ')}.`);
  }
  const maxTurns = fields['maxTurns'];
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && Number(maxTurns) > 0)) {
    throw new SdkError('invalid-input', '"maxTurns" must be a whole number above 0.');
  }
  return {
    name: plugin ? toPluginName(plugin, checkAgentName(name)) : checkAgentName(name),
    description,
    prompt: putPluginRoot(prompt, plugin),
    ...(tools.length > 0 && !tools.includes('*') && { tools }),
    ...(disallowedTools.length > 0 && { disallowedTools }),
    ...(mcpServers.length > 0 && { mcpServers }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(maxTurns !== undefined && { maxTurns: Number(maxTurns) }),
    background: readFlag(fields, 'background', true),
    omitClaudeMd: readFlag(fields, 'omitClaudeMd', false),
    ...(skills.length > 0 && { skills }),
    ...(memory !== undefined && { memory }),
    ...(mode !== undefined && { permissionMode: mode }),
  };
}

/**
 * Lists servers by name. A definition's own servers count by their names, too: they are elsewhere,
 * or processes.
 */
function listServers(fields: DefinitionFields): readonly string[] {
  const given = fields['mcpServers'] ?? [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((one) => {
    if (typeof one === 'string') return one.split(/[\s,]+/u).filter((name) => name !== '');
    if (isRecord(one)) return Object.keys(one);
    throw new SdkError('invalid-input', '"mcpServers" must be a list of names of servers.');
  });
}

function missing(what: string): SdkError {
  return new SdkError('invalid-input', `Its front matter has no ${what}.`);
}
