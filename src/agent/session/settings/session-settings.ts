// Chooses the session's model, and holds the settings that its tools see. A model chosen by name is
// recorded in the journal, and has precedence over the host's. Created by create-session.ts.
import { SdkError } from '../../../core/errors.ts';
import { hostsModel } from '../../../core/session/session-settings.ts';
import type { SessionSettings } from '../../../core/session/session-settings.ts';
import { modelState } from '../../../core/session/session-states.ts';
import type { Model } from '../../../model/model.ts';
import type { SessionJournal } from '../../journal/session-journal.ts';
import type { SwitchGuard, WantedSwitch } from './model-switch.ts';
import type { PermissionState } from '../../permissions/permission-state.ts';

/** The model of a session's main agent. */
export interface ModelChoice {
  /** The model of the next request: the session's, or the one of the command that the turn runs. */
  current(): Model;
  /** The session's model, even while a command with its own model runs. */
  ofSession(): Model;
  /** The name of the chosen model among `names`. Undefined: the host's model is used. */
  chosen(): string | undefined;
  readonly names: readonly string[];
  /**
   * Sentences for the person about a chosen model that no longer exists. The host's model is used
   * instead.
   */
  problems(): readonly string[];
  /**
   * Chooses a model by name. Undefined: the host's. Rejects with `bad-usage` for an unknown name, and with
   * `permission-denied` where a hook keeps the model.
   */
  choose(name: string | undefined, source: WantedSwitch['source']): Promise<void>;
  /** The host has set this model, which ends the choice by name. */
  give(model: Model): void;
  /**
   * {@link ModelChoice.give} in an open session: its hooks hear of it. Rejects as `choose`. Without hooks it is done
   * at once.
   */
  switchTo(model: Model): Promise<void>;
}

/**
 * `given`: the host's own model. `models`: those that the host gives by name. `guard`: the session's hooks, if it has
 * some.
 */
export function createModelChoice(
  given: Model,
  models: Readonly<Record<string, Model>>,
  { fold, record, note }: SessionJournal,
  guard: () => SwitchGuard | undefined,
): ModelChoice {
  let own = given;
  /** The turn in which another model was set. From then on a command's own model isn't used. */
  let setIn: number | undefined;
  const names = Object.keys(models).filter((name) => name !== hostsModel);
  const isThere = (name: unknown): name is string => names.includes(name as string);
  const kept = () => fold.states.get(modelState) ?? undefined;

  function chosen(): string | undefined {
    const name = kept();
    return isThere(name) ? name : undefined;
  }

  function ofSession(): Model {
    const name = chosen();
    return (name === undefined ? undefined : models[name]) ?? own;
  }

  function give(model: Model): void {
    own = model;
    setIn = fold.turn?.n;
    if (kept() !== undefined) note({ type: 'state', key: modelState, value: null });
  }

  return {
    names,
    chosen,
    current() {
      const { n, turn } = fold.turn ?? {};
      const isOfCommand = isThere(turn?.model) && setIn !== n;
      return (isOfCommand ? models[turn.model] : undefined) ?? ofSession();
    },
    ofSession,
    problems() {
      const name = kept();
      if (name === undefined || isThere(name)) return [];
      return [
        `The model "${String(name)}" was chosen for this session, and isn't among the query's models: ${own.name} is asked.`,
      ];
    },
    async choose(name, source) {
      if (name !== undefined && !isThere(name)) {
        const listed = [hostsModel, ...names].join(', ');
        const message = `The query has no model named "${name}". There are: ${listed}.`;
        throw new SdkError('bad-usage', message, { data: { model: name } });
      }
      const to = (name === undefined ? undefined : models[name]) ?? own;
      const wanted = { from: ofSession(), to, requested: name ?? null, source };
      await guard()?.before(wanted);
      await record({ type: 'state', key: modelState, value: name ?? null });
      setIn = fold.turn?.n;
      await guard()?.after(wanted);
    },
    give,
    async switchTo(to) {
      const requested = to === given ? null : to.name;
      const wanted = { from: ofSession(), to, requested, source: 'sdk' } as const;
      const asked = guard()?.before(wanted);
      if (asked) await asked;
      give(to);
      await guard()?.after(wanted);
    },
  };
}

export function createSessionSettings(
  models: ModelChoice,
  permissions: PermissionState,
  { fold, record }: SessionJournal,
): SessionSettings {
  return {
    get permissionMode() {
      return permissions.current().mode;
    },
    get model() {
      return models.chosen() ?? hostsModel;
    },
    models: models.names,
    get title() {
      return fold.meta.title;
    },
    get thinking() {
      return models.current().thinking;
    },
    setPermissionMode: (mode) => permissions.setMode(mode),
    setModel: (name) => models.choose(name === hostsModel ? undefined : name, 'command'),
    setTitle: (title) => record({ type: 'meta', title }),
  };
}
