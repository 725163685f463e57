/**
 * What `npm run headless` accepts, checked at the door: a mistake is a sentence and the usage, and
 * nothing is started.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  effortLevels,
  parseRules,
  permissionModes,
  SdkError,
  type PermissionMode,
  type SettingSource,
} from 'rockpool';
import type { HeadlessModel, HeadlessSession } from './headless-session.ts';

const defaultModelName = 'claude-sonnet-5-5';

export const usage = `usage: npm run headless -- --prompt "…" --workspace <dir> <model> [options]

  --prompt <text>           what the agent is asked to do
  --workspace <dir>         the folder that it works on; everything in it is loaded but
                            node_modules and .git. It is never written to

  the model, one of:
  --model scripted:<file>   plays a script: no model, no network
  --base-url <url>          any server that speaks the Messages API
  --api-key <key>           its key; better in ANTHROPIC_API_KEY, where no process list shows it.
                            Without --base-url the server is Anthropic's

  --model-name <name>       the model to ask the server for (default ${defaultModelName})
  --effort <level>          how thoroughly it works: ${effortLevels.join(', ')}
  --permission-mode <mode>  default, acceptEdits, plan, auto, dontAsk, bypassPermissions.
                            Nobody is here to be asked: what a mode would ask about is denied, a
                            question of the model's too. With plan the plan is the result
  --allow <rule>            Tool or Tool(path glob), as in 'Edit(src/**)'; may be given again
  --setting-sources <list>  project, local or both with a comma: the folder's CLAUDE.md, AGENTS.md,
                            settings, skills, commands and agents. Left out: none
  --trust-workspace         what those files allow holds; without it they only forbid
  --max-budget-usd <usd>    ends the turn once its requests have cost this much
  --out <dir>               a folder, new or empty, that receives the workspace as it is at the end
  --host browser|inline     in headless Chromium (default), or in Node's own thread

  sessions, which need a profile to be kept in:
  --profile <dir>           keeps the workspace and its sessions between runs, for each host its own.
                            One run at a time has it
  --session-id <id>         the id of the new session
  --resume <id>             goes on with a session: first with what a killed run has left undone, then
                            with --prompt, where there is one. The workspace is the profile's
  --continue                the same, with the session that was recorded to last
  --fork-session            goes on in a copy of it, under --session-id or an id of its own
  --list-sessions           prints the profile's sessions, the newest first, one a line; runs nothing
  --help

stdout: one SDKMessage a line, as JSON. Call npm with --silent to keep its own lines out.
exit status: 0 success, 1 the turn failed, 2 bad usage`;

export interface HeadlessArguments {
  /** Undefined where a session is to go on with what it has left undone. */
  readonly prompt: string | undefined;
  /** Absolute. Undefined: the profile's is taken as it is. */
  readonly workspace: string | undefined;
  /** Absolute. Undefined: nothing is kept. */
  readonly profile: string | undefined;
  readonly session: HeadlessSession;
  readonly maxBudgetUsd: number | undefined;
  readonly model: HeadlessModel;
  readonly permissionMode: PermissionMode;
  readonly allow: readonly string[];
  readonly settingSources: readonly SettingSource[];
  readonly trustsWorkspace: boolean;
  /** Absolute. */
  readonly out: string | undefined;
  readonly host: 'browser' | 'inline';
}

/** A mistake of who called; its message is for a person. */
export class UsageError extends Error {}

const modes: readonly PermissionMode[] = permissionModes;

/** What `--list-sessions` asks for. */
export interface ListArguments extends Pick<HeadlessArguments, 'host'> {
  readonly lists: true;
  /** Absolute. */
  readonly profile: string;
}

/** Undefined: `--help` was asked for. Throws {@link UsageError}. */
export function readArguments(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): HeadlessArguments | ListArguments | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const host = oneOf(['browser', 'inline'] as const, values.host ?? 'browser', '--host');
  const profile = values.profile === undefined ? undefined : readProfile(values.profile);
  if (values['list-sessions']) {
    const kept = require(profile, '--profile');
    if (!existsSync(kept)) throw new UsageError(`--profile ${kept} is not there.`);
    return { lists: true, host, profile: kept };
  }
  const session = readSession(values, profile);
  const goesOn = session.resume !== undefined || session.continue === true;
  const { workspace } = values;
  return {
    prompt: goesOn ? values.prompt : require(values.prompt, '--prompt'),
    // With a kept session the profile's is newer.
    workspace:
      goesOn || (profile !== undefined && workspace === undefined)
        ? undefined
        : readWorkspace(require(workspace, '--workspace')),
    profile,
    session,
    maxBudgetUsd: readBudget(values['max-budget-usd']),
    model: readModel(values, environment['ANTHROPIC_API_KEY']),
    permissionMode: oneOf(modes, values['permission-mode'] ?? 'default', '--permission-mode'),
    allow: (values.allow ?? []).map(checkRule),
    settingSources: readSources(values['setting-sources']),
    trustsWorkspace: values['trust-workspace'] ?? false,
    out: values.out === undefined ? undefined : readOut(values.out),
    host,
  };
}

