// A scripted person for tests: answers permission questions from a list and records the questions.
import { SdkError } from '../../core/errors.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
} from '../../core/permissions/permission.ts';

/** One question of the agent. */
export interface AskedQuestion {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly options: CanUseToolOptions;
}

/** Pass `canUseTool` to the query, then check `asked`. */
export interface ScriptedAnswers {
  readonly canUseTool: CanUseTool;
  /** In the order of the questions. */
  readonly asked: readonly AskedQuestion[];
}

/**
 * `allow` and `deny` are the simple answers. A question after the last answer rejects, so a test
 * with unexpected questions fails.
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
