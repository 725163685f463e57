// Chooses a session's tools: the host's tools that the options select, and the caller's own. Used
// by create-session.ts.
import type { OutputFormat } from '../../core/messages/output-format.ts';
import { toDefinition } from '../../core/tool/listed-tool.ts';
import type { KnownTool, KnownTools } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { replaceShell } from '../permissions/rules.ts';
import { toToolFilter } from '../agents/main-agent.ts';
import type { QueryOptions } from '../query-options.ts';
import { bindOutputTool } from '../registry/bind-output-tool.ts';
import { badName, notBuilt, sameName, unknownTool } from '../session/tool-mistakes.ts';
import type { SessionTools } from '../session/settings/tool-aliases.ts';
import { resolveToolPreset } from '../session/settings/tool-presets.ts';
import type { ToolPresetOption } from '../session/settings/tool-presets.ts';

/**
 * The tools of a query's options, selected from those of the host.
 *
 * @throws SdkError `bad-usage` for an unknown name, and for an `outputFormat` that isn't possible.
 * Also for an own tool with a name that is taken or that the API refuses
 */
export async function chooseTools(
  known: KnownTools,
  options: Pick<QueryOptions, 'agent' | 'agents' | 'tools' | 'outputFormat'>,
): Promise<SessionTools> {
  const chosen = keepTools(await sortChoices(known, options.tools), toToolFilter(options));
  return options.outputFormat ? withOutputTool(chosen, known, options.outputFormat) : chosen;
}

async function sortChoices(
  known: KnownTools,
  chosen: QueryOptions['tools'],
): Promise<SessionTools> {
  if (!Array.isArray(chosen)) {
    const builtInTools =
      chosen === undefined ? known : resolveToolPreset(chosen as ToolPresetOption, known);
    return { builtInTools, ownTools: [], unchosenTools: [] };
  }
  const builtInTools: KnownTool[] = [];
  const ownTools: Tool[] = [];
  const named = new Set<string>();
  for (const choice of chosen) {
    if (typeof choice === 'string') {
      const tool = findBuiltIn(choice, known);
      // Two names may mean the same tool, such as `Bash` and `Repl`.
      if (named.has(choice) || !builtInTools.includes(tool)) builtInTools.push(tool);
      named.add(choice);
    } else if (isPreset(choice)) builtInTools.push(...resolveToolPreset(choice, known));
    // `[...(await host.loadTools()), myTool]`: the host's own objects stay built-in tools.
    else if (await isBuiltIn(choice, known)) builtInTools.push(choice);
    else ownTools.push(checkTool(choice));
  }
  const names = [...builtInTools, ...ownTools].map((tool) => tool.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw sameName(twice);
  // Compared by name: a listed tool may have been chosen by its definition.
  const taken = new Set(builtInTools.map(({ name }) => name));
  const unchosenTools = known.filter(({ name }) => !taken.has(name));
  return { builtInTools, ownTools, unchosenTools };
}

/** Keeps the tools that the main agent may use. */
function keepTools(tools: SessionTools, isKept: ReturnType<typeof toToolFilter>): SessionTools {
  if (!isKept) return tools;
  return {
    builtInTools: tools.builtInTools.filter(isKept),
    ownTools: tools.ownTools.filter(isKept),
    unchosenTools: [
      ...tools.unchosenTools,
      ...[...tools.builtInTools, ...tools.ownTools].filter((tool) => !isKept(tool)),
    ],
  };
}

/**
 * Adds the tool by which the model answers in the form of `outputFormat`. A query can't select it.
 */
async function withOutputTool(
  tools: SessionTools,
  known: KnownTools,
  format: OutputFormat,
): Promise<SessionTools> {
  const bound = await bindOutputTool(known, format);
  const isOther = ({ name }: KnownTool) => name !== bound.name;
  return {
    ...tools,
    builtInTools: [...tools.builtInTools.filter(isOther), bound],
    unchosenTools: tools.unchosenTools.filter(isOther),
  };
}

function isPreset(choice: Tool | ToolPresetOption | null | undefined): choice is ToolPresetOption {
  return (choice as Partial<ToolPresetOption> | null | undefined)?.type === 'preset';
}

function findBuiltIn(name: string, known: KnownTools): KnownTool {
  const tool = findToolByName(known, name) ?? findToolByName(known, replaceShell(name));
  if (tool) return tool;
  throw unknownTool(name, known);
}

/** True for one of the host's own definitions, but not for another tool of the same name. */
async function isBuiltIn(choice: Tool | undefined | null, known: KnownTools): Promise<boolean> {
  const namesake = known.find(({ name }) => name === choice?.name);
  return namesake !== undefined && (await toDefinition(namesake)) === choice;
}

/** The API's pattern of tool names. */
const namePattern = /^[\w-]{1,128}$/u;

function checkTool(tool: Tool): Tool {
  const name: unknown = (tool as Tool | undefined | null)?.name;
  if (typeof name !== 'string' || !namePattern.test(name)) throw badName(name);
  const { isEnabled, handler } = tool as { isEnabled?: unknown; handler?: unknown };
  if (typeof isEnabled !== 'function') throw notBuilt(name, typeof handler === 'function');
  return tool;
}
