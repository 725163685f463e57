// The choice of the agent's model: the choice as data, what of it is stored, and the model that is created from it.
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
  /** Undefined: the server's default. */
  readonly effort: EffortLevel | undefined;
}

/** The labels for people, from little to much. */
export const efforts: readonly (readonly [EffortLevel, string])[] = [
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
  ['xhigh', 'Extra high'],
  ['max', 'Max'],
];

/** Undefined for any other value, because another version of the demo may have stored it. */
export function toEffort(value: unknown): EffortLevel | undefined {
  return efforts.find(([level]) => level === value)?.[0];
}

export const defaultModelName = 'claude-sonnet-5-5';

/** True if the model's name is that of a script, not of an AI. */
export const isScripted = (name: string) => name.startsWith('scripted');

/** The label of a choice. A scripted model must never look like an AI. */
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

/**
 * True if the choices differ only in the access, such as the key, or in the effort. Then a conversation can continue
 * with the other.
 */
export function isSameModel(one: ModelChoice, other: ModelChoice): boolean {
  if (one.kind === 'scripted' || other.kind === 'scripted') return one.kind === other.kind;
  return one.kind === other.kind && one.model === other.model;
}

/** The stored choice, or else the scripted model, which needs no key. */
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
 * Security: a key is stored only if the person has ticked the box, because every script of this origin can read it.
 * Otherwise the key lasts as long as the page, and a stored key is removed.
 */
export function rememberModelChoice(choice: ModelChoice, keepsKey: boolean): void {
  if (choice.kind === 'scripted' || (choice.apiKey !== '' && !keepsKey)) {
    writeSetting('model', undefined);
  } else {
    writeSetting('model', choice);
  }
}

/** @throws SdkError `bad-usage` that names the option that can't work */
export async function createModel(choice: ModelChoice): Promise<Model> {
  switch (choice.kind) {
    case 'scripted': {
      const { default: script } = await import('../sample-script.json');
      // 18 ms for each piece: slow enough to watch, and fast enough not to bore.
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
