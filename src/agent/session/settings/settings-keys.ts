// Knows the supported keys of settings. Some other keys have no effect here, and some should forbid
// an action and would be ignored silently. host-settings.ts refuses those, and
// workspace-settings.ts warns of them.
import { findNearNames } from '../../../core/text/near-names.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { Settings } from '../../query-options.ts';

/** A key that has no effect here, though the author may have expected one. */
export interface UnreadKey {
  /** The key, such as `permissions.denny`. */
  readonly key: string;
  /** The end of a sentence with the problem and the remedy. */
  readonly why: string;
  /** The key is unknown and not similar to a supported one. It may belong to another program. */
  readonly isForeign: boolean;
}

const read: readonly string[] = ['permissions'] satisfies (keyof Settings)[];

const readOfPermissions: readonly string[] = [
  'allow',
  'deny',
  'ask',
  'defaultMode',
  'additionalDirectories',
] satisfies (keyof NonNullable<Settings['permissions']>)[];

/** The settings of Claude Code that forbid nothing and have no meaning here. */
const meaningless: ReadonlySet<string> = new Set([
  ...['$schema', 'agent', 'alwaysThinkingEnabled', 'apiKeyHelper', 'attribution'],
  ...['autoMemoryDirectory', 'autoMemoryEnabled', 'autoUpdatesChannel', 'awsAuthRefresh'],
  ...['awsCredentialExport', 'cleanupPeriodDays', 'companyAnnouncements', 'editorMode'],
  ...[
    'effortLevel',
    'enableAllProjectMcpServers',
    'enabledMcpjsonServers',
    'enabledPlugins',
    'env',
  ],
  ...['extraKnownMarketplaces', 'fastMode', 'feedbackSurveyRate', 'fileSuggestion'],
  ...['forceLoginMethod', 'forceLoginOrgUUID', 'includeCoAuthoredBy', 'includeGitInstructions'],
  ...['language', 'minimumVersion', 'model', 'modelOverrides', 'otelHeadersHelper', 'outputStyle'],
  ...['plansDirectory', 'prefersReducedMotion', 'promptSuggestionEnabled', 'respectGitignore'],
  ...['showThinkingSummaries', 'showTurnDuration', 'skipWebFetchPreflight', 'spinnerTipsEnabled'],
  ...['spinnerTipsOverride', 'spinnerVerbs', 'statusLine', 'syntaxHighlightingDisabled'],
  ...['teammateMode', 'terminalProgressBarEnabled', 'theme', 'verbose', 'viewMode', 'voiceEnabled'],
  'worktree',
]);

/**
 * Finds unsupported keys, in their order. Also checks the keys of `permissions` if it is an object.
 */
export function findUnreadKeys(settings: Readonly<Record<string, unknown>>): UnreadKey[] {
  const { permissions } = settings;
  const ofPermissions = isRecord(permissions) ? listGiven(permissions) : [];
  return [
    ...listGiven(settings).flatMap((key) => explainKey(key) ?? []),
    ...ofPermissions
      .filter((key) => !readOfPermissions.includes(key))
      .map((key) => ({
        key: `permissions.${key}`,
        why: `which isn't read here. ${suggest(key, readOfPermissions)}`,
        isForeign: false,
      })),
  ];
}

function listGiven(given: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(given).filter((key) => given[key] !== undefined);
}

function explainKey(key: string): UnreadKey | undefined {
  if (read.includes(key) || meaningless.has(key)) return undefined;
  if (key === 'hooks') {
    const why = `which don't run here: they are commands, and there is no process. Give functions in the query's option hooks.`;
    return { key, why, isForeign: false };
  }
  if (readOfPermissions.includes(key)) {
    return {
      key,
      why: `which stands in permissions: { permissions: { ${key} } }.`,
      isForeign: false,
    };
  }
  const isNear = findNearNames(key, read).length > 0;
  return { key, why: `which isn't read here. ${suggest(key, read)}`, isForeign: !isNear };
}

function suggest(key: string, known: readonly string[]): string {
  const near = findNearNames(key, known);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  const all =
    known.length > 1 ? `There are ${known.join(', ')}` : `There is ${known.join('')} alone`;
  return `${all}. Leave it out, and offer no more than it would allow.`;
}
