import { isTextBlock, isToolUseBlock, query, type QueryParams } from 'rockpool';

/** Tells what the agent says, and which tools it calls. */
export async function follow(params: QueryParams, tell: (line: string) => void): Promise<void> {
  for await (const message of query(params)) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) {
      if (isTextBlock(block)) tell(block.text);
      if (isToolUseBlock(block)) tell(`${block.name} ${JSON.stringify(block.input)}`);
    }
  }
}
