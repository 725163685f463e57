// Keeps the texts of skills that a compaction would remove: the work that needs them continues, and
// a summary doesn't keep their wording. Pure; compact-session.ts appends them to the summary.
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import {
  quoteForReminder,
  readSystemReminder,
  toSystemReminder,
} from '../../core/messages/system-reminder.ts';
import { readSkillHeading } from '../../core/commands/skill-heading.ts';
import { clipText } from '../../core/text/clip-text.ts';

// 20 000 and 100 000 characters: some 5 000 tokens per skill and 25 000 in total, as in Claude
// Code.
const maxChars = 20_000;
const maxCharsOfAll = 100_000;

/**
 * Returns the newest text of each skill that the tool Skill has returned, in the order of their
 * newest calls. The texts are from `gone`, or were kept by an earlier compaction. Skills in `kept`
 * are left out. In total they have at most an eighth of `contextWindow`.
 */
export function listUsedSkills(
  gone: readonly MessageParam[],
  kept: readonly MessageParam[],
  contextWindow = Infinity,
): MessageParam[] {
  const used = readSkills(gone);
  for (const name of readSkills(kept).keys()) used.delete(name);
  // Four characters per token.
  let room = Math.min(maxCharsOfAll, contextWindow / 2);
  const shown: string[] = [];
  for (const [name, text] of [...used].toReversed()) {
    const whole = quoteForReminder(text);
    const rest = `\n\n[The rest is left out: call Skill with "${name}" for it.]`;
    const short =
      whole.length > maxChars ? `${clipText(whole, maxChars - rest.length)}${rest}` : whole;
    if (short.length > room) break;
    room -= short.length;
    shown.unshift(short);
  }
  return shown.map(toSystemReminder);
}

/** The used skills by name, the last used one at the end. */
function readSkills(messages: readonly MessageParam[]): Map<string, string> {
  const calls = new Set<string>();
  const skills = new Map<string, string>();
  const note = (text: string) => {
    const name = readSkillHeading(text);
    if (name === undefined) return;
    skills.delete(name);
    skills.set(name, text);
  };
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue;
    if (role === 'assistant') {
      for (const { id, name } of content.filter(isToolUseBlock))
        if (name === 'Skill') calls.add(id);
      continue;
    }
    for (const block of content) {
      if (isToolResultBlock(block)) {
        if (calls.has(block.tool_use_id) && !block.is_error) note(toResultText(block));
      } else if (isTextBlock(block)) note(readSystemReminder(block.text) ?? '');
    }
  }
  return skills;
}
