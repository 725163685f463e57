// Handles a prompt that is a command. Built-in commands run here without the model. The text of
// other commands becomes the prompt. Loaded by loop.ts for the first prompt that begins with a
// slash.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { fillArguments } from '../../core/commands/fill-arguments.ts';
import type { StateRecord, TurnRecord } from '../../core/session/journal.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import type { CallFiles } from '../../core/tool/call-files.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import { findBuiltIn } from './built-in-commands.ts';
import type { BuiltInCommand, CommandRun } from './built-in-commands.ts';
import type { CommandLine } from './command-line.ts';
import type { LoadedCommand, PromptCommand } from './commands.ts';
import { expandCommand } from './expand-command.ts';

/** The turn ends with the command, or continues with the given prompt. */
export type TakenCommand =
  | { readonly type: 'end'; readonly end: TurnEnd }
  | {
      readonly type: 'prompt';
      readonly message: NonNullable<TurnRecord['message']>;
      /** The model's name among the query's `models`. Undefined: the session's own model. */
      readonly model: string | undefined;
      /** Texts of hooks for the model. */
      readonly context: readonly MessageParam[];
      /** States to record with the turn. */
      readonly states: readonly StateRecord[];
    };

/** The prompt, which is recorded in the journal. */
export interface AskedCommand extends Omit<CommandRun, 'session' | 'args' | 'withTurn'> {
  readonly line: CommandLine;
  readonly promptId: string;
  /** The workspace's files, within the rules on reading. */
  readonly files: Pick<CallFiles, 'readFile' | 'stat'>;
  /** The turn's signal. */
  readonly signal: AbortSignal;
}

/**
 * Takes the command. The turn of a built-in command is recorded before the command acts, so it acts
 * at most once, even if the page is closed. The caller records a replacement prompt with the turn.
 * Rejects only if the journal is broken.
 */
export async function takeCommand(session: Session, asked: AskedCommand): Promise<TakenCommand> {
  const { name, args } = asked.line;
  const builtIn = findBuiltIn(name);
  if (builtIn?.takesPrompt?.(args)) return beginWith(session, builtIn, asked);
  if (builtIn) return { type: 'end', end: await runBuiltIn(session, builtIn, asked) };
  const { commands } = session;
  await commands.refresh();
  const command = commands.find(name);
  if (command) return expand(session, command, asked);
  return { type: 'end', end: await endWith(session, asked, describeUnknown(session, name)) };
}

/**
 * Runs the command; then its arguments are the prompt. If the page is closed before the turn is
 * recorded, the command runs again.
 */
async function beginWith(
  session: Session,
  { load, name, note }: BuiltInCommand,
  asked: AskedCommand,
): Promise<TakenCommand> {
  const { args, rest } = asked.line;
  const states: StateRecord[] = [];
  try {
    const run = await load();
    await run({ ...asked, session, args, withTurn: (record) => states.push(record) });
  } catch (error) {
    return { type: 'end', end: await endWith(session, asked, describeFailure(name, error)) };
  }
  const text = note === undefined ? args : `${args}\n\n${note}`;
  const message = toMessage(text, rest);
  return { type: 'prompt', message, model: undefined, context: [], states };
}

async function runBuiltIn(
  session: Session,
  command: BuiltInCommand,
  asked: AskedCommand,
): Promise<TurnEnd> {
  const { journal } = session;
  const { name } = command;
  const { line, promptId: prompt, signal } = asked;
  await journal.record({ type: 'turn', prompt, isBlocked: true, command: name });
  try {
    const run = await command.load();
    const text = await run({ ...asked, session, args: line.args, withTurn: journal.note });
    return { type: 'command', command: name, text, isError: false };
  } catch (error) {
    if (journal.broken.aborted) throw journal.broken.reason;
    if (signal.aborted) return { type: 'stopped', during: 'streaming' };
    return { type: 'command', command: name, text: describeFailure(name, error), isError: true };
  }
}

function describeFailure(name: string, error: unknown): string {
  return SdkError.isInstance(error) ? error.message : `/${name} failed: ${describeThrown(error)}`;
}

/** Ends the turn without a request, because the command is unknown or can't be used. */
async function endWith(
  { journal }: Session,
  { line: { name }, promptId: prompt }: AskedCommand,
  text: string,
): Promise<TurnEnd> {
  await journal.record({ type: 'turn', prompt, isBlocked: true, command: name });
  return { type: 'command', command: name, text, isError: true };
}

