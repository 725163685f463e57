// The prompt field: Enter sends, Shift+Enter makes a line, Escape stops; on a touch screen Enter makes a line. Prompts sent while the
// agent works queue above the field, and can be taken back into it. A slash lists the commands, and `!` begins a cell.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { FormEvent, KeyboardEvent } from 'react';
import type { SlashCommand } from '../../core/commands/slash-command.ts';
import type { ImageBlock } from '../../core/messages/blocks.ts';
import { readCellCode } from '../../core/messages/cell-code.ts';
import type { WaitingPrompt } from '../page-session.ts';
import { takeValue, useArgumentValues, type CompleteCommand } from './argument-values.ts';
import { addMention, findMentions, takeMention } from './file-mentions.ts';
import { AddFiles, PromptFileList, usePromptFiles } from './prompt-files.tsx';
import type { ReadImage, TakeFile } from './prompt-files.tsx';
import { usePromptHistory } from './use-prompt-history.ts';
import { CommandList, useCommandList } from './command-list.tsx';

/** The text and images go to `onSend`. The host decides whether they begin a turn or wait. */
export interface ComposerProps {
  /** The agent works: a prompt that is sent now waits for its turn. */
  readonly isBusy: boolean;
  /** Called with the trimmed text. The text is empty only if there are images. */
  readonly onSend: (text: string, images: readonly ImageBlock[]) => void;
  /**
   * Makes the block of an image that is pasted, dropped or chosen: `readPromptImage` of rockpool/browser. Left out:
   * prompts are text.
   */
  readonly readImage?: ReadImage;
  /**
   * Keeps any other file that is pasted, dropped or chosen, and gives the path by which the agent
   * reads it. The prompt gets `@` and that path. Left out: only images are taken.
   */
  readonly takeFile?: TakeFile;
  /** Called for Escape while the agent works. Left out: Escape does nothing. */
  readonly onStop?: () => void;
  readonly placeholder?: string;
  /** The field's text at first: the last one that `onWrite` was called with. */
  readonly initialText?: string;
  /** The images that go with it: the last ones that `onWrite` was called with. */
  readonly initialImages?: readonly ImageBlock[];
  /** Called with each change of the field's text and images, for hosts that keep them. */
  readonly onWrite?: (text: string, images: readonly ImageBlock[]) => void;
  /** Offered as buttons while nothing is written. */
  readonly suggestions?: readonly string[];
  /** Listed when a slash is written: `SessionSnapshot.commands`. */
  readonly commands?: readonly SlashCommand[] | null;
  /**
   * Gives the values of an argument that is being written: `Query.completeCommand`. Left out:
   * nothing is proposed.
   */
  readonly onComplete?: CompleteCommand;
  /** Listed when an `@` is written: the paths by which the agent reads the files. */
  readonly files?: readonly string[];
  /** The session has `cellPrompts`: the field says that a text behind `!` runs as a cell. @defaultValue false */
  readonly takesCells?: boolean;
  /** Earlier prompts, oldest first: the arrow up brings them back into an empty field. */
  readonly history?: readonly string[];
  /** The prompts that were sent and wait, oldest first: `useWaitingPrompts`. */
  readonly waiting?: readonly WaitingPrompt[];
  /** Takes back a prompt that waits. Its text and images come back into the field. */
  readonly onTakeBack?: (id: string) => WaitingPrompt | undefined;
  /**
   * A text that is added to the field, below what is written: each new object once. For
   * `McpAppsContext`.
   */
  readonly draft?: { readonly text: string } | undefined;
  /** Sends what is written into the running turn, for Ctrl+Enter or Command+Enter. Left out: the prompt waits. */
  readonly onSendNow?: (text: string, images: readonly ImageBlock[]) => void;
  /**
   * Sends a prompt that waits: into the running turn, or, if the last turn was stopped or failed, as the next one.
   */
  readonly onSendWaiting?: (id: string) => void;
}

/** A longer text is laid out in a cheaper way, or each key would take a second. */
const longText = 10_000;

/** The field's text, and its caret. */
interface Written {
  readonly text: string;
  /** Files are completed up to this place in the text. Left out: the end of the text. */
  readonly caret?: number;
  /** The caret must still be moved there. */
  readonly isPlaced?: true;
}

/**
 * A field and a send button. The component itself keeps the text until it is sent. A host that
 * shows another conversation in between keeps it by `onWrite`.
 */
