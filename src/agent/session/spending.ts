// The query's budget in US dollars. It is checked before each request, and only for models with a
// known price. create-session.ts creates it; loop.ts and permissions/auto-mode.ts use it through
// the session.
import { SdkError } from '../../core/errors.ts';
import type { Model } from '../../model/model.ts';
import type { Prices } from '../../model/pricing.ts';
import type { QueryOptions } from '../query-options.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface Spending {
  /** Undefined: there is no budget. */
  readonly maxBudgetUsd: number | undefined;
  /** The US dollars spent so far, by the session and all its agents. */
  spentUsd(): number;
  /** True if the budget is spent. Then no further request is made. */
  isSpent(): boolean;
  /**
   * Checks a model.
   * @throws SdkError `bad-usage` if there is a budget and the model's price isn't known
   */
  checkModel(name: string): void;
}

export function createSpending(
  maxBudgetUsd: number | undefined,
  prices: Prices,
  usage: Pick<UsageMeter, 'totalCostUsd'>,
): Spending {
  return {
    maxBudgetUsd,
    spentUsd: () => usage.totalCostUsd(),
    isSpent: () => maxBudgetUsd !== undefined && usage.totalCostUsd() >= maxBudgetUsd,
    checkModel(name) {
      if (maxBudgetUsd === undefined || prices.find(name)) return;
      throw new SdkError(
        'bad-usage',
        `The price of ${name} isn't known, so maxBudgetUsd can't be held. Give it as prices: { ${JSON.stringify(name)}: { input: 3, output: 15 } }, in US dollars a million tokens, or leave maxBudgetUsd out.`,
        { data: { option: 'maxBudgetUsd', model: name } },
      );
    },
  };
}

/** The models that the query may ask. */
export function listModelNames(
  {
    autoClassifier,
    fallbackModel,
    models: forAgents = {},
    samplingModel,
    smallModel,
  }: QueryOptions,
  model: Model,
): readonly string[] {
  const models = [
    ...[model, fallbackModel ?? [], samplingModel ?? [], smallModel ?? []].flat(),
    ...Object.values(forAgents),
  ];
  const { modelName } = autoClassifier ?? {};
  return [...models.map(({ name }) => name), ...(modelName === undefined ? [] : [modelName])];
}
