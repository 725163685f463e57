// Chooses the model that a session asks, and holds the settings that its tools see. A model that
// was chosen by name, which the journal has, comes before the host's. Made by create-session.ts.
import { SdkError } from '../../../core/errors.ts';
import { hostsModel } from '../../../core/session/session-settings.ts';
import type { SessionSettings } from '../../../core/session/session-settings.ts';
import { modelState } from '../../../core/session/session-states.ts';
import type { Model } from '../../../model/model.ts';
import type { SessionJournal } from '../../journal/session-journal.ts';
import type { PermissionState } from '../../permissions/permission-state.ts';

/** The model of a session's own agent. */
export interface ModelChoice {
  /**
   * The model for the next request: the session's, or that of the command which the turn answers.
   */
  current(): Model;
  /** The session's model, even during a turn of a command. */
  ofSession(): Model;
  /** The model's name among `names`. Undefined: it is the host's. */
  chosen(): string | undefined;
  readonly names: readonly string[];
  /** Sentences for the person: a chosen name isn't there any more, so the host's model is asked. */
  problems(): readonly string[];
  /**
   * Chooses a model by name. Undefined: the host's. Rejects with `bad-usage` for an unknown name.
   */
  choose(name: string | undefined): Promise<void>;
  /** The host has set this model, which ends the choice by name. */
  give(model: Model): void;
}

/** `given`: the host's own model. `models`: those that the host gives by name. */
export function createModelChoice(
  given: Model,
  models: Readonly<Record<string, Model>>,
  { fold, record, note }: SessionJournal,
): ModelChoice {
  let own = given;
  /** The turn in which somebody has set another model. A command's own model is over with that. */
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
    async choose(name) {
      if (name !== undefined && !isThere(name)) {
        const listed = [hostsModel, ...names].join(', ');
        const message = `The query has no model named "${name}". There are: ${listed}.`;
        throw new SdkError('bad-usage', message, { data: { model: name } });
      }
      await record({ type: 'state', key: modelState, value: name ?? null });
      setIn = fold.turn?.n;
    },
    give(model) {
      own = model;
      setIn = fold.turn?.n;
      if (kept() !== undefined) note({ type: 'state', key: modelState, value: null });
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
    setModel: (name) => models.choose(name === hostsModel ? undefined : name),
    setTitle: (title) => record({ type: 'meta', title }),
  };
}
