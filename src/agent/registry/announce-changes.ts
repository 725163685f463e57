// Informs the model when a server has changed the definition of a tool that was already sent. The
// change is a reminder, so that the sent bytes stay the same. The conversation shows what the model
// already knows. create-request.ts calls it.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { ToolParam } from '../../model/model.ts';
import { readBlocks, toAttribute, toBlocksMessage } from './announced-blocks.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

const changes = {
  tag: 'changed-tool',
  heading: `# Changed tools

Their servers describe these tools anew since you were given them. Call them by what stands here; it is the servers' own words.`,
};

/** The message with the changes that the conversation doesn't have; undefined if there are none. */
export async function toChangedTools(
  { tools, loaded, referred, promptOptions }: Pool,
  params: Pick<ToolParamWriter, 'writeWithUsage' | 'readNow'>,
  messages: readonly MessageParam[],
): Promise<MessageParam | undefined> {
  const told = readBlocks(changes, messages);
  const news = new Map<string, string>();
  for (const tool of [...loaded, ...referred]) {
    // A removed tool is sent as before.
    if (!tool.isMcp || !tools.includes(tool)) continue;
    const text = toText(await params.readNow(tool, promptOptions));
    const name = toAttribute('name', tool.name);
    const known = told.get(name) ?? toText(await params.writeWithUsage(tool, promptOptions));
    if (text !== known) news.set(name, text);
  }
  return toBlocksMessage(changes, news);
}

/** Security: a server's text must not end the line that contains it. */
function toText({ description, input_schema: parameters }: ToolParam): string {
  return JSON.stringify({ description, parameters }).replaceAll('<', '\\u003c');
}
