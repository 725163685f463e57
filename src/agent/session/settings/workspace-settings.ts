// Reads permission settings from files of the workspace, which its author wrote. They may always
// restrict the host's permissions. They may loosen them only after a person has trusted them. The
// same applies to definitions. Used by settings.ts.
import { SdkError, messageOf } from '../../../core/errors.ts';
import { asSentence } from '../../../core/text/as-sentence.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { parseJsonFile } from '../../../core/text/parse-json-file.ts';
import { joinPath } from '../../../core/path.ts';
import { toSha256 } from '../../../core/hashes/to-sha256.ts';
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionRule,
  PermissionUpdate,
  PermissionUpdateDestination,
} from '../../../core/permissions/permission.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import { checkMode } from '../../permissions/decide.ts';
import { sortTighteningRules, sortWantedRules } from '../../permissions/wanted-rules.ts';
import type { SettingSource, TrustWorkspace, WorkspaceTrustQuestion } from '../../query-options.ts';
import { settingsPaths } from '../../definitions/configuration-files.ts';
import { findUnreadKeys } from './settings-keys.ts';
import { trustFiles, trustsNothing } from './workspace-trust.ts';
import type { LooseningFile, WorkspaceTrust } from './workspace-trust.ts';

/** The name of each source's rules. */
const destinations: Readonly<Record<SettingSource, PermissionUpdateDestination>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

const precedence = ['user', 'project', 'local'] as const;

// 64 kB: a longer file was not written by hand. The file is read before a person is asked.
// Security: each rule may be compared with every path.
const maxSettingsBytes = 64 * 1024;

/** The files to read, and the function that asks a person to trust them. */
export interface WorkspaceSettingsOptions {
  readonly fs: Pick<FileSystem, 'readFile' | 'stat'>;
  /** An absolute path. */
  readonly cwd: string;
  /** An absolute path, for the source `user`. */
  readonly home?: string | undefined;
  readonly sources: readonly SettingSource[];
  /** Skills, commands and agents that would loosen permissions. */
  readonly definitions: readonly LooseningFile[];
  /** The files may set the mode. @defaultValue true */
  readonly takesMode?: boolean;
  /** Left out: the workspace isn't trusted. */
  readonly trustWorkspace?: TrustWorkspace | undefined;
  /** Aborted with the query. */
  readonly signal: AbortSignal;
}

/** The settings of the workspace's files that apply. */
export interface WorkspaceSettings {
  readonly updates: PermissionUpdate[];
  /** The trust in the definitions that a person was asked about. */
  readonly trust: WorkspaceTrust;
  /** Sentences about settings of a file that can't apply here. */
  readonly problems: readonly string[];
  /** Servers of `.mcp.json` that a file disables: `disabledMcpjsonServers`. */
  readonly disabledServers: readonly string[];
}

/**
 * The updates of the files that apply. Deny and ask rules always apply. Allow rules, directories,
 * the mode and loosening definitions apply only if `trustWorkspace` approves exactly these files.
 * @throws SdkError `invalid-input` for an invalid file, with its name and the reason. Its deny
 * rules must not be ignored silently
 */
export async function readWorkspaceSettings(
  options: WorkspaceSettingsOptions,
): Promise<WorkspaceSettings> {
  const { definitions, takesMode = true } = options;
  const found: SettingsFile[] = [];
  // The last source decides the mode.
  const sources = precedence.filter((source) => options.sources.includes(source));
  for (const source of sources) {
    const file = await readSettingsFile(source, options);
    if (file) found.push(takesMode ? file : { ...file, mode: undefined });
  }
  const tightening = found.flatMap(({ destination, deny, ask }) => [
    ...toAddRules(deny, 'deny', destination),
    ...toAddRules(ask, 'ask', destination),
  ]);
  const problems = found.flatMap((file) => file.problems);
  const disabledServers = found.flatMap((file) => file.disabledServers);
  const question = await toQuestion(found, definitions);
  const { allow, additionalDirectories, mode } = question;
  const isLoosening =
    allow.length + additionalDirectories.length + definitions.length > 0 || mode !== undefined;
  if (!isLoosening || !(await isTrusted(question, options))) {
    return { updates: tightening, trust: trustsNothing, problems, disabledServers };
  }
  return {
    updates: [...tightening, ...found.flatMap(toLoosening)],
    trust: await trustFiles(definitions),
    problems,
    disabledServers,
  };
}