export function Composer(props: ComposerProps) {
  const { isBusy, onSend, onStop, onWrite, placeholder, suggestions = [], waiting = [] } = props;
  const commands = props.commands ?? [];
  const [{ text, caret, isPlaced }, setWritten] = useState<Written>({
    text: props.initialText ?? '',
  });
  const setText = (next: string | ((before: string) => string)) =>
    setWritten((written) => ({ text: typeof next === 'string' ? next : next(written.text) }));
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();
  const taken = usePromptFiles({
    ...{ readImage: props.readImage, takeFile: props.takeFile, initial: props.initialImages },
    onTaken: (path) => setText((before) => addMention(before, path)),
  });
  const { images } = taken;
  const told = useRef({ text, images });
  useEffect(() => {
    if (told.current.text === text && told.current.images === images) return;
    told.current = { text, images };
    onWrite?.(text, images);
  }, [text, images, onWrite]);
  /**
   * Focuses the field, because the pressed button is removed or disabled. Not on a touch screen, where this would
   * open the keyboard.
   */
  const goOnWriting = () => {
    if (!isTouched()) field.current?.focus();
  };
  // An image that is still being read would come too late.
  const canSend = (text.trim() !== '' || taken.images.length > 0) && taken.reading === 0;
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!canSend) return;
    const isForTurn = isBusy && 'key' in event && (event.ctrlKey || event.metaKey) && !isTouched();
    const sendIt = (isForTurn && props.onSendNow) || onSend;
    sendIt(text.trim(), taken.images);
    setText('');
    taken.clear();
    goOnWriting();
  };
  const isCell =
    props.takesCells === true && taken.images.length === 0 && readCellCode(text) !== undefined;
  const values = useArgumentValues(commands, text, props.onComplete);
  const before = text.slice(0, caret);
  // A person in the middle of a word corrects it, and gets no list.
  const isAtEnd = /^(?:\s|$)/u.test(text.slice(before.length));
  const files = isAtEnd ? findMentions(props.files ?? [], before) : [];
  const list = useCommandList(commands, text, { values, files }, (command, isFinal) => {
    if (command.kind === 'file') {
      const taken = takeMention(before, command.name);
      const rest = text.slice(before.length).replace(/^ /u, '');
      setWritten({ text: taken + rest, caret: taken.length, isPlaced: true });
    } else if (command.kind === 'value') setText(takeValue(text, command.name));
    else if (isFinal && command.argumentHint === '') {
      onSend(`/${command.name}`, []);
      setText('');
    } else setText(`/${command.name} `);
    field.current?.focus();
  });
  useLayoutEffect(() => {
    if (isPlaced) field.current?.setSelectionRange(caret ?? 0, caret ?? 0);
  }, [isPlaced, caret]);
  const recall = usePromptHistory(props.history ?? [], text, setText);
  // The text is added below what is being typed.
  const append = (more: string) =>
    setText((before) => (before.trim() === '' ? more : `${before.trimEnd()}\n${more}`));
  const { draft } = props;
  useEffect(() => {
    if (draft) append(draft.text);
  }, [draft]);
  const takeBack = (id: string) => {
    const prompt = props.onTakeBack?.(id);
    if (prompt && prompt.text !== '') append(prompt.text);
    if (prompt) taken.append(prompt.images);
    // The pressed button goes, so the focus moves to the field.
    field.current?.focus();
  };
  return (
    <form className="rp-composer" onSubmit={send} {...taken.formAttributes}>
      <span className="rp-hidden" role="status">
        {describeWaiting(waiting, isBusy)}
      </span>
      {waiting.length > 0 && (
        <ul className="rp-waiting" aria-label="Waiting to be sent">
          {waiting
            .map((one) => [one, describePrompt(one)] as const)
            .map(([{ id, isSent }, prompt]) => (
              <li key={id}>
                {/* Cut at its end, in whatever direction it is read. */}
                <span className="rp-waiting-text" dir="auto">
                  {prompt}
                </span>
                {isSent && <span className="rp-note">The agent gets it next</span>}
                {!isSent && props.onSendWaiting && (
                  <button
                    type="button"
                    aria-label={`Send now: ${prompt}`}
                    onClick={() => {
                      props.onSendWaiting?.(id);
                      field.current?.focus();
                    }}
                  >
                    Send now
                  </button>
                )}
                {!isSent && props.onTakeBack && (
                  <button
                    type="button"
                    aria-label={`Take back: ${prompt}`}
                    onClick={() => takeBack(id)}
                  >
                    Take back
                  </button>
                )}
              </li>
            ))}
        </ul>
      )}
      {text === '' && !isBusy && suggestions.length > 0 && (
        <div className="rp-suggestions">
          {suggestions.map((suggestion) => (
            <button
              key={suggestion}
              type="button"
              onClick={() => {
                onSend(suggestion, []);
                goOnWriting();
              }}
            >
              {suggestion}
            </button>
          ))}
        </div>
      )}
      <PromptFileList
        {...taken}
        remove={(image) => {
          taken.remove(image);
          // The pressed button goes, so the focus moves to the field.
          field.current?.focus();
        }}
      />
      <CommandList list={list} />
      <textarea
        ref={field}
        aria-label="Message to the agent"
        aria-describedby={hintId}
        {...list.fieldAttributes}
        placeholder={placeholder}
        rows={2}
        data-long={text.length > longText || undefined}
        data-cell={isCell || undefined}
        value={text}
        onChange={({ target }) => setWritten({ text: target.value, caret: target.selectionStart })}
        onSelect={({ currentTarget: { value, selectionStart } }) =>
          setWritten((written) =>
            written.text === value ? { text: value, caret: selectionStart } : written,
          )
        }
        onKeyDown={(event) => {
          // An input method's Enter picks a candidate, and its Escape drops them.
          if (isComposing(event) || recall(event) || list.onKeyDown(event)) return;
          if (event.key === 'Enter' && sends(event)) send(event);
          if (event.key === 'Escape' && isBusy && onStop) {
            // Handled here: other handlers on the page must not take it for another stop.
            event.preventDefault();
            onStop();
          }
        }}
      />
      <div className="rp-composer-line">
        <span id={hintId} className="rp-note">
          {isCell
            ? describeCell(isBusy)
            : (describeCommand(commands, text) ??
              describeKeys({
                isBusy,
                canStop: onStop !== undefined,
                canSendNow: props.onSendNow !== undefined,
                tellsOfCells: props.takesCells === true && text === '',
              }))}
        </span>
        {(props.readImage || props.takeFile) && (
          <AddFiles add={taken.add} takesAll={props.takeFile !== undefined} />
        )}
        <button type="submit" className="rp-primary" disabled={!canSend}>
          {describeSend(isBusy, isCell)}
        </button>
      </div>
    </form>
  );
}

