// The commands that a slash lists above the prompt field. The focus stays in the field: arrows
// choose, Tab completes, Enter takes, Escape shuts the list. The field is a textarea, which may not
// have the role of a combobox. It still says which list it controls and which item is chosen.
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, TextareaHTMLAttributes } from 'react';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** A command, or a value of a command's argument. */
export interface ListChoice extends Pick<SlashCommand, 'name' | 'description' | 'argumentHint'> {
  /** The item replaces the word that is being written. Left out: the item is a command. */
  readonly kind?: 'value' | 'file';
}

/** Takes a choice. `isFinal`: the prompt is sent at once if the command takes no arguments. */
type TakeChoice = (choice: ListChoice, isFinal: boolean) => void;

/** The state of the list, for the field and for the list's view. */
interface CommandListState {
  /** Empty if nothing is listed. */
  readonly matches: readonly ListChoice[];
  readonly active: number;
  readonly id: string;
  readonly take: TakeChoice;
  readonly fieldAttributes: TextareaHTMLAttributes<HTMLTextAreaElement>;
  /** True if the list took the key. */
  onKeyDown(event: KeyboardEvent): boolean;
}

/** Words that may replace the one that is being typed. */
export interface ListedWords {
  /** The values of a command's argument. */
  readonly values: readonly string[];
  readonly files: readonly string[];
}

/** Lists the choices that the text may become. `onTake` may change the text. */
export function useCommandList(
  commands: readonly SlashCommand[],
  text: string,
  words: ListedWords,
  onTake: TakeChoice,
): CommandListState {
  const id = useId();
  // A choice, or Escape, holds only for the text that it was made with.
  const [chosen, setChosen] = useState({ text: '', at: 0 });
  const [shut, setShut] = useState<string | null>(null);
  const all = [
    ...findCommands(commands, text),
    ...words.values.map((name) => toChoice(name, 'value')),
    ...words.files.map((name) => toChoice(name, 'file')),
  ];
  const found: readonly ListChoice[] = shut === text ? [] : all;
  // If the whole name is written, Enter sends it.
  const isWhole = found.length === 1 && text === `/${found[0]?.name}`;
  const matches = isWhole ? [] : found;
  const active = chosen.text === text ? Math.min(chosen.at, matches.length - 1) : 0;
  const move = (step: number) =>
    setChosen({ text, at: (active + step + matches.length) % matches.length });
  return {
    matches,
    active,
    id,
    take: onTake,
    fieldAttributes:
      matches.length === 0
        ? {}
        : {
            'aria-haspopup': 'listbox',
            'aria-autocomplete': 'list',
            'aria-controls': id,
            'aria-activedescendant': `${id}-${active}`,
          },
    onKeyDown(event) {
      const command = matches[active];
      if (!command || event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === 'ArrowDown') move(1);
      else if (event.key === 'ArrowUp') move(-1);
      else if (event.key === 'Escape') setShut(text);
      else if (event.shiftKey) return false;
      else if (event.key === 'Tab') onTake(command, false);
      else if (event.key === 'Enter') onTake(command, true);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

const toChoice = (name: string, kind: 'value' | 'file'): ListChoice => ({
  name,
  description: '',
  argumentHint: '',
  kind,
});

/**
 * The commands for a name that is being written: first those that begin with it, then those that
 * contain it.
 */
function findCommands(commands: readonly SlashCommand[], text: string): readonly SlashCommand[] {
  const written = /^\/(?<name>[\w.:-]*)$/u.exec(text)?.groups?.['name']?.toLowerCase();
  if (written === undefined) return [];
  const places = commands.map((command) => ({
    command,
    at: command.name.toLowerCase().indexOf(written),
  }));
  const begin = places.filter(({ at }) => at === 0);
  const have = places.filter(({ at }) => at > 0);
  return [...begin, ...have].map(({ command }) => command);
}

const labels = { command: 'Commands', file: 'Files', value: 'Values' } as const;

/** Empty if nothing is listed. */
export function CommandList({ list }: { readonly list: CommandListState }) {
  const { matches, active, id, take } = list;
  const chosen = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest' });
  }, [active, matches.length]);
  const what = matches[0]?.kind ?? 'command';
  const count = matches.length === 1 ? `1 ${what}` : `${matches.length} ${what}s`;
  return (
    <>
      <span className="rp-hidden" role="status">
        {matches.length > 0 && `${count}. Arrow keys choose, Tab completes, Enter takes.`}
      </span>
      {matches.length > 0 && (
        <div className="rp-commands" id={id} role="listbox" aria-label={labels[what]}>
          {matches.map((command, at) => (
            <button
              key={`${command.kind} ${command.name}`}
              type="button"
              tabIndex={-1}
              ref={at === active ? chosen : undefined}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === active}
              // The focus stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(command, true)}
            >
              <span className="rp-command-name">
                {command.kind === undefined && '/'}
                {command.name}
                {command.argumentHint !== '' && (
                  <span className="rp-command-hint"> {command.argumentHint}</span>
                )}
              </span>{' '}
              <span className="rp-command-text">{command.description}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}
