// Which tools one request offers, and in which order. Assembled anew for every request; the order
// is a promise: the same tools give the same bytes, so the prompt cache holds.
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

/** All that a pool follows from. */
export interface PoolContext {
  /** Every tool that this build has, no two of one name: `await host.loadTools()`. */
  readonly builtIn: KnownTools;
  /** The host's own and remote ones. Of those with one name the first is taken. @defaultValue none */
  readonly others?: Tools;
  /** Built-in tools that the query's `tools` leave out. Their names are free. @defaultValue none */
  readonly unchosen?: KnownTools;
  /** By the names of the query's options. */
  readonly switches: ToolSwitches;
  readonly permissions: ToolPermissionContext;
}

/** Why a tool isn't in the pool. */
export type AbsenceReason =
  /** It comes back while `needs` holds. */
  | { readonly type: 'special'; readonly needs: ToolSwitch }
  /** By this option of the query: for want of it, or because of it. */
  | { readonly type: 'switched-off'; readonly by: ToolSwitch | 'tools' }
  | { readonly type: 'denied'; readonly rule: PermissionRule }
  /** Only a cell's code can call it. */
  | { readonly type: 'inside-only' }
  /** Its own `isEnabled` says so, or fails. */
  | { readonly type: 'disabled' }
  /** Another tool has its name: a built-in, or one that came first. */
  | { readonly type: 'shadowed' };

/** A tool that was left out. */
export interface AbsentTool {
  readonly name: string;
  readonly reason: AbsenceReason;
}

/** A pool, and what was left out of it. */
export interface AssembledPool {
  /** Sorted by name, and before the others in the pool. */
  readonly builtIn: KnownTools;
  readonly others: Tools;
  /** What only a cell's code can call. */
  readonly insideOnly: KnownTools;
  readonly absent: readonly AbsentTool[];
}

/**
 * The tools of this build whose switches are on, special ones included.
 *
 * @throws SdkError `bad-usage` for what is no context; so do the functions below.
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
 * Built-in tools sorted by name, then the others sorted by name. Of one name the first stays, so
 * nothing that comes later can take a built-in's place.
 */
export function assembleToolPool(context: PoolContext): AssembledPool {
  checkContext(context);
  const { builtIn, others = [], unchosen = [] } = context;
  // Also of those that aren't offered: a remote tool must not pass for one that is switched off.
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

/** Neither sorted nor rid of doubles: what might be offered, for counting. */
export function getMergedTools(context: PoolContext): KnownTools {
  return [...getTools(context), ...(context.others ?? [])];
}

/** Without those that a deny rule without content names: the model needn't know what it may never use. */
export function filterToolsByDenyRules<Known extends KnownTool>(
  tools: readonly Known[],
  permissions: ToolPermissionContext,
): readonly Known[] {
  if (!Array.isArray(tools) || !hasRules(permissions)) {
    refuse('filterToolsByDenyRules takes a list of tools, and permissions with their rules.');
  }
  return tools.filter((tool) => findBlanketDeny(tool, permissions) === undefined);
}

// Whoever hosts a loop of their own writes it by hand.
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

/** By UTF-16 code unit, never by locale: every machine sorts alike. Equal names keep their order. */
export function sortByName<Known extends KnownTool>(tools: readonly Known[]): readonly Known[] {
  return tools.toSorted(byName);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function toUnchosen({ name }: KnownTool): AbsentTool {
  return { name, reason: { type: 'switched-off', by: 'tools' } };
}

/** The first gate that is closed; undefined: the tool is offered. */
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
  // Without it no turn could end.
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

/** What was found; null: no such rule. Each update of the permissions makes a new list of rules. */
const denials = new WeakMap<readonly PermissionRule[], WeakMap<KnownTool, PermissionRule | null>>();

// The same tools are asked about before each request, and hundreds of them by hundreds of rules.
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

// A tool that can't say whether it is enabled isn't offered. One with a say of its own is never listed.
function isEnabled(tool: KnownTool): boolean {
  if (isListedTool(tool)) return true;
  try {
    return tool.isEnabled();
  } catch {
    return false;
  }
}
