// Reads the skills of the host: `skillSources`. Called by skill-catalog.ts. A source's values are
// checked, because they may come from a server.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { LoadedSkill, Skill, SkillProblem, SkillSource } from '../../core/commands/skill.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { quoteHint, readFrontMatter } from '../../text/front-matter.ts';
import { sortWantedRules } from '../permissions/wanted-rules.ts';
import { readFlag, readTextField, readToolList } from '../definitions/definition-fields.ts';
import { checkContext, checkSkillName } from './read-skill.ts';

// 10 s: a prompt waits for it.
const maxWaitMs = 10_000;

export interface HostSkillsOptions {
  readonly clock: Clock;
  /** Aborted with the session. */
  readonly signal: AbortSignal;
}

/** Never rejects. */
export async function listHostSkills(
  source: SkillSource,
  options: HostSkillsOptions,
): Promise<{ readonly skills: readonly Skill[]; readonly problems: readonly SkillProblem[] }> {
  const skills: Skill[] = [];
  const problems: SkillProblem[] = [];
  try {
    const listed: unknown = await inTime((signal) => source.list(signal), options);
    if (!Array.isArray(listed)) throw new SdkError('invalid-input', 'It gave no list.');
    for (const given of listed as unknown[]) {
      try {
        skills.push(toSkill(given, source.name));
      } catch (error) {
        const message = `A skill of ${source.name} is left out: ${toReason(error)}`;
        problems.push({ at: source.name, message });
      }
    }
  } catch (error) {
    const message = `The skills of ${source.name} can't be listed: ${toReason(error)}`;
    problems.push({ at: source.name, message });
  }
  return { skills, problems };
}

/** @throws SdkError `invalid-input` with the reason */
export async function readHostSkill(
  source: SkillSource,
  skill: Skill,
  options: HostSkillsOptions,
): Promise<LoadedSkill> {
  try {
    const text: unknown = await inTime((signal) => source.read(skill.name, signal), options);
    if (typeof text !== 'string') throw new SdkError('invalid-input', 'It gave no text.');
    const { body } = await readFrontMatter(quoteHint(text));
    return { skill, body, allow: sortWantedRules(skill.allowedTools, 'turn').allow };
  } catch (error) {
    throw new SdkError(
      'invalid-input',
      `${source.name} can't give the skill "${skill.name}": ${toReason(error)}`,
      { data: { skill: skill.name, source: source.name }, cause: error },
    );
  }
}

/** Front matter and a host's object have the same fields with other names. */
function toSkill(given: unknown, source: string): Skill {
  if (!isRecord(given)) throw new SdkError('invalid-input', 'It is no object.');
  const description = readTextField(given, 'description');
  if (description === undefined) {
    throw new SdkError('invalid-input', 'It says not what it is for: give a description.');
  }
  const whenToUse = readTextField(given, 'whenToUse');
  const argumentHint = readTextField(given, 'argumentHint');
  const agent = readTextField(given, 'agent');
  const directory = readTextField(given, 'directory');
  if (directory !== undefined && !directory.startsWith('/')) {
    throw new SdkError('invalid-input', `Its directory is "${directory}". Give an absolute path.`);
  }
  return {
    name: checkSkillName(given['name']),
    description,
    ...(whenToUse !== undefined && { whenToUse }),
    ...(argumentHint !== undefined && { argumentHint }),
    source,
    ...(directory !== undefined && { directory }),
    isTrusted: true,
    allowedTools: readToolList(given, 'allowedTools'),
    context: checkContext(given['context'] ?? 'inline'),
    ...(agent !== undefined && { agent }),
    disableModelInvocation: readFlag(given, 'disableModelInvocation', false),
    userInvocable: readFlag(given, 'userInvocable', true),
  };
}

function toReason(error: unknown): string {
  return SdkError.isInstance(error) ? error.message : describeThrown(error);
}

/** Rejects after the time limit or when the session ends, even if the source ignores its signal. */
async function inTime<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { clock, signal }: HostSkillsOptions,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer = clock.after(maxWaitMs, stop);
  const stopped = new Promise<never>((_, reject) => {
    const late = () =>
      new SdkError('limit-exceeded', `No answer came within ${maxWaitMs / 1000} seconds.`);
    const closed = () => new SdkError('aborted', 'The session was closed before an answer came.');
    const refuse = () => reject(signal.aborted ? closed() : late());
    controller.signal.addEventListener('abort', refuse, { once: true });
    if (controller.signal.aborted) refuse();
  });
  try {
    return await Promise.race([ask(controller.signal), stopped]);
  } finally {
    timer[Symbol.dispose]();
    signal.removeEventListener('abort', stop);
  }
}
