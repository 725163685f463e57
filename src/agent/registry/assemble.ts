// Chooses the tools of a request and their order. It runs for every request. The same tools always
// give the same bytes, so the prompt cache matches.
import { SdkError } from '../../core/errors.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { PermissionRule, ToolPermissionContext } from '../../core/permissions/permission.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { KnownTool, KnownTools } from '../../core/tool/listed-tool.ts';
import type { Tools } from '../../core/tool/tool.ts';
import { ruleNamesTool } from '../permissions/rules.ts';
import {
  coordinatorTools,
  insideOnlyTools,
  leadTools,
  simpleTools,
  specialTools,
  toolGates,
} from './tool-gates.ts';
import type { ToolSwitch, ToolSwitches } from './tool-gates.ts';

/** Everything that determines the tools of a request. */
export interface PoolContext {
  /** All built-in tools of the host, with unique names: `await host.loadTools()`. */
  readonly builtIn: KnownTools;
  /**
   * The host's own tools and those of servers. If several have one name, the first is used.
   * @defaultValue none
   */
  readonly others?: Tools;
  /** Built-in tools that the query's `tools` leave out. Their names are free. @defaultValue none */
  readonly unchosen?: KnownTools;
  /** Switches, with the names of the query's options. */
  readonly switches: ToolSwitches;
  readonly permissions: ToolPermissionContext;
}

/** The reason why a tool isn't in the pool. */
export type AbsenceReason =
  /** It is in the pool while `needs` is on. */
  | { readonly type: 'special'; readonly needs: ToolSwitch }
  /** This option of the query is missing, or excludes the tool. */
  | { readonly type: 'switched-off'; readonly by: ToolSwitch | 'tools' }
  | { readonly type: 'denied'; readonly rule: PermissionRule }
  /** Only a cell's code can call it. */
  | { readonly type: 'inside-only' }
  /** Its own `isEnabled` gives false, or fails. */
  | { readonly type: 'disabled' }
  /** Another tool has its name: a built-in tool, or an earlier one. */
  | { readonly type: 'shadowed' };

/** A tool that was left out. */
export interface AbsentTool {
  readonly name: string;
  readonly reason: AbsenceReason;
}

/** A pool, and the tools that aren't in it. */
export interface AssembledPool {
  /** Sorted by name. They come before the other tools of the pool. */
  readonly builtIn: KnownTools;
  readonly others: Tools;
  /** The tools that only a cell's code can call. */
  readonly insideOnly: KnownTools;
  readonly absent: readonly AbsentTool[];
}

/**
 * The built-in tools whose switches are on, including special ones.
 *
 * @throws SdkError `bad-usage` for an invalid context, like the functions below
 */
export function getAllBaseTools(context: PoolContext): KnownTools {
  checkContext(context);
  const { builtIn, switches } = context;
  return builtIn.filter(({ name }) => findClosedSwitch(name, switches) === undefined);
}

/** The built-in tools that may be offered now. */
export function getTools(context: PoolContext): KnownTools {
  checkContext(context);
  return context.builtIn.filter((tool) => findAbsence(tool, context, true) === undefined);
}

/**
 * The built-in tools sorted by name, then the others sorted by name. If several have one name, the
 * first is used, so nothing can replace a built-in tool.
 */
export function assembleToolPool(context: PoolContext): AssembledPool {
  checkContext(context);
  const { builtIn, others = [], unchosen = [] } = context;
  // Includes tools that aren't offered: a server's tool must not take the name of a tool that is
  // switched off.
  const taken = new Set(builtIn.map(({ name }) => name));
  const absent: AbsentTool[] = [];
  const keep = (tool: KnownTool, reason: AbsenceReason | undefined): boolean => {
    if (reason) absent.push({ name: tool.name, reason });
    return reason === undefined;
  };
  const offered = sortByName(others).filter((tool) => {
    const isShadowed = taken.has(tool.name);
    taken.add(tool.name);
    return keep(tool, isShadowed ? { type: 'shadowed' } : findAbsence(tool, context, false));
  });
  const own = sortByName(builtIn).filter((tool) => keep(tool, findAbsence(tool, context, true)));
  return {
    builtIn: own,
    others: offered,
    insideOnly: sortByName(builtIn).filter(({ name }) =>
      absent.some((line) => line.name === name && line.reason.type === 'inside-only'),
    ),
    absent: [...absent, ...unchosen.map(toUnchosen)].toSorted(byName),
  };
}

