// A switch of the session's model as its hooks hear of it, and how one of them keeps the model. Used by
// create-session.ts for a query that has hooks.
import { SdkError } from '../../../core/errors.ts';
import type { CacheTtl, Model } from '../../../model/model.ts';
import { costOf } from '../../../model/pricing.ts';
import type { Prices } from '../../../model/pricing.ts';
import { measureContext } from '../../context/context-size.ts';
import type { HookFields } from '../../hooks/hook-inputs.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import type { SessionFold } from '../../journal/fold.ts';

/** A switch that somebody wants. */
export interface WantedSwitch {
  readonly from: Model;
  readonly to: Model;
  /** The name that was asked for. Null: the host's own model. */
  readonly requested: string | null;
  /** `sdk`: the host's program. `command`: the tool Config. */
  readonly source: 'sdk' | 'command';
}

/** Hears of a switch. Undefined at once where no hook is meant: then the switch is made at once, too. */
export interface SwitchGuard {
  /** Rejects with `permission-denied` and the reason where a hook keeps the model. */
  before(wanted: WantedSwitch): Promise<void> | undefined;
  after(wanted: WantedSwitch): Promise<void> | undefined;
}

interface SwitchPorts {
  readonly hooks: Pick<Hooks, 'beforeModelSwitch' | 'afterModelSwitch'>;
  readonly fold: SessionFold;
  readonly prices: Prices;
  readonly cacheTtl: CacheTtl;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const ttlMs: Readonly<Record<CacheTtl, number>> = { '5m': 300_000, '1h': 3_600_000 };

export function createSwitchGuard(ports: SwitchPorts): SwitchGuard {
  const { hooks } = ports;
  /** The cost is that of the moment before. */
  const costs = new WeakMap<WantedSwitch, Cost>();

  function describe(wanted: WantedSwitch): HookFields<'PreModelSwitch'> {
    const { from, to, requested, source } = wanted;
    const cost = costs.get(wanted) ?? reckonCost(to, ports);
    costs.set(wanted, cost);
    return {
      from_model: from.name,
      to_model: to.name,
      requested_model: requested,
      source,
      ...cost,
    };
  }

  return {
    before(wanted) {
      const { from, to } = wanted;
      if (from.name === to.name) return undefined;
      return hooks.beforeModelSwitch(describe(wanted))?.then((refusal) => {
        if (refusal === undefined) return;
        const why = refusal === '' ? '' : ` ${refusal}`;
        throw new SdkError(
          'permission-denied',
          `A hook keeps the model ${from.name}: ${to.name} isn't taken.${why}`,
          { data: { model: to.name } },
        );
      });
    },
    after(wanted) {
      const { from, to } = wanted;
      return from.name === to.name ? undefined : hooks.afterModelSwitch(describe(wanted));
    },
  };
}

type Cost = Pick<
  HookFields<'PreModelSwitch'>,
  'context_tokens' | 'prompt_cache_warm' | 'cache_ttl' | 'estimated_cache_write_usd' | 'pricing'
>;

/** What it takes to send the conversation to a model that has none of it in its cache. */
function reckonCost(to: Model, { fold, prices, cacheTtl, now }: SwitchPorts): Cost {
  const counted = fold.entries.findLast(
    ({ type, agent }) => type === 'usage' && agent === undefined,
  );
  // Before the first reply nothing was sent.
  const tokens = counted ? measureContext(fold) : 0;
  const price = prices.find(to.name);
  const hour = cacheTtl === '1h' && { cache_creation: { ephemeral_1h_input_tokens: tokens } };
  const written = { cache_creation_input_tokens: tokens, ...hour };
  return {
    context_tokens: tokens,
    prompt_cache_warm: counted !== undefined && now() - counted.time < ttlMs[cacheTtl],
    cache_ttl: cacheTtl,
    estimated_cache_write_usd: price
      ? costOf({ input_tokens: 0, output_tokens: 0, ...written }, price)
      : 0,
    pricing: !price ? 'default' : prices.basis === 'given' ? 'configured' : 'catalog',
  };
}
