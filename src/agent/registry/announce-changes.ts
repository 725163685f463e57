// Informs the model when a server has changed the definition of a tool that was already sent. The
// change is a reminder, so that the sent bytes stay the same. The conversation shows what the model
// already knows. create-request.ts calls it.
import type { MessageParam } from '../../core/messages/messages.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import type { ToolParam } from '../../model/model.ts';
import { listNotedMessages } from './announce-tools.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

const heading = `# Changed tools

Their servers describe these tools anew since you were given them. Call them by what stands here; it is the servers' own words.`;

/** The message with the changes that the conversation doesn't have; undefined if there are none. */
export async function toChangedTools(
  { tools, loaded, referred, promptOptions }: Pool,
  params: Pick<ToolParamWriter, 'writeWithUsage' | 'readNow'>,
  messages: readonly MessageParam[],
): Promise<MessageParam | undefined> {
  const told = readTold(messages);
  const news: string[] = [];
  for (const tool of [...loaded, ...referred]) {
    // A removed tool is sent as before.
    if (!tool.isMcp || !tools.includes(tool)) continue;
    const text = toText(await params.readNow(tool, promptOptions));
    const known = told.get(tool.name) ?? toText(await params.writeWithUsage(tool, promptOptions));
    if (text !== known) news.push(`<changed-tool name="${tool.name}">\n${text}\n</changed-tool>`);
  }
  return news.length === 0 ? undefined : toSystemReminder(`${heading}\n${news.join('\n')}`);
}

/** Security: a server's text must not end the line that contains it. */
function toText({ description, input_schema: parameters }: ToolParam): string {
  return JSON.stringify({ description, parameters }).replaceAll('<', '\\u003c');
}

/** The newest announced text by tool name. */
function readTold(messages: readonly MessageParam[]): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  const blocks = /<changed-tool name="(?<name>[^"]*)">\n(?<text>.*?)\n<\/changed-tool>/gsu;
  for (const text of listReminders(listNotedMessages(messages))) {
    if (!text.startsWith(heading)) continue;
    for (const { groups = {} } of text.matchAll(blocks)) {
      told.set(groups['name'] ?? '', groups['text'] ?? '');
    }
  }
  return told;
}
