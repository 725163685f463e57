// The definitions of sub-agents: built-in ones, and the query's. workspace-agents.ts reads those of the workspace.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isPermissionMode, permissionModes } from '../../core/permissions/permission.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import type { McpServerConfig } from '../../core/mcp/mcp-server.ts';
import { effortLevels, isEffortLevel } from '../../core/messages/effort.ts';
import { suggestNames } from '../../core/text/near-names.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import { isMemoryScope, toNotesPlace } from '../context/agent-notes.ts';
import type { AgentMemoryScope } from '../context/agent-notes.ts';
import type { SystemPrompt } from '../context/system-prompt-option.ts';
import { compileHooks } from '../hooks/compile-hooks.ts';
import type { HookEvent } from '../hooks/hook-events.ts';
import type { HooksOption } from '../hooks/hooks.ts';

/** The name of one of the query's servers, or servers of the agent's own. */
export type AgentMcpServerSpec = string | Readonly<Record<string, McpServerConfig>>;

/** An agent definition, as in the Claude Agent SDK. docs/compatibility.md lists fields without a meaning here. */
export interface AgentDefinition {
  /** When to use the agent: the model chooses by this text. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** A rule that the agent must never forget: the end of its system prompt, before the tools' usage texts. */
  readonly criticalSystemReminder_EXPERIMENTAL?: string;
  /** Names of the agent's tools. Left out: all tools of its caller. */
  readonly tools?: readonly string[];
  /** Names of tools that the agent doesn't get. */
  readonly disallowedTools?: readonly string[];
  /** The name of one of the query's `models`, or `inherit`. @defaultValue 'inherit' */
  readonly model?: string;
  /** How thoroughly the agent works. Left out: like its caller. */
  readonly effort?: EffortLevel;
  /** Requests that each of its turns may take. @defaultValue 100 */
  readonly maxTurns?: number;
  /** Whether the agent runs in the background, if the call doesn't say. @defaultValue true */
  readonly background?: boolean;
  /** True: the agent doesn't get the workspace's instructions. @defaultValue false */
  readonly omitClaudeMd?: boolean;
  /** Names of skills whose texts the agent gets at its start. It may load others by Skill. */
  readonly skills?: readonly string[];
  /** Where the agent keeps notes for later sessions: see docs/agents.md. `user` needs the query's `homeDirectory`. */
  readonly memory?: AgentMemoryScope;
  /** The agent's mode, if it is stricter than its caller's. */
  readonly permissionMode?: PermissionMode;
  /** A prompt that the agent gets before its task. */
  readonly initialPrompt?: string;
  /**
   * Ours: hooks for this agent alone while it runs, after those of the query. Events of a session
   * aren't possible: the agent's own beginning and end are SubagentStart and SubagentStop.
   */
  readonly hooks?: HooksOption;
  /**
   * Servers whose tools the agent has beside `tools`, while it runs. A name means one of the
   * query's, as far as its caller has it. Others are the agent's own.
   */
  readonly mcpServers?: readonly AgentMcpServerSpec[];
}

/** A definition under its name. */
export interface NamedDefinition extends AgentDefinition {
  readonly name: string;
  /** The agent continues its caller's conversation, with its tools and system prompt. */
  readonly isFork?: true;
}

export const forkName = 'fork';
export const defaultAgentName = 'general-purpose';

const reporting = `Whoever started you sees only your last message. End with what they asked for: findings with paths and lines, what you changed, what is left, and what you are not sure of. Nobody reads what you say in between.`;

const builtIn: readonly NamedDefinition[] = [
  {
    name: defaultAgentName,
    description: 'For a task of several steps, with all tools.',
    prompt: `You do one task for another agent, from beginning to end, by your own judgement. Search broadly where you don't know the place, and read what you change. Do what was asked and no more.\n\n${reporting}`,
  },
  {
    name: 'Explore',
    description:
      'Finds out by reading alone: where something is, how it works, what uses it. Say how thoroughly.',
    prompt: `You find things out in a workspace and change nothing. Search by names and by content, in several wordings, and read only the parts that matter. Say so when something isn't there.\n\n${reporting}`,
    tools: ['Read', 'Glob', 'Grep', 'ToolSearch', 'WebFetch', 'WebSearch'],
    omitClaudeMd: true,
  },
  {
    name: 'Plan',
    description: 'Designs a change by reading alone: steps, files, order, risks.',
    prompt: `You plan a change and make none. Read how the code does such things today, and follow it. Give the steps in their order with the files of each, what could go wrong, and how to check the result.\n\n${reporting}`,
    tools: ['Read', 'Glob', 'Grep', 'ToolSearch', 'WebFetch', 'WebSearch'],
  },
  {
    name: forkName,
    description:
      'You again, with all that you know: for work whose steps would fill your own conversation.',
    prompt: '',
    isFork: true,
  },
];

/** The system prompt of an agent that isn't a fork. */
export function toSystemPrompt({
  prompt,
  criticalSystemReminder_EXPERIMENTAL: reminder,
}: AgentDefinition): SystemPrompt {
  return reminder === undefined ? prompt : [prompt, reminder];
}

