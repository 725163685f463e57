// Turns of a session that moves between them, and what they come to wherever and however often it was moved.
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../../src/core/messages/blocks.ts';
import { countReplies, countUsage, findTwice } from '../sessions/journal-counts.ts';
import { isResult, readUntil } from '../sessions/open-sessions.ts';

/** One turn of moving-model.ts. */
export async function playTurn(session: AgentSession, turn: number): Promise<void> {
  const { n } = await session.send({
    type: 'user',
    uuid: `turn-${turn}`,
    message: { role: 'user', content: `Turn ${turn}` },
    parent_tool_use_id: null,
  });
  await readUntil(session, isResult, n);
}

/** What must be the same wherever and however often it was moved. */
export async function readMovedEnding({ workspace }: Host, sessionId: string) {
  const { entries, messages } = await loadJournal(workspace, sessionId);
  const names = (await workspace.fs.readdir('/workspace')).sort();
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await workspace.fs.readFile(`/workspace/${name}`, 'utf8');
  const variables = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.filter(isToolResultBlock).flatMap((block) => {
          return block.tool_use_id.startsWith('r-') ? [toResultText(block)] : [];
        }),
  );
  return {
    files,
    variables,
    said: entries.flatMap((entry) => {
      if (entry.type !== 'reply' || entry.end === 'void') return [];
      return entry.message.content.map((block) => {
        if (isToolUseBlock(block)) return block.name;
        return isTextBlock(block) ? block.text : block.type;
      });
    }),
    tokens: countUsage(entries),
    ofReplies: countReplies(entries),
    twice: findTwice(entries),
  };
}

/** What so many turns come to. */
export function ofTurns(count: number) {
  const turns = Array.from({ length: count }, (_, turn) => turn);
  return {
    files: Object.fromEntries(turns.map((turn) => [`${turn}.txt`, `${turn}`])),
    variables: turns.map((turn) => `=> ${turn + 1}`),
    said: turns.flatMap((turn) => ['Write', 'Repl', `Done ${turn}.`]),
    tokens: count * 3 * 5,
    ofReplies: count * 3 * 5,
    twice: [],
  };
}
