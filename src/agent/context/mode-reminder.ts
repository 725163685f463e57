// Tells the model when plan mode begins and ends, by a reminder at the conversation's end. In the system
// prompt it would invalidate the cache of the whole conversation. create-request.ts calls it for each
// request. What was told is read back from the conversation, so a resumed session needs nothing else.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedMessages } from '../registry/announce-tools.ts';

/** How a plan comes about in this session. */
export interface PlanRules {
  /** Where it is written. Undefined: the tool that puts a plan to the user isn't there, and the answer has it. */
  readonly path: string | undefined;
  /** What the query's options add. */
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

/** Was the message made by {@link toModeReminder}? */
export function isModeReminder(message: MessageParam): boolean {
  return isAboutMode(listReminders([message])[0]);
}

/** What the conversation doesn't say yet about the mode, as the message to append. */
export function toModeReminder(
  mode: PermissionMode,
  messages: readonly MessageParam[],
  rules: PlanRules,
): MessageParam | undefined {
  const told = listReminders(listNotedMessages(messages)).findLast(isAboutMode);
  if (mode !== 'plan') {
    const isTold = told === undefined || told === planModeIsOver;
    return isTold ? undefined : toSystemReminder(planModeIsOver);
  }
  // A fork's conversation names its parent's file.
  const planMode = describePlanMode(rules);
  return told === planMode ? undefined : toSystemReminder(planMode);
}