function describePrompt({ text, images }: WaitingPrompt): string {
  if (images.length === 0) return text;
  const count = images.length === 1 ? '1 image' : `${images.length} images`;
  return text === '' ? count : `${text} (${count})`;
}

/** The hint about the arguments of the command that is written. */
function describeCommand(commands: readonly SlashCommand[], text: string): string | undefined {
  const name = /^\s*\/(?<name>\S+)\s/u.exec(text)?.groups?.['name'];
  const command = commands.find((one) => one.name === name);
  return command && `/${command.name} ${command.argumentHint}`.trim();
}

function describeCell(isBusy: boolean): string {
  const when = isBusy ? 'Runs as a cell when the agent is done' : 'Runs as a cell';
  return `${when}. The agent learns of it with your next message.`;
}

function describeSend(isBusy: boolean, isCell: boolean): string {
  if (isCell) return isBusy ? 'Run next' : 'Run';
  return isBusy ? 'Send next' : 'Send';
}

function describeKeys({
  isBusy,
  canStop,
  canSendNow,
  tellsOfCells,
}: Readonly<Record<'isBusy' | 'canStop' | 'canSendNow' | 'tellsOfCells', boolean>>): string {
  if (isTouched()) return isBusy ? 'What you send waits for the agent' : '';
  const cells = tellsOfCells ? ', ! runs JavaScript' : '';
  if (!isBusy) return `Enter sends, Shift+Enter begins a new line${cells}`;
  const now = canSendNow ? `, ${isApple() ? '⌘' : 'Ctrl'}+Enter now` : '';
  const stop = canStop ? ', Escape stops the agent' : '';
  return `Enter sends it next${now}${cells}${stop}`;
}

/**
 * Safari ends the composition before the event of the key that ended it. The key code 229 still shows that the key
 * belongs to the input method.
 */
function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

function sends({ shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return isTouched() ? ctrlKey || metaKey : !shiftKey;
}

function isApple(): boolean {
  return typeof navigator === 'object' && /Mac|iPhone|iPad/u.test(navigator.userAgent);
}

/**
 * True for a keyboard on the screen, which has no Shift+Enter. There Enter makes the line, and the
 * button sends.
 */
function isTouched(): boolean {
  // A server that renders the page has no `matchMedia`.
  return typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches;
}

function describeWaiting(waiting: readonly WaitingPrompt[], isBusy: boolean): string {
  const sent = waiting.filter(({ isSent }) => isSent).length;
  const count = waiting.length - sent;
  const told = [];
  if (sent > 0) told.push(`The agent gets ${sent === 1 ? '1 message' : `${sent} messages`} next.`);
  const messages = count === 1 ? '1 message waits' : `${count} messages wait`;
  if (count > 0) told.push(`${messages}${isBusy ? ' for the agent' : '; the agent stopped'}.`);
  return told.join(' ');
}
