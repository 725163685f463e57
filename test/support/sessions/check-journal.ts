// Checks what must hold for every journal: entries are in order, and each comes after the entry that it depends on.
// For tests of sessions.
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';

/** Describes the first entry that is in a wrong place. Undefined: none is. */
export function findDisorder(entries: readonly JournalEntry[]): string | undefined {
  const seen = {
    prompts: new Set<string>(),
    questions: new Set<string>(),
    answered: new Set<string>(),
    /** The calls that have started and not settled. */
    running: new Set<string>(),
    /** The calls of the newest request that have settled, and those whose hooks haven't run yet. */
    settled: new Set<string>(),
    open: new Set<string>(),
    step: 0,
    hasReply: false,
  };
  for (const [at, entry] of entries.entries()) {
    const wrong = findWrong(entry, at);
    if (wrong !== undefined) return `Entry ${at + 1} (${entry.type}): ${wrong}.`;
  }
  return undefined;

  function findWrong(entry: JournalEntry, at: number): string | undefined {
    if (entry.n !== at + 1) return `its number is ${entry.n}`;
    if ((at === 0) !== (entry.type === 'session')) return 'the session is its first entry';
    switch (entry.type) {
      case 'prompt':
        if (seen.prompts.has(entry.uuid)) return 'the prompt has come before';
        seen.prompts.add(entry.uuid);
        return undefined;
      case 'turn':
        return seen.prompts.has(entry.prompt) ? undefined : 'there is no such prompt';
      case 'request':
        if (entry.step !== seen.step + 1) return `its step follows ${seen.step}`;
        seen.step = entry.step;
        seen.settled.clear();
        seen.hasReply = false;
        return undefined;
      case 'block':
      case 'reply':
        if (entry.step !== seen.step) return `there is no request ${entry.step}`;
        if (seen.hasReply) return 'its reply has ended';
        seen.hasReply = entry.type === 'reply' && entry.end !== 'void';
        // A new attempt may name its calls like the void one.
        if (entry.type === 'reply' && entry.end === 'void') seen.settled.clear();
        return undefined;
      case 'question':
        if (seen.questions.has(entry.requestId)) return 'it was asked before';
        seen.questions.add(entry.requestId);
        return undefined;
      case 'answer':
        if (!seen.questions.has(entry.requestId)) return 'nothing was asked';
        if (seen.answered.has(entry.requestId)) return 'it has an answer';
        seen.answered.add(entry.requestId);
        return undefined;
      case 'call':
        if (seen.running.has(entry.id)) return `${entry.id} runs already`;
        if (seen.settled.has(entry.id)) return `${entry.id} has settled`;
        seen.running.add(entry.id);
        return undefined;
      case 'settled':
        if (seen.settled.has(entry.id)) return `${entry.id} has settled before`;
        if (entry.changes && !seen.running.has(entry.id)) return `${entry.id} never began`;
        seen.running.delete(entry.id);
        seen.settled.add(entry.id);
        if (entry.isOpen) seen.open.add(entry.id);
        return undefined;
      case 'amended':
        return seen.open.delete(entry.id) ? undefined : `${entry.id} isn't open`;
      case 'results': {
        const { content } = entry.message;
        const results = typeof content === 'string' ? [] : content.filter(isToolResultBlock);
        const missing = results
          .map((block) => block.tool_use_id)
          .find((id) => !seen.settled.has(id) || seen.open.has(id));
        return missing === undefined ? undefined : `${missing} hasn't settled`;
      }
      default:
        return undefined;
    }
  }
}
