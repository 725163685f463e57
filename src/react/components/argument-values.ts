// Proposes values for a command's argument while the person types it. The source of the command, such as an MCP
// server, gives the values. The prompt field lists them like commands.
import { useEffect, useRef, useState } from 'react';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** Gives the possible values at the caret. Rejects if the source of the command fails. */
export type CompleteCommand = (name: string, args: string) => Promise<readonly string[]>;

// 150 ms: a person who keeps typing doesn't cause a request for each letter.
const pauseMs = 150;

/** Empty if nothing is proposed, or if the proposed value is written already. */
export function useArgumentValues(
  commands: readonly SlashCommand[],
  text: string,
  onComplete: CompleteCommand | undefined,
): readonly string[] {
  const [found, setFound] = useState<{ text: string; values: readonly string[] }>();
  const complete = useRef(onComplete);
  useEffect(() => {
    complete.current = onComplete;
  });
  const { name = '', args = '' } = /^\/(?<name>\S+) (?<args>[^\n]*)$/u.exec(text)?.groups ?? {};
  const isAsked = commands.some((one) => one.name === name && one.argumentHint !== '');
  useEffect(() => {
    if (!isAsked) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      complete.current?.(name, args).then(
        (values) => isCurrent && setFound({ text, values }),
        // A failure proposes nothing. The list of servers says why the server fails.
        () => undefined,
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isAsked, name, args, text]);
  return found?.text === text ? found.values.filter((value) => value !== lastWord(text)) : [];
}

/** Replaces the word that is being typed by a value. */
export function takeValue(text: string, value: string): string {
  const quoted = /\s/u.test(value) ? `"${value}"` : value;
  return `${text.slice(0, text.length - lastWord(text).length)}${quoted} `;
}

function lastWord(text: string): string {
  // The pattern matches only from the beginning of a word. Otherwise a long word would take time by its length
  // squared.
  return /(?<!\S)\S*$/u.exec(text)?.[0] ?? '';
}
