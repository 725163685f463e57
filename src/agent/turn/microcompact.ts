// Microcompaction moves old results of reading calls to files, and replaces each by a line with the
// file's path. make-room.ts loads it when it is due.
import { isToolUseBlock } from '../../core/messages/blocks.ts';
import { describeThrown } from '../../core/errors.ts';
import type { ClearedCall } from '../../core/session/journal.ts';
import { toDefinition } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { classifyCall } from '../calls/classify-call.ts';
import { planClearing, toClearedText } from '../context/clear-results.ts';
import type { ClearableResult, ClearingGround } from '../context/clear-results.ts';
import { estimateTokens, measureContext } from '../context/context-size.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import { findSpillPath, getSessionDirectory } from '../session/files/session-files.ts';
import type { Session } from '../session/session.ts';

/**
 * Clears the old results that are due. Resolves to false if a text couldn't be stored: then a
 * notice has the reason, and nothing is cleared. Rejects if the journal is broken.
 */
export async function microcompact(
  session: Session,
  ground: Omit<ClearingGround, 'isReading'>,
): Promise<boolean> {
  const { journal } = session;
  const { fold } = journal;
  const tools = await loadCalled(session);
  const results = planClearing(fold, { ...ground, isReading: (...call) => isReading(tools, call) });
  if (results.length === 0) return true;
  const before = measureContext(fold);
  let freed = 0;
  const calls: ClearedCall[] = [];
  try {
    for (const result of results) {
      const text = toClearedText(result, await keepText(session, result));
      calls.push({ id: result.call.id, text, source: result.source });
      freed += estimateTokens(result.text) - estimateTokens(text);
    }
  } catch (error) {
    const what = `Old results can't be kept in files, so they stay in the conversation: ${describeThrown(error)}`;
    session.emit(toNoticeMessage(session, what, 'warning'));
    return false;
  }
  await journal.record({ type: 'cleared', calls, postTokens: Math.max(0, before - freed) });
  return true;
}

/** The path of the text. A preview already has the path of its file. */
async function keepText({ id, spill }: Session, { call, text }: ClearableResult): Promise<string> {
  return findSpillPath(text, getSessionDirectory(id), call.id) ?? spill.write(call.id, text);
}

/** The tools of the conversation's calls. A tool that can't be loaded is left out. */
async function loadCalled({ messages, builtInTools, ownTools }: Session): Promise<readonly Tool[]> {
  const names = new Set(
    messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.filter(isToolUseBlock).map(({ name }) => name)
        : [],
    ),
  );
  const known = [...names].flatMap(
    (name) => findToolByName([...builtInTools, ...ownTools], name) ?? [],
  );
  const loaded = await Promise.allSettled(known.map(toDefinition));
  return loaded.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

function isReading(tools: readonly Tool[], [name, input]: readonly [string, unknown]): boolean {
  const tool = findToolByName(tools, name);
  if (!tool) return false;
  try {
    const { success, data } = tool.inputSchema.safeParse(input, { jitless: true });
    return success && classifyCall(tool, data).isReadOnly;
  } catch {
    // The schema throws for an input that it once accepted, so nothing is known about the call.
    return false;
  }
}
