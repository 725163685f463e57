import { formatRule, type CanUseTool } from 'rockpool';

/** Gives `keep` each rule that a person allows with an answer. Next time they are the option `allowedTools`. */
export function keepAllowed(ask: CanUseTool, keep: (rule: string) => void): CanUseTool {
  return async (...question) => {
    const answer = await ask(...question);
    const updates = answer?.behavior === 'allow' ? answer.updatedPermissions : undefined;
    for (const update of updates ?? [])
      if (update.type === 'addRules' && update.behavior === 'allow')
        update.rules.map(formatRule).forEach(keep);
    return answer;
  };
}
