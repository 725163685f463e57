// Tells the model when plan mode begins and ends, by a reminder at the conversation's end. In the
// system prompt it would invalidate the cache of the whole conversation. Called by
// create-request.ts for each request. What was sent is read from the conversation, so a resumed
// session needs no other state.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedReminders } from '../registry/noted-messages.ts';

/** The rules for plans in this session. */
export interface PlanRules {
  /**
   * The plan's file. Undefined: the tool that presents a plan isn't available, so the plan is part
   * of the answer.
   */
  readonly path: string | undefined;
  /** Additional instructions of the query's options. */
  readonly instructions: string | undefined;
}

const heading = '# Plan mode\n';

function describePlanMode({ path, instructions }: PlanRules): string {
  const where =
    path === undefined
      ? 'changes are not kept. End with the plan.'
      : `changes are not kept, except in ${path}: write the plan there, and change it as you learn more. When it is whole, call ExitPlanMode, which shows it to the user; don't ask by other means whether it is right.`;
  const own = instructions ? `\n\n${instructions}` : '';
  return `${heading}
The user wants a plan first. Read and search as you need; ${where} The plan says what you would change, where, and how you would check it.${own}`;
}

const planModeIsOver = `# Plan mode is over

Changes are kept again, under the rules of the session.`;

const isAboutMode = (text: string | undefined) =>
  text === planModeIsOver || text?.startsWith(heading) === true;

/** True if {@link toModeReminder} has created the message. */
export function isModeReminder(message: MessageParam): boolean {
  return isAboutMode(listReminders([message])[0]);
}

/** Returns a message with the mode if the conversation lacks it. */
export function toModeReminder(
  mode: PermissionMode,
  messages: readonly MessageParam[],
  rules: PlanRules,
): MessageParam | undefined {
  const told = listNotedReminders(messages).findLast(isAboutMode);
  if (mode !== 'plan') {
    const isTold = told === undefined || told === planModeIsOver;
    return isTold ? undefined : toSystemReminder(planModeIsOver);
  }
  // A fork's conversation names its parent's file.
  const planMode = describePlanMode(rules);
  return told === planMode ? undefined : toSystemReminder(planMode);
}
