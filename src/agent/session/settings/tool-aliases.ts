// A query's `toolAliases`: additional names for its tools.
import { loadOnce } from '../../../core/async/load-once.ts';
import { isListedTool } from '../../../core/tool/listed-tool.ts';
import type { KnownTool, ListedTool } from '../../../core/tool/listed-tool.ts';
import { getOrMake } from '../../../core/values/get-or-make.ts';
import type { Tool, Tools } from '../../../core/tool/tool.ts';
import type { Session } from '../session.ts';
import { unknownTool } from '../tool-mistakes.ts';

/** The selected tools of the host, the caller's own, and the rest. */
export type SessionTools = Pick<Session, 'builtInTools' | 'ownTools' | 'unchosenTools'>;

export interface ToolAliases {
  /**
   * Adds the tools under these names: `{ Bash: 'Repl' }`. A tool that really has such a name has
   * precedence.
   * @throws SdkError `bad-usage` if a name stands for an unknown tool, including those in `remote`
   */
  addTo(tools: SessionTools, remote: Tools): SessionTools;
  /** Does the same for tools that come and go. The same tools give the same objects. */
  ofRemote(tools: Tools): Tools;
}

export function createAliases(toolAliases: Readonly<Record<string, string>>): ToolAliases {
  const known = new WeakMap<Tool, Tool>();
  const listAliases = ({ name, aliases = [] }: KnownTool) => [
    ...aliases,
    ...Object.keys(toolAliases).filter((alias) => toolAliases[alias] === name),
  ];
  const toOwn = (tool: Tool) => withAliases(tool, listAliases(tool));
  return {
    addTo({ builtInTools, ownTools, unchosenTools }, remote) {
      const all = [...builtInTools, ...ownTools, ...remote, ...unchosenTools];
      for (const name of Object.values(toolAliases)) {
        if (!all.some((tool) => tool.name === name)) throw unknownTool(name, all);
      }
      return {
        builtInTools: builtInTools.map((tool) =>
          isListedTool(tool) ? listWithAliases(tool, listAliases(tool)) : toOwn(tool),
        ),
        ownTools: ownTools.map(toOwn),
        unchosenTools,
      };
    },
    ofRemote: (tools) => tools.map((tool) => getOrMake(known, tool, () => toOwn(tool))),
  };
}

function listWithAliases(tool: ListedTool, aliases: readonly string[]): ListedTool {
  const load = loadOnce(async () => withAliases(await tool.load(), aliases));
  return { ...tool, aliases, load };
}

function withAliases(tool: Tool, aliases: readonly string[]): Tool {
  if (aliases.length === (tool.aliases ?? []).length) return tool;
  // A proxy, because a copy would build a schema that should be built on first use. Inheritance
  // fails too: private members of a class aren't on the heir. The proxy's target isn't the tool,
  // because a proxy can't change a frozen target's members.
  return new Proxy({} as Tool, {
    has: (_, key) => key === 'aliases' || key in tool,
    get(_, key) {
      if (key === 'aliases') return aliases;
      const member: unknown = Reflect.get(tool, key);
      return typeof member === 'function' ? member.bind(tool) : member;
    },
  });
}