/** If the query ends meanwhile, the answer isn't awaited, and the files aren't trusted. */
async function isTrusted(
  question: WorkspaceTrustQuestion,
  { trustWorkspace, signal }: WorkspaceSettingsOptions,
): Promise<boolean> {
  if (!trustWorkspace || signal.aborted) return false;
  const ended = new Promise<false>((resolve) => {
    signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  return (await Promise.race([trustWorkspace(question, signal), ended])) === true;
}

interface SettingsFile {
  readonly path: string;
  readonly text: string;
  readonly destination: PermissionUpdateDestination;
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  /** The texts of `allow` and of settings that can't apply here, as they are written. */
  readonly allowTexts: readonly string[];
  readonly cannotHold: readonly string[];
  readonly problems: readonly string[];
  readonly directories: readonly string[];
  readonly disabledServers: readonly string[];
  readonly mode: PermissionMode | undefined;
}

async function readSettingsFile(
  source: SettingSource,
  { fs, cwd, home }: WorkspaceSettingsOptions,
): Promise<SettingsFile | undefined> {
  const name = settingsPaths[source];
  const destination = destinations[source];
  const directory = source === 'user' ? home : cwd;
  if (directory === undefined) return undefined;
  const path = joinPath(directory, name);
  const text = await readText(fs, path);
  if (text === undefined) return undefined;
  try {
    const permissions = readPermissions(text);
    const { allow: given, directories, disabledServers, mode } = permissions;
    const wanted = sortWantedRules(given, destination);
    const deny = sortTighteningRules(permissions.deny, 'deny', destination);
    const ask = sortTighteningRules(permissions.ask, 'ask', destination);
    const toProblem = (list: string, problem: string | undefined) =>
      problem === undefined ? [] : [`permissions.${list} of ${path} ${problem}`];
    return {
      path,
      text,
      destination,
      allow: wanted.rules,
      allowTexts: wanted.allow,
      cannotHold: [...wanted.cannotHold, ...deny.cannotHold, ...ask.cannotHold],
      problems: [
        ...permissions.unread.map(({ key, why }) => `${path} has ${key}, ${why}`),
        ...toProblem('deny', deny.problem),
        ...toProblem('ask', ask.problem),
      ],
      deny: deny.rules,
      ask: ask.rules,
      directories,
      disabledServers,
      mode,
    };
  } catch (error) {
    const why = messageOf(error);
    throw new SdkError(
      'invalid-input',
      `The settings in ${path} can't be understood: ${asSentence(why)} Mend the file, or leave '${source}' out of settingSources.`,
      { data: { path }, cause: error },
    );
  }
}

async function readText(
  fs: WorkspaceSettingsOptions['fs'],
  path: string,
): Promise<string | undefined> {
  try {
    const { size } = await fs.stat(path);
    if (size > maxSettingsBytes) {
      throw new SdkError(
        'invalid-input',
        `${path} has ${size} bytes, and settings at most ${maxSettingsBytes}.`,
        {
          data: { path, size },
        },
      );
    }
    return await fs.readFile(path, 'utf8');
  } catch (error) {
    const isAbsent = SdkError.isInstance(error) && /^(?:ENOENT|ENOTDIR)$/u.test(error.code);
    if (isAbsent) return undefined;
    throw error;
  }
}

function readPermissions(text: string) {
  const settings = readObject(parseJsonFile(text), 'the file');
  const permissions = readObject(settings['permissions'] ?? {}, 'permissions');
  const list = (name: string) => readStrings(permissions[name] ?? [], `permissions.${name}`);
  const mode = permissions['defaultMode'];
  return {
    allow: list('allow'),
    deny: list('deny'),
    ask: list('ask'),
    directories: list('additionalDirectories'),
    disabledServers: readStrings(
      settings['disabledMcpjsonServers'] ?? [],
      'disabledMcpjsonServers',
    ),
    mode: mode === undefined ? undefined : checkMode(mode as PermissionMode),
    // Other programs may keep their own keys there.
    unread: findUnreadKeys(settings).filter(({ isForeign }) => !isForeign),
  };
}

function readObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is no object.`);
}

function readStrings(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new TypeError(`${name} is no list of strings.`);
}

function toAddRules(
  rules: readonly PermissionRule[],
  behavior: PermissionBehavior,
  destination: PermissionUpdateDestination,
): PermissionUpdate[] {
  return rules.length === 0 ? [] : [{ type: 'addRules', rules, behavior, destination }];
}

function toLoosening({ allow, directories, mode, destination }: SettingsFile): PermissionUpdate[] {
  return [
    ...toAddRules(allow, 'allow', destination),
    { type: 'addDirectories', directories, destination },
    ...(mode ? [{ type: 'setMode', mode, destination } as const] : []),
  ];
}

async function toQuestion(
  found: readonly SettingsFile[],
  definitions: readonly LooseningFile[],
): Promise<WorkspaceTrustQuestion> {
  const mode = found.findLast((file) => file.mode)?.mode;
  const files = [...found, ...definitions];
  return {
    hash: await toSha256(
      files.map(({ path, text }) => `${path}\n${text.length}\n${text}`).join('\n'),
    ),
    paths: files.map(({ path }) => path),
    allow: found.flatMap(({ allowTexts }) => allowTexts),
    cannotHold: found.flatMap(({ cannotHold }) => cannotHold),
    additionalDirectories: found.flatMap(({ directories }) => directories),
    ...(mode && { mode }),
    definitions: definitions.map(({ text: _, ...definition }) => definition),
  };
}
