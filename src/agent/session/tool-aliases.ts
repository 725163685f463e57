// A query's `toolAliases`: further names to which its tools answer. Loaded for a query that has some.
import type { Tool, Tools } from '../../core/tool/tool.ts';
import type { Session } from './session.ts';
import { unknownTool } from './tool-mistakes.ts';

type SessionTools = Pick<Session, 'builtInTools' | 'ownTools' | 'unchosenTools'>;

/**
 * The same tools under these names too: `{ Bash: 'Repl' }`. A tool that really has such a name comes first.
 *
 * @throws SdkError `bad-usage` where a name stands for a tool that there isn't.
 */
export function addAliases(
  tools: SessionTools,
  toolAliases: Readonly<Record<string, string>>,
): SessionTools {
  const { builtInTools, ownTools, unchosenTools } = tools;
  const all = [...builtInTools, ...ownTools, ...unchosenTools];
  for (const name of Object.values(toolAliases)) {
    if (!all.some((tool) => tool.name === name)) throw unknownTool(name, all);
  }
  const add = (given: Tools) => given.map((tool) => withAliases(tool, toolAliases));
  return { builtInTools: add(builtInTools), ownTools: add(ownTools), unchosenTools };
}

function withAliases(tool: Tool, toolAliases: Readonly<Record<string, string>>): Tool {
  const more = Object.keys(toolAliases).filter((alias) => toolAliases[alias] === tool.name);
  if (more.length === 0) return tool;
  const aliases = [...(tool.aliases ?? []), ...more];
  // Neither a copy, so that a schema that is built when it is first asked for stays so, nor an heir: its
  // members would be called on the heir, which has none of a class's private ones. The proxy's target is
  // not the tool, as one that is frozen may only be shown as it is.
  return new Proxy({} as Tool, {
    has: (_, key) => key === 'aliases' || key in tool,
    get(_, key) {
      if (key === 'aliases') return aliases;
      const member: unknown = Reflect.get(tool, key);
      return typeof member === 'function' ? member.bind(tool) : member;
    },
  });
}