type Values = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        prompt: { type: 'string' },
        workspace: { type: 'string' },
        model: { type: 'string' },
        'base-url': { type: 'string' },
        'api-key': { type: 'string' },
        'model-name': { type: 'string' },
        effort: { type: 'string' },
        'permission-mode': { type: 'string' },
        allow: { type: 'string', multiple: true },
        'setting-sources': { type: 'string' },
        'trust-workspace': { type: 'boolean' },
        out: { type: 'string' },
        host: { type: 'string' },
        profile: { type: 'string' },
        'session-id': { type: 'string' },
        resume: { type: 'string' },
        continue: { type: 'boolean' },
        'fork-session': { type: 'boolean' },
        'list-sessions': { type: 'boolean' },
        'max-budget-usd': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** There is no `user`: the folder is all that the run has. */
function readSources(list: string | undefined): readonly SettingSource[] {
  const names = (list ?? '').split(',').filter((name) => name !== '');
  return names.map((name) => oneOf(['project', 'local'] as const, name, '--setting-sources'));
}

function require(value: string | undefined, flag: string): string {
  if (value) return value;
  throw new UsageError(`${flag} is missing.`);
}

function oneOf<T extends string>(all: readonly T[], value: string, flag: string): T {
  const found = all.find((each) => each === value);
  if (found !== undefined) return found;
  throw new UsageError(`${flag} is one of ${all.join(', ')}, not "${value}".`);
}

function readWorkspace(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return resolve(path);
  throw new UsageError(`--workspace ${path} is no directory.`);
}

function readProfile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) return resolve(path);
  throw new UsageError(`--profile ${path} is no directory.`);
}

/** Which session runs. Its ids are checked by whoever opens it. */
function readSession(values: Values, profile: string | undefined): HeadlessSession {
  const { 'session-id': sessionId, resume, 'fork-session': forkSession } = values;
  const flags = { '--resume': resume, '--continue': values.continue };
  const [flag, other] = Object.entries(flags).flatMap(([name, value]) => (value ? [name] : []));
  if (other !== undefined) throw new UsageError('--resume and --continue exclude each other.');
  if (flag !== undefined && profile === undefined) {
    throw new UsageError(`${flag} needs --profile: without one no session is kept.`);
  }
  if (forkSession && flag === undefined) {
    throw new UsageError('--fork-session needs --resume or --continue.');
  }
  if (flag !== undefined && sessionId !== undefined && !forkSession) {
    throw new UsageError(`--session-id names a new session: with ${flag} it needs --fork-session.`);
  }
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(resume !== undefined && { resume }),
    ...(values.continue && { continue: true as const }),
    ...(forkSession && { forkSession: true as const }),
  };
}

function readBudget(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (text.trim() !== '' && Number.isFinite(usd) && usd > 0) return usd;
  throw new UsageError(`--max-budget-usd is a number of US dollars above 0, not "${text}".`);
}

/** Files of other runs must neither be mixed with this one's nor be lost. */
function readOut(path: string): string {
  if (!existsSync(path)) return resolve(path);
  if (statSync(path).isDirectory() && readdirSync(path).length === 0) return resolve(path);
  throw new UsageError(`--out ${path} is there already and isn't an empty directory.`);
}

function readModel(values: Values, keyOfEnvironment: string | undefined): HeadlessModel {
  const { model, 'base-url': baseURL, 'api-key': key, 'model-name': name, effort } = values;
  if (model !== undefined) {
    const clash = Object.entries({ baseURL, key, name, effort }).find(
      ([, value]) => value !== undefined,
    );
    if (clash)
      throw new UsageError('--model plays a script: it goes with no server, key, name or effort.');
    return { kind: 'scripted', script: readScript(model) };
  }
  const apiKey = key ?? keyOfEnvironment;
  if (baseURL === undefined && !apiKey) {
    throw new UsageError('No model: give --model scripted:<file>, --base-url or --api-key.');
  }
  if (baseURL !== undefined && !URL.canParse(baseURL)) {
    throw new UsageError(`--base-url ${baseURL} is no URL.`);
  }
  return {
    kind: 'anthropic',
    name: name ?? defaultModelName,
    ...(baseURL !== undefined && { baseURL }),
    ...(apiKey && { apiKey }),
    ...(effort !== undefined && { effort: oneOf(effortLevels, effort, '--effort') }),
  };
}

/** The script's JSON; the model itself checks what is in it. */
function readScript(model: string): unknown {
  const [, path] = /^scripted:(.+)$/s.exec(model) ?? [];
  if (path === undefined) {
    throw new UsageError(`--model is scripted:<file>; the server's model is --model-name.`);
  }
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`The script ${path} can't be read: ${String(error)}`);
  }
}

function checkRule(rule: string): string {
  try {
    parseRules([rule], 'allow', 'cliArg');
    return rule;
  } catch (error) {
    if (SdkError.isInstance(error)) throw new UsageError(error.message);
    throw error;
  }
}