/**
 * The query's own definitions, checked.
 * @throws SdkError `bad-usage` for an impossible name or definition.
 */
export function checkDefinitions({
  agents = {},
  homeDirectory,
}: {
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  readonly homeDirectory?: string;
}): readonly NamedDefinition[] {
  return Object.entries(agents).map(([name, given]) => {
    const definition = check(name, given);
    if (definition.memory === 'user') toNotesPlace('user', name, { cwd: '/', home: homeDirectory });
    return definition;
  });
}

/**
 * Our definitions, the workspace's and the query's, by name. Of several with the same name the last counts. The
 * query's come last.
 */
export function mergeDefinitions(
  ...sources: readonly (readonly NamedDefinition[])[]
): readonly NamedDefinition[] {
  const byName = new Map([builtIn, ...sources].flat().map((one) => [one.name, one]));
  return [...byName.values()];
}

const namePattern = /^[\w-]{1,64}$/u;

/**
 * Checks a name, which is used in lists and rules.
 * @throws SdkError `invalid-input` for a name that can't be one.
 */
export function checkAgentName(name: string): string {
  if (namePattern.test(name) && name !== forkName) return name;
  throw new SdkError(
    'invalid-input',
    name === forkName
      ? `"${forkName}" is the name of one that is always there. Give it another one.`
      : `Its name is ${JSON.stringify(name)}. Use letters, digits, - and _, at most 64.`,
  );
}

const isText = (value: unknown) => typeof value === 'string';
const text = { what: 'a text', isRight: isText };
const flag = { what: 'true or false', isRight: (value: unknown) => typeof value === 'boolean' };
const names = {
  what: 'a list of names of tools',
  isRight: (value: unknown) => Array.isArray(value) && value.every(isText),
};

/** The optional fields of a definition. */
const fields: Readonly<
  Record<string, { readonly what: string; readonly isRight: (value: unknown) => boolean }>
> = {
  tools: names,
  disallowedTools: names,
  model: text,
  effort: { what: `one of ${effortLevels.join(', ')}`, isRight: isEffortLevel },
  maxTurns: {
    what: 'a whole number above 0',
    isRight: (value) => Number.isInteger(value) && Number(value) > 0,
  },
  background: flag,
  omitClaudeMd: flag,
  skills: { ...names, what: 'a list of names of skills' },
  memory: { what: "'user', 'project' or 'local'", isRight: isMemoryScope },
  permissionMode: { what: `one of ${permissionModes.join(', ')}`, isRight: isPermissionMode },
  initialPrompt: text,
  criticalSystemReminder_EXPERIMENTAL: text,
  mcpServers: {
    what: 'a list of names of servers, and of servers by name',
    isRight: (value: unknown) =>
      Array.isArray(value) && value.every((one) => isText(one) || isRecord(one)),
  },
};

/**
 * Fields of the Claude Agent SDK's definitions that are not read. docs/compatibility.md says why.
 */
const notRead: readonly string[] = ['autoCompactWindow', 'observer', 'observerMessage'];

const known = ['description', 'prompt', ...Object.keys(fields), 'hooks'];

/** Events that only the session has. */
const sessionEvents: readonly HookEvent[] = ['SessionEnd', 'SessionStart', 'Stop'];

function check(name: string, definition: AgentDefinition): NamedDefinition {
  const refuse = (what: string): never => {
    throw new SdkError(
      'bad-usage',
      `agents has "${name}", ${what} Write { ${JSON.stringify(name)}: { description: 'When to use it.', prompt: 'Its system prompt.' } }.`,
      { data: { agent: name } },
    );
  };
  if (!namePattern.test(name)) {
    refuse("whose name can't be one: use letters, digits, - and _, at most 64.");
  }
  if (name === forkName) refuse('which is the name of one that is always there.');
  const { description, prompt } = (definition ?? {}) as Partial<AgentDefinition>;
  if (typeof description !== 'string' || description === '') refuse('which has no description.');
  if (typeof prompt !== 'string' || prompt === '') refuse('which has no prompt.');
  const wrong = Object.entries(fields).find(([field, { isRight }]) => {
    const value = (definition as unknown as Record<string, unknown>)[field];
    return value !== undefined && !isRight(value);
  });
  if (wrong) refuse(`whose ${wrong[0]} isn't ${wrong[1].what}.`);
  // Security: an unknown field may be meant to take a tool from the agent, so it must not be ignored silently.
  const unknown = Object.entries(definition).find(
    ([field, value]) => value !== undefined && ![...known, ...notRead].includes(field),
  );
  if (unknown) {
    refuse(
      `which has "${unknown[0]}", a field without a meaning. ${suggestNames(unknown[0], known)}`,
    );
  }
  const { hooks } = definition;
  if (hooks !== undefined) {
    compileHooks(hooks);
    const event = sessionEvents.find((one) => Object.hasOwn(hooks, one));
    if (event)
      refuse(
        `whose hooks name ${event}. An agent has SubagentStart and SubagentStop in its place.`,
      );
  }
  return { ...definition, name };
}