async function expand(
  session: Session,
  command: PromptCommand,
  asked: AskedCommand,
): Promise<TakenCommand> {
  const { name, args } = asked.line;
  const heard = await session.hooks?.beforeExpansion(
    {
      expansion_type: command.kind === 'mcp-prompt' ? 'mcp_prompt' : 'slash_command',
      command_name: name,
      command_args: args,
      command_source: command.source,
      prompt: `/${name}${args === '' ? '' : ` ${args}`}`,
    },
    asked.signal,
  );
  if (heard?.blocked !== undefined) {
    const why = heard.blocked || 'a UserPromptExpansion hook refused it.';
    const text = `/${name} was not run: ${why}`;
    return { type: 'end', end: await endWith(session, asked, text) };
  }
  try {
    const loaded = await command.load(args);
    const message = await toPrompt(session, command, loaded, asked);
    return {
      type: 'prompt',
      message,
      model: ownModel(session, command),
      context: heard?.context ?? [],
      states: [],
    };
  } catch (error) {
    const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
    const text = `/${name} can't be used: ${why}`;
    return { type: 'end', end: await endWith(session, asked, text) };
  }
}

/** @throws SdkError `invalid-input` if the text is empty, or a rule is invalid */
async function toPrompt(
  session: Session,
  command: PromptCommand,
  { body, allow, note, images = [] }: LoadedCommand,
  { line: { name, args, rest }, files }: AskedCommand,
): Promise<NonNullable<TurnRecord['message']>> {
  const { text, shellLines } =
    command.kind === 'command'
      ? await expandCommand(body, args, files)
      : {
          text: quoteForReminder(
            (command.kind === 'skill' ? fillArguments(body, args) : body).trim(),
          ),
          shellLines: [],
        };
  if (text === '') {
    throw new SdkError(
      'invalid-input',
      `it has no text, so there is nothing to ask the model. Write some into ${command.place}.`,
    );
  }
  // Security: from here on the conversation contains the server's text.
  if (command.kind === 'mcp-prompt') session.permissions.taint(name);
  session.permissions.allowForTurn(allow);
  const notices = [
    ...listNotices(name, command, allow, shellLines),
    ...listModelNotices(session, name, command),
  ];
  for (const notice of notices) session.emit(toNoticeMessage(session, notice, 'warning'));
  return toMessage(note === undefined ? text : `${text}\n\n${note}`, [...images, ...rest]);
}

/** Notices for a person: what the command requests but doesn't get. */
function listNotices(
  name: string,
  { allowedTools }: PromptCommand,
  allow: readonly string[],
  shellLines: readonly string[],
): string[] {
  const refused = allowedTools.filter((rule) => !allow.includes(rule));
  const why =
    allow.length > 0 ? 'they can’t hold here' : 'its file isn’t trusted, or they can’t hold here';
  return [
    ...shellLines.map(
      (line) => `/${name} has the shell line \`${line}\`. It was not run: there is no shell here.`,
    ),
    ...(refused.length > 0
      ? [`/${name} would allow ${refused.join(', ')}. These rules don’t hold: ${why}.`]
      : []),
  ];
}

/** The name by which a command chooses the session's own model. */
const inherit = 'inherit';

function ownModel({ models }: Session, { model }: PromptCommand): string | undefined {
  return model !== undefined && models.names.includes(model) ? model : undefined;
}

function listModelNotices(session: Session, name: string, command: PromptCommand): string[] {
  const { model = inherit } = command;
  if (model === inherit || ownModel(session, command) !== undefined) return [];
  return [
    `/${name} is meant for the model ${model}, which isn’t among the query’s models. It is answered by the session’s own.`,
  ];
}

function describeUnknown({ commands }: Session, name: string): string {
  const near = commands.findNear(name);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((one) => `/${one}`).join(' or ')}?`
      : `There are ${commands
          .list()
          .map((one) => `/${one.name}`)
          .join(', ')}.`;
  return `There is no command /${name}. ${hint} A prompt that begins with a slash and is no command needs a word before it.`;
}

function toMessage(text: string, rest: CommandLine['rest']): NonNullable<TurnRecord['message']> {
  if (rest.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [{ type: 'text', text }, ...rest] };
}
