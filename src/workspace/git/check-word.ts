// Validates options that take one of a few words. Commands call it before they do anything.
import { SdkError } from '../../core/errors.ts';

/** @throws SdkError `invalid-input` for an unknown word, listing the known ones. */
export function checkWord(what: string, given: unknown, words: readonly string[]): void {
  if (words.includes(given as string)) return;
  const others = words.slice(0, -1).map((word) => `'${word}'`);
  const known = `${others.join(', ')} or '${words.at(-1)}'`;
  const found = typeof given === 'string' ? `'${given.slice(0, 40)}'` : typeof given;
  throw new SdkError('invalid-input', `${what} is ${known}, not ${found}.`);
}

/** Checks the option `fastForward` of `git.merge` and `git.pull`. */
export function checkFastForward(command: 'merge' | 'pull', given: unknown): void {
  checkWord(`fastForward of git.${command}`, given, ['allow', 'only', 'never']);
}
