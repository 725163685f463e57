// Chooses the tools of one request: which are offered, which of them are deferred, and the form in
// which each is sent. create-request.ts calls it before each request. Pure, except for the cache of
// tool params.
import { isToolReferenceBlock, isToolResultBlock } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { extractDiscoveredToolNames } from '../../core/tool/tool-catalog.ts';
import { isListedTool, toDefinition } from '../../core/tool/listed-tool.ts';
import type { KnownTool, KnownTools } from '../../core/tool/listed-tool.ts';
import type { PromptOptions, Tool, Tools } from '../../core/tool/tool.ts';
import type { Model, ToolParam } from '../../model/model.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import { listNotedMessages } from './noted-messages.ts';
import { assembleToolPool, getMergedTools } from './assemble.ts';
import type { AbsentTool, PoolContext } from './assemble.ts';
import { estimateToolTokens, isDeferredTool, toThreshold } from './defer.ts';
import type { ToolSearchMode } from './defer.ts';
import type { ToolParamWriter } from './to-tool-param.ts';
import { searchToolName, toolGates } from './tool-gates.ts';
import type { ToolSwitch } from './tool-gates.ts';

/**
 * Each tool of `tools` is in exactly one of `prefix`, `steady`, `loaded` and `referred`, or is
 * `unloaded`. Only an unloaded tool's definition may still have to be loaded. `loaded` and
 * `referred` also have tools that were found and removed since. These can't be called, but their
 * definitions are still sent.
 */
export interface Pool {
  /** The tools that the model may call: built-in tools, then the others, both by name. */
  readonly tools: KnownTools;
  /** The tools that only a cell's code can call. */
  readonly insideOnly: KnownTools;
  /**
   * Built-in tools that are never deferred. They come first in each request, with the same bytes.
   */
  readonly prefix: Tools;
  /** The other tools that are never deferred. */
  readonly steady: Tools;
  /**
   * Deferrable tools with a full definition: found ones in the order of discovery, or all by name.
   */
  readonly loaded: Tools;
  /** Deferred tools to which the conversation has references, in the order of discovery. */
  readonly referred: Tools;
  /** The names of the tools that the model knows only by name. */
  readonly unloaded: readonly string[];
  /** The options for usage sections: the tools whose sections are in the system prompt. */
  readonly promptOptions: PromptOptions;
  /**
   * True if the model supports `tool_reference`. Tools with a reference are then sent too, and the
   * API hides them until they are used.
   */
  readonly asReferences: boolean;
}

/** The other inputs of the choice. */
export interface PoolRequest {
  readonly mode: ToolSearchMode;
  readonly model: Pick<Model, 'toolReferences' | 'contextWindow'>;
  readonly messages: readonly MessageParam[];
  readonly params: ToolParamWriter;
  readonly cwd: string;
}

/** The window that `toolSearch: 'auto'` assumes if the model's is unknown. */
const defaultContextWindow = 200_000;

/**
 * Loads the definitions that the request needs.
 *
 * @throws SdkError `invalid-input` for a tool whose schema is needed and can't be written.
 * `unsupported-environment` for a listed tool whose code can't be loaded
 */
