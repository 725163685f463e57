// Tells the model when plan mode begins and ends, as a reminder at the conversation's end: in the
// system prompt it would change what stands before the whole conversation. `loop.ts` asks before each
// request. What was told is read back from the conversation, so a resumed session needs nothing else.
import type { MessageParam } from '../../core/messages.ts';
import type { PermissionMode } from '../../core/permission.ts';
import { toSystemReminder } from '../../core/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedMessages } from '../registry/announce-tools.ts';

const planMode = `# Plan mode

The user wants a plan first. Read and search as you need; changes are not kept. End with the plan: what you would change, where, and how you would check it.`;

const planModeIsOver = `# Plan mode is over

Changes are kept again, under the rules of the session.`;

/** Is it one that {@link toModeReminder} has made? */
export function isModeReminder(message: MessageParam): boolean {
  const [text] = listReminders([message]);
  return text === planMode || text === planModeIsOver;
}

/** What the conversation doesn't say yet about the mode, as the message to append. */
export function toModeReminder(
  mode: PermissionMode,
  messages: readonly MessageParam[],
): MessageParam | undefined {
  const told = listReminders(listNotedMessages(messages)).findLast(
    (text) => text === planMode || text === planModeIsOver,
  );
  const isTold = told === planMode;
  if (isTold === (mode === 'plan')) return undefined;
  return toSystemReminder(isTold ? planModeIsOver : planMode);
}
