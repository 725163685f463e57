// What the argument of a command may be that is being written: whoever knows it is asked as one writes. The prompt
// field lists it as it lists commands.
import { useEffect, useRef, useState } from 'react';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** What may stand where one writes. Rejects where whoever knows it fails. */
export type CompleteCommand = (name: string, args: string) => Promise<readonly string[]>;

// 150 ms: who writes on isn't asked about each letter.
const pauseMs = 150;

/** Empty where nothing is proposed, or what is written is it already. */
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
        // Nothing is proposed then: why its server fails stands in the list of servers.
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

/** The text with a value in the place of the word that is being written. */
export function takeValue(text: string, value: string): string {
  const quoted = /\s/u.test(value) ? `"${value}"` : value;
  return `${text.slice(0, text.length - lastWord(text).length)}${quoted} `;
}

function lastWord(text: string): string {
  // Only where a word begins: from each of its letters, a long word would take its length squared.
  return /(?<!\S)\S*$/u.exec(text)?.[0] ?? '';
}