export async function preparePool(context: PoolContext, request: PoolRequest): Promise<Pool> {
  const { contextWindow = defaultContextWindow } = request.model;
  const { builtIn, others, insideOnly } = assembleToolPool(context);
  const mode = builtIn.some(({ name }) => name === searchToolName)
    ? request.mode
    : // No tool could load the deferred ones.
      ({ type: 'standard' } as const);
  const mayDefer = (tool: KnownTool) =>
    mode.type !== 'standard' && isDeferredTool(tool, context.switches);
  const prefix = await Promise.all(builtIn.filter((tool) => !mayDefer(tool)).map(toDefinition));
  const steady = others.filter((tool) => !mayDefer(tool));
  const promptOptions: PromptOptions = {
    permissionContext: context.permissions,
    tools: [...prefix, ...steady],
    cwd: request.cwd,
  };
  const shared = { insideOnly, prefix, steady, promptOptions };
  const known = [...builtIn, ...others];
  const deferrable = known.filter(mayDefer);
  const write = (tool: Tool) => request.params.writeWithUsage(tool, promptOptions);
  const doesDefer =
    mode.type !== 'tst-auto' ||
    (await exceeds(toThreshold(contextWindow, mode.percent), context, write));
  if (!doesDefer) {
    const loaded = await Promise.all(deferrable.map(toDefinition));
    const tools = takeDefinitions(known, [...prefix, ...loaded]);
    return { ...shared, tools, loaded, referred: [], unloaded: [], asReferences: false };
  }
  const asReferences = request.model.toolReferences === true;
  const noted = listNotedMessages(request.messages);
  const isThere = (name: string) => known.some((tool) => tool.name === name);
  // If a definition were removed with its server or by a rule, the cache of the whole conversation
  // would be lost. So it stays; the model is informed that the tool is gone, and calls of it are
  // refused.
  const gone = (name: string) => (isThere(name) ? undefined : request.params.recall(name));
  const named = new Set(listReferences(noted));
  // A host's own tool, or a hook's output that replaces a search result, may refer to tools that
  // weren't recorded.
  const found = await Promise.all(
    [...new Set([...extractDiscoveredToolNames(noted), ...named])]
      .flatMap((name) => deferrable.find((tool) => tool.name === name) ?? gone(name) ?? [])
      .map(toDefinition),
  );
  const isFound = new Set(found.map(({ name }) => name));
  // Tools that another model found, or that were found in a removed part of the conversation, have
  // no reference. So they are sent in full.
  const references = asReferences ? named : new Set<string>();
  return {
    ...shared,
    tools: takeDefinitions(known, [...prefix, ...found]),
    loaded: found.filter(({ name }) => !references.has(name)),
    referred: found.filter(({ name }) => references.has(name)),
    unloaded: deferrable.map(({ name }) => name).filter((name) => !isFound.has(name)),
    asReferences,
  };
}

/** The same tools, with loaded definitions in place of listed ones. */
function takeDefinitions(known: KnownTools, definitions: Tools): KnownTools {
  const byName = new Map(definitions.map((tool) => [tool.name, tool]));
  return known.map((tool) => (isListedTool(tool) ? (byName.get(tool.name) ?? tool) : tool));
}

/** True if the definitions of the deferrable tools take more tokens than that. */
async function exceeds(
  threshold: number,
  context: PoolContext,
  write: (tool: Tool) => Promise<ToolParam>,
): Promise<boolean> {
  const candidates = getMergedTools(context).filter((tool) =>
    isDeferredTool(tool, context.switches),
  );
  const sizes = await Promise.all(
    candidates.map(async (tool) =>
      isListedTool(tool) ? tool.tokens : estimateToolTokens([await write(tool)]),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0) > threshold;
}

/** The names in all `tool_reference` blocks. */
export function listReferences(messages: readonly MessageParam[]): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content
          .filter(isToolResultBlock)
          .flatMap(({ content: parts }) =>
            typeof parts === 'object'
              ? parts.filter(isToolReferenceBlock).map((part) => part.tool_name)
              : [],
          ),
  );
}

/** An absent tool, and the reason as a sentence. */
export interface ExplainedAbsence extends AbsentTool {
  readonly message: string;
}

/** The tools that aren't in the pool, with reasons. */
export function explainPool(absent: readonly AbsentTool[]): readonly ExplainedAbsence[] {
  return absent.map((one) => ({ ...one, message: toSentence(one) }));
}

function toSentence({ name, reason }: AbsentTool): string {
  switch (reason.type) {
    case 'special':
      return `${name} is offered only while ${reason.needs} holds.`;
    case 'switched-off':
      if (reason.by === 'lsp') return `${name} comes with a language server of the host's.`;
      if (reason.by === 'preview') return `${name} comes with a preview of the host's, in a page.`;
      return isWanting(name, reason.by)
        ? `${name} comes with the option ${reason.by}.`
        : `${name} is left out by ${reason.by}.`;
    case 'denied':
      return `${name} is denied: ${explainReason({ type: 'rule', rule: reason.rule })}.`;
    case 'inside-only':
      return `${name} is called from a cell's code only, as tools.${name}(…).`;
    case 'disabled':
      return `${name} is disabled by itself, or can't say whether it is enabled.`;
    case 'shadowed':
      return `${name} is the name of another tool, which came first.`;
  }
}

/** True if the tool is absent because the option is missing. */
function isWanting(name: string, option: ToolSwitch | 'tools'): boolean {
  const gate = toolGates.get(name);
  return gate !== undefined && 'needs' in gate && gate.needs.some((needed) => needed === option);
}
