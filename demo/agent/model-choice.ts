// Which model the agent works with: the choice as data, what of it is remembered, and the model
// that it makes.
import { createAnthropicModel, createScriptedModel } from 'rockpool/browser';
import type { EffortLevel, Model } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';

export type ModelChoice =
  | { readonly kind: 'scripted' }
  | (ServedModel & { readonly kind: 'anthropic' })
  | (ServedModel & { readonly kind: 'server'; readonly baseUrl: string });

interface ServedModel {
  readonly apiKey: string;
  readonly model: string;
  /** Undefined: as its server has it. */
  readonly effort: EffortLevel | undefined;
}

/** What a person reads for each, from little to much. */
export const efforts: readonly (readonly [EffortLevel, string])[] = [
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
  ['xhigh', 'Extra high'],
  ['max', 'Max'],
];

/** Undefined for anything else: what was remembered may be of another version. */
export function toEffort(value: unknown): EffortLevel | undefined {
  return efforts.find(([level]) => level === value)?.[0];
}

export const defaultModelName = 'claude-sonnet-5-5';

/** By a model's name: of no AI, whichever script it plays. */
export const isScripted = (name: string) => name.startsWith('scripted');

/** What a person reads for a choice. A scripted model never passes for an AI. */
export function describeChoice(choice: ModelChoice): string {
  switch (choice.kind) {
    case 'scripted':
      return 'Scripted demo (no AI)';
    case 'anthropic':
      return choice.model;
    case 'server':
      return `${choice.model} at ${URL.canParse(choice.baseUrl) ? new URL(choice.baseUrl).host : choice.baseUrl}`;
  }
}

/** Does only the way to it differ, such as its key, or its effort? Then a conversation can go on with the other. */
export function isSameModel(one: ModelChoice, other: ModelChoice): boolean {
  if (one.kind === 'scripted' || other.kind === 'scripted') return one.kind === other.kind;
  return one.kind === other.kind && one.model === other.model;
}

/** What was remembered; without anything the scripted model, which needs no key. */
export function readModelChoice(): ModelChoice {
  const stored = readSetting('model');
  if (typeof stored !== 'object' || stored === null) return { kind: 'scripted' };
  const {
    kind,
    apiKey,
    baseUrl,
    model,
    effort: kept,
  } = stored as Readonly<Record<string, unknown>>;
  if (typeof model !== 'string' || typeof apiKey !== 'string') return { kind: 'scripted' };
  const served = { apiKey, model, effort: toEffort(kept) };
  if (kind === 'anthropic' && apiKey !== '') return { kind, ...served };
  if (kind === 'server' && typeof baseUrl === 'string') return { kind, baseUrl, ...served };
  return { kind: 'scripted' };
}

/**
 * Security: a key is stored only where the person ticked the box, since every script of this origin
 * can read it. Otherwise it lives as long as the page, and an earlier one is removed.
 */
export function rememberModelChoice(choice: ModelChoice, keepsKey: boolean): void {
  if (choice.kind === 'scripted' || (choice.apiKey !== '' && !keepsKey)) {
    writeSetting('model', undefined);
  } else {
    writeSetting('model', choice);
  }
}

/** @throws SdkError `bad-usage` that names the option which can't work. */
export async function createModel(choice: ModelChoice): Promise<Model> {
  switch (choice.kind) {
    case 'scripted': {
      const { default: script } = await import('../sample-script.json');
      // 18 ms a piece: fast enough not to bore, slow enough to watch.
      return createScriptedModel({
        ...{ script: script as never, delayMs: 18 },
        contextWindow: 200_000,
      });
    }
    case 'anthropic':
      return createAnthropicModel({
        model: choice.model,
        apiKey: choice.apiKey,
        effort: choice.effort,
      });
    case 'server':
      return createAnthropicModel({
        model: choice.model,
        effort: choice.effort,
        baseURL: choice.baseUrl,
        ...(choice.apiKey !== '' && { apiKey: choice.apiKey }),
      });
  }
}
