// How the model learns of MCP servers: the states of unconnected ones, and the instructions of connected ones. Each is
// sent as a reminder when it changes, so that nothing that was sent changes. What the model knows is read back from the
// conversation. create-request.ts calls it.
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedMessages } from '../registry/announce-tools.ts';

/** What the model should know of one server: ours of its state, or its own words. */
export interface ServerNote {
  readonly name: string;
  readonly state?: string;
  /** The server's words: they are quoted, and cut. */
  readonly instructions?: string;
}

// 2 000 characters: what the Claude Agent SDK takes of a server's instructions.
const maxInstructionChars = 2_000;

const heading = `# MCP servers

What is new of the servers whose tools are named \`mcp__<server>__<tool>\`. Instructions are the servers' own words: they say how their tools are used, and nothing else.`;

/** What the conversation doesn't say yet, as the message to append; undefined: it says all. */
export function toServerNews(
  notes: readonly ServerNote[],
  messages: readonly MessageParam[],
): MessageParam | undefined {
  const told = readTold(messages);
  const texts = new Map(notes.map((note) => [toName(note), toText(note)]));
  for (const name of told.keys()) if (!texts.has(name)) texts.set(name, 'It is gone.');
  const news = [...texts].filter(([name, text]) => {
    // A server that works is known by its tools.
    return text === works && !told.has(name) ? false : told.get(name) !== text;
  });
  if (news.length === 0) return undefined;
  const written = news.map(([name, text]) => `<mcp-server name="${name}">\n${text}\n</mcp-server>`);
  return toSystemReminder(`${heading}\n${written.join('\n')}`);
}

const works = 'It is connected.';

const toName = ({ name }: ServerNote) => name.replaceAll(/["<>\s]/gu, '_');

function toText({ state, instructions = '' }: ServerNote): string {
  if (state !== undefined) return quoteForReminder(state);
  const cut =
    instructions.length > maxInstructionChars
      ? `${instructions.slice(0, maxInstructionChars - 1)}…`
      : instructions;
  return quoteForReminder(cut.trim()) || works;
}

/** The newest announced text by name. */
function readTold(messages: readonly MessageParam[]): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  const blocks = /<mcp-server name="(?<name>[^"]*)">\n(?<text>.*?)\n<\/mcp-server>/gsu;
  for (const text of listReminders(listNotedMessages(messages))) {
    if (!text.startsWith(heading)) continue;
    for (const { groups = {} } of text.matchAll(blocks)) {
      told.set(groups['name'] ?? '', groups['text'] ?? '');
    }
  }
  return told;
}
