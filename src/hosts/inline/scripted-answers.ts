// A person for tests: answers permission questions from a list, and remembers what it was asked.
import { SdkError } from '../../core/errors.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
} from '../../core/permissions/permission.ts';

/** One question as the agent put it. */
export interface AskedQuestion {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly options: CanUseToolOptions;
}

/** Give `canUseTool` to the query, then look at what was `asked`. */
export interface ScriptedAnswers {
  readonly canUseTool: CanUseTool;
  /** In the order of asking. */
  readonly asked: readonly AskedQuestion[];
}

/**
 * `allow` and `deny` are the plain answers. A question after the last answer rejects, so that a
 * test which is asked more than it foresaw fails.
 */
export function createScriptedAnswers(
  answers: readonly ('allow' | 'deny' | PermissionResult | null)[],
): ScriptedAnswers {
  const asked: AskedQuestion[] = [];
  return {
    asked,
    async canUseTool(toolName, input, options) {
      const answer = answers[asked.length];
      asked.push({ toolName, input, options });
      if (answer === 'allow') return { behavior: 'allow' };
      if (answer === 'deny') return { behavior: 'deny', message: 'The user said no.' };
      if (answer !== undefined) return answer;
      throw new SdkError('bad-usage', `Question ${asked.length} (${toolName}) has no answer.`);
    },
  };
}
