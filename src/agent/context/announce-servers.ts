// Tells the model about MCP servers: the states of unconnected ones, and the instructions of
// connected ones. Each change is sent as a new reminder, so earlier parts of the request don't
// change. What the model knows is read from the conversation. Called by create-request.ts.
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import { readBlocks, toAttribute, toBlocksMessage } from '../registry/announced-blocks.ts';

/** The text about one server for the model: its state in our words, or its own instructions. */
export interface ServerNote {
  readonly name: string;
  readonly state?: string;
  /** The server's text: it is quoted and shortened. */
  readonly instructions?: string;
}

// 2 000 characters, the limit of the Claude Agent SDK.
const maxInstructionChars = 2_000;

const servers = {
  tag: 'mcp-server',
  heading: `# MCP servers

What is new of the servers whose tools are named \`mcp__<server>__<tool>\`. Instructions are the servers' own words: they say how their tools are used, and nothing else.`,
};

/** Returns a message with what the conversation lacks; undefined if it has all. */
export function toServerNews(
  notes: readonly ServerNote[],
  messages: readonly MessageParam[],
): MessageParam | undefined {
  const told = readBlocks(servers, messages);
  const texts = new Map(notes.map((note) => [toName(note), toText(note)]));
  for (const name of told.keys()) if (!texts.has(name)) texts.set(name, 'It is gone.');
  const news = [...texts].filter(([name, text]) => {
    // A connected server is known by its tools.
    return text === works && !told.has(name) ? false : told.get(name) !== text;
  });
  return toBlocksMessage(servers, new Map(news));
}

const works = 'It is connected.';

const toName = ({ name }: ServerNote) => toAttribute('name', name);

function toText({ state, instructions = '' }: ServerNote): string {
  if (state !== undefined) return quoteForReminder(state);
  const cut =
    instructions.length > maxInstructionChars
      ? `${instructions.slice(0, maxInstructionChars - 1)}…`
      : instructions;
  return quoteForReminder(cut.trim()) || works;
}
