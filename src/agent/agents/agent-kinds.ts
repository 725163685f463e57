// The types of agents that may be started at present, and their models: built-in ones, the query's and the
// workspace's. Used by create-session-agents.ts.
import type { AgentListing } from '../../core/agents/agents.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import type { Model } from '../../model/model.ts';
import type { QueryOptions } from '../query-options.ts';
import type { Session } from '../session/session.ts';
import { checkDefinitions, mergeDefinitions } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';
import type { FoundAgents } from './workspace-agents.ts';

/** The kinds of agents of one session. */
export interface AgentKinds {
  has(type: string): boolean;
  /**
   * Finds a kind.
   * @throws SdkError `bad-usage` for an unknown kind. The message names the known ones.
   */
  find(type: string): NamedDefinition;
  list(): readonly AgentListing[];
  /** Reads the workspace's definitions again. Never rejects: a person is told once which are left out. */
  readAnew(): Promise<void>;
  /** The query's model of that name, else the definition's, else the caller's. */
  modelOf(name: string | undefined, definition: NamedDefinition, caller: Session): Model;
  /** Tells a person, once for each name, that there is no such model, and which is used instead. */
  tellUnknownModel(wanted: string | undefined, type: string, used: Model): void;
}

/**
 * `find`: the workspace's definitions. Undefined: the query doesn't use them. `warn` must not throw.
 * @throws SdkError `bad-usage` for impossible definitions of the query.
 */
export function createAgentKinds(
  options: Pick<QueryOptions, 'agents' | 'models' | 'homeDirectory'>,
  find: (() => Promise<FoundAgents>) | undefined,
  warn: (notice: string) => void,
): AgentKinds {
  const { models = {} } = options;
  const own = checkDefinitions(options);
  let definitions = mergeDefinitions(own);
  let told: readonly string[] = [];
  const unknownModels = new Set<string>();

  return {
    has: (type) => definitions.some(({ name }) => name === type),
    find(type) {
      const found = definitions.find(({ name }) => name === type);
      if (found) return found;
      const names = definitions.map(({ name }) => name).join(', ');
      const message = `There is no agent type "${clipText(type, 100)}". Use one of ${names}.`;
      throw new SdkError('bad-usage', message, { data: { agentType: type } });
    },
    list: () =>
      definitions.map(({ name, description, tools, disallowedTools, model }) => ({
        name,
        description,
        ...(tools && { tools }),
        ...(disallowedTools && { disallowedTools }),
        ...(model !== undefined && { model }),
      })),
    async readAnew() {
      if (!find) return;
      const found = await find();
      definitions = mergeDefinitions(found.definitions, own);
      for (const problem of found.problems) if (!told.includes(problem)) warn(problem);
      told = found.problems;
    },
    modelOf(name, definition, caller) {
      if (definition.isFork) return caller.model;
      const wanted = name ?? definition.model ?? 'inherit';
      return (Object.hasOwn(models, wanted) ? models[wanted] : undefined) ?? caller.model;
    },
    tellUnknownModel(wanted, type, used) {
      const isKnown = wanted === undefined || wanted === 'inherit' || unknownModels.has(wanted);
      if (isKnown || Object.hasOwn(models, wanted)) return;
      // The caller's own model may cost something else.
      unknownModels.add(wanted);
      warn(
        `An agent of the kind ${type} was to use the model "${clipText(wanted, 100)}". There is none of that name in options.models, so it uses ${used.name}, as its caller.`,
      );
    },
  };
}