/** The tools that might be offered, for counting. Not sorted, and with duplicates. */
export function getMergedTools(context: PoolContext): KnownTools {
  return [...getTools(context), ...(context.others ?? [])];
}

/**
 * Removes the tools that a deny rule without content names, because the model may never use them.
 */
export function filterToolsByDenyRules<Known extends KnownTool>(
  tools: readonly Known[],
  permissions: ToolPermissionContext,
): readonly Known[] {
  if (!Array.isArray(tools) || !hasRules(permissions)) {
    refuse('filterToolsByDenyRules takes a list of tools, and permissions with their rules.');
  }
  return tools.filter((tool) => findBlanketDeny(tool, permissions) === undefined);
}

// Hosts with their own loop write the context by hand, so it is checked.
function checkContext(context: PoolContext): void {
  const given: unknown = context;
  const isWhole =
    isRecord(given) &&
    Array.isArray(given['builtIn']) &&
    isRecord(given['switches']) &&
    hasRules(given['permissions']);
  if (isWhole) return;
  refuse(
    "The tools follow from { builtIn, switches, permissions }: write { builtIn: await host.loadTools(), switches: {}, permissions: { mode: 'default', rules: [], additionalWorkingDirectories: new Map() } }, say.",
  );
}

function hasRules(permissions: unknown): boolean {
  return isRecord(permissions) && Array.isArray(permissions['rules']);
}

function refuse(message: string): never {
  throw new SdkError('bad-usage', message);
}

/**
 * Sorts by UTF-16 code units and not by locale, so that the order is the same on every machine. The
 * sort is stable.
 */
export function sortByName<Known extends KnownTool>(tools: readonly Known[]): readonly Known[] {
  return tools.toSorted(byName);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function toUnchosen({ name }: KnownTool): AbsentTool {
  return { name, reason: { type: 'switched-off', by: 'tools' } };
}

/** The first reason against the tool; undefined if it is offered. */
function findAbsence(
  tool: KnownTool,
  { switches, permissions }: PoolContext,
  isBuiltIn: boolean,
): AbsenceReason | undefined {
  if (isBuiltIn) {
    const closed = findClosedSwitch(tool.name, switches);
    if (closed) return { type: 'switched-off', by: closed };
    const needs = specialTools.get(tool.name);
    if (needs && !switches[needs]) return { type: 'special', needs };
  }
  const rule = findBlanketDeny(tool, permissions);
  if (rule) return { type: 'denied', rule };
  if (!isEnabled(tool)) return { type: 'disabled' };
  const isInside = isBuiltIn && switches.replMode === true && insideOnlyTools.has(tool.name);
  return isInside ? { type: 'inside-only' } : undefined;
}

function findClosedSwitch(name: string, switches: ToolSwitches): ToolSwitch | undefined {
  // Without this tool no turn could end.
  if (switches.outputSchema && specialTools.get(name) === 'outputSchema') return undefined;
  if (switches.simple) {
    const isLeft = simpleTools.has(name) || (switches.coordinator && coordinatorTools.has(name));
    return isLeft ? undefined : 'simple';
  }
  if (switches.coordinator && !leadTools.has(name)) return 'coordinator';
  const gate = toolGates.get(name);
  if (!gate) return undefined;
  if ('unless' in gate) return switches[gate.unless] ? gate.unless : undefined;
  return gate.needs.some((needed) => switches[needed]) ? undefined : gate.needs[0];
}

/**
 * The cache of findBlanketDeny; null: no such rule. Each permission update creates a new list of
 * rules.
 */
const denials = new WeakMap<readonly PermissionRule[], WeakMap<KnownTool, PermissionRule | null>>();

// Cached, because each request asks about the same tools: hundreds of tools with hundreds of rules.
function findBlanketDeny(
  tool: KnownTool,
  { rules }: ToolPermissionContext,
): PermissionRule | undefined {
  const find = () =>
    rules.find(
      (rule) =>
        rule.behavior === 'deny' &&
        rule.ruleContent === undefined &&
        ruleNamesTool(rule.toolName, tool),
    ) ?? null;
  return (
    getOrMake(
      getOrMake(denials, rules, () => new WeakMap()),
      tool,
      find,
    ) ?? undefined
  );
}

// A tool whose `isEnabled` fails isn't offered. A listed tool without a loaded definition has no
// `isEnabled`.
function isEnabled(tool: KnownTool): boolean {
  if (isListedTool(tool)) return true;
  try {
    return tool.isEnabled();
  } catch {
    return false;
  }
}
