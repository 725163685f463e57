// A reply as a screen reader says it: words without marks. Code and tables are only named: nobody follows them by ear.
import { toSpokenText } from '../kit/inline-markdown.tsx';
import { parseBlock, splitBlocks } from '../kit/markdown-blocks.ts';

/** About a minute of speech. More is read in the conversation, at the listener's own pace. */
const maxLength = 900;

/** Deeper nested lists and quotes are said as they are written. */
const maxDepth = 6;

/** The beginning of a reply in Markdown, and a hint where there is more. */
export function toSpokenReply(markdown: string): string {
  const words = sayBlocks(markdown, 0);
  if (words.length <= maxLength) return words;
  const end = words.lastIndexOf(' ', maxLength);
  return `${words.slice(0, end > 0 ? end : maxLength)} … The rest is in the conversation.`;
}

function sayBlocks(markdown: string, depth: number): string {
  const said = splitBlocks(markdown).map((source) => sayBlock(source, depth));
  return said.filter((words) => words !== '').join(' ');
}

function sayBlock(source: string, depth: number): string {
  const block = parseBlock(source);
  const sayWithin = (text: string) =>
    depth < maxDepth ? sayBlocks(text, depth + 1) : saySentence(text);
  switch (block.kind) {
    case 'code':
      return 'Here is code.';
    case 'table':
      return 'Here is a table.';
    case 'rule':
      return '';
    case 'bullets':
    case 'numbers':
      return block.items.map(sayWithin).join(' ');
    case 'quote':
      return sayWithin(block.text);
    case 'heading':
    case 'paragraph':
      return saySentence(block.text);
  }
}

/** A sentence with a pause after it. */
function saySentence(text: string): string {
  const words = toSpokenText(text).replaceAll(/\s+/g, ' ').trim();
  return words === '' || /[.!?…:;]$/.test(words) ? words : `${words}.`;
}
