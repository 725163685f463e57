// Proposes values for a command's argument while the person writes it. Whoever offers the command
// is asked for them. The prompt field lists them as it lists commands.
import { useEffect, useRef, useState } from 'react';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** Gives the values that may stand at the caret. Rejects if whoever offers the command fails. */
export type CompleteCommand = (name: string, args: string) => Promise<readonly string[]>;

// 150 ms: a person who keeps writing causes no question for each letter.
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

/** Puts a value in the place of the word that is being written. */
export function takeValue(text: string, value: string): string {
  const quoted = /\s/u.test(value) ? `"${value}"` : value;
  return `${text.slice(0, text.length - lastWord(text).length)}${quoted} `;
}

function lastWord(text: string): string {
  // Matched only where a word begins: from each of its letters, a long word would take its length
  // squared.
  return /(?<!\S)\S*$/u.exec(text)?.[0] ?? '';
}
